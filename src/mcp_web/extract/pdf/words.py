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
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pypdfium2.raw as pdfium
from pypdfium2 import PdfPage

from mcp_web.extract.pdf.rendered_page import RenderedPage

_SPACES = frozenset(" \t\r\n\xa0\u2002\u2003\u2009\u200a\u3000")
_HYPHEN = re.compile("[\x02\ufffe\xad]")  # PDFium's marks for a hyphen at a line's end
_SURROGATE = re.compile("[\ud800-\udfff]")
_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"})
_SPECK = 1.5  # points; smaller text cannot be read
_SQUEEZED = 0.03  # of its height; a narrower letter cannot be read
_MOST_IMAGES = 3000
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
    """A rectangle on a page, in points (1/72 inch); (0, 0) is the lower left corner."""

    left: float
    bottom: float
    right: float
    top: float

    @classmethod
    def around(cls, boxes: Sequence[Box]) -> Box:
        """The smallest box that contains all boxes, of which there must be at least one."""
        return cls(
            min(box.left for box in boxes),
            min(box.bottom for box in boxes),
            max(box.right for box in boxes),
            max(box.top for box in boxes),
        )

    def holds(self, other: Box) -> bool:
        """Whether the centre of the other box is in this one, with a tolerance of one point."""
        x, y = (other.left + other.right) / 2, (other.bottom + other.top) / 2
        return self.left - 1 <= x <= self.right + 1 and self.bottom - 1 <= y <= self.top + 1


@dataclass(frozen=True, slots=True)
class Word:
    """A word on a page; `size` is the height of its letters in points."""

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
    """A line of these words, at least one, in their order."""
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
    """The text of one page; its height is that of the page as it is read, in points."""

    number: int
    height: float
    lines: list[Line]
    hidden: int  # words that cannot be seen
    is_image: bool  # it has almost no text, and images cover most of it


def read_page(page: PdfPage, number: int, *, render: bool = True) -> PageText:
    """The lines of page `number` in the order of the file; with `render`, it is rendered to find invisible words."""
    textpage = page.get_textpage()
    count = min(textpage.count_chars(), _MOST_CHARS)
    box = Box(*page.get_bbox())
    # The direction of most of the text: landscape tables run upwards. PDFium counts clockwise.
    angles = (pdfium.FPDFText_GetCharAngle(textpage.raw, index) for index in range(0, count, max(1, count // 40)))
    turns = Counter(-round(angle / (math.pi / 2)) % 4 * 90 for angle in angles)
    turn = turns.most_common(1)[0][0] if turns else 0
    reader = _Reader(page, textpage.raw, box, turn, RenderedPage(page, box) if render and count else None)
    lines = [line_of(words) for words in reader.lines(count)]
    is_image = count < _FEW_CHARS and reader.images_cover_page
    textpage.close()
    return PageText(number, _upright(box, turn, box).top, lines, reader.hidden, is_image)


def _upright(box: Box, degrees: int, page: Box) -> Box:
    """The box after the page is turned so that text in this direction runs from left to right. `degrees` is 90 for text
    that runs upwards. (0, 0) is then the lower left corner of the page."""
    left, right = box.left - page.left, box.right - page.left
    bottom, top = box.bottom - page.bottom, box.top - page.bottom
    width, height = page.right - page.left, page.top - page.bottom
    if degrees == 90:
        return Box(bottom, width - right, top, width - left)
    if degrees == 180:
        return Box(width - right, height - top, width - left, height - bottom)
    if degrees == 270:
        return Box(height - top, left, height - bottom, right)
    return Box(left, bottom, right, top)


@dataclass(frozen=True, slots=True)
class _Style:
    mono: bool
    bold: bool
    invisible: bool  # drawn in the invisible mode, or transparent


class _Reader:
    """Reads the visible words of one page, and counts the invisible ones."""

    def __init__(self, page: PdfPage, raw: Any, box: Box, turn: int, rendered: RenderedPage | None) -> None:
        self._page = page
        self._raw = raw  # PDFium's handle of the page's text
        self._page_box = box
        self._turn = turn  # direction of the text, in degrees
        self._rendered = rendered
        self._rect = pdfium.FS_RECTF()
        self._name = ctypes.create_string_buffer(128)
        self._flags = ctypes.c_int()
        self._colour = [ctypes.c_uint() for _ in range(4)]
        self._object = 0  # memory address of the text object whose style is known
        self._style = _Style(False, False, False)
        self._sideways = turn % 180 == 90
        self._links = [(_upright(place, turn, box), url) for place, url in _links(page)]
        self.hidden = 0

    @cached_property
    def images_cover_page(self) -> bool:
        """Whether images cover most of the page, as on a scan."""
        covered = 0.0
        for index, thing in enumerate(self._page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_IMAGE], max_depth=3)):
            if index >= _MOST_IMAGES:
                break
            try:
                box = Box(*thing.get_bounds())
            except RuntimeError:
                continue
            covered += (box.right - box.left) * (box.top - box.bottom)
        width, height = self._page.get_size()
        return bool(covered > 0.5 * width * height)

    def lines(self, count: int) -> Iterator[list[Word]]:
        """The visible words of each line that has some, among the first `count` characters of the page."""
        get = pdfium.FPDFText_GetUnicode
        line: list[Word] = []
        held: list[str] = []
        for index in range(count + 1):
            char = chr(get(self._raw, index)) if index < count else "\n"
            if char not in _SPACES:
                held.append(char)
                continue
            if held and (word := self._word(held, index - len(held), index - 1)):
                line.append(word)
            held = []
            if char == "\n" and line:
                yield line
                line = []

    def _word(self, chars: list[str], first: int, last: int) -> Word | None:
        """The word of these characters, `first` and `last` being their indexes; None if it is invisible."""
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
        if squeezed or self._is_invisible(box, style):
            self.hidden += 1
            return None
        height = (start.right - start.left) if self._sideways else (start.top - start.bottom)
        place = _upright(box, self._turn, self._page_box)
        url = next((url for where, url in self._links if where.holds(place)), None) if self._links else None
        return Word(text, place, round(height, 1), style.bold, style.mono, url)

    def _box(self, index: int) -> Box:
        """The box of the character with this index."""
        rect = self._rect
        pdfium.FPDFText_GetLooseCharBox(self._raw, index, ctypes.byref(rect))
        return Box(rect.left, rect.bottom, rect.right, rect.top)

    def _style_of(self, index: int) -> _Style:
        """The style of the character with this index, read once for each text object."""
        thing = pdfium.FPDFText_GetTextObject(self._raw, index)
        address = ctypes.addressof(thing.contents) if thing else 0
        if not address or address != self._object:
            self._object = address
            self._style = self._read_style(index, thing)
        return self._style

    def _read_style(self, index: int, thing: Any) -> _Style:
        """The style of the character with this index, which is in the text object `thing`."""
        length = pdfium.FPDFText_GetFontInfo(self._raw, index, self._name, 128, ctypes.byref(self._flags))
        name = self._name.raw[: max(0, min(length, 128) - 1)].lower()
        flags = self._flags.value
        known = pdfium.FPDFText_GetFillColor(self._raw, index, *(ctypes.byref(part) for part in self._colour))
        alpha = self._colour[3].value if known else 255
        not_drawn = bool(thing) and pdfium.FPDFTextObj_GetTextRenderMode(thing) == _INVISIBLE
        return _Style(
            mono=bool(flags & _FIXED_PITCH) or bool(_MONO_NAME.search(name)),
            bold=bool(flags & _BOLD)
            or bool(_BOLD_NAME.search(name))
            or pdfium.FPDFText_GetFontWeight(self._raw, index) >= 600,
            invisible=alpha < 10 or not_drawn,
        )

    def _is_invisible(self, box: Box, style: _Style) -> bool:
        """Whether a word cannot be seen; invisible text on a scanned page, which repeats its image, counts as seen."""
        page = self._page_box
        outside = box.right < page.left or box.left > page.right or box.top < page.bottom or box.bottom > page.top
        if outside or 0 < box.top - box.bottom < _SPECK:
            return True
        # Text that a scanner recognised is invisible on purpose: it is what the image shows.
        if style.invisible:
            return not self.images_cover_page
        return self._rendered is not None and not self._rendered.shows(box)


def _clean(chars: list[str]) -> str:
    """The text of a word's characters, without hyphens at line ends, with ligatures and surrogate pairs resolved."""
    text = "".join(chars)
    if not text.isascii() or "\x02" in text:
        text = _HYPHEN.sub("", text).translate(_LIGATURES)
        if _SURROGATE.search(text):
            text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text.replace("\x00", "")


def _links(page: PdfPage) -> Iterator[tuple[Box, str]]:
    """The place and the URL of each web link in the annotations of a page."""
    position = ctypes.c_int(0)
    link = pdfium.FPDF_LINK()
    document = page.pdf.raw
    for _ in range(_MOST_LINKS):
        if not pdfium.FPDFLink_Enumerate(page.raw, ctypes.byref(position), ctypes.byref(link)):
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
