"""Presentations (pptx) → Markdown: a section per slide, bullets by level, tables, speaker notes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from mcp_web.extract.assemble import assemble
from mcp_web.extract.markdown import table_of
from mcp_web.extract.office.look import WHITE, Look
from mcp_web.extract.office.package import Package, letters, relation_id, value
from mcp_web.extract.office.slide_shapes import Place, fill_of, run_look, shapes_of
from mcp_web.extract.xml_elements import Element, attribute, child, children, descendants, local
from mcp_web.model.page import Document, Fetched

_SLIDES = 1000
_PART = "ppt/presentation.xml"
_ABOVE = ("/slideLayouts/", "/slideMasters/")


def read_pptx(page: Fetched) -> Document:
    """Reads PowerPoint presentations; raises ExtractFailed if the file cannot be read."""
    package = Package(page)
    root = package.xml(_PART)
    slides = child(root, "sldIdLst")
    if slides is None:
        raise package.failed("contains no slides")
    targets = package.relations(_PART)
    parts: list[str] = []
    hidden_slides = hidden_texts = 0
    size = _slide_size(root)
    backgrounds: dict[str, Look] = {}
    for number, slide in enumerate(list(slides)[:_SLIDES], 1):
        name = targets.get(relation_id(slide), "")
        content = package.xml(name)
        if content is None:
            continue
        if content.get("show") == "0":
            hidden_slides += 1
            continue
        text, hidden = _slide(package, name, content, number, size, backgrounds)
        parts.append(text)
        hidden_texts += hidden
    title, metadata = package.core_properties()
    if title.lower() in ("", "powerpoint presentation", "slide 1", "presentation"):
        title = parts[0].split("\n", 1)[0].partition(": ")[2] if parts else ""
    notes = (f"{hidden_slides} hidden slides were left out.",) if hidden_slides else ()
    text = "\n\n".join(parts)
    return assemble(
        page, "pptx", text, title=title, metadata=metadata, notes=notes, hidden=hidden_slides + hidden_texts
    )


def _slide_size(root: Element | None) -> Place:
    """The area of every slide, in English metric units; that of a 4:3 slide if the presentation does not define it."""
    across, down = (attribute(child(root, "sldSz"), name) or "" for name in ("cx", "cy"))
    return Place(0, 0, int(across) if across.isdigit() else 9_144_000, int(down) if down.isdigit() else 6_858_000)


def _slide(
    package: Package, name: str, content: Element, number: int, size: Place, backgrounds: dict[str, Look]
) -> tuple[str, int]:
    """The Markdown of a slide, and how many of its texts are hidden.

    `name` is its part of the package, `number` its number in the heading, and `size` its area in English metric units;
    `backgrounds` caches those of layouts and masters.
    """
    title = ""
    parts: list[str] = []
    background = _background(package, name, content, backgrounds)
    hidden = 0
    is_opaque = partial(_is_opaque_picture, package, name)
    for shape in shapes_of(child(content, "cSld", "spTree"), size, is_opaque):
        if not shape.visible or _is_shrunk(child(shape.element, "txBody", "bodyPr")):
            hidden += bool(letters(shape.element).strip())
            continue
        if local(shape.element.tag) == "graphicFrame":
            parts.extend(_tables(shape.element, background))
            continue
        kind = child(shape.element, "nvSpPr", "nvPr", "ph")
        role = kind.get("type", "body") if kind is not None else ""
        look = background.on(fill_of(child(shape.element, "spPr")))
        lines = list(_lines(child(shape.element, "txBody"), look, bulleted=role == "body" or role == ""))
        if role in ("title", "ctrTitle") and not title:
            title = " ".join(line.lstrip("- ") for line in lines)
        elif role not in ("dt", "ftr", "sldNum") and lines:
            parts.append("\n".join(lines) if len(lines) > 1 else lines[0].lstrip("- "))
    notes = _notes(package, name)
    if notes:
        parts.append(f"Notes: {notes}")
    return "\n\n".join([f"## Slide {number}" + (f": {title}" if title else ""), *parts]), hidden


def _is_shrunk(body: Element | None) -> bool:
    """Whether the text was shrunk to fit its box so much that nobody can read it."""
    fit = child(body, "normAutofit")
    scale = (fit.get("fontScale") if fit is not None else None) or ""
    return scale.removesuffix("%").isdigit() and int(scale.removesuffix("%")) < (15 if "%" in scale else 15_000)


def _is_opaque_picture(package: Package, slide: str, picture: Element) -> bool:
    """Whether a picture of a slide is opaque: known for photographs, and for PNG from its header."""
    blip = child(picture, "blipFill", "blip")
    target = attribute(blip, "embed") if blip is not None and not len(blip) else None
    name = package.relations(slide).get(target or "", "")
    if name.lower().endswith((".jpg", ".jpeg", ".bmp")):
        return True
    head = (package.read(name) or b"")[:26] if name.lower().endswith(".png") else b""
    return len(head) == 26 and head[25] in (0, 2)


def _background(package: Package, name: str, content: Element, known: dict[str, Look], depth: int = 0) -> Look:
    """The background of the slide `name`: its own, else that of its layout, else that of its master.

    `known` caches those of layouts and masters.
    """
    background = child(content, "cSld", "bg")
    if background is not None:
        colour = fill_of(child(background, "bgPr"))
        if value(background, "bgRef", "schemeClr") in ("bg1", "lt1"):
            colour = WHITE
        return Look(background=colour, unknown=colour is None)
    above = next((target for target in package.relations(name).values() if any(f in target for f in _ABOVE)), None)
    if above is None or depth > 2:
        return Look()
    if above not in known:
        found = package.xml(above)
        known[above] = _background(package, above, found, known, depth + 1) if found is not None else Look()
    return known[above]


def _lines(body: Element | None, look: Look, *, bulleted: bool) -> Iterator[str]:
    """The visible text of each paragraph in a text body, as list items if `bulleted`."""
    for paragraph in children(body, "p"):
        properties = child(paragraph, "pPr")
        depth = attribute(properties, "lvl") or "0"
        level = int(depth) if depth.isdigit() else 0
        listed = run_look(child(body, "lstStyle", f"lvl{level + 1}pPr", "defRPr")).over(look)
        own = run_look(child(properties, "defRPr")).over(listed)
        text = " ".join("".join(_characters(paragraph, own)).split())
        if text:
            yield "  " * min(level, 8) + f"- {text}" if bulleted else text


def _characters(paragraph: Element, look: Look) -> Iterator[str]:
    """The visible text of a paragraph in pieces; `look` is that of the paragraph."""
    for each in paragraph:
        name = local(each.tag)
        if name in ("r", "fld") and run_look(child(each, "rPr")).over(look).is_visible:
            yield letters(each)
        elif name in ("br", "tab"):
            yield " "
        elif name not in ("r", "fld", "pPr", "endParaRPr"):
            yield letters(each)


def _tables(frame: Element, background: Look) -> Iterator[str]:
    """The tables in a frame, as Markdown."""
    for table in descendants(frame, "tbl"):
        yield table_of(
            [[" ".join(_cell(cell, background)) for cell in children(row, "tc")] for row in children(table, "tr")]
        )


def _cell(cell: Element, background: Look) -> Iterator[str]:
    """The texts of a cell. Without a fill of its own its background is unknown: the table style may paint it."""
    fill = fill_of(child(cell, "tcPr"))
    look = background.on(fill) if fill is not None else Look(unknown=True)
    return _lines(child(cell, "txBody"), look, bulleted=False)


def _notes(package: Package, slide: str) -> str:
    """The speaker notes of a slide; "" if there are none."""
    name = next((target for target in package.relations(slide).values() if "/notesSlides/" in f"/{target}"), None)
    root = package.xml(name) if name else None
    texts: list[str] = []
    everywhere = Place(-1e12, -1e12, 1e12, 1e12)
    for shape in shapes_of(child(root, "cSld", "spTree"), everywhere, lambda _: False):
        kind = child(shape.element, "nvSpPr", "nvPr", "ph")
        if shape.visible and attribute(kind, "type") == "body":
            texts.extend(_lines(child(shape.element, "txBody"), Look(), bulleted=False))
    return " ".join(texts)
