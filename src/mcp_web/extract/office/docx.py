"""Word documents (docx) → Markdown: headings by style, lists by numbering, tables, links, footnotes, formulas."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from mcp_web.extract.assemble import assemble
from mcp_web.extract.css.colour import Colour
from mcp_web.extract.markdown import escape_start, fence, table_of, web_link
from mcp_web.extract.office.docx_styles import (
    Style,
    is_hidden_row,
    is_off_page,
    is_on,
    list_place,
    paragraph_look,
    read_styles,
    run_look,
    shading,
)
from mcp_web.extract.office.look import PLAIN, Look, hex_colour
from mcp_web.extract.office.maths import tex
from mcp_web.extract.office.package import Package, value
from mcp_web.extract.xml_elements import Element, attribute, child, children, descendants, local
from mcp_web.model.page import Document, Fetched

_WRAPPERS = ("ins", "moveTo", "smartTag", "customXml", "sdt", "sdtContent")  # their content is part of the text


@dataclass(slots=True)
class State:
    """The state of the reader: styles and links of the document, and what was read so far."""

    styles: dict[str, Style] = field(default_factory=dict)
    page: Look = PLAIN  # the look of text without a style
    bullets: dict[tuple[str, int], bool] = field(default_factory=dict)  # (numbering id, depth) → bullet, not number
    links: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)  # ids of the footnotes that were referred to, in order
    hidden: int = 0
    counts: dict[tuple[str, int], int] = field(default_factory=dict)  # (numbering id, depth) → items so far

    def style(self, paragraph: Element | None) -> Style:
        """The style that the properties of a paragraph refer to."""
        return self.styles.get(value(paragraph, "pStyle"), Style())

    def visible(self, text: str, look: Look) -> str:
        """The text if it is visible; else an empty string, and the text is counted as hidden."""
        if look.is_visible:
            return text
        self.hidden += bool(text.strip())
        return ""


def read_docx(page: Fetched) -> Document:
    """Reads Word documents; raises ExtractFailed."""
    package = Package(page)
    root = package.xml("word/document.xml")
    body = child(root, "body")
    if body is None:
        raise package.failed("contains no Word text")
    page_look = Look(background=hex_colour(attribute(child(root, "background"), "color")))
    styles = read_styles(package.xml("word/styles.xml"))
    plain = next((style.look for style in styles.values() if style.default), Look())
    state = State(styles, plain.over(page_look), _bullets(package), package.relations("word/document.xml"))
    text = write_blocks(body, state)
    notes = _footnotes(package, state)
    title, metadata = package.core_properties()
    markdown = "\n\n".join(part for part in (text, notes) if part)
    return assemble(
        page, "docx", markdown, title=title, title_from_heading=True, metadata=metadata, hidden=state.hidden
    )


def write_blocks(parent: Element, state: State) -> str:
    """The paragraphs and tables in an element, as Markdown."""
    parts: list[str] = []
    before = ""
    for kind, text in _blocks(parent, state):
        if not text.strip():
            continue
        joined = "\n" if kind == before == "item" else "\n\n"
        if kind == before == "code":
            parts[-1] = parts[-1].removesuffix("\n```") + "\n" + text.removeprefix("```\n")
            continue
        parts.append((joined if parts else "") + text)
        before = kind
    return "".join(parts)


def _blocks(parent: Element, state: State) -> Iterator[tuple[str, str]]:
    """The kind and the Markdown of each block: heading, item, code, table or text."""
    for element in parent:
        name = local(element.tag)
        if name == "p":
            yield _paragraph(element, state)
        elif name == "tbl":
            yield "table", _table(element, state)
        elif name in _WRAPPERS:
            yield from _blocks(element, state)


def _paragraph(element: Element, state: State) -> tuple[str, str]:
    """The kind of a paragraph, and its Markdown."""
    properties = child(element, "pPr")
    style = state.style(properties)
    outline = value(properties, "outlineLvl")
    level = int(outline) + 1 if outline.isdigit() and int(outline) < 6 else style.level
    look = paragraph_look(properties, style).over(state.page)
    if style.code:
        return "code", fence("".join(_code_run(run, state, look) for run in descendants(element, "r")))
    text = " ".join(_inline(element, state, look).split(" ")).strip()
    if level and text:
        return "heading", "#" * min(level, 6) + " " + " ".join(text.replace("**", "").split())
    if place := list_place(properties, style):
        return "item", _item(text, place, state)
    return "text", escape_start(text)


def _item(text: str, place: tuple[str, int], state: State) -> str:
    """A list item with its bullet or number; `place` is its numbering id and depth."""
    number, depth = place[0], min(place[1], 8)
    for deeper in range(depth + 1, 9):
        state.counts.pop((number, deeper), None)
    state.counts[number, depth] = state.counts.get((number, depth), 0) + 1
    mark = "-" if state.bullets.get((number, depth), True) else f"{state.counts[number, depth]}."
    return "   " * depth + f"{mark} {text}"


def _inline(element: Element, state: State, look: Look) -> str:
    """The visible runs of a paragraph as Markdown; adjacent runs with the same emphasis are joined."""
    parts: list[tuple[str, str]] = []  # (mark, text)
    for mark, text in _runs(element, state, look):
        if parts and parts[-1][0] == mark:
            parts[-1] = (mark, parts[-1][1] + text)
        elif text:
            parts.append((mark, text))
    return "".join(_marked(mark, text) for mark, text in parts)


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
            yield "", f"${tex(each)}$"
        elif name in (*_WRAPPERS, "fldSimple"):
            yield from _runs(each, state, look)


def _run(run: Element, state: State, look: Look) -> tuple[str, str]:
    """The emphasis mark and the visible text of a run."""
    properties = child(run, "rPr")
    text = state.visible("".join(_characters(run, state)), run_look(properties, state.styles, look))
    bold, italic = is_on(properties, "b"), is_on(properties, "i")
    return ("***" if bold and italic else "**" if bold else "*" if italic else ""), text


def _characters(run: Element, state: State) -> Iterator[str]:
    """The text of a run in pieces; references to footnotes are recorded in the state."""
    for each in run:
        name = local(each.tag)
        if name == "t":
            yield each.text or ""
        elif name in ("tab", "ptab"):
            yield " "
        elif name in ("br", "cr"):
            yield "\n" if attribute(each, "type") is None else " "
        elif name == "noBreakHyphen":
            yield "-"
        elif name in ("footnoteReference", "endnoteReference"):
            identity = attribute(each, "id") or "0"
            state.notes.append(("e" if name.startswith("end") else "") + identity)
            yield f"[^{state.notes[-1]}]"


def _code_run(run: Element, state: State, look: Look) -> str:
    """The text of a run in a code paragraph, with its tabs."""
    signs = {"br": "\n", "tab": "\t"}
    text = "".join(each.text or "" if local(each.tag) == "t" else signs.get(local(each.tag), "") for each in run)
    return state.visible(text, run_look(child(run, "rPr"), state.styles, look))


def _table(table: Element, state: State) -> str:
    """A table without its hidden rows, as Markdown; "" if nothing of it is visible."""
    rows: list[list[str]] = []
    whole = child(table, "tblPr")
    off_page = is_off_page(child(whole, "tblpPr"))
    for row in descendants(table, "tr"):
        if off_page or is_hidden_row(row):
            state.hidden += 1
        else:
            rows.append([text for cell in children(row, "tc") for text in _cell(cell, state, shading(whole))])
    return table_of(rows)


def _cell(cell: Element, state: State, background: Colour | None) -> list[str]:
    """The text of a cell, and an empty string for each further column that it spans.

    `background` is that of the table.
    """
    properties = child(cell, "tcPr")
    merged = child(properties, "vMerge")
    is_covered = merged is not None and value(merged) != "restart"  # by the cell above
    text = "" if is_covered else " ".join(_paragraph_texts(cell, state, shading(properties) or background))
    width = value(properties, "gridSpan")
    return [text, *[""] * (min(int(width), 50) - 1 if width.isdigit() else 0)]


def _paragraph_texts(parent: Element, state: State, background: Colour | None = None) -> Iterator[str]:
    """The text of each paragraph in a cell or note, without hidden rows of tables in it."""
    hidden = {each for row in descendants(parent, "tr") if is_hidden_row(row) for each in descendants(row, "p")}
    for paragraph in descendants(parent, "p"):
        if paragraph in hidden:
            continue
        properties = child(paragraph, "pPr")
        look = paragraph_look(properties, state.style(properties)).over(state.page.on(background))
        if text := " ".join(_inline(paragraph, state, look).split()):
            yield text


def _bullets(package: Package) -> dict[tuple[str, int], bool]:
    """(numbering id, depth) → whether its items have bullets rather than numbers."""
    root = package.xml("word/numbering.xml")
    kinds: dict[str, dict[int, bool]] = {}
    for element in children(root, "abstractNum"):
        levels = kinds.setdefault(attribute(element, "abstractNumId") or "", {})
        for level in children(element, "lvl"):
            if (depth := attribute(level, "ilvl") or "").isdigit():
                levels[int(depth)] = value(level, "numFmt") in ("bullet", "none")
    return {
        (attribute(element, "numId") or "", depth): bullet
        for element in children(root, "num")
        for depth, bullet in kinds.get(value(element, "abstractNumId"), {}).items()
    }


def _footnotes(package: Package, state: State) -> str:
    """The definitions of the footnotes and endnotes that the text refers to; "" if there are none."""
    written: dict[str, str] = {}
    for part, prefix in (("word/footnotes.xml", ""), ("word/endnotes.xml", "e")):
        root = package.xml(part) if any(note.startswith("e") == bool(prefix) for note in state.notes) else None
        for note in children(root):
            identity = prefix + (attribute(note, "id") or "")
            if identity in state.notes:
                written[identity] = " ".join(_paragraph_texts(note, state))
    return "\n".join(
        f"[^{identity}]: {written[identity]}" for identity in dict.fromkeys(state.notes) if identity in written
    )
