"""Marks passages of kept Markdown in its HTML: marker characters are inserted into the Markdown, and replaced by
elements in the parsed tokens.

The markers are rare punctuation, since letters or spaces would change how Markdown parses emphasis.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from mcp_web.web.catalogue import gettext as _

if TYPE_CHECKING:
    from markdown_it.token import Token

OWN_QUOTE = 0  # in place of a reading's number: the quote that the viewer checks
OPEN, CLOSE = "\U00010100", "\U00010101"
_SIGNS = re.compile(f"[{OPEN}{CLOSE}]")
_PARTS = re.compile(f"([{OPEN}{CLOSE}])")
# The syntax before the text of a block: of a quote, a heading, a list item, a footnote or a table cell.
_PREFIX = re.compile(
    r"[ \t>]*(?:#{1,6}[ \t]+|[-*+][ \t]+(?:\[[ xX]\][ \t]+)?|\d{1,9}[.)][ \t]+|\[\^[^\]\s]+\]:[ \t]*|\|[ \t]*)*"
)
_NEAR = 2000  # characters around an offset in which syntax is searched for
# Syntax that a marker must not split: link targets, code, emphasis, footnotes, escapes, entities.
_WHOLE = re.compile(
    r"!\[[^\]\n]*\]\([^)\n]*\)|\]\([^)\n]*\)|\]\[[^\]\n]*\]|<https?://[^>\n]*>|`[^`\n]*`|([*_~])\1+|\[\^[^\]\n]*\]|!\[|\\.|&#?\w{1,30};"
)


@dataclass(frozen=True, slots=True)
class Passage:
    """A span of the text, and the numbers of the readings (questions of agents) whose answers showed it."""

    start: int
    end: int
    numbers: tuple[int, ...] = ()


def merged(spans: Iterable[tuple[int, int, int]]) -> list[Passage]:
    """Spans (start, end, number of the reading) as ordered passages: overlapping ones joined, the quote separate."""
    found: list[Passage] = []
    quotes: list[tuple[int, int]] = []
    for start, end, number in sorted(spans):
        last = found[-1] if found else None
        if number == OWN_QUOTE:
            quotes.append((start, end))
        elif last is not None and start < last.end:
            numbers = tuple(dict.fromkeys((*last.numbers, number)))
            found[-1] = Passage(last.start, max(last.end, end), numbers)
        elif start < end:
            found.append(Passage(start, end, (number,)))
    for start, end in quotes:
        found = list(_with_quote(found, start, end))
    return sorted(found, key=lambda one: one.start)


def _with_quote(passages: Sequence[Passage], start: int, end: int) -> Iterator[Passage]:
    """The passages split where the quote begins and ends, and the quote, with the numbers of those it overlaps."""
    inside = [one for one in passages if one.start < end and one.end > start]
    yield from (one for one in passages if one not in inside)
    yield from (Passage(one.start, start, one.numbers) for one in inside if one.start < start)
    yield from (Passage(end, one.end, one.numbers) for one in inside if one.end > end)
    if start < end:
        yield Passage(start, end, (OWN_QUOTE, *dict.fromkeys(number for one in inside for number in one.numbers)))


def signed(markdown: str, passages: Sequence[Passage]) -> str:
    """The Markdown with the marker OPEN at the beginning of each passage and CLOSE at its end."""
    markdown = _SIGNS.sub("·", markdown)
    pieces, done = [], 0
    for one in passages:
        start = _begin(markdown, max(one.start, done))
        end = _finish(markdown, min(one.end, len(markdown)))
        if start >= end:  # nothing to mark: both markers are adjacent, so that passages keep their numbers
            start = end = max(done, min(start, len(markdown)))
        pieces += [markdown[done:start], OPEN, markdown[start:end], CLOSE]
        done = end
    return "".join([*pieces, markdown[done:]])


def _begin(text: str, at: int) -> int:
    """The first offset from `at` on where a marker can be put without changing the syntax; the end if there is none."""
    while at < len(text):
        line, end = _line(text, at)
        if _is_syntax(text[line:end]) or not text[at:end].strip(" \t|"):
            at = end + 1
            continue
        return _outside(text, max(at, _text_start(text, line, end)), line, end)
    return len(text)


def _finish(text: str, at: int) -> int:
    """The last offset up to `at` where a marker can be put without changing the syntax; 0 if there is none."""
    while at > 0:
        line, end = _line(text, at)
        body = text[line:at].rstrip(" \t|")
        place = line + len(body)
        if not body or _is_syntax(text[line:end]) or place < _text_start(text, line, end):
            at = line - 1
            continue
        return _outside(text, place, line, end)
    return 0


def _text_start(text: str, line: int, end: int) -> int:
    """The offset in a line where its text begins, after syntax such as `#`, `>` or the mark of a list item."""
    prefix = _PREFIX.match(text, line, end)
    return prefix.end() if prefix else line


def _is_syntax(line: str) -> bool:
    """Whether a marker would change what this line is: a fence, a rule, an underline of a heading, or an empty line."""
    return not line.strip(" \t>-=*_:|") or line.lstrip(" \t>").startswith(("```", "~~~"))


def _line(text: str, at: int) -> tuple[int, int]:
    """The start and the end of the line around an offset."""
    end = text.find("\n", at)
    return text.rfind("\n", 0, at) + 1, len(text) if end < 0 else end


def _outside(text: str, at: int, line: int, end: int) -> int:
    """The end of the piece of syntax that an offset is inside (the target of a link, a code span, `**`), else the
    offset. `line` and `end` are where its line begins and ends."""
    near = _WHOLE.finditer(text, max(line, at - _NEAR), min(end, at + _NEAR))
    inside = (found.end() for found in near if found.start() < at < found.end())
    return next(inside, at)


def mark(tokens: Sequence[Token], passages: Sequence[Passage], markdown: str) -> list[Token]:
    """Parsed Markdown with `mark` elements in place of the markers; a code block in a passage is marked as a whole."""
    state, made = _State(passages, [markdown.count("\n", 0, one.end) for one in passages]), []
    for token in tokens:
        if token.map:
            state.reach(token.map[0])
        if token.type == "inline" and token.children is not None:
            token.children = [piece for child in token.children for piece in state.split(child)]
        elif token.type in ("fence", "code_block"):
            token.info = _SIGNS.sub("", token.info)
            made += state.around_block(token)
            continue
        made.append(token)
    return made


class _State:
    """Tracks the current passage while the tokens are read in order."""

    def __init__(self, passages: Sequence[Passage], last_lines: Sequence[int]) -> None:
        self._passages = passages
        self._last_lines = last_lines
        self._next = 0
        self._current: tuple[int, Passage] | None = None
        self._named: set[int] = set()

    def reach(self, line: int) -> None:
        """Note that a block starts at this line: passages that end before it are over, if a marker was dropped."""
        if self._current is not None and self._last_lines[self._current[0] - 1] < line:
            self._current = None
        while self._next < len(self._passages) and self._last_lines[self._next] < line:
            self._next += 1

    def _follow(self, sign: str) -> None:
        """At the marker OPEN begin the next passage, at CLOSE end the current one."""
        self._current = None
        if sign == OPEN and self._next < len(self._passages):
            self._next += 1
            self._current = (self._next, self._passages[self._next - 1])

    def around_block(self, token: Token) -> list[Token]:
        """A code block without markers, inside a `div` if a part of it is in a passage."""
        before, signs = self._current, _SIGNS.findall(token.content)
        token.content = _SIGNS.sub("", token.content)
        for sign in signs:
            self._follow(sign)
            before = before or self._current
        if before is None:
            return [token]
        return [_html(token, f"<div{self._attributes(*before)}>"), token, _html(token, "</div>")]

    def split(self, child: Token) -> Iterator[Token]:
        """A token in pieces without markers, with `mark` elements around those that are in a passage."""
        if child.type == "code_inline":
            yield from self._marked(child, child.content)
            return
        if child.type != "text":
            child.content = _SIGNS.sub("", child.content)
            yield child
            return
        for part in _PARTS.split(child.content):
            if part in (OPEN, CLOSE):
                if part == CLOSE and self._current is not None:
                    yield from self._links(child, self._current)
                self._follow(part)
            elif part:
                yield from self._marked(child, part)

    def _marked(self, child: Token, text: str) -> Iterator[Token]:
        """A copy of the token with this text, inside a `mark` if it is in a passage."""
        piece = child.copy(content=text)
        if self._current is None or not text.strip():
            yield piece
            return
        yield _html(child, f"<mark{self._attributes(*self._current)}>")
        yield piece
        yield _html(child, "</mark>")

    def _attributes(self, number: int, passage: Passage) -> str:
        """The HTML attributes of an element in a passage: its class and, the first time, an id with the number."""
        name = "" if number in self._named else f' id="passage-{number}"'
        self._named.add(number)
        return f' class="{"quoted" if OWN_QUOTE in passage.numbers else "cited"}"{name}'

    def _links(self, child: Token, current: tuple[int, Passage]) -> Iterator[Token]:
        """The numbers of the readings of a passage that ends here, as links; not those that the next one has too."""
        label = escape(_("Question"))
        following = self._passages[current[0]] if current[0] < len(self._passages) else None
        continued = following.numbers if following and following.start == current[1].end else ()
        numbers = "".join(
            f'<a href="#asked-{one}" aria-label="{label} {one}">{one}</a>'
            for one in current[1].numbers
            if one != OWN_QUOTE and one not in continued
        )
        if numbers:
            yield _html(child, f'<span class="asked-by">{numbers}</span>')


def _html(child: Token, text: str) -> Token:
    """A token that is printed as the raw HTML `text`; its position is that of another token."""
    return child.copy(type="html_inline", tag="", content=text, children=None, attrs={}, info="")
