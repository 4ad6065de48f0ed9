"""Text folded for comparison: case, spaces, quotes, dashes and Markdown no longer count; offsets are kept."""

from __future__ import annotations

import re
from dataclasses import dataclass

from mcp_web.model.passage import Span
from mcp_web.read.plain import Stripped, strip, without

_SAME = {
    **dict.fromkeys("‘’‚‛′ʼ`´＇", "'"),
    **dict.fromkeys("“”„‟″«»＂", '"'),
    **dict.fromkeys("‐‑‒–—―−﹘－", "-"),
    **dict.fromkeys(
        "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000", " "
    ),
    **dict.fromkeys("\t\n\r\f\v\u2028\u2029", " "),
    "…": ".",
    "。": ".",
    **{chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)},  # full-width ASCII
}
_TABLE = str.maketrans(_SAME)

# What two faithful copies of a sentence may differ in: invisible characters, runs of space, dots or dashes, space
# around a dash or before punctuation, straight double quotes (typists and publishers disagree), and space or a line
# break between ideographs.
_IDEOGRAPH = r"[\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]"
_DROP = re.compile(
    r"[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]+"
    rf"|(?<={_IDEOGRAPH}) +(?={_IDEOGRAPH})|(?<={_IDEOGRAPH}[,.;:!?]) +(?={_IDEOGRAPH})"
    r"|(?<= ) +|(?<=\.)\.+|(?<=-)-+| +(?=[-,.;:!?)\]])|(?<=-) +|\"+|(?<=[(\[]) +"
)


@dataclass(frozen=True, slots=True)
class Folded:
    """A folded text with its offsets in the Markdown."""

    text: str
    _kept: Stripped
    _plain: Stripped | None

    def source_span(self, start: int, end: int) -> Span:
        start, end = self._kept.source_span(start, end)
        return self._plain.source_span(start, end) if self._plain else (start, end)


def fold_markdown(markdown: str) -> Folded:
    """A document, ready to be searched for quotes."""
    plain = strip(markdown)
    kept = _fold(plain.text)
    return Folded(kept.text, kept, plain)


def fold_quote(quote: str) -> str:
    """A quote folded for comparison; it may contain Markdown and stand in quotation marks."""
    return _fold(strip(quote).text).text.strip(" '")


def _fold(text: str) -> Stripped:
    same = text.translate(_TABLE)
    lower = same.lower()
    if len(lower) != len(same):
        lower = "".join(low if len(low := char.lower()) == 1 else char for char in same)
    return without(lower, [found.span() for found in _DROP.finditer(lower)])
