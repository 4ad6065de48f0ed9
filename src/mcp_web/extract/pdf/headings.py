"""The headings of a PDF: the lines that its outline names, else those that are larger or bolder than the text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from mcp_web.extract.pdf.words import Line, PageText

_LONGEST = 160
_LARGER = 1.12  # times the size of the text
_FOLDED = re.compile(r"[\W_]+")
_NUMBERED = re.compile(r"(?:\d{1,2}(?:\.\d{1,2}){0,4}\.?|[A-Z]\.|[IVX]{1,5}\.|Chapter|Part|Appendix|Section)\s+\S")
_LEVELS = 4


@dataclass(frozen=True, slots=True)
class OutlineItem:
    """An entry of the outline (the bookmarks) of a file."""

    title: str
    level: int  # 0 is the top
    page: int  # 1 is the first


@dataclass(frozen=True, slots=True)
class Styles:
    """The style of the body text of a document, and what its headings are recognised by: sizes and outline."""

    size: float  # of the body text
    bold: bool  # whether the body text is bold
    mono: bool  # whether the body text is in a fixed-width font
    sizes: tuple[float, ...] = ()  # of headings, largest first
    outline: Mapping[int, tuple[OutlineItem, ...]] = field(default_factory=dict)  # by page

    def level(self, line: Line, page: int) -> int | None:
        """The heading level of a line on this page, 1 for the highest; None if it is not a heading."""
        text = line.text
        if len(text) > _LONGEST or not any(char.isalpha() for char in text):
            return None
        if self.outline:
            is_title = page == 1 and line.size >= self.size * 1.4
            return self._in_outline(text, page) or (1 if is_title else None)
        if line.size >= self.size * _LARGER:
            fitting = (level for level, size in enumerate(self.sizes, 1) if line.size >= size * 0.97)
            return next(fitting, len(self.sizes) or 1)
        # A bold line of the size of the body text is a heading only if it has all other signs of one.
        stands_out = line.bold and not self.bold and not line.mono and line.size >= self.size * 0.95
        if (
            stands_out
            and len(text) <= 90
            and not text.endswith((".", ",", ";", ":"))
            and (text[0].isupper() or _NUMBERED.match(text))
        ):
            return min(len(self.sizes) + 1, 6)
        return None

    def _in_outline(self, text: str, page: int) -> int | None:
        """The level of a line by the outline; None if the outline does not name the line for this page."""
        folded = _fold(text)
        for item in self.outline.get(page, ()):
            title = _fold(item.title)
            if title and folded.endswith(title) and len(folded) <= len(title) + 12:
                return min(item.level + 1, 6)
        return None


def read_styles(pages: Sequence[PageText], outline: Iterable[OutlineItem] = ()) -> Styles:
    """The style of most characters, as that of the body text; heading sizes; the outline, if it fits the pages."""
    sizes: Counter[float] = Counter()
    bold: Counter[bool] = Counter()
    mono: Counter[bool] = Counter()
    for page in pages:
        for line in page.lines:
            sizes[round(line.size * 2) / 2] += len(line.text)
            bold[line.bold] += len(line.text)
            mono[line.mono] += len(line.text)
    size = max(sizes, key=lambda each: sizes[each]) if sizes else 10.0
    total = sum(sizes.values())
    larger = (each for each in sizes if each >= size * _LARGER and sizes[each] < 0.2 * total)
    distinct: list[float] = []  # sizes that a reader can distinguish
    for each in sorted(larger, reverse=True):
        if not distinct or each < distinct[-1] * 0.94:
            distinct.append(each)
    styles = Styles(size, bold[True] > bold[False], mono[True] > mono[False], tuple(distinct[:_LEVELS]))
    by_page: dict[int, list[OutlineItem]] = {}
    for item in outline:
        by_page.setdefault(item.page, []).append(item)
    outlined = replace(styles, outline={page: tuple(items) for page, items in by_page.items()})
    return outlined if _outline_fits(outlined, pages) else styles


def _outline_fits(styles: Styles, pages: Sequence[PageText]) -> bool:
    """Whether half the titles of the outline are on their pages: some outlines are file names or slide numbers."""
    items = sum(len(of_page) for of_page in styles.outline.values())
    if items < 2:
        return False
    hits = sum(styles._in_outline(line.text, page.number) is not None for page in pages for line in page.lines)
    return hits * 2 >= items


def _fold(text: str) -> str:
    """The letters and digits of a text, in lower case."""
    return _FOLDED.sub("", text.lower())
