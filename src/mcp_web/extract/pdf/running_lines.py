"""Running heads, running feet and page numbers: lines that are repeated at the edges of many pages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from mcp_web.extract.pdf.words import Line, PageText

_EDGE = 0.11  # of the page's height
_NUMBER_EDGE = 0.16  # of the page's height, for a number alone on its line
_DIGITS = re.compile(r"\d+|\b[ivxlc]{1,7}\b")
_NUMBER = re.compile(r"(?:page\s+)?[-–—]?\s*(?:\d{1,4}|[ivxlc]{1,7})\s*[-–—]?(?:\s*(?:of|/)\s*\d{1,4})?", re.I)


def remove_running_lines(pages: Sequence[PageText]) -> None:
    """Remove page numbers, and lines that are repeated at the edges of many pages, from these pages."""
    counts: Counter[str] = Counter()
    for page in pages:
        counts.update({_key(line) for line in page.lines if _at_edge(line, page)})
    # A running head is on at least three pages; it changes with the chapter, so it need not be on half of all pages.
    repeated = {key for key, count in counts.items() if count >= max(3, len(pages) * 0.15)}
    for page in pages:
        kept = [line for line in page.lines if not (_at_edge(line, page) and _key(line) in repeated)]
        if len(pages) > 1:
            kept = [line for line in kept if not (_NUMBER.fullmatch(line.text) and _at_edge(line, page, _NUMBER_EDGE))]
        page.lines[:] = kept


def _at_edge(line: Line, page: PageText, edge: float = _EDGE) -> bool:
    """Whether a line is at the top or bottom of its page, in the share `edge` of the page's height."""
    return line.box.bottom > page.height * (1 - edge) or line.box.top < page.height * edge


def _key(line: Line) -> str:
    """What is the same in a running line on every page: at most 80 characters, in lower case, with 0 for each number,
    also a Roman one."""
    return _DIGITS.sub("0", line.text.lower())[:80]
