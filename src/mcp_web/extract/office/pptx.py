"""Presentations (pptx) → Markdown: a section per slide, bullets by level, tables, speaker notes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from mcp_web.extract.assemble import assemble
from mcp_web.extract.css.colour import Colour
from mcp_web.extract.markdown import escape_start, table_of
from mcp_web.extract.office.look import PLAIN, WHITE, Look, Visibility
from mcp_web.extract.office.package import Package, letters, relation_id, whole
from mcp_web.extract.office.slide_shapes import Place, Shape, backdrops, behind, has_background, shapes_of
from mcp_web.extract.office.theme import MOST_COLOURS, Theme
from mcp_web.extract.xml_elements import Element, attribute, child, children, descendants, local
from mcp_web.model.page import Document, Fetched

_SLIDES = 1000
_ABOVE = ("slideLayout", "slideMaster")  # of a slide, of a layout
_NO_THEME = Theme()


def read_pptx(page: Fetched) -> Document:
    """Reads PowerPoint presentations; raises ExtractFailed if the file cannot be read."""
    package = Package(page)
    main = package.main_part("ppt/presentation.xml")
    root = package.xml(main)
    if child(root, "sldIdLst") is None:
        raise package.failed("contains no slides")
    across, down = (whole(attribute(child(root, "sldSz"), name)) for name in ("cx", "cy"))
    reader = _Slides(package, Place(0, 0, across or 9_144_000, down or 6_858_000))  # else that of a 4:3 slide
    targets = package.relations(main)
    parts: list[str] = []
    hidden_slides = 0
    slides = children(child(root, "sldIdLst"))
    for number, slide in enumerate(slides[:_SLIDES], 1):
        name = targets.get(relation_id(slide), "")
        content = package.xml(name)
        if content is None:
            continue
        if content.get("show") in ("0", "false"):
            hidden_slides += 1
            continue
        parts.append(reader.slide(name, content, number))
    title, metadata = package.core_properties()
    if title.lower() in ("", "powerpoint presentation", "slide 1", "presentation"):
        title = parts[0].split("\n", 1)[0].partition(": ")[2] if parts else ""
    notes = [f"{hidden_slides} hidden slides were left out."] if hidden_slides else []
    if len(slides) > _SLIDES:
        notes.append(f"The presentation has {len(slides):,} slides; the first {_SLIDES:,} were read.")
    text, hidden = "\n\n".join(parts), hidden_slides + reader.hidden
    return assemble(page, "pptx", text, title=title, metadata=metadata, notes=notes, hidden=hidden)


@dataclass(frozen=True, slots=True)
class _Sheet:
    """What a slide, a layout or a master defines for what is on it."""

    theme: Theme
    background: Element | None  # the element `bg`
    shapes: list[Shape]  # of layouts and masters, which are behind those of the slide

    @property
    def look(self) -> Look:
        """The look of text on the background."""
        own, reference = (child(self.background, name) for name in ("bgPr", "bgRef"))
        if own is None and reference is None:
            return PLAIN
        fill = self.theme.fill(own) if reference is None else self.theme.styled_fill(reference)
        return _painted(PLAIN, fill) if fill is not None else Look(unknown=True)


class _Slides(Visibility):
    """Reads the slides of a presentation, each of which has the area `size`, and counts their hidden texts."""

    def __init__(self, package: Package, size: Place) -> None:
        super().__init__()
        self._package = package
        self._size = size
        self._sheets: dict[str, _Sheet] = {}  # of layouts and masters

    def slide(self, name: str, content: Element, number: int) -> str:
        """The Markdown of the slide in the part `name`; `number` is for its heading."""
        title = ""
        parts: list[str] = []
        relations = self._package.relations(name)
        sheet = self._sheet(name, content)
        theme, ground, others = sheet.theme, sheet.look, backdrops(sheet.shapes, sheet.theme)
        is_opaque = partial(self._is_opaque_picture, relations)
        for shape in shapes_of(child(content, "cSld", "spTree"), self._size, is_opaque, theme):
            if not shape.visible or _is_shrunk(child(shape.element, "txBody", "bodyPr")):
                self.visible(letters(shape.element), Look(hidden=True))
                continue
            below, is_uneven = behind(shape.place, others)
            others += backdrops([shape], theme)
            under = _painted(ground, below)
            if local(shape.element.tag) == "graphicFrame":
                parts.extend(self._tables(shape.element, theme, Look(unknown=True) if is_uneven else under))
                continue
            look = _look(shape.element, theme, ground if has_background(shape.element) else under, is_uneven)
            kind = child(shape.element, "nvSpPr", "nvPr", "ph")
            role = kind.get("type", "body") if kind is not None else ""
            lines = list(self._lines(child(shape.element, "txBody"), theme, look))
            if role in ("title", "ctrTitle") and not title:
                title = " ".join(text for _, text in lines)
            elif role in ("", "body") and len(lines) > 1:
                parts.append("\n".join("  " * level + f"- {text}" for level, text in lines))
            elif role not in ("dt", "ftr", "sldNum") and lines:
                parts.append("\n".join(escape_start(text) for _, text in lines))
        if notes := self._notes(relations):
            parts.append(f"Notes: {notes}")
        return "\n\n".join([f"## Slide {number}" + (f": {title}" if title else ""), *parts])

    def _is_opaque_picture(self, relations: Mapping[str, str], picture: Element) -> bool:
        """Whether a picture of a slide is opaque: known for JPEG and BMP, and for PNG from its header; else False.
        `relations` are those of the slide."""
        blip = child(picture, "blipFill", "blip")
        target = attribute(blip, "embed") if blip is not None and not len(blip) else None
        name = relations.get(target or "", "")
        if name.lower().endswith((".jpg", ".jpeg", ".bmp")):
            return True
        head = (self._package.read(name) or b"")[:26] if name.lower().endswith(".png") else b""
        return len(head) == 26 and head[25] in (0, 2)

    def _sheet(self, name: str, content: Element | None, depth: int = 0) -> _Sheet:
        """What the slide in the part `name` with the root `content` defines; if `depth` is 1 a layout, if 2 a master.
        What it does not define, its layout or master does: a background, whose colours may have other meanings here."""
        package, related = self._package, self._package.related(name)
        if depth < len(_ABOVE):
            above = related.get(_ABOVE[depth], "")
            if above not in self._sheets:
                self._sheets[above] = self._sheet(above, package.xml(above), depth + 1)
            theme, background, shapes = (sheet := self._sheets[above]).theme, sheet.background, sheet.shapes
            names = child(content, "clrMapOvr", "overrideClrMapping")
        else:
            theme, background, shapes = Theme(package.xml(related.get("theme", ""))), None, []
            names = child(content, "clrMap")
        override = package.xml(related.get("themeOverride", ""))
        theme = theme.changed(override, names.attrib if names is not None else {})
        own = child(content, "cSld", "bg")
        if attribute(content, "showMasterSp") in ("0", "false"):
            shapes = []
        if depth:
            found = shapes_of(child(content, "cSld", "spTree"))
            shapes = shapes + [
                each for each in found if each.visible and next(descendants(each.element, "ph"), None) is None
            ]
        return _Sheet(theme, own if own is not None else background, shapes)

    def _lines(self, body: Element | None, theme: Theme, look: Look) -> Iterator[tuple[int, str]]:
        """The level (0 for the highest, at most 8) and the visible text of each paragraph with text in a text body."""
        for paragraph in children(body, "p"):
            properties = child(paragraph, "pPr")
            level = whole(attribute(properties, "lvl"))
            listed = theme.run_look(child(body, "lstStyle", f"lvl{level + 1}pPr", "defRPr")).over(look)
            own = theme.run_look(child(properties, "defRPr")).over(listed)
            text = " ".join("".join(self._characters(paragraph, theme, own)).split())
            if text:
                yield min(level, 8), text

    def _characters(self, paragraph: Element, theme: Theme, look: Look) -> Iterator[str]:
        """The visible text of a paragraph in pieces; `look` is that of the paragraph."""
        for each in paragraph:
            name = local(each.tag)
            if name in ("r", "fld"):
                yield self.visible(letters(each), theme.run_look(child(each, "rPr")).over(look))
            elif name in ("br", "tab"):
                yield " "
            elif name not in ("pPr", "endParaRPr"):
                yield self.visible(letters(each), look)

    def _tables(self, frame: Element, theme: Theme, ground: Look) -> Iterator[str]:
        """The tables in a frame, as Markdown."""
        for table in descendants(frame, "tbl"):
            rows = (children(row, "tc") for row in children(table, "tr"))
            yield table_of([[" ".join(self._cell(cell, theme, ground)) for cell in row] for row in rows])

    def _cell(self, cell: Element, theme: Theme, ground: Look) -> Iterator[str]:
        """The texts of a cell's paragraphs. The background is its own fill over `ground`, else unknown."""
        fill = theme.fill(child(cell, "tcPr"))
        look = _painted(theme.usual_look.over(ground), fill) if fill else Look(unknown=True)
        return (text for _, text in self._lines(child(cell, "txBody"), theme, look))

    def _notes(self, relations: Mapping[str, str]) -> str:
        """The speaker notes of a slide on one line; "" if there are none. `relations`: the parts to which the slide
        refers, by the ids of its relations."""
        name = next((target for target in relations.values() if "/notesSlides/" in f"/{target}"), "")
        texts: list[str] = []
        for shape in shapes_of(child(self._package.xml(name), "cSld", "spTree")):
            kind = child(shape.element, "nvSpPr", "nvPr", "ph")
            if shape.visible and attribute(kind, "type") == "body":
                texts.extend(text for _, text in self._lines(child(shape.element, "txBody"), _NO_THEME, PLAIN))
        return " ".join(texts)


def _look(shape: Element, theme: Theme, ground: Look, is_uneven: bool) -> Look:
    """The look of text in a shape; `ground` is that of text behind it, `is_uneven` whether more may be there."""
    fill = [] if has_background(shape) else theme.fill_of(shape)
    is_opaque = has_background(shape) or (fill and all(colour.alpha > 0.95 for colour in fill))
    # The usual colour of a shape without a fill fits to what is behind it.
    colour = theme.colour(child(shape, "style", "fontRef")) if is_opaque or not is_uneven else None
    return _painted(Look(colour=colour).over(theme.usual_look).over(ground), fill)


def _painted(look: Look, fill: list[Colour] | None) -> Look:
    """A look on a fill in these colours, which may be transparent; unchanged if they are not known."""
    if not fill or (look.unknown and any(colour.alpha < 0.95 for colour in fill)):
        return look
    below = [look.background or WHITE, *look.further]
    mixed = dict.fromkeys(colour.over(under) for colour in fill for under in below)
    return look.on(*mixed) if max(len(fill), len(mixed)) <= MOST_COLOURS else Look(hidden=True)


def _is_shrunk(body: Element | None) -> bool:
    """Whether the text was shrunk to fit its box so much that nobody can read it."""
    scale = attribute(child(body, "normAutofit"), "fontScale") or ""
    least = 15 if "%" in scale else 15_000
    return whole(scale.removesuffix("%"), least) < least
