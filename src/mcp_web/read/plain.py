"""Markdown → plain text, with the offset of each character in the Markdown.

The plain text is made of slices of the Markdown and nothing is inserted, so that an offset in it can be mapped
back to the Markdown: quotes are compared on it, and `format=text` shows it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

from mcp_web.model.passage import Span
from mcp_web.text.markdown import BULLET, CHECKBOX, HEADING_MARKS, PIPE, Block, blocks

# One pass over inline markup; the first alternative that matches wins, so code comes before everything else.
# Every repetition is bounded or possessive, so that a hostile page of a megabyte of brackets costs linear time.
_INLINE = re.compile(
    r"(?<!`)(?P<ticks>`++)(?P<code>.{1,2000}?)(?<!`)(?P=ticks)(?!`)"
    r"|(?P<escape>\\(?=[\\`*_{}\[\]()#+\-.!|<>~$&]))"
    r"|(?P<image>!\[(?P<alt>[^\]\n]{0,300})\]\((?:[^()\s]|\([^()\s]*\))*+(?:\s+\"[^\"]{0,300}\")?\))"
    r"|(?P<open>(?<!\\)\[(?=(?:[^\[\]\n]|\[[^\[\]\n]*\]|\n(?!\n)){1,400}?\]\())"
    r"|(?P<close>\]\(<?(?:[^()\s<>]|\([^()\s]*\))*+>?(?:\s+(?:\"[^\"\n]*\"|'[^'\n]*'))?\))"
    r"|(?P<note>\[\^[^\]\s]{1,40}\])"
    r"|<(?P<auto>https?://[^\s>]+)>"
    r"|(?P<tag></?[a-zA-Z][a-zA-Z0-9-]*(?:\s[^<>\n]*)?/?>|<!--.{0,300}?-->)"
    r"|(?P<strong>\*{1,3}(?=\S)|(?<=\S)\*{1,3}|~~|(?<![^\W_])_{1,3}(?=[^\s_])|(?<=[^\s_])_{1,3}(?![^\W_]))",
    re.DOTALL,
)
_QUOTE_MARK = re.compile(r"^[ \t]*(?:>[ \t]?)+", re.MULTILINE)
_BULLET = re.compile(rf"^([ \t]*)({BULLET}[ \t]+{CHECKBOX})", re.MULTILINE)
_TABLE_RULE = re.compile(
    r"^[ \t]*+\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?[ \t]*+(?:\n|$)", re.MULTILINE
)
_OUTER_PIPES = re.compile(r"^[ \t]*+\|[ \t]?|(?<![ \t])[ \t]*+(?<!\\)\|[ \t]*+$", re.MULTILINE)
_FENCE_LINE = re.compile(r"^[ \t]*(?:>[ \t]?)*(?:`{3,}|~{3,})[^\n]*(?:\n|$)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Stripped:
    """Plain text, and for each of its slices where it begins here and in the Markdown."""

    text: str
    _plain_starts: tuple[int, ...]
    _markdown_starts: tuple[int, ...]

    def source(self, offset: int) -> int:
        """The offset in the Markdown of a character of the plain text."""
        if not self._plain_starts:
            return 0
        at = max(0, bisect_right(self._plain_starts, offset) - 1)
        return self._markdown_starts[at] + offset - self._plain_starts[at]

    def source_span(self, start: int, end: int) -> Span:
        """Where a run of plain text stands in the Markdown."""
        if end <= start:
            return self.source(start), self.source(start)
        return self.source(start), self.source(end - 1) + 1

    def plain(self, offset: int) -> int:
        """The first plain character that stands at or after an offset of the Markdown."""
        at = bisect_right(self._markdown_starts, offset) - 1
        if at < 0:
            return 0
        here = self._plain_starts[at] + offset - self._markdown_starts[at]
        following = self._plain_starts[at + 1] if at + 1 < len(self._plain_starts) else len(self.text)
        return min(here, following)


def to_plain(markdown: str) -> str:
    """What a person would read: no markup, but bullets, code and table columns kept apart."""
    return re.sub(r"\n{3,}", "\n\n", strip(markdown, display=True).text).strip()


def strip(markdown: str, *, display: bool = False) -> Stripped:
    """The text without markup; for comparison (the default) without bullets and column marks too."""
    drop: list[Span] = []
    for block in blocks(markdown):
        drop += _markup(markdown, block, display)
    return without(markdown, drop)


def inline(text: str) -> str:
    """One line of Markdown without its inline markup."""
    return without(text, _inline_markup(text, 0, display=False)).text.strip()


def _markup(markdown: str, block: Block, display: bool) -> list[Span]:
    text = markdown[block.start : block.end]
    base = block.start
    if block.kind == "code":
        return _spans(_FENCE_LINE, text, base)
    if block.kind in ("rule", "math"):
        return [(block.start, block.end)] if block.kind == "rule" and not display else []
    drop = _inline_markup(text, base, display)
    if block.kind == "heading":
        drop += _spans(HEADING_MARKS, text, base)
    elif block.kind == "quote":
        drop += _spans(_QUOTE_MARK, text, base)
    elif block.kind == "table":
        drop += _spans(_TABLE_RULE, text, base) + _spans(_OUTER_PIPES, text, base)
        drop += [] if display else _spans(PIPE, text, base)
    elif block.kind == "list":
        drop += _spans(_FENCE_LINE, text, base)
        drop += [] if display else [(base + m.start(2), base + m.end(2)) for m in _BULLET.finditer(text)]
    return drop


def _inline_markup(text: str, base: int, display: bool) -> list[Span]:
    drop: list[Span] = []
    for found in _INLINE.finditer(text):
        start, end = base + found.start(), base + found.end()
        kind = found.lastgroup if found["code"] is None else "code"
        if kind == "code":
            width = len(found["ticks"])
            drop += [(start, start + width), (end - width, end)]
        elif found["image"] is not None:
            alt = base + found.start("alt"), base + found.end("alt")
            drop += [(start, alt[0]), (alt[1], end)] if display else [(start, end)]
        elif found["auto"] is not None:
            drop += [(start, start + 1), (end - 1, end)]
        elif found["note"] is not None and display:
            continue
        else:
            drop.append((start, end))
    return drop


def _spans(pattern: re.Pattern[str], text: str, base: int) -> list[Span]:
    return [(base + m.start(), base + m.end()) for m in pattern.finditer(text) if m.end() > m.start()]


def without(markdown: str, drop: list[Span]) -> Stripped:
    """The text without some spans, with its offsets."""
    parts: list[str] = []
    plain_starts: list[int] = []
    markdown_starts: list[int] = []
    at = length = 0
    for start, end in [*sorted(drop), (len(markdown), len(markdown))]:
        if start > at:
            parts.append(markdown[at:start])
            plain_starts.append(length)
            markdown_starts.append(at)
            length += start - at
        at = max(at, end)
    return Stripped("".join(parts), tuple(plain_starts), tuple(markdown_starts))


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
