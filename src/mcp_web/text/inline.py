"""Inline Markdown: its links, and its text without markup, with the offset of each character.

Plain text is made of slices of the Markdown and nothing is inserted, so that an offset in it can be mapped back.
Every repetition is bounded or possessive, so that a hostile page of a megabyte of brackets costs linear time.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from typing import NamedTuple

from mcp_web.model.passage import Span
from mcp_web.text.markdown import fenced_lines
from mcp_web.text.spaces import fold_spaces

_ADDRESS = r"<?(?:(?<=<)[^<>\n]*+(?=>)|(?:[^()\s<>]|\([^()\s]*\))*+)>?"  # in <> with any parentheses, else in pairs
_TICKS = r"(?:(?<![\\`])|(?<=\\`))(?P<ticks>`++)"  # begin a code span; after a backslash a backtick is a character
# One pass over inline markup; the first alternative that matches wins, so code comes before everything else.
_INLINE = re.compile(
    _TICKS + r"(?P<code>.{1,2000}?)(?<!`)(?P=ticks)(?!`)"
    r"|(?P<escape>\\[!-/:-@\[-`{-~])"
    rf"|(?P<image>!\[(?P<alt>[^\]\n]{{0,300}})\]\({_ADDRESS}(?:\s+\"[^\"]{{0,300}}\")?\))"
    r"|(?P<open>(?<!\\)\[(?=(?:[^\[\]\n]|\[[^\[\]\n]*\]|\n(?!\n)){1,400}?\]\())"
    rf"|(?P<close>\]\({_ADDRESS}(?:\s+(?:\"[^\"\n]*\"|'[^'\n]*'))?\))"
    r"|(?P<note>\[\^[^\]\s]{1,40}\])"
    r"|<(?P<auto>https?://[^\s>]+)>"
    r"|(?P<tag></?[a-zA-Z][a-zA-Z0-9-]*(?:\s[^<>\n]*)?/?>|<!--.{0,300}?-->)"
    r"|(?P<strong>\*{1,3}(?=\S)|(?<=\S)\*{1,3}|~~|(?<!\w)_{1,3}(?=[^\s_])|(?<=[^\s_])_{1,3}(?!\w))",
    re.DOTALL,
)
_MARKS = re.compile(r"[`\\\[\]<&*~_!]")  # of which all inline markup has one
_REFERENCE = re.compile(r"\[([^\[\]\n]{1,500})\]\[[^\[\]\n]{0,100}\]")
_CODE_SPAN = re.compile(_TICKS + r"(?:[^`\n]++|\n(?![ \t]*+\n)|(?!(?P=ticks)(?!`))`++){1,200}+(?P=ticks)(?!`)")
_BRACKET = re.compile(r"\\[\[\]]|!?\[|\]|\n[ \t]*\n")
_TARGET = re.compile(
    r"\(\s*<?(?P<url>(?<=<)[^<>\n]*+(?=>)|(?:[^()\s<>]|\([^()\s]*\))*+)>?(?:\s+(?:\"[^\"]*\"|'[^']*'))?\s*\)"
)


@dataclass(frozen=True, slots=True)
class Stripped:
    """Plain text made of slices of a Markdown text, and the offsets at which each slice begins in the two."""

    text: str
    _plain_starts: tuple[int, ...]
    _markdown_starts: tuple[int, ...]

    def source(self, offset: int) -> int:
        """The offset in the Markdown of the character at an offset in the plain text."""
        if not self._plain_starts:
            return 0
        at = max(0, bisect_right(self._plain_starts, offset) - 1)
        return self._markdown_starts[at] + offset - self._plain_starts[at]

    def source_span(self, start: int, end: int) -> Span:
        """The (start, end) in the Markdown of a (start, end) in the plain text."""
        if end <= start:
            return self.source(start), self.source(start)
        return self.source(start), self.source(end - 1) + 1

    def plain(self, offset: int) -> int:
        """The offset in the plain text of the first character at or after an offset in the Markdown."""
        at = bisect_right(self._markdown_starts, offset) - 1
        if at < 0:
            return 0
        here = self._plain_starts[at] + offset - self._markdown_starts[at]
        following = self._plain_starts[at + 1] if at + 1 < len(self._plain_starts) else len(self.text)
        return min(here, following)


def without(markdown: str, drop: list[Span]) -> Stripped:
    """The text without the spans in `drop`, which may be in any order and overlap; its offsets can be mapped back."""
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


def inline_text(text: str) -> str:
    """The text of a heading, link or paragraph without markup, white space collapsed; an image is its alt text."""
    if _MARKS.search(text) is not None:
        text = unescape(without(text, inline_markup(text, alt=True, references=True)).text)
    return fold_spaces(text)


def inline_markup(
    text: str, base: int = 0, *, alt: bool = False, notes: bool = False, references: bool = False
) -> list[Span]:
    """The (start, end) of each piece of inline markup, with `base` added. With `alt`, the alt texts of images are not
    markup; with `notes`, neither are footnote marks.

    With `references`, the brackets and the label of `[text][label]` are markup.
    """
    drop: list[Span] = []
    for found in _REFERENCE.finditer(text) if references and "][" in text else ():
        drop += [(base + found.start(), base + found.start(1)), (base + found.end(1), base + found.end())]
    for found in _INLINE.finditer(text):
        start, end = base + found.start(), base + found.end()
        if found["code"] is not None:
            width = len(found["ticks"])
            drop += [(start, start + width), (end - width, end)]
        elif found["escape"] is not None:
            drop.append((start, start + 1))
        elif found["image"] is not None:
            name = base + found.start("alt"), base + found.end("alt")
            drop += [(start, name[0]), (name[1], end)] if alt else [(start, end)]
        elif found["auto"] is not None:
            drop += [(start, start + 1), (end - 1, end)]
        elif found["note"] is None or not notes:
            drop.append((start, end))
    return drop


def append_inline(parts: list[str], piece: str) -> None:
    """Append inline Markdown to `parts`; if two code spans meet, they are joined, or separated by a space.

    Side by side their backticks would be read as one longer delimiter. Two words, such as a name and its type that only
    their style separates, stay two words.
    """
    before = parts[-1] if parts else ""
    if piece.startswith("`") and before.endswith("`") and not before.endswith("\\`"):
        are_words = before[-2:-1].isalnum() and piece[1:2].isalnum()
        if not are_words and not piece.startswith("``") and not before.endswith("``"):
            parts[-1], piece = before[:-1], piece[1:]
        else:
            piece = f" {piece}"
    parts.append(piece)


def without_images(text: str) -> str:
    """The Markdown without its images, alt texts included."""
    return without(text, [(link.start - 1, link.end) for link in links(text) if link.is_image]).text


class LinkSpan(NamedTuple):
    """A link or an image: its text is `markdown[start + 1 : close]`, its address `markdown[url_start:url_end]`."""

    start: int
    close: int
    url_start: int
    url_end: int
    end: int
    is_image: bool


def links(markdown: str) -> Iterator[LinkSpan]:
    """Links and images outside code, in the order of their ends, in one pass: hostile pages nest brackets.

    Links do not nest; an image may be inside a link.
    """
    if "](" not in markdown:
        return
    code = _code(markdown)
    open_now: list[tuple[int, bool]] = []
    end = 0
    for found in _BRACKET.finditer(markdown):
        place = found.start()
        if place < end or found[0][0] == "\\" or _is_inside(code, place):
            continue
        if found[0][0] == "\n":
            open_now.clear()
        elif found[0] != "]":
            open_now.append((found.end() - 1, found[0] == "!["))
        elif open_now:
            opening, is_image = open_now.pop()
            target = _TARGET.match(markdown, place + 1)
            if target and target["url"]:
                end = target.end()
                if not is_image:
                    open_now.clear()
                yield LinkSpan(opening, place, *target.span("url"), end, is_image)


def _code(markdown: str) -> list[Span]:
    """The spans of fenced code and of code spans, in order."""
    fenced: list[Span] = []
    at = 0
    for line, is_code in fenced_lines(markdown) if "```" in markdown or "~~~" in markdown else ():
        if is_code:
            fenced.append((at, at + len(line)))
        at += len(line)
    spans = [found.span() for found in _CODE_SPAN.finditer(markdown)]
    return sorted(fenced + [span for span in spans if not _is_inside(fenced, span[0])])


def _is_inside(spans: list[Span], offset: int) -> bool:
    """Whether an offset is inside one of the spans, which are sorted and do not overlap."""
    at = bisect_right(spans, (offset, 1 << 62)) - 1
    return at >= 0 and offset < spans[at][1]
