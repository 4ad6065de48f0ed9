"""Markdown → plain text, with the offset of each character in the Markdown.

It is made of slices of the Markdown, so that offsets can be mapped back. Quotes are compared with it, and `format=text`
shows it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import unescape
from itertools import pairwise
from unicodedata import is_normalized, normalize

from mcp_web.model.passage import Span
from mcp_web.text.inline import Stripped, inline_markup, without
from mcp_web.text.markdown import (
    BULLET,
    CHECKBOX,
    DELIMITER_ROW,
    FENCE,
    HEADING_MARKS,
    PIPE,
    QUOTE_MARKS,
    Block,
    blocks,
)

_BULLET = re.compile(rf"^([ \t]*)({BULLET}[ \t]+{CHECKBOX})", re.MULTILINE)
_TABLE_RULE = re.compile(rf"^{DELIMITER_ROW}(?:\n|$)", re.MULTILINE)
_BREAK = re.compile(r"<br ?/?>")
_ROW = re.compile(r"^", re.MULTILINE)
_OUTER_PIPES = re.compile(r"^[ \t]*+\|[ \t]?|(?<![ \t])[ \t]*+(?<!\\)\|[ \t]*+$", re.MULTILINE)
_FENCE_LINE = re.compile(rf"^{FENCE.pattern}(?:\n|$)", re.MULTILINE)


def to_plain(markdown: str) -> str:
    """The text without markup, for display: bullets, code and the separators of table columns stay."""
    return re.sub(r"\n{3,}", "\n\n", strip(markdown, display=True).text).strip()


def strip(markdown: str, *, display: bool = False, references: bool = False) -> Stripped:
    """The text without markup, with its offsets in the Markdown.

    For `display`, bullets, the separators of table columns, the alt texts of images and footnote marks stay. With
    `references`, the brackets and labels of `[text][label]` are removed too.
    """
    drop: list[Span] = []
    parts: list[str] = []
    at = 0
    for block in blocks(markdown):
        text = markdown[block.start : block.end]
        if block.kind == "table":  # a line break in a cell is space: as many characters, so that offsets stay
            text = _BREAK.sub(lambda found: " " * len(found[0]), text)
        drop += _markup(text, block, display, references)
        parts += [markdown[at : block.start], text]
        at = block.end
    return without("".join([*parts, markdown[at:]]), drop)


def _markup(text: str, block: Block, display: bool, references: bool) -> list[Span]:
    """The spans, in the document, of the markup of a block with this text; the flags are those of `strip`."""
    base = block.start
    if block.kind == "code":
        return _spans(_FENCE_LINE, text, base)
    if block.kind in ("rule", "math"):
        return [(block.start, block.end)] if block.kind == "rule" and not display else []
    drop: list[Span] = []
    # A backtick in one item of a list or row of a table begins no code that ends in another.
    parts = {"list": _BULLET, "table": _ROW}.get(block.kind)
    starts = [found.start() for found in parts.finditer(text)] if parts else []
    for start, end in pairwise([0, *starts, len(text)]):
        drop += inline_markup(text[start:end], base + start, alt=display, notes=display, references=references)
    if block.kind == "heading":
        drop += _spans(HEADING_MARKS, text, base)
    elif block.kind == "quote":
        drop += _spans(QUOTE_MARKS, text, base)
    elif block.kind == "table":
        drop += _spans(_TABLE_RULE, text, base) + _spans(_OUTER_PIPES, text, base)
        drop += [] if display else _spans(PIPE, text, base)
    elif block.kind == "list":
        drop += _spans(_FENCE_LINE, text, base)
        drop += [] if display else [(base + m.start(2), base + m.end(2)) for m in _BULLET.finditer(text)]
    return drop


def _spans(pattern: re.Pattern[str], text: str, base: int) -> list[Span]:
    return [(base + m.start(), base + m.end()) for m in pattern.finditer(text) if m.end() > m.start()]


_SAME = {
    **dict.fromkeys("‘’‚‛′ʼ`´＇", "'"),
    **dict.fromkeys("“”„‟″«»＂", '"'),
    **dict.fromkeys("‐‑‒–—―−﹘－", "-"),
    **{chr(code): " " for code in range(0x3001) if chr(code).isspace()},
    "…": ".",
    "。": ".",
    **{chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)},  # full-width ASCII
}
_TABLE = str.maketrans(_SAME)

# Differences between two copies of a sentence that do not count: invisible characters, the length of a run of spaces,
# dots or dashes, space around a dash or before punctuation, double quotes, and space between ideographs.
_IDEOGRAPH = r"[\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]"
_DROP = re.compile(
    r"[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]+"
    rf"|(?<={_IDEOGRAPH}) +(?={_IDEOGRAPH})|(?<={_IDEOGRAPH}[,.;:!?]) +(?={_IDEOGRAPH})"
    r"|(?<= ) +|(?<=\.)\.+|(?<=-)-+| +(?=[-,.;:!?)\]])|(?<=-) +|\"+|(?<=[(\[]) +"
)


# Several characters that are one on the page: an entity, or a letter with marks that Unicode has as one letter too.
_AS_ONE = re.compile(
    r"&(?:amp|lt|gt|quot|apos|nbsp|#\d{2,6});"
    r"|\w[\u0300-\u0343\u0345-\u036f]+|\w[\u3099\u309a]|[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?"
)


@dataclass(frozen=True, slots=True)
class FoldedMarkdown:
    """A document folded (`_fold`) for comparison with quotes: no markup, lower case, one form of punctuation."""

    plain: Stripped
    folded: Stripped  # made from the plain text

    @property
    def text(self) -> str:
        return self.folded.text

    def source_span(self, start: int, end: int) -> Span:
        """The span in the Markdown of a span of the folded text."""
        first, stop = self.folded.source_span(start, end)
        whole = _AS_ONE.match(self.plain.text, max(first, stop - 1))
        return self.plain.source_span(first, whole.end() if whole else stop)


def fold_markdown(markdown: str) -> FoldedMarkdown:
    plain = strip(markdown)
    return FoldedMarkdown(plain, _fold(plain.text))


def fold_quote(quote: str) -> str:
    """A quote of plain text, folded (`_fold`) for comparison, without quotation marks around it."""
    return _fold(quote).text.strip(" '")


def fold_markdown_quote(quote: str) -> str:
    """A quote of Markdown text, without markup, folded as by `fold_quote`."""
    return fold_quote(strip(quote).text)


def _fold(text: str) -> Stripped:
    """Plain text in lower case, with one form of accents, quotation marks, dashes and spaces; offsets are in `text`.

    Invisible characters, double quotes, and repeated spaces, dots and dashes are removed.
    """
    if "&" in text or not is_normalized("NFC", text):  # as many characters as before, so that offsets stay
        text = _AS_ONE.sub(lambda found: normalize("NFC", unescape(found[0])).ljust(len(found[0]), "\u200b"), text)
    same = text.translate(_TABLE)
    lower = same.lower()
    if len(lower) != len(same):
        lower = "".join(low if len(low := char.lower()) == 1 else char for char in same)
    return without(lower, [found.span() for found in _DROP.finditer(lower)])
