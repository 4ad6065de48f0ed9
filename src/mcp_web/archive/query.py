"""Parses a query into words, phrases and prefixes. Every input is valid: there are no syntax errors."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from mcp_web.store.protocol import DocumentFilter, WordQuery
from mcp_web.text.languages import language_of
from mcp_web.text.words import compounds, fold, is_stop_word, words

_MOST_WORDS = 64  # a whole page pasted as a question is cut here
_PIECE = re.compile(r'(?P<sign>[-+]?)(?:"(?P<phrase>[^"]*)"?|(?P<word>[^\s"]+))')


@dataclass(frozen=True, slots=True)
class Question:
    """A parsed question; all words in lower case."""

    words: tuple[str, ...] = ()
    phrases: tuple[tuple[str, ...], ...] = ()  # words side by side; a document must hold every one
    prefixes: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    names: tuple[str, ...] = ()  # compound names among the words, each as one word
    language: str = ""  # of the whole question, "" when it does not tell

    @property
    def wanted(self) -> tuple[str, ...]:
        """Every word that adds to the score of a document, without duplicates."""
        inside = (word for phrase in self.phrases for word in phrase)
        return tuple(dict.fromkeys((*self.words, *self.required, *inside)))

    def for_store(self, filter: DocumentFilter) -> WordQuery:
        """The words that find candidates; phrases are checked in the text afterwards."""
        inside = tuple(word for phrase in self.phrases for word in phrase)
        counted = self.telling((*self.words, *inside)) or self.wanted
        return WordQuery(
            words=tuple(dict.fromkeys((*counted, *self.names))),
            prefixes=tuple(map(fold, self.prefixes)),
            required=tuple(dict.fromkeys((*self.required, *inside))),
            excluded=self.excluded,
            filter=filter,
        )

    def telling(self, items: tuple[str, ...]) -> tuple[str, ...]:
        """The words without the stop words of the question's language, or English ones if the language is unknown."""
        return tuple(word for word in items if not is_stop_word(word, self.language or "en"))


def parse(text: str) -> Question:
    """`word`, `"a phrase"`, `prefix*`, `+must`, `-not`; any other punctuation only separates words."""
    plain: list[str] = []
    phrases: list[tuple[str, ...]] = []
    prefixes: list[str] = []
    required: list[str] = []
    excluded: list[str] = []
    names: list[str] = []
    for piece in _PIECE.finditer(text.replace("“", '"').replace("”", '"')):
        sign, phrase, word = piece["sign"], piece["phrase"], piece["word"]
        found = words(word if phrase is None else phrase)[:_MOST_WORDS]
        if not found:
            continue
        if sign == "-":
            # A hyphen before several words is a dash, not an exclusion.
            (excluded if len(found) == 1 else plain).extend(found)
        elif phrase is not None and len(found) > 1:
            phrases.append(tuple(found))
        elif word is not None and word.endswith("*") and len(found[-1]) > 1:
            plain += found[:-1]
            prefixes.append(found[-1])
        else:
            (required if sign == "+" else plain).extend(found)
            names += compounds(word or "")
    return Question(
        words=_capped(plain),
        phrases=tuple(phrases[:8]),
        prefixes=_capped(prefixes)[:8],
        required=_capped(required),
        excluded=_capped(excluded),
        names=_capped(names),
        language=language_of(text),
    )


def corrected(text: str, changes: dict[str, str]) -> str:
    """The text as typed, with misspelt words replaced."""

    def change(match: re.Match[str]) -> str:
        return changes.get(match[0].lower(), match[0])

    return re.sub(r"[^\W_]+", change, text)


def with_changes(question: Question, changes: dict[str, str]) -> Question:
    """The question with misspelt words replaced."""

    def swapped(items: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(changes.get(word, word) for word in items))

    phrases = tuple(tuple(changes.get(word, word) for word in phrase) for phrase in question.phrases)
    return replace(question, words=swapped(question.words), phrases=phrases, required=swapped(question.required))


def _capped(items: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(items))[:_MOST_WORDS]
