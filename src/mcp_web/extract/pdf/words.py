"""A PDF page → lines of words with their position, size, font and link, by PDFium.

PDFium returns the characters in the order of the file, with the spaces and line ends that it infers. Positions are read
only for the first and last character of a word: each call crosses into C, and a book has a million characters.
Invisible words are left out and counted: off the page, tiny, in an invisible mode, or not visible on the rendered page
because they are covered, clipped, in a hidden layer or in the colour of their background.
"""

from __future__ import annotations

import ctypes
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import pypdfium2.raw as pdfium
from pypdfium2 import PdfPage

from mcp_web.extract.pdf.drawing import Drawing

_SPACES = frozenset(" \t\xa0\u2002\u2003\u2009\u200a\u3000")
_HYPHEN = re.compile("[\x02\ufffe\xad]")  # PDFium's marks for a hyphen at a line's end
_SURROGATE = re.compile("[\ud800-\udfff]")
_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"})
_SPECK = 1.5  # points; smaller text cannot be read
_SQUEEZED = 0.03  # of its height; a narrower letter cannot be read
_MOST_SHAPES = 3000
_MOST_LINKS = 500
_FIXED_PITCH = 1  # font descriptor flag
_BOLD = 1 << 18
_MONO_NAME = re.compile(rb"mono|courier|consol|menlo|cmtt|typewriter")
_BOLD_NAME = re.compile(rb"bold|black|heavy|semibd|cmbx|-medi")
_MOST_CHARS = 300_000  # of one page: fifty times those of a dense page
_FEW_CHARS = 60  # only a page with fewer characters may be a scan
_INVISIBLE = 3  # text rendering mode


@dataclass(frozen=True, slots=True)
class Box:
    left: float
    bottom: float
    right: float
    top: float

    @classmethod
    def around(cls, boxes: Sequence[Box]) -> Box:
        """The smallest box that contains all boxes."""
        return cls(
            min(box.left for box in boxes),
            min(box.bottom for box in boxes),
            max(box.right for box in boxes),
            max(box.top for box in boxes),
        )

    def holds(self, other: Box) -> bool:
        x, y = (other.left + other.right) / 2, (other.bottom + other.top) / 2
        return self.left - 1 <= x <= self.right + 1 and self.bottom - 1 <= y <= self.top + 1


@dataclass(frozen=True, slots=True)
class Word:
    text: str
    box: Box
    size: float
    bold: bool
    mono: bool
    link: str | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """The words of one line."""

    words: tuple[Word, ...]
    text: str
    box: Box
    size: float  # of most of its characters
    bold: bool
    mono: bool


def line_of(words: Sequence[Word]) -> Line:
    """A line of these words, in their order."""
    sizes: dict[float, int] = {}
    for word in words:
        sizes[word.size] = sizes.get(word.size, 0) + len(word.text)
    return Line(
        tuple(words),
        " ".join(word.text for word in words),
        Box.around([word.box for word in words]),
        max(sizes, key=lambda size: sizes[size]),
        all(word.bold for word in words),
        all(word.mono for word in words),
    )


@dataclass(slots=True)
class PageText:
    """The text of one page."""

    number: int
    width: float
    height: float
    lines: list[Line] = field(default_factory=list)
    hidden: int = 0  # words that cannot be seen
    pictures: bool = False  # whether images cover most of a page with little text


def read_page(page: PdfPage, number: int, *, draw: bool = True) -> PageText:
    """The lines of a page in the order of the file; with `draw` the page is rendered to find invisible words."""
    textpage = page.get_textpage()
    count = min(textpage.count_chars(), _MOST_CHARS)
    box = Box(*page.get_cropbox())
    rotation = Rotation(_direction(pdfium, textpage.raw, count), box)
    images = PageImages(page)
    drawing = Drawing(page, box) if draw and count else None
    reader = _Reader(pdfium, textpage.raw, rotation, images, box, drawing)
    links = [(rotation.box(place), url) for place, url in _links(page, pdfium)]
    shown = rotation.box(box)
    result = PageText(number, shown.right - shown.left, shown.top - shown.bottom)
    line: list[Word] = []
    for word in (*reader.words(count), None):
        if word is not None:
            url = next((url for place, url in links if place.holds(word.box)), None) if links else None
            line.append(replace(word, link=url))
        elif line:
            result.lines.append(line_of(line))
            line = []
    result.hidden = reader.hidden
    result.pictures = count < _FEW_CHARS and images.cover_page
    textpage.close()
    return result


class Rotation:
    """Rotates page coordinates, so that the text runs from left to right and the origin is at the lower left."""

    def __init__(self, degrees: int, page: Box) -> None:
        self.degrees = degrees
        self._page = page

    def box(self, box: Box) -> Box:
        page = self._page
        left, right = box.left - page.left, box.right - page.left
        bottom, top = box.bottom - page.bottom, box.top - page.bottom
        width, height = page.right - page.left, page.top - page.bottom
        if self.degrees == 90:
            return Box(bottom, width - right, top, width - left)
        if self.degrees == 180:
            return Box(width - right, height - top, width - left, height - bottom)
        if self.degrees == 270:
            return Box(height - top, left, height - bottom, right)
        return Box(left, bottom, right, top)


def _direction(pdfium: Any, raw: Any, count: int) -> int:
    """The direction of most of the text in degrees, a multiple of 90: landscape tables run upwards."""
    sample = range(0, count, max(1, count // 40))
    # PDFium counts clockwise.
    turns = Counter(-round(pdfium.FPDFText_GetCharAngle(raw, at) / (math.pi / 2)) % 4 * 90 for at in sample)
    return turns.most_common(1)[0][0] if turns else 0


class PageImages:
    """The images of a page, needed only if text may have been recognised in them by a scanner."""

    def __init__(self, page: PdfPage) -> None:
        self._page = page

    @cached_property
    def cover_page(self) -> bool:
        """Whether images cover most of the page."""
        covered = 0.0
        for at, thing in enumerate(self._page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_IMAGE], max_depth=3)):
            if at >= _MOST_SHAPES:
                break
            try:
                box = Box(*thing.get_bounds())
            except RuntimeError:
                continue
            covered += (box.right - box.left) * (box.top - box.bottom)
        width, height = self._page.get_size()
        return bool(covered > 0.5 * width * height)


@dataclass(frozen=True, slots=True)
class _Style:
    mono: bool
    bold: bool
    unseen: bool  # in the invisible mode, or transparent


class _Reader:
    def __init__(
        self, pdfium: Any, raw: Any, rotation: Rotation, images: PageImages, page: Box, drawing: Drawing | None
    ) -> None:
        self._pdfium = pdfium
        self._drawing = drawing
        self._raw = raw
        self._rotation = rotation
        self._images = images
        self._page = page
        self._rect = pdfium.FS_RECTF()
        self._name = ctypes.create_string_buffer(128)
        self._flags = ctypes.c_int()
        self._colour = [ctypes.c_uint() for _ in range(4)]
        self._object = 0  # memory address of the text object whose style is known
        self._style = _Style(False, False, False)
        self._sideways = rotation.degrees % 180 == 90
        self.hidden = 0

    def words(self, count: int) -> Iterator[Word | None]:
        """The words of the page; None for the end of a line."""
        get = self._pdfium.FPDFText_GetUnicode
        held: list[str] = []
        first = 0
        for at in range(count):
            char = chr(get(self._raw, at))
            if char not in _SPACES and char not in "\r\n":
                if not held:
                    first = at
                held.append(char)
                continue
            if held:
                if word := self._word(held, first, at - 1):
                    yield word
                held = []
            if char == "\n":
                yield None
        if held and (word := self._word(held, first, count - 1)):
            yield word

    def _word(self, chars: list[str], first: int, last: int) -> Word | None:
        text = _clean(chars)
        if not text:
            return None
        start, end = self._box(first), self._box(last)
        if abs(start.bottom - end.bottom) > start.top - start.bottom and not self._sideways:
            end = start  # the word is divided at the end of the line: its position is that of its first part
        box = Box.around((start, end))
        style = self._style_of(first)
        letters = last - first if end is not start and not self._sideways else 0
        squeezed = letters > 2 and box.right - box.left < _SQUEEZED * letters * (box.top - box.bottom)
        if squeezed or self._unseen(box, style):
            self.hidden += 1
            return None
        height = (start.right - start.left) if self._sideways else (start.top - start.bottom)
        return Word(text, self._rotation.box(box), round(height, 1), style.bold, style.mono)

    def _box(self, at: int) -> Box:
        rect = self._rect
        self._pdfium.FPDFText_GetLooseCharBox(self._raw, at, ctypes.byref(rect))
        return Box(rect.left, rect.bottom, rect.right, rect.top)

    def _style_of(self, at: int) -> _Style:
        """The style of a character, read once for each text object."""
        thing = self._pdfium.FPDFText_GetTextObject(self._raw, at)
        address = ctypes.addressof(thing.contents) if thing else 0
        if not address or address != self._object:
            self._object = address
            self._style = self._read_style(at, thing)
        return self._style

    def _read_style(self, at: int, thing: Any) -> _Style:
        length = self._pdfium.FPDFText_GetFontInfo(self._raw, at, self._name, 128, ctypes.byref(self._flags))
        name = self._name.raw[: max(0, min(length, 128) - 1)].lower()
        flags = self._flags.value
        seen = self._pdfium.FPDFText_GetFillColor(self._raw, at, *(ctypes.byref(part) for part in self._colour))
        alpha = self._colour[3].value if seen else 255
        invisible = bool(thing) and self._pdfium.FPDFTextObj_GetTextRenderMode(thing) == _INVISIBLE
        return _Style(
            mono=bool(flags & _FIXED_PITCH) or bool(_MONO_NAME.search(name)),
            bold=bool(flags & _BOLD)
            or bool(_BOLD_NAME.search(name))
            or self._pdfium.FPDFText_GetFontWeight(self._raw, at) >= 600,
            unseen=alpha < 10 or invisible,
        )

    def _unseen(self, box: Box, style: _Style) -> bool:
        page = self._page
        outside = box.right < page.left or box.left > page.right or box.top < page.bottom or box.bottom > page.top
        if outside or 0 < box.top - box.bottom < _SPECK:
            return True
        # Text that a scanner recognised is invisible on purpose: it is what the image shows.
        if style.unseen:
            return not self._images.cover_page
        return self._drawing is not None and not self._drawing.shows(box)


def _clean(chars: list[str]) -> str:
    """The word without soft hyphens at line ends, with ligatures and surrogate pairs resolved."""
    text = "".join(chars)
    if not text.isascii() or "\x02" in text:
        text = _HYPHEN.sub("", text).translate(_LIGATURES)
        if _SURROGATE.search(text):
            text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text.replace("\x00", "")


def _links(page: PdfPage, pdfium: Any) -> Iterator[tuple[Box, str]]:
    """The place and the URL of each web link in the annotations of a page."""
    at = ctypes.c_int(0)
    link = pdfium.FPDF_LINK()
    document = page.pdf.raw
    for _ in range(_MOST_LINKS):
        if not pdfium.FPDFLink_Enumerate(page.raw, ctypes.byref(at), ctypes.byref(link)):
            return
        action = pdfium.FPDFLink_GetAction(link)
        if not action or pdfium.FPDFAction_GetType(action) != pdfium.PDFACTION_URI:
            continue
        length = pdfium.FPDFAction_GetURIPath(document, action, None, 0)
        if not 8 < length <= 2000:
            continue
        buffer = ctypes.create_string_buffer(length)
        pdfium.FPDFAction_GetURIPath(document, action, buffer, length)
        url = buffer.value.decode("utf-8", "replace").strip()
        rect = pdfium.FS_RECTF()
        if url.startswith(("http://", "https://")) and pdfium.FPDFLink_GetAnnotRect(link, ctypes.byref(rect)):
            yield Box(rect.left, rect.bottom, rect.right, rect.top), url
