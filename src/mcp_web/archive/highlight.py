"""Snippets of a document for a question, as plain text with the offsets of the matching words."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from os.path import commonprefix

from mcp_web.archive.query import Question
from mcp_web.text.markdown import FENCE, prose
from mcp_web.text.words import fold, is_unspaced, query_terms, spans, terms, words

_SNIPPETS = 2  # of the content of one document, at most
_SNIPPET = 240  # characters
_BEFORE = 40  # of them before the first word
_SPANS_MOST = 500  # a word on every line needs no more to find a good place
_READ_MOST = 200_000  # of a text: beyond it a word is so late that the outline serves better
_LINE_MARK = re.compile(r"\s{0,3}(?:#{1,6}\s+|>\s?|[-*+]\s+|\|[-:| ]*$|\|)")  # what a line may begin with
# An underscore inside a word belongs to it: MCP_WEB_RESPECT_ROBOTS is a name, not three emphases.
_MARKUP = re.compile(
    r"(?P<ticks>`{1,3})(?P<code>[^`\n]+)(?P=ticks)|(?P<entity>&(?:#\w{1,8}|\w{2,32});)|\\(?P<escaped>[!-/:-@\[-`{-~])"
    r"|!\[[^\]\n]*\]|[*`|]{1,3}|(?<!\w)_{1,3}|_{1,3}(?!\w)|\[|\]"
)
_MARKED = re.compile(r"[`&\\*|_\[\]]")  # most lines have none of these, and need no search for markup
_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t][^\n]*", re.MULTILINE)
_FENCES = re.compile(f"^{FENCE.pattern}", re.MULTILINE)
_WORD = re.compile(r"[^\W_]+")
_ELLIPSES = ("…", "...")
_PREFIXING = ("nl", "id")  # languages of Latin script whose stems lack prefixes: Dutch gelopen, lopen
_CHANGING = ("fr", "et")  # languages where two letters of a stem change: French appliquer, application


@dataclass(frozen=True, slots=True)
class Snippet:
    """A piece of plain text, and the (start, end) of the words of the question in it."""

    text: str
    spans: tuple[tuple[int, int], ...] = ()

    def parts(self) -> Iterator[tuple[str, bool]]:
        """The text split into pieces, each with whether it is a word of the question; pieces may be empty."""
        at = 0
        for start, end in self.spans:
            yield self.text[at:start], False
            yield self.text[start:end], True
            at = end
        yield self.text[at:], False

    def as_html(self) -> str:
        """The text, escaped, with the words in `<mark>`."""
        pieces = ((html.escape(part, quote=False), matched) for part, matched in self.parts())
        return "".join(f"<mark>{part}</mark>" if matched else part for part, matched in pieces)


@dataclass(frozen=True, slots=True)
class Highlight:
    """The snippets of one field, the title or the content, of a document."""

    field: str  # "title" or "content"
    snippets: tuple[Snippet, ...]


WordSpan = tuple[int, int, str]  # start, end and the word of the question that it is a form of


class Marker:
    """Finds the forms of the words of a question in texts of one language. Used by one thread, for one search. In the
    Latin script most of a stem is a prefix of its words ("happi" of "happy"), so candidates are found as plain
    substrings, much faster than with a pattern of all words; only the words found there are stemmed."""

    def __init__(self, question: Question, language: str, rarities: Mapping[str, float] | None = None) -> None:
        """`rarities` are the weights of the words of the question; all are equal if they are not given."""
        self.names = question.names if question.is_name else ()
        wanted = question.content_words
        spaced = [word for word in wanted if not is_unspaced(word)]
        self._ngrams = [fold(word) for word in wanted if is_unspaced(word)]
        forms = {word: terms(word, language) for word in spaced}
        known = {word: rarity for word, rarity in (rarities or dict.fromkeys(wanted, 1.0)).items() if word in wanted}
        self.rarities = {term: rarity for word, rarity in known.items() for term in forms.get(word, (fold(word),))}
        self.total = sum(known.values())
        self._language = language
        self._wanted = {term for found in forms.values() for term in found}
        self._prefixes = tuple(map(fold, question.prefixes))
        begins = {begin for word in spaced for begin in beginnings(word, language)}.union(self._prefixes)
        heads = {begin for begin in begins if "" < begin < "\u0370"}
        # Without those that begin with another one, which finds the same words.
        self._heads = [head for head in heads if not any(head.startswith(other) for other in heads - {head})]
        self._everywhere = any(not begin or begin >= "\u0370" for begin in begins)
        self._known: dict[str, str] = {}  # terms by word form: forms repeat
        self._found: dict[str, list[WordSpan]] = {}  # by text

    def spans(self, text: str) -> list[WordSpan]:
        """(start, end, term) of every word of the question in the text, in order; the term is the indexed form of the
        word of the question. The list is cached, so the caller must not change it."""
        if (found := self._found.get(text)) is None:
            found = self._found[text] = self._spans(text)
        return found

    def _spans(self, text: str) -> list[WordSpan]:
        folded = fold(text)
        places = self._places(folded)
        if self._everywhere:
            places = list({*places, *spans(text)})
        found = []
        for at, end in places:
            form = text[at:end]
            if (term := self._known.get(form)) is None:
                term = self._known[form] = self._term(form)
            if term:
                found.append((at, end, term))
        for ngram in self._ngrams:
            found += [(place.start(), place.end(), ngram) for place in re.finditer(re.escape(ngram), folded)]
        found.sort()
        return found

    def _places(self, folded: str) -> list[tuple[int, int]]:
        """(start, end) of the words in a folded text that begin like a word of the question, in any order."""
        found = []
        for head in self._heads:
            at = folded.find(head)
            while at >= 0:
                # Another word may contain the prefix too.
                if (at and folded[at - 1].isalnum()) or (word := _WORD.match(folded, at)) is None:
                    at = folded.find(head, at + 1)
                else:
                    found.append(word.span())
                    at = folded.find(head, word.end())
        return found

    def _term(self, form: str) -> str:
        """The term of the question that a word of a text is a form of, or ""."""
        forms = (*words(form), form.lower())
        found = (term for word in forms for term in terms(word, self._language) if term in self._wanted)
        return next(found, "") or (fold(form) if fold(form).startswith(self._prefixes) else "")


def highlights(marker: Marker, title: str, markdown: str) -> tuple[Highlight, ...]:
    """The snippets of a document: its title, if it has a word of the question, and up to two pieces of its content. If
    neither has one, as in a document found by meaning, the beginning of the content."""
    found = []
    in_title = marker.spans(title)
    if in_title:
        found.append(Highlight("title", (Snippet(title, _joined(title, in_title)),)))
    text = prose(markdown[:_READ_MOST])
    in_text = marker.spans(text)
    # Headings run into the text after them, so they are shown only where the text itself has no match.
    body = _HEADING.sub(lambda line: " " * len(line[0]), text) if "#" in text else text
    if in_body := [span for span in in_text if body[span[0]] != " "]:
        text, in_text = body, in_body
    places = _places(in_text) if in_text else [] if in_title else [0]
    pieces = [piece for at in places if (piece := _piece(marker, text, at))]
    if pieces:
        found.append(Highlight("content", tuple(pieces)))
    return tuple(found)


def holds_phrase(phrase: Sequence[str], text: str, language: str) -> bool:
    """Whether the text contains these words, in any inflected form, next to each other and in this order."""
    if all(map(is_unspaced, phrase)) and all(one[1:] == after[:-1] for one, after in pairwise(phrase)):
        # The overlapping n-grams of a text without spaces, of which each adds its last character.
        return fold(phrase[0] + "".join(item[-1] for item in phrase[1:])) in fold(text)
    wanted = [set(query_terms(word)) for word in phrase]
    sequence = [terms(word, language) for word in words(text)]
    starts = (at for at, found in enumerate(sequence) if not wanted[0].isdisjoint(found))
    return any(
        len(sequence) - at >= len(wanted)
        and all(not want.isdisjoint(sequence[at + step]) for step, want in enumerate(wanted))
        for at in starts
    )


def beginnings(word: str, language: str) -> set[str]:
    """Folded prefixes, of which every form of a word in this language has one; "" if it may begin with anything."""
    folded = fold(word)
    if folded >= "\u0590" or language in _PREFIXING:
        return {""}
    shared = {commonprefix((folded, term.partition("/")[0])) for term in terms(word, language)}  # noqa: RUF071
    if language == "de":  # a stem has ss for ß
        shared = {begin.partition("ss")[0] for begin in shared}
    # The last letters of a stem are not the same in all forms: possible, possibility; use, using.
    less = 2 if language in _CHANGING else 1
    return {begin[: max(2, len(begin) - less)] for begin in shared}


def _places(spans: list[WordSpan]) -> list[int]:
    """The offsets of at most two pieces to show: that with the most different words, and another if it adds a word."""
    spans = spans[:_SPANS_MOST]
    wanted = {term for _, _, term in spans}
    chosen: list[int] = []
    while wanted and len(chosen) < _SNIPPETS:
        start, covered = _richest(spans, wanted)
        chosen.append(start)
        wanted -= covered
    return sorted(chosen)


def _richest(spans: list[WordSpan], wanted: set[str]) -> tuple[int, set[str]]:
    """(start of the piece of text with the most wanted words, these words). `spans` are in order and not empty."""
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


def _piece(marker: Marker, text: str, at: int) -> Snippet | None:
    """The text around an offset as a snippet without markup; None if nothing but markup is there."""
    start = max(0, at - _BEFORE)
    # From the beginning of a line or, failing that, of a word.
    start = text.rfind("\n", start, at) + 1 or (text.find(" ", start, at) + 1 if start else 0) or start
    end = min(len(text), start + _SNIPPET)
    if end < len(text) and " " in text[at + 1 : end]:
        end = max(text.rfind(" ", at + 1, end), text.rfind("\n", at + 1, end))
    before = text[:start]
    in_code = ("```" in before or "~~~" in before) and len(_FENCES.findall(before)) % 2 == 1
    shown = _cleaned(text[start:end], in_code)
    if not shown:
        return None
    if before.strip() and not shown.startswith(_ELLIPSES):
        shown = "…" + shown
    if end < len(text) and not shown.endswith(_ELLIPSES):
        shown += "…"
    return Snippet(shown, _joined(shown, marker.spans(shown)))


def _cleaned(piece: str, in_code: bool) -> str:
    """The piece on one line, without markup outside code; `in_code`: it begins inside fenced code."""
    kept = []
    for line in piece.split("\n"):
        if FENCE.match(line):
            in_code = not in_code
            continue
        if not in_code:
            if mark := _LINE_MARK.match(line):
                line = line[mark.end() :]
            if _MARKED.search(line):
                line = _MARKUP.sub(
                    lambda found: found["code"] or found["escaped"] or html.unescape(found["entity"] or ""), line
                )
        kept.append(line)
    return " ".join(" ".join(kept).split())


def _joined(text: str, spans: list[WordSpan]) -> tuple[tuple[int, int], ...]:
    """The (start, end) of the words, in order; words with only white space between them become one."""
    found: list[tuple[int, int]] = []
    for begin, finish, _ in spans:
        if not found or (begin > found[-1][1] and not text[found[-1][1] : begin].isspace()):
            found.append((begin, finish))
        elif finish > found[-1][1]:
            found[-1] = (found[-1][0], finish)
    return tuple(found)
