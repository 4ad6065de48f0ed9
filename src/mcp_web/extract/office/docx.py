"""Word documents (docx) → Markdown: headings by style, lists by numbering, tables, links, footnotes, formulas."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from mcp_web.extract.assemble import assemble
from mcp_web.extract.css.colour import Colour, parse_colour
from mcp_web.extract.markdown import escape_start, fence, table_of
from mcp_web.extract.office.look import BLACK, PLAIN, WHITE, Look, hex_colour
from mcp_web.extract.office.maths import tex
from mcp_web.extract.office.package import Package, value
from mcp_web.extract.xml_elements import Element, attribute, child, children, descendants, local
from mcp_web.model.page import Document, Fetched
from mcp_web.text.headings import read_headings

_HEADING = re.compile(r"heading\s*(\d)", re.I)
_CODE = re.compile(r"code|preformatted|source|listing", re.I)
_THEME = dict.fromkeys(("background1", "light1", "bg1", "lt1"), WHITE)
_THEME |= dict.fromkeys(("text1", "dark1", "tx1", "dk1"), BLACK)
_OFF = ("0", "false", "none")
_WRAPPERS = ("ins", "moveTo", "smartTag", "customXml", "sdt", "sdtContent")  # their content is part of the text
_FLAT = 40  # twentieths of a point; a line or row of this height shows nothing
_INDENTS = ("left", "start", "right", "end", "firstLine", "hanging")
_FAR = 400  # half points; text that is raised or lowered more is off its page
_OFF_PAGE = 15_000  # twentieths of a point; wider than a page


@dataclass(frozen=True, slots=True)
class Style:
    """What a named style of the document defines."""

    level: int | None = None  # of a heading
    list: tuple[str, int] | None = None  # numbering id and depth
    code: bool = False
    look: Look = PLAIN
    default: bool = False  # the style of paragraphs that name none


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
    """Reads Word documents."""
    package = Package(page)
    root = package.xml("word/document.xml")
    body = child(root, "body")
    if body is None:
        raise package.failed("contains no Word text")
    page_look = Look(background=hex_colour(attribute(child(root, "background"), "color")))
    styles = _styles(package)
    plain = next((style.look for style in styles.values() if style.default), Look())
    state = State(styles, plain.over(page_look), _bullets(package), package.relations("word/document.xml"))
    text = write_blocks(body, state)
    notes = _footnotes(package, state)
    title, metadata = package.core_properties()
    markdown = "\n\n".join(part for part in (text, notes) if part)
    top = next((heading.text for heading in read_headings(markdown)), "")
    return assemble(page, "docx", markdown, title=title or top, metadata=metadata, hidden=state.hidden)


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
    look = _paragraph_look(properties, style).over(state.page)
    if style.code:
        return "code", fence("".join(_code_run(run, state, look) for run in descendants(element, "r")))
    text = " ".join(_inline(element, state, look).split(" ")).strip()
    if level and text:
        return "heading", "#" * min(level, 6) + " " + " ".join(text.replace("**", "").split())
    if place := _list_place(properties, style):
        return "item", _item(text, place, state)
    return "text", escape_start(text)


def _list_place(properties: Element | None, style: Style) -> tuple[str, int] | None:
    """The numbering id and the depth of a list item; None if the paragraph is not one."""
    number = child(properties, "numPr")
    if number is None:
        return style.list
    identity, level = value(number, "numId") or "0", value(number, "ilvl")
    return None if identity == "0" else (identity, int(level) if level.isdigit() else 0)


def _item(text: str, place: tuple[str, int], state: State) -> str:
    """A list item with its bullet or number; `place` is its numbering id and depth."""
    number, depth = place[0], min(place[1], 8)
    for deeper in range(depth + 1, 9):
        state.counts.pop((number, deeper), None)
    state.counts[number, depth] = state.counts.get((number, depth), 0) + 1
    mark = "-" if state.bullets.get((number, depth), True) else f"{state.counts[number, depth]}."
    return "   " * depth + f"{mark} {text}"


def _inline(element: Element, state: State, look: Look) -> str:
    """The runs of a paragraph; adjacent runs with the same emphasis are joined."""
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
            text = _inline(each, state, look).strip()
            url = state.links.get(attribute(each, "id") or "", "")
            linked = url.startswith(("http://", "https://")) and text
            yield "", f"[{text.replace('[', '(').replace(']', ')')}]({url})" if linked else text
        elif name in ("oMath", "oMathPara"):
            yield "", f"${tex(each)}$"
        elif name in (*_WRAPPERS, "fldSimple"):
            yield from _runs(each, state, look)


def _run(run: Element, state: State, look: Look) -> tuple[str, str]:
    properties = child(run, "rPr")
    text = state.visible("".join(_characters(run, state)), _run_look(properties, state, look))
    bold, italic = _on(properties, "b"), _on(properties, "i")
    return ("***" if bold and italic else "**" if bold else "*" if italic else ""), text


def _characters(run: Element, state: State) -> Iterator[str]:
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


def _on(properties: Element | None, name: str) -> bool:
    """Whether a property such as bold is present and not switched off."""
    found = child(properties, name)
    return found is not None and attribute(found, "val") not in _OFF


def _code_run(run: Element, state: State, look: Look) -> str:
    """The text of a run in a code paragraph, with its tabs."""
    signs = {"br": "\n", "tab": "\t"}
    text = "".join(each.text or "" if local(each.tag) == "t" else signs.get(local(each.tag), "") for each in run)
    return state.visible(text, _run_look(child(run, "rPr"), state, look))


def _paragraph_look(properties: Element | None, style: Style) -> Look:
    """The look of a paragraph's style; hidden if the paragraph is off the page or its lines have no height."""
    look = replace(style.look, hidden=True) if _is_hidden_paragraph(properties) else style.look
    return look.on(_shading(properties))


def _is_hidden_paragraph(properties: Element | None) -> bool:
    """Whether paragraph properties move the paragraph off the page, or give its lines no height."""
    spacing, indent = child(properties, "spacing"), child(properties, "ind")
    flat = attribute(spacing, "lineRule") == "exact" and 0 <= _integer(attribute(spacing, "line"), 240) <= _FLAT
    off_page = any(abs(_integer(attribute(indent, name), 0)) > _OFF_PAGE for name in _INDENTS)
    return flat or off_page or _is_off_page(child(properties, "framePr"))


def _is_off_page(frame: Element | None) -> bool:
    """Whether a frame or table is off its page, or has no height."""
    places = [_integer(attribute(frame, name), 0) for name in ("x", "y", "tblpX", "tblpY")]
    flat = attribute(frame, "hRule") == "exact" and _integer(attribute(frame, "h"), 240) <= _FLAT
    return flat or any(abs(place) > _OFF_PAGE for place in places)


def _shading(properties: Element | None) -> Colour | None:
    """The background colour: of a solid pattern, the colour of the pattern."""
    shade = child(properties, "shd")
    return hex_colour(attribute(shade, "color" if value(shade) == "solid" else "fill"))


def _run_look(properties: Element | None, state: State, look: Look) -> Look:
    """The look of a run: its own properties over its style over `look`, that of the paragraph."""
    if properties is None or not len(properties):
        return look
    named = state.styles.get(value(properties, "rStyle"))
    return _properties_look(properties).over(named.look.over(look) if named is not None else look)


def _properties_look(properties: Element | None) -> Look:
    """The look that run properties define, in a style or on a run."""
    if properties is None:
        return Look()
    hidden = None
    for name in ("vanish", "webHidden", "specVanish"):
        if child(properties, name) is not None:
            hidden = bool(hidden) or _on(properties, name)
    if _is_squeezed(properties) or _is_transparent(properties):
        hidden = True
    size, highlight = value(properties, "sz"), value(properties, "highlight")
    background = (parse_colour(highlight) if highlight not in ("", "none") else None) or _shading(properties)
    return Look(hidden, _colour(properties), int(size) / 2 if size.isdigit() else None, background)


def _colour(properties: Element) -> Colour | None:
    fill = child(properties, "textFill", "solidFill")
    drawn = fill[0] if fill is not None and len(fill) else None
    if drawn is not None:
        return _THEME.get(value(drawn)) or hex_colour(value(drawn))
    colour = child(properties, "color")
    theme = _THEME.get(attribute(colour, "themeColor") or "")
    changed = attribute(colour, "themeShade") or attribute(colour, "themeTint")
    return theme if theme is not None and changed is None else hex_colour(value(colour))


def _is_squeezed(properties: Element) -> bool:
    """Whether letters lie on top of each other, have no width, or are moved off the page."""
    scale = value(properties, "w") or "100"
    if abs(_integer(value(properties, "position"), 0)) > _FAR:
        return True
    if _integer(value(properties, "fitText"), 240) <= _FLAT:
        return True
    return (scale.isdigit() and int(scale) <= 5) or _integer(value(properties, "spacing"), 0) <= -160


def _is_transparent(properties: Element) -> bool:
    """Whether letters have no fill, or one that is at least 98 % transparent."""
    fill = child(properties, "textFill")
    if fill is None:
        return False
    clear = value(next(descendants(fill, "alpha"), None))
    return child(fill, "noFill") is not None or clear[:2] in ("10", "99", "98")


def _integer(text: str | None, default: int) -> int:
    return int(text) if text and re.fullmatch(r"-?\d{1,7}", text) else default


def _table(table: Element, state: State) -> str:
    rows: list[list[str]] = []
    whole = child(table, "tblPr")
    off_page = _is_off_page(child(whole, "tblpPr"))
    for row in descendants(table, "tr"):
        if off_page or _row_is_hidden(row):
            state.hidden += 1
        else:
            rows.append([text for cell in children(row, "tc") for text in _cell(cell, state, _shading(whole))])
    return table_of(rows)


def _cell(cell: Element, state: State, background: Colour | None) -> list[str]:
    """The text of a cell, and an empty string for each further column that it spans.

    `background` is that of the table.
    """
    properties = child(cell, "tcPr")
    merged = child(properties, "vMerge")
    is_covered = merged is not None and value(merged) != "restart"  # by the cell above
    text = "" if is_covered else " ".join(_paragraph_texts(cell, state, _shading(properties) or background))
    width = value(properties, "gridSpan")
    return [text, *[""] * (min(int(width), 50) - 1 if width.isdigit() else 0)]


def _row_is_hidden(row: Element) -> bool:
    properties = child(row, "trPr")
    height = child(properties, "trHeight")
    flat = attribute(height, "hRule") == "exact" and _integer(value(height), 240) <= _FLAT
    return _on(properties, "hidden") or flat


def _paragraph_texts(parent: Element, state: State, background: Colour | None = None) -> Iterator[str]:
    """The text of each paragraph in a cell or note, without hidden rows of tables in it."""
    hidden = {each for row in descendants(parent, "tr") if _row_is_hidden(row) for each in descendants(row, "p")}
    for paragraph in descendants(parent, "p"):
        if paragraph in hidden:
            continue
        properties = child(paragraph, "pPr")
        look = _paragraph_look(properties, state.style(properties)).over(state.page.on(background))
        if text := " ".join(_inline(paragraph, state, look).split()):
            yield text


def _styles(package: Package) -> dict[str, Style]:
    """The styles of the document by id."""
    root = package.xml("word/styles.xml")
    found: dict[str, Style] = {}
    defaults = _properties_look(child(root, "docDefaults", "rPrDefault", "rPr"))
    for style in children(root, "style"):
        name, based = value(style, "name"), child(style, "basedOn")
        above = found.get(value(based), Style())
        level = above.level
        if match := _HEADING.match(name):
            level = int(match[1])
        elif name.lower() == "title":
            level = 1
        place = _list_place(child(style, "pPr"), Style()) or above.list
        look = _properties_look(child(style, "rPr")).over(above.look if based is not None else defaults)
        if _is_hidden_paragraph(child(style, "pPr")):
            look = replace(look, hidden=True)
        default = attribute(style, "type") == "paragraph" and attribute(style, "default") in ("1", "true")
        code = above.code or bool(_CODE.search(name))
        found[attribute(style, "styleId") or name] = Style(level, place, code, look, default)
    return found


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
    """The definitions of the footnotes and endnotes that the text refers to."""
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
