"""Presentations (pptx) → Markdown: a section per slide, bullets by level, tables, speaker notes."""

from __future__ import annotations

from collections.abc import Iterator

from mcp_web import __version__
from mcp_web.extract.assemble import Draft, assemble
from mcp_web.extract.languages import file_name
from mcp_web.extract.markdown import table_of
from mcp_web.extract.office.facts import core_facts
from mcp_web.extract.office.package import Element, Package, attribute, child, local
from mcp_web.model.page import Document, ExtractRequest, Fetched

_SLIDES = 1000
_PART = "ppt/presentation.xml"


class PptxExtractor:
    """Reads PowerPoint presentations."""

    name = f"pptx@{__version__}"

    def extract(self, page: Fetched, request: ExtractRequest) -> Document:
        package = Package(page)
        root = package.xml(_PART)
        slides = child(root, "sldIdLst")
        if slides is None:
            raise package.failed("holds no slides")
        targets = package.relations(_PART)
        parts: list[str] = []
        hidden = 0
        for number, slide in enumerate(list(slides)[:_SLIDES], 1):
            name = targets.get(_relation(slide), "")
            content = package.xml(name)
            if content is None:
                continue
            if content.get("show") == "0":
                hidden += 1
                continue
            parts.append(_slide(package, name, content, number))
        title, facts = core_facts(package, page.media_type)
        if title.lower() in ("", "powerpoint presentation", "slide 1", "presentation"):
            title = parts[0].split("\n", 1)[0].partition(": ")[2] if parts else ""
        notes = (f"{hidden} hidden slides were left out.",) if hidden else ()
        draft = Draft(title or file_name(page.final_url), "\n\n".join(parts), "unknown", facts, notes, hidden)
        return assemble(draft, self.name)


def _relation(slide: Element) -> str:
    """The relation id of a slide; its other attribute is also called id."""
    return next((value for key, value in slide.attrib.items() if key.endswith("}id")), "")


def _slide(package: Package, name: str, content: Element, number: int) -> str:
    title = ""
    parts: list[str] = []
    for shape in _shapes(child(content, "cSld", "spTree")):
        if local(shape.tag) == "graphicFrame":
            parts.extend(_tables(shape))
            continue
        kind = child(shape, "nvSpPr", "nvPr", "ph")
        role = kind.get("type", "body") if kind is not None else ""
        lines = list(_lines(child(shape, "txBody"), bulleted=role == "body" or role == ""))
        if role in ("title", "ctrTitle") and not title:
            title = " ".join(line.lstrip("- ") for line in lines)
        elif role not in ("dt", "ftr", "sldNum") and lines:
            parts.append("\n".join(lines) if len(lines) > 1 else lines[0].lstrip("- "))
    notes = _notes(package, name)
    if notes:
        parts.append(f"Notes: {notes}")
    return "\n\n".join([f"## Slide {number}" + (f": {title}" if title else ""), *parts])


def _shapes(tree: Element | None, depth: int = 0) -> Iterator[Element]:
    for shape in tree if tree is not None else ():
        name = local(shape.tag)
        if name in ("sp", "graphicFrame"):
            yield shape
        elif name == "grpSp" and depth < 10:
            yield from _shapes(shape, depth + 1)


def _lines(body: Element | None, *, bulleted: bool) -> Iterator[str]:
    for paragraph in body if body is not None else ():
        if local(paragraph.tag) != "p":
            continue
        text = " ".join("".join(_characters(paragraph)).split())
        properties = child(paragraph, "pPr")
        level = int(properties.get("lvl", "0") or 0) if properties is not None else 0
        if text:
            yield "  " * min(level, 8) + f"- {text}" if bulleted else text


def _characters(paragraph: Element) -> Iterator[str]:
    for each in paragraph.iter():
        name = local(each.tag)
        if name == "t":
            yield each.text or ""
        elif name in ("br", "tab"):
            yield " "


def _tables(frame: Element) -> Iterator[str]:
    for table in frame.iter():
        if local(table.tag) != "tbl":
            continue
        yield table_of(
            [
                [" ".join(_lines(child(cell, "txBody"), bulleted=False)) for cell in row if local(cell.tag) == "tc"]
                for row in table
                if local(row.tag) == "tr"
            ]
        )


def _notes(package: Package, slide: str) -> str:
    name = next((target for target in package.relations(slide).values() if "/notesSlides/" in f"/{target}"), None)
    root = package.xml(name) if name else None
    texts: list[str] = []
    for shape in _shapes(child(root, "cSld", "spTree")):
        kind = child(shape, "nvSpPr", "nvPr", "ph")
        if kind is not None and attribute(kind, "type") == "body":
            texts.extend(_lines(child(shape, "txBody"), bulleted=False))
    return " ".join(texts)
