"""Where a document says what was asked: snippets of plain text, HTML-escaped, the words in `<mark>`."""

from __future__ import annotations

import bisect
import html
import re
from collections.abc import Sequence
from dataclasses import dataclass

from mcp_web.archive.query import Question
from mcp_web.store.words import STOP_WORDS, fold, prose, stem

_SNIPPET = 240  # characters, before the marks
_BEFORE = 40  # of them before the first word
_SPANS_MOST = 500  # a word on every line needs no more to find a good place
_READ_MOST = 200_000  # of a text: beyond it a word is so late that the outline serves better
# An underscore inside a word belongs to it: MCP_WEB_RESPECT_ROBOTS is a name, not three emphases.
_MARKUP = re.compile(
    r"!\[[^\]\n]*\]|^\s{0,3}(?:#{1,6}\s+|>\s?|[-*+]\s+|\|[-:| ]*$|\|)|[*`|]{1,3}|(?<!\w)_{1,3}|_{1,3}(?!\w)|\[|\]",
    re.MULTILINE,
)
_UNCLEAN = re.compile(r"[*_`|\[\]#>&\t]|   |^[ +-]| $")  # what cleaning may change, and more
_SPECIAL = re.compile(r"[&<>]")
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Highlight:
    field: str  # "title" or "content"
    snippets: tuple[str, ...]


Span = tuple[int, int, str]


class Marker:
    """Finds the forms of the asked words in a text.

    A stem is nearly the beginning of its words ("happi" of "happy"), so its places are found as plain substrings, an
    order of magnitude faster than any pattern of all words; only the words found there are stemmed.
    """

    def __init__(self, question: Question) -> None:
        wanted = question.wanted
        telling = [word for word in wanted if word not in STOP_WORDS] or list(wanted)
        self._stems = {stem(word) for word in telling}
        self._prefixes = question.prefixes or ("\0",)
        self._heads = _shortest({_head(item) for item in self._stems if item.isascii()} | set(question.prefixes))
        # Words of unspaced scripts are held as pairs of characters, which stand anywhere.
        self._pairs = [item for item in self._stems if not item.isascii()]
        self._terms: dict[str, str] = {}

    def spans(self, text: str) -> list[Span]:
        """(start, end, stem) of every asked word in the text, in order."""
        folded = fold(text)
        find, match, terms = folded.find, _WORD.match, self._terms
        found: list[Span] = []
        for head in self._heads:
            at = find(head)
            while at >= 0:
                word = None if at and folded[at - 1].isalnum() else match(folded, at)
                if word is None:
                    at = find(head, at + 1)
                    continue
                form, end = word[0], word.end()
                term = terms[form] if form in terms else self._term(form)
                if term:
                    found.append((at, end, term))
                at = find(head, end)
        for pair in self._pairs:
            found += [(place.start(), place.end(), pair) for place in re.finditer(re.escape(pair), folded)]
        found.sort()
        return found

    def _term(self, form: str) -> str:
        """The asked stem that a form belongs to, or nothing; forms come again and again."""
        term = stem(form)
        self._terms[form] = term if term in self._stems or form.startswith(self._prefixes) else ""
        return self._terms[form]


def highlights(marker: Marker, title: str, markdown: str, most: int = 2) -> tuple[Highlight, ...]:
    """The title and the best pieces of the content, marked; a document found by meaning alone shows its beginning."""
    found = []
    in_title = marker.spans(title)
    if in_title:
        found.append(Highlight("title", (_marked(title, in_title),)))
    text = prose(markdown[:_READ_MOST])
    spans = marker.spans(text)
    places = _places(spans, most) if spans else [] if in_title else [0]
    pieces = [piece for at in places if (piece := _piece(marker, text, spans, at))]
    if pieces:
        found.append(Highlight("content", tuple(pieces)))
    return tuple(found)


def holds_phrase(phrase: Sequence[str], text: str) -> bool:
    """Do these words stand side by side?"""
    stems = [stem(word) for word in phrase]
    forms = r"[\W_]{1,12}".join(re.escape(_head(item)) + r"[^\W_]*" for item in stems)
    for match in re.finditer(r"(?<![^\W_])" + forms, fold(text)):
        if [stem(word) for word in _WORD.findall(match[0])] == stems:
            return True
    # Unspaced scripts are held as pairs, which overlap by one character.
    return not phrase[0].isascii() and phrase[0] + "".join(pair[1:] for pair in phrase[1:]) in fold(text)


def _head(term: str) -> str:
    return term[:-1] if len(term) > 3 and term.endswith(("i", "e")) else term


def _shortest(heads: set[str]) -> list[str]:
    """The heads that begin no other: what begins with the longer is found with the shorter."""
    return [head for head in heads if not any(head != other and head.startswith(other) for other in heads)]


def _places(spans: list[Span], most: int) -> list[int]:
    """Starts of the windows that hold the most different words; a further one only if it adds a word."""
    spans = spans[:_SPANS_MOST]
    wanted = {term for _, _, term in spans}
    chosen: list[int] = []
    while wanted and len(chosen) < most:
        start, covered = _richest(spans, wanted)
        chosen.append(start)
        wanted -= covered
    return sorted(chosen)


def _richest(spans: list[Span], wanted: set[str]) -> tuple[int, set[str]]:
    """The start of the window with the most wanted words, and which."""
    best_start, best_terms = spans[0][0], set[str]()
    inside: dict[str, int] = {}
    last, count = 0, len(spans)
    for start, _, term in spans:
        furthest = start + _SNIPPET - _BEFORE
        while last < count and spans[last][1] <= furthest:
            entering = spans[last][2]
            inside[entering] = inside.get(entering, 0) + 1
            last += 1
        if len(inside) > len(best_terms):
            now = wanted & inside.keys()
            if len(now) > len(best_terms):
                best_start, best_terms = start, now
                if len(now) == len(wanted):
                    break
        if inside.get(term, 0) > 1:
            inside[term] -= 1
        else:
            inside.pop(term, None)
    return best_start, best_terms or wanted


def _piece(marker: Marker, text: str, spans: list[Span], at: int) -> str:
    """The text around a place as a reader sees it, marked."""
    start = max(0, at - _BEFORE)
    # From the beginning of a line or, failing that, of a word.
    start = text.rfind("\n", start, at) + 1 or (text.find(" ", start, at) + 1 if start else 0) or start
    end = min(len(text), start + _SNIPPET)
    if end < len(text) and " " in text[at + 1 : end]:
        end = max(text.rfind(" ", at + 1, end), text.rfind("\n", at + 1, end))
    shown = text[start:end].replace("\n", " ")
    if _UNCLEAN.search(shown):
        shown = html.unescape(re.sub(r"\s+", " ", _MARKUP.sub("", text[start:end])).strip())
        inside = marker.spans(shown)
    else:
        first = bisect.bisect_left(spans, (start, 0, ""))
        last = bisect.bisect_left(spans, (end, 0, ""))
        inside = [(one - start, other - start, term) for one, other, term in spans[first:last] if other <= end]
    if not shown:
        return ""
    return ("…" if start else "") + _marked(shown, inside) + ("…" if end < len(text) else "")


def _marked(text: str, spans: list[Span]) -> str:
    """The text, escaped, with its words marked; neighbouring marks become one."""
    parts: list[str] = []
    at = 0
    open_mark = False
    for begin, finish, _ in spans:
        if finish <= at:
            continue
        between = text[at : max(at, begin)]
        if open_mark and (not between or between.isspace()):
            parts.append(between)
        else:
            parts += ["</mark>" if open_mark else "", _escaped(between), "<mark>"]
        # A word is letters and digits: nothing in it needs escaping.
        parts.append(text[max(at, begin) : finish])
        open_mark, at = True, finish
    parts += ["</mark>" if open_mark else "", _escaped(text[at:])]
    return "".join(parts)


def _escaped(text: str) -> str:
    return html.escape(text, quote=False) if _SPECIAL.search(text) else text
