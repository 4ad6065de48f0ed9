"""Word documents (docx) → Markdown: headings by style, lists by numbering, tables, links, footnotes, formulas."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter

from mcp_web.extract.assemble import LONGEST, assemble
from mcp_web.extract.markdown import escape_start, fence, table_of, web_link
from mcp_web.extract.office.docx_boxes import TextBoxes
from mcp_web.extract.office.docx_styles import ListPlace, WordStyles, is_hidden_row, is_off_page, shading
from mcp_web.extract.office.look import PLAIN, WHITE, Look, Visibility, hex_colour
from mcp_web.extract.office.maths import tex
from mcp_web.extract.office.package import Package, letters, value, whole
from mcp_web.extract.xml_elements import Element, attribute, child, children, descendants, local
from mcp_web.model.page import Document, Fetched

_HIDDEN = Look(hidden=True)
# Elements whose content is part of the text.
_WRAPPERS = ("ins", "moveTo", "smartTag", "customXml", "sdt", "sdtContent", "bdo", "dir")


@dataclass(slots=True)
class State(Visibility):
    """Styles and links of a Word document, and what was read of it so far."""

    styles: WordStyles = field(default_factory=WordStyles)
    bullets: dict[ListPlace, bool] = field(default_factory=dict)  # whether its items have bullets, not numbers
    links: dict[str, str] = field(default_factory=dict)
    page: Look = PLAIN  # the look of text without a style
    boxes: TextBoxes = field(default_factory=TextBoxes)
    drawings: list[tuple[Element, Look]] = field(default_factory=list)  # of the paragraph, each with the look around it
    notes: list[str] = field(default_factory=list)  # ids of the footnotes that were referred to, in order
    counts: dict[ListPlace, int] = field(default_factory=dict)  # items so far


def read_docx(page: Fetched) -> Document:
    """Reads Word documents; raises ExtractFailed."""
    package = Package(page)
    main = package.main_part("word/document.xml")
    data = package.read(main)
    if data is None:
        raise package.failed("contains no Word text")
    related = package.related(main)
    styles = WordStyles(package.xml(related.get("styles", "word/styles.xml")))
    theme = package.xml(related.get("theme", "word/theme/theme1.xml")) if b"txbxContent" in data else None
    bullets = _bullets(package.xml(related.get("numbering", "word/numbering.xml")))
    state = State(0, styles, bullets, package.relations(main), styles.plain, TextBoxes(data, theme))
    text = _joined(_blocks(_body(package, main, data, state), state))
    notes = _footnotes(package, related, state)
    title, metadata = package.core_properties()
    markdown = "\n\n".join(part for part in (text, notes) if part)
    return assemble(
        page, "docx", markdown, title=title, title_from_heading=True, metadata=metadata, hidden=state.hidden
    )


def _body(package: Package, part: str, data: bytes, state: State) -> Iterator[Element]:
    """The elements of the body in the XML `data` of a part. The colour of the page, which the file has before it, is
    kept in the state."""
    for in_body, element in package.stream(part, data, "body"):
        if in_body:
            yield element
        elif local(element.tag) == "background":
            state.page = state.page.over(Look(background=hex_colour(attribute(element, "color"))))


def _joined(blocks: Iterator[tuple[str, str]]) -> str:
    """The blocks, as `_blocks` yields them, as one Markdown text, cut off after the most that is kept of a document."""
    shown = _until_longest(block for block in blocks if block[0] == "code" or block[1].strip())
    parts: list[str] = []
    for kind, group in groupby(shown, key=itemgetter(0)):
        text = ("\n" if kind in ("item", "code") else "\n\n").join(text for _, text in group)
        parts.append(fence(text) if kind == "code" and text.strip() else text)
    return "\n\n".join(filter(str.strip, parts))


def _until_longest(blocks: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """The blocks up to the one with which their text is longer than what is kept of a document."""
    size = 0
    for block in blocks:
        yield block
        size += len(block[1]) + 2
        if size > LONGEST:
            return


def _blocks(elements: Iterable[Element], state: State, around: Look | None = None) -> Iterator[tuple[str, str]]:
    """The kind of each block (heading, item, code, table or text), and its Markdown, of code the plain line.

    `around` is the look of plain text in the text box that the elements are in, if they are in one.
    """
    for element in elements:
        name, page = local(element.tag), around or state.page
        if name == "p":
            yield _paragraph(element, state, page)
            for content, look in _text_boxes(state):
                yield from _blocks(content, state, look)
        elif name == "tbl":
            yield "table", _table(element, state, page)
        elif name in _WRAPPERS:
            yield from _blocks(element, state, around)


def _paragraph(element: Element, state: State, page: Look) -> tuple[str, str]:
    """The kind ("heading", "item", "code" or "text") and the Markdown of a paragraph; of code, the plain text."""
    style = state.styles.paragraph(child(element, "pPr"))
    look = style.look.over(page)
    if style.code:
        return "code", "".join(_run(run, state, look)[1] for run in _shown(element, "r", state))
    text = _inline(element, state, look).replace("\t", " ").strip()
    if style.level and text:
        return "heading", "#" * min(style.level, 6) + " " + " ".join(text.replace("**", "").split())
    if style.list:
        return "item", _item(text, style.list, state)
    return "text", escape_start(text)


def _text_boxes(state: State) -> list[tuple[Element, Look]]:
    """The content of each visible text box in the paragraph that was read, and the look of text in it."""
    drawings, state.drawings = state.drawings, []
    found: list[tuple[Element, Look]] = []
    ground = state.page.background or WHITE
    for drawing, around in drawings:
        # Whether a box in a coloured paragraph or cell is on that colour is not known, unless it hides what is behind.
        is_on_page = (around.background or WHITE) == ground
        for box in state.boxes.inside(drawing):
            if box.fill is None or around.hidden or around.gone or not (is_on_page or box.fill.alpha == 1):
                state.visible(letters(box.content), _HIDDEN)
            else:
                look = state.page.over(Look(colour=box.colour)).on(box.fill.over(ground))
                found.append((box.content, look))
    return found


def _item(text: str, place: ListPlace, state: State) -> str:
    """A list item with its bullet, or with its number: the items so far are counted in the state."""
    number, depth = place[0], max(0, min(place[1], 8))
    for deeper in range(depth + 1, 9):
        state.counts.pop((number, deeper), None)
    state.counts[number, depth] = state.counts.get((number, depth), 0) + 1
    mark = "-" if state.bullets.get((number, depth), True) else f"{state.counts[number, depth]}."
    return "   " * depth + f"{mark} {text}"


def _inline(element: Element, state: State, look: Look) -> str:
    """The visible runs of a paragraph as Markdown; adjacent runs with the same emphasis are joined."""
    visible = (run for run in _runs(element, state, look) if run[1])
    by_mark = groupby(visible, key=itemgetter(0))
    return "".join(_marked(mark, "".join(text for _, text in runs)) for mark, runs in by_mark)


def _marked(mark: str, text: str) -> str:
    """The text between two marks such as `**`; spaces at its ends stay outside of them."""
    inner = text.strip()
    if not mark or not inner:
        return text
    lead, tail = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    return f"{lead}{mark}{inner}{mark}{tail}"


def _runs(element: Element, state: State, look: Look) -> Iterator[tuple[str, str]]:
    """The emphasis mark and the text of each run in a paragraph; `look` is that of the paragraph."""
    for each in element:
        name = local(each.tag)
        if name == "r":
            yield _run(each, state, look)
        elif name == "hyperlink":
            url = state.links.get(attribute(each, "id") or "", "")
            yield "", web_link(_inline(each, state, look).strip(), url)
        elif name in ("oMath", "oMathPara"):
            runs = (state.styles.run(own)[1] for run in descendants(each, "r") for own in children(run, "rPr"))
            hidden = next((own for own in runs if not own.over(look).is_visible), PLAIN)
            yield "", state.visible(f"${tex(each)}$", hidden.over(look))
        elif name in (*_WRAPPERS, "fldSimple"):
            yield from _runs(each, state, look)


def _run(run: Element, state: State, look: Look) -> tuple[str, str]:
    """The emphasis mark and the visible text of a run in a paragraph with this look."""
    mark, own = state.styles.run(child(run, "rPr"))
    look = own.over(look)
    return mark, state.visible("".join(_characters(run, state, look)), look)


def _characters(run: Element, state: State, look: Look) -> Iterator[str]:
    """The text of a run in pieces; references to footnotes and drawings are recorded in the state."""
    for each in run:
        name = local(each.tag)
        if name == "t":
            yield each.text or ""
        elif name in ("tab", "ptab"):
            yield "\t"
        elif name in ("br", "cr"):
            yield "\n" if attribute(each, "type") in (None, "textWrapping") else " "
        elif name == "noBreakHyphen":
            yield "-"
        elif name in ("footnoteReference", "endnoteReference"):
            identity = attribute(each, "id") or "0"
            identity = ("e" if name.startswith("end") else "") + identity
            state.notes += [identity] if look.is_visible else []
            yield f"[^{identity}]"
        elif name == "ruby":  # the characters below a phonetic guide
            yield from (_run(each_run, state, look)[1] for each_run in children(child(each, "rubyBase"), "r"))
        elif name in ("AlternateContent", "drawing", "pict"):
            state.drawings.append((each, look))


def _table(table: Element, state: State, page: Look) -> str:
    """A table without its hidden rows, as Markdown; "" if nothing of it is visible."""
    properties = child(table, "tblPr")
    hidden = state.styles.named(value(properties, "tblStyle")).look.hidden
    look = page.over(Look(hidden=hidden)).on(shading(properties))
    rows = ([_cell(cell, state, look) for cell in _shown(row, "tc", state)] for row in _shown([table], "tr", state))
    return table_of([[text for cell in row for text in cell] for row in rows])


def _shown(parent: Iterable[Element], wanted: str, state: State) -> Iterator[Element]:
    """The elements with the tag `wanted` in `parent`, without those in others: cells of an inner table are in a cell.

    Only paragraphs may be in others. Hidden rows and tables are counted in the state and left out with what is in them.
    """
    waiting = [*parent][::-1]
    while waiting:
        each = waiting.pop()
        name = local(each.tag)
        if name in ("tr", "tbl") and (is_hidden_row(each) or is_off_page(child(each, "tblPr", "tblpPr"))):
            state.hidden += 1
            continue
        if name == wanted:
            yield each
        if name not in (wanted, "Fallback", "moveFrom"):
            waiting += each[::-1]


def _cell(cell: Element, state: State, table: Look) -> list[str]:
    """The text of a cell in a table with this look, and an empty string for each further column that it spans."""
    properties = child(cell, "tcPr")
    merged = child(properties, "vMerge")
    is_covered = merged is not None and value(merged) != "restart"  # by the cell above
    text = "" if is_covered else " ".join(_paragraph_texts(cell, state, table.on(shading(properties))))
    return [text, *[""] * (min(whole(value(properties, "gridSpan"), 1), 50) - 1)]


def _paragraph_texts(parent: Element, state: State, around: Look) -> Iterator[str]:
    """The visible text of each paragraph with text in a cell, note or box; `around` is the look of plain text."""
    for paragraph in _shown(parent, "p", state):
        look = state.styles.paragraph(child(paragraph, "pPr")).look.over(around)
        if text := " ".join(_inline(paragraph, state, look).split()):
            yield text
        for content, inside in _text_boxes(state):
            yield from _paragraph_texts(content, state, inside)


def _bullets(root: Element | None) -> dict[ListPlace, bool]:
    """For each list and depth in the document, whether its items have bullets rather than numbers; `root` is that of
    the part with the numbering."""
    kinds = {
        attribute(element, "abstractNumId"): {
            whole(attribute(level, "ilvl")): value(level, "numFmt") in ("bullet", "none")
            for level in children(element, "lvl")
        }
        for element in children(root, "abstractNum")
    }
    return {
        (attribute(element, "numId") or "", depth): bullet
        for element in children(root, "num")
        for depth, bullet in kinds.get(value(element, "abstractNumId"), {}).items()
    }


def _footnotes(package: Package, related: Mapping[str, str], state: State) -> str:
    """The definitions of the footnotes and endnotes that the text refers to; "" if there are none. `related` are the
    names of parts, by type."""
    written: dict[str, str] = {}
    referred = dict.fromkeys(state.notes)
    for kind, prefix in (("footnotes", ""), ("endnotes", "e")):
        part = related.get(kind, f"word/{kind}.xml")
        state.links = package.relations(part) if referred else {}
        for note in children(package.xml(part) if referred else None):
            identity = prefix + (attribute(note, "id") or "")
            if identity in referred:
                written[identity] = " ".join(_paragraph_texts(note, state, state.page))
    return "\n".join(f"[^{identity}]: {written[identity]}" for identity in referred if identity in written)
