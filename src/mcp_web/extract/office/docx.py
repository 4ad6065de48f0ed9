"""Word documents (docx) → Markdown: headings by style, lists by numbering, tables, links, footnotes, formulas."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from mcp_web import __version__
from mcp_web.extract.assemble import Draft, assemble
from mcp_web.extract.languages import file_name
from mcp_web.extract.markdown import escape_start, fence, read_headings, table_of
from mcp_web.extract.office.facts import core_facts
from mcp_web.extract.office.maths import tex
from mcp_web.extract.office.package import Element, Package, attribute, child, local
from mcp_web.model.page import Document, ExtractRequest, Fetched

_HEADING = re.compile(r"heading\s*(\d)", re.I)
_CODE = re.compile(r"code|preformatted|source|listing", re.I)
_OFF = ("0", "false", "none")


@dataclass(frozen=True, slots=True)
class Style:
    level: int | None = None  # of a heading
    list: tuple[str, int] | None = None  # numbering id and depth
    code: bool = False


@dataclass(slots=True)
class Book:
    """What the parts beside the text tell about it."""

    styles: dict[str, Style] = field(default_factory=dict)
    bullets: dict[tuple[str, int], bool] = field(default_factory=dict)  # (numbering id, depth) → no number
    links: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)  # ids of the footnotes met, in order
    hidden: int = 0
    counts: dict[tuple[str, int], int] = field(default_factory=dict)


class DocxExtractor:
    """Reads Word documents."""

    name = f"docx@{__version__}"

    def extract(self, page: Fetched, request: ExtractRequest) -> Document:
        package = Package(page)
        root = package.xml("word/document.xml")
        body = child(root, "body")
        if body is None:
            raise package.failed("holds no Word text")
        book = Book(_styles(package), _bullets(package), package.relations("word/document.xml"))
        text = write_blocks(body, book)
        notes = _footnotes(package, book)
        title, facts = core_facts(package, page.media_type)
        markdown = "\n\n".join(part for part in (text, notes) if part)
        top = next((heading.text for heading in read_headings(markdown)), "")
        draft = Draft(title or top or file_name(page.final_url), markdown, "unknown", facts, (), book.hidden)
        return assemble(draft, self.name)


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
        elif name == "sdt":
            content = child(element, "sdtContent")
            if content is not None:
                yield from _blocks(content, book)
        elif name in ("ins", "moveTo", "smartTag", "customXml"):
            yield from _blocks(element, book)


def _paragraph(element: Element, book: Book) -> tuple[str, str]:
    properties = child(element, "pPr")
    named = child(properties, "pStyle")
    style = book.styles.get(attribute(named, "val") or "", Style()) if named is not None else Style()
    outline = child(properties, "outlineLvl")
    level = style.level
    if outline is not None and (value := attribute(outline, "val") or "").isdigit() and int(value) < 6:
        level = int(value) + 1
    if style.code:
        return "code", fence(_raw(element))
    text = " ".join(_inline(element, book).split(" ")).strip()
    if level and text:
        return "heading", "#" * min(level, 6) + " " + " ".join(text.replace("**", "").split())
    if place := _list_place(properties, style):
        return "item", _item(text, place, book)
    return "text", escape_start(text)


def _list_place(properties: Element | None, style: Style) -> tuple[str, int] | None:
    number = child(properties, "numPr")
    if number is None:
        return style.list
    identity, depth = child(number, "numId"), child(number, "ilvl")
    value = (attribute(identity, "val") if identity is not None else None) or "0"
    level = (attribute(depth, "val") if depth is not None else None) or "0"
    return None if value == "0" else (value, int(level) if level.isdigit() else 0)


def _item(text: str, place: tuple[str, int], book: Book) -> str:
    number, depth = place[0], min(place[1], 8)
    for deeper in range(depth + 1, 9):
        book.counts.pop((number, deeper), None)
    book.counts[number, depth] = book.counts.get((number, depth), 0) + 1
    mark = "-" if book.bullets.get((number, depth), True) else f"{book.counts[number, depth]}."
    return "   " * depth + f"{mark} {text}"


def _inline(element: Element, book: Book) -> str:
    """The runs of a paragraph; neighbours of the same weight are written together."""
    parts: list[tuple[str, str]] = []  # (mark, text)
    for mark, text in _runs(element, book):
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


def _runs(element: Element, book: Book) -> Iterator[tuple[str, str]]:
    for each in element:
        name = local(each.tag)
        if name == "r":
            yield _run(each, book)
        elif name == "hyperlink":
            text = _inline(each, book).strip()
            url = book.links.get(attribute(each, "id") or "", "")
            linked = url.startswith(("http://", "https://")) and text
            yield "", f"[{text.replace('[', '(').replace(']', ')')}]({url})" if linked else text
        elif name in ("oMath", "oMathPara"):
            yield "", f"${tex(each)}$"
        elif name in ("ins", "smartTag", "fldSimple", "moveTo", "customXml"):
            yield from _runs(each, book)
        elif name == "sdt":
            content = child(each, "sdtContent")
            if content is not None:
                yield from _runs(content, book)


def _run(run: Element, book: Book) -> tuple[str, str]:
    properties = child(run, "rPr")
    text = "".join(_characters(run, book))
    if _on(properties, "vanish"):
        book.hidden += bool(text.strip())
        return "", ""
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


def _raw(element: Element) -> str:
    return "".join(
        each.text or ""
        if local(each.tag) == "t"
        else "\n"
        if local(each.tag) == "br"
        else "\t"
        if local(each.tag) == "tab"
        else ""
        for each in element.iter()
    )


def _table(table: Element, book: Book) -> str:
    rows: list[list[str]] = []
    for row in table.iter():
        if local(row.tag) != "tr":
            continue
        cells: list[str] = []
        for cell in row:
            if local(cell.tag) != "tc":
                continue
            properties = child(cell, "tcPr")
            merged = child(properties, "vMerge")
            carried = merged is not None and attribute(merged, "val") != "restart"
            text = "" if carried else " ".join(_cell_text(cell, book))
            span = child(properties, "gridSpan")
            width = (attribute(span, "val") if span is not None else None) or "1"
            cells.extend([text, *[""] * (min(int(width), 50) - 1 if width.isdigit() else 0)])
        rows.append(cells)
    return table_of(rows)


def _cell_text(cell: Element, book: Book) -> Iterator[str]:
    for each in cell.iter():
        if local(each.tag) == "p" and (text := " ".join(_inline(each, book).split())):
            yield text


def _styles(package: Package) -> dict[str, Style]:
    root = package.xml("word/styles.xml")
    found: dict[str, Style] = {}
    for style in root if root is not None else ():
        if local(style.tag) != "style":
            continue
        named, based = child(style, "name"), child(style, "basedOn")
        name = (attribute(named, "val") if named is not None else None) or ""
        above = found.get(attribute(based, "val") or "", Style()) if based is not None else Style()
        properties = child(style, "pPr")
        level = above.level
        if match := _HEADING.match(name):
            level = int(match[1])
        elif name.lower() == "title":
            level = 1
        place = _list_place(properties, Style()) or above.list
        found[attribute(style, "styleId") or name] = Style(level, place, above.code or bool(_CODE.search(name)))
    return found


def _bullets(package: Package) -> dict[tuple[str, int], bool]:
    root = package.xml("word/numbering.xml")
    kinds: dict[str, dict[int, bool]] = {}
    found: dict[tuple[str, int], bool] = {}
    for element in root if root is not None else ():
        if local(element.tag) == "abstractNum":
            levels = kinds.setdefault(attribute(element, "abstractNumId") or "", {})
            for level in element:
                if local(level.tag) == "lvl" and (depth := attribute(level, "ilvl") or "").isdigit():
                    form = child(level, "numFmt")
                    levels[int(depth)] = form is not None and attribute(form, "val") in ("bullet", "none")
        elif local(element.tag) == "num":
            abstract = child(element, "abstractNumId")
            levels = kinds.get((attribute(abstract, "val") if abstract is not None else None) or "", {})
            found.update({(attribute(element, "numId") or "", depth): bullet for depth, bullet in levels.items()})
    return found


def _footnotes(package: Package, book: Book) -> str:
    written: dict[str, str] = {}
    for part, prefix in (("word/footnotes.xml", ""), ("word/endnotes.xml", "e")):
        root = package.xml(part) if any(note.startswith("e") == bool(prefix) for note in book.notes) else None
        for note in root if root is not None else ():
            identity = prefix + (attribute(note, "id") or "")
            if identity in book.notes:
                written[identity] = " ".join(_cell_text(note, book))
    return "\n".join(
        f"[^{identity}]: {written[identity]}" for identity in dict.fromkeys(book.notes) if identity in written
    )
