"""Word documents (docx) → Markdown: headings by style, lists by numbering, tables, links, footnotes, formulas."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from mcp_web.extract.assemble import assemble
from mcp_web.extract.css.colour import Colour, parse_colour
from mcp_web.extract.markdown import escape_start, fence, table_of
from mcp_web.extract.office.ink import PLAIN, Ink, hex_colour
from mcp_web.extract.office.maths import tex
from mcp_web.extract.office.package import Element, Package, attribute, child, children, descendants, local, value
from mcp_web.model.page import Document, Fetched
from mcp_web.text.headings import read_headings

_HEADING = re.compile(r"heading\s*(\d)", re.I)
_CODE = re.compile(r"code|preformatted|source|listing", re.I)
_WHITE, _BLACK = Colour(255, 255, 255), Colour(0, 0, 0)
_THEME = {
    "background1": _WHITE, "light1": _WHITE, "bg1": _WHITE, "lt1": _WHITE, "text1": _BLACK, "dark1": _BLACK,
    "tx1": _BLACK, "dk1": _BLACK,
}  # fmt: skip
_OFF = ("0", "false", "none")
_AROUND = ("ins", "moveTo", "smartTag", "customXml", "sdt", "sdtContent")  # their content is part of the text
_FLAT = 40  # twentieths of a point; a line or row of this height shows nothing
_INDENTS = ("left", "start", "right", "end", "firstLine", "hanging")
_FAR = 400  # half points that a text is raised or lowered: off its page
_ASIDE = 15_000  # twentieths of a point; wider than a page


@dataclass(frozen=True, slots=True)
class Style:
    level: int | None = None  # of a heading
    list: tuple[str, int] | None = None  # numbering id and depth
    code: bool = False
    ink: Ink = PLAIN
    default: bool = False


@dataclass(slots=True)
class Book:
    """What the parts beside the text tell about it."""

    styles: dict[str, Style] = field(default_factory=dict)
    page: Ink = PLAIN  # of text without a style
    bullets: dict[tuple[str, int], bool] = field(default_factory=dict)  # (numbering id, depth) → no number
    links: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)  # ids of the footnotes met, in order
    hidden: int = 0
    counts: dict[tuple[str, int], int] = field(default_factory=dict)

    def style(self, paragraph: Element | None) -> Style:
        """The style that the properties of a paragraph name."""
        return self.styles.get(value(paragraph, "pStyle"), Style())

    def seen(self, text: str, ink: Ink) -> str:
        """The text; nothing, counted, where nobody sees it."""
        if ink.is_seen:
            return text
        self.hidden += bool(text.strip())
        return ""


def read_docx(page: Fetched) -> Document:
    """Reads Word documents."""
    package = Package(page)
    root = package.xml("word/document.xml")
    body = child(root, "body")
    if body is None:
        raise package.failed("holds no Word text")
    page_ink = Ink(ground=hex_colour(attribute(child(root, "background"), "color")))
    styles = _styles(package)
    plain = next((style.ink for style in styles.values() if style.default), Ink())
    book = Book(styles, plain.over(page_ink), _bullets(package), package.relations("word/document.xml"))
    text = write_blocks(body, book)
    notes = _footnotes(package, book)
    title, facts = package.core_facts()
    markdown = "\n\n".join(part for part in (text, notes) if part)
    top = next((heading.text for heading in read_headings(markdown)), "")
    return assemble(page, "docx", markdown, title=title or top, facts=facts, hidden=book.hidden)


def write_blocks(parent: Element, book: Book) -> str:
    """The paragraphs and tables under an element."""
    parts: list[str] = []
    before = ""
    for kind, text in _blocks(parent, book):
        if not text.strip():
            continue
        joined = "\n" if kind == before == "item" else "\n\n"
        if kind == before == "code":
            parts[-1] = parts[-1].removesuffix("\n```") + "\n" + text.removeprefix("```\n")
            continue
        parts.append((joined if parts else "") + text)
        before = kind
    return "".join(parts)


def _blocks(parent: Element, book: Book) -> Iterator[tuple[str, str]]:
    for element in parent:
        name = local(element.tag)
        if name == "p":
            yield _paragraph(element, book)
        elif name == "tbl":
            yield "table", _table(element, book)
        elif name in _AROUND:
            yield from _blocks(element, book)


def _paragraph(element: Element, book: Book) -> tuple[str, str]:
    properties = child(element, "pPr")
    style = book.style(properties)
    outline = value(properties, "outlineLvl")
    level = int(outline) + 1 if outline.isdigit() and int(outline) < 6 else style.level
    ink = _paragraph_ink(properties, style).over(book.page)
    if style.code:
        return "code", fence("".join(_raw_run(run, book, ink) for run in descendants(element, "r")))
    text = " ".join(_inline(element, book, ink).split(" ")).strip()
    if level and text:
        return "heading", "#" * min(level, 6) + " " + " ".join(text.replace("**", "").split())
    if place := _list_place(properties, style):
        return "item", _item(text, place, book)
    return "text", escape_start(text)


def _list_place(properties: Element | None, style: Style) -> tuple[str, int] | None:
    number = child(properties, "numPr")
    if number is None:
        return style.list
    identity, level = value(number, "numId") or "0", value(number, "ilvl")
    return None if identity == "0" else (identity, int(level) if level.isdigit() else 0)


def _item(text: str, place: tuple[str, int], book: Book) -> str:
    number, depth = place[0], min(place[1], 8)
    for deeper in range(depth + 1, 9):
        book.counts.pop((number, deeper), None)
    book.counts[number, depth] = book.counts.get((number, depth), 0) + 1
    mark = "-" if book.bullets.get((number, depth), True) else f"{book.counts[number, depth]}."
    return "   " * depth + f"{mark} {text}"


def _inline(element: Element, book: Book, ink: Ink) -> str:
    """The runs of a paragraph; neighbours of the same weight are written together."""
    parts: list[tuple[str, str]] = []  # (mark, text)
    for mark, text in _runs(element, book, ink):
        if parts and parts[-1][0] == mark:
            parts[-1] = (mark, parts[-1][1] + text)
        elif text:
            parts.append((mark, text))
    return "".join(_marked(mark, text) for mark, text in parts)


def _marked(mark: str, text: str) -> str:
    inner = text.strip()
    if not mark or not inner:
        return text
    lead, tail = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    return f"{lead}{mark}{inner}{mark}{tail}"


def _runs(element: Element, book: Book, ink: Ink) -> Iterator[tuple[str, str]]:
    for each in element:
        name = local(each.tag)
        if name == "r":
            yield _run(each, book, ink)
        elif name == "hyperlink":
            text = _inline(each, book, ink).strip()
            url = book.links.get(attribute(each, "id") or "", "")
            linked = url.startswith(("http://", "https://")) and text
            yield "", f"[{text.replace('[', '(').replace(']', ')')}]({url})" if linked else text
        elif name in ("oMath", "oMathPara"):
            yield "", f"${tex(each)}$"
        elif name in (*_AROUND, "fldSimple"):
            yield from _runs(each, book, ink)


def _run(run: Element, book: Book, ink: Ink) -> tuple[str, str]:
    properties = child(run, "rPr")
    text = book.seen("".join(_characters(run, book)), _run_ink(properties, book, ink))
    bold, italic = _on(properties, "b"), _on(properties, "i")
    return ("***" if bold and italic else "**" if bold else "*" if italic else ""), text


def _characters(run: Element, book: Book) -> Iterator[str]:
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
            book.notes.append(("e" if name.startswith("end") else "") + identity)
            yield f"[^{book.notes[-1]}]"


def _on(properties: Element | None, name: str) -> bool:
    found = child(properties, name)
    return found is not None and attribute(found, "val") not in _OFF


def _raw_run(run: Element, book: Book, ink: Ink) -> str:
    signs = {"br": "\n", "tab": "\t"}
    text = "".join(each.text or "" if local(each.tag) == "t" else signs.get(local(each.tag), "") for each in run)
    return book.seen(text, _run_ink(child(run, "rPr"), book, ink))


def _paragraph_ink(properties: Element | None, style: Style) -> Ink:
    """The style's ink; hidden where the paragraph stands outside of the page or in lines of no height."""
    ink = replace(style.ink, hidden=True) if _is_unseen_paragraph(properties) else style.ink
    return ink.on(_shading(properties))


def _is_unseen_paragraph(properties: Element | None) -> bool:
    """Whether paragraph properties, on a paragraph or in a style, put it outside of the page or into flat lines."""
    spacing, indent = child(properties, "spacing"), child(properties, "ind")
    exact = attribute(spacing, "lineRule") == "exact" and 0 <= _twips(attribute(spacing, "line"), 240) <= _FLAT
    aside = any(abs(_twips(attribute(indent, name), 0)) > _ASIDE for name in _INDENTS)
    return exact or aside or _is_placed_away(child(properties, "framePr"))


def _is_placed_away(frame: Element | None) -> bool:
    """Whether a frame or table stands outside of its page, or has no height."""
    places = [_twips(attribute(frame, name), 0) for name in ("x", "y", "tblpX", "tblpY")]
    flat = attribute(frame, "hRule") == "exact" and _twips(attribute(frame, "h"), 240) <= _FLAT
    return flat or any(abs(place) > _ASIDE for place in places)


def _shading(properties: Element | None) -> Colour | None:
    """The colour behind a text: of a solid pattern the pattern's own."""
    shade = child(properties, "shd")
    return hex_colour(attribute(shade, "color" if value(shade) == "solid" else "fill"))


def _run_ink(properties: Element | None, book: Book, ink: Ink) -> Ink:
    if properties is None or not len(properties):
        return ink
    named = book.styles.get(value(properties, "rStyle"))
    return _properties_ink(properties).over(named.ink.over(ink) if named is not None else ink)


def _properties_ink(properties: Element | None) -> Ink:
    """What run properties say, in a style or on a run."""
    if properties is None:
        return Ink()
    hidden = None
    for name in ("vanish", "webHidden", "specVanish"):
        if child(properties, name) is not None:
            hidden = bool(hidden) or _on(properties, name)
    if _is_squeezed(properties) or _is_unfilled(properties):
        hidden = True
    size, highlight = value(properties, "sz"), value(properties, "highlight")
    ground = (parse_colour(highlight) if highlight not in ("", "none") else None) or _shading(properties)
    return Ink(hidden, _colour(properties), int(size) / 2 if size.isdigit() else None, ground)


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
    """Letters that lie on top of each other or have no width."""
    scale = value(properties, "w") or "100"
    if abs(_twips(value(properties, "position"), 0)) > _FAR:
        return True
    if _twips(value(properties, "fitText"), 240) <= _FLAT:
        return True
    return (scale.isdigit() and int(scale) <= 5) or _twips(value(properties, "spacing"), 0) <= -160


def _is_unfilled(properties: Element) -> bool:
    fill = child(properties, "textFill")
    if fill is None:
        return False
    clear = value(next(descendants(fill, "alpha"), None))
    return child(fill, "noFill") is not None or clear[:2] in ("10", "99", "98")


def _twips(text: str | None, otherwise: int) -> int:
    return int(text) if text and re.fullmatch(r"-?\d{1,7}", text) else otherwise


def _table(table: Element, book: Book) -> str:
    rows: list[list[str]] = []
    whole = child(table, "tblPr")
    away = _is_placed_away(child(whole, "tblpPr"))
    for row in descendants(table, "tr"):
        if away or _row_is_hidden(row):
            book.hidden += 1
        else:
            rows.append([text for cell in children(row, "tc") for text in _cell(cell, book, _shading(whole))])
    return table_of(rows)


def _cell(cell: Element, book: Book, behind: Colour | None) -> list[str]:
    """The text of a cell, and an empty one for each further column that it spans."""
    properties = child(cell, "tcPr")
    merged = child(properties, "vMerge")
    carried = merged is not None and value(merged) != "restart"
    text = "" if carried else " ".join(_cell_text(cell, book, _shading(properties) or behind))
    width = value(properties, "gridSpan")
    return [text, *[""] * (min(int(width), 50) - 1 if width.isdigit() else 0)]


def _row_is_hidden(row: Element) -> bool:
    properties = child(row, "trPr")
    height = child(properties, "trHeight")
    flat = attribute(height, "hRule") == "exact" and _twips(value(height), 240) <= _FLAT
    return _on(properties, "hidden") or flat


def _cell_text(cell: Element, book: Book, ground: Colour | None = None) -> Iterator[str]:
    unseen = {each for row in descendants(cell, "tr") if _row_is_hidden(row) for each in descendants(row, "p")}
    for each in descendants(cell, "p"):
        if each in unseen:
            continue
        properties = child(each, "pPr")
        ink = _paragraph_ink(properties, book.style(properties)).over(book.page.on(ground))
        if text := " ".join(_inline(each, book, ink).split()):
            yield text


def _styles(package: Package) -> dict[str, Style]:
    root = package.xml("word/styles.xml")
    found: dict[str, Style] = {}
    defaults = _properties_ink(child(root, "docDefaults", "rPrDefault", "rPr"))
    for style in children(root, "style"):
        name, based = value(style, "name"), child(style, "basedOn")
        above = found.get(value(based), Style())
        level = above.level
        if match := _HEADING.match(name):
            level = int(match[1])
        elif name.lower() == "title":
            level = 1
        place = _list_place(child(style, "pPr"), Style()) or above.list
        ink = _properties_ink(child(style, "rPr")).over(above.ink if based is not None else defaults)
        if _is_unseen_paragraph(child(style, "pPr")):
            ink = replace(ink, hidden=True)
        default = attribute(style, "type") == "paragraph" and attribute(style, "default") in ("1", "true")
        code = above.code or bool(_CODE.search(name))
        found[attribute(style, "styleId") or name] = Style(level, place, code, ink, default)
    return found


def _bullets(package: Package) -> dict[tuple[str, int], bool]:
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


def _footnotes(package: Package, book: Book) -> str:
    written: dict[str, str] = {}
    for part, prefix in (("word/footnotes.xml", ""), ("word/endnotes.xml", "e")):
        root = package.xml(part) if any(note.startswith("e") == bool(prefix) for note in book.notes) else None
        for note in children(root):
            identity = prefix + (attribute(note, "id") or "")
            if identity in book.notes:
                written[identity] = " ".join(_cell_text(note, book))
    return "\n".join(
        f"[^{identity}]: {written[identity]}" for identity in dict.fromkeys(book.notes) if identity in written
    )
