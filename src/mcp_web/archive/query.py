"""Parses a query into words, phrases and prefixes. Every input is valid: there are no syntax errors."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date

from mcp_web.errors import InvalidInput
from mcp_web.store.protocol import DocumentFilter, WordQuery
from mcp_web.text.languages import language_of
from mcp_web.text.names import Name, asked_names, asked_title, is_name
from mcp_web.text.words import compounds, fold, is_stop_word, is_unspaced, words

_MOST_WORDS = 64  # a whole page pasted as a question is cut here
_MOST_NAMES = 16
_PIECE = re.compile(r'(?P<sign>(?:(?<!\S)[-+])?)(?:"(?P<phrase>[^"]*)"?|(?P<word>[^\s"]+))')


@dataclass(frozen=True, slots=True)
class Question:
    """A parsed question, in lower case."""

    words: tuple[str, ...] = ()
    phrases: tuple[tuple[str, ...], ...] = ()  # words side by side; a document must hold every one
    prefixes: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    excluded: tuple[tuple[str, ...], ...] = ()  # words and phrases; a document must hold none
    compounds: tuple[str, ...] = ()  # compound names among the words, each as one word
    names: tuple[Name, ...] = ()  # of functions, flags, settings: documents that define one come first
    only_identifiers: bool = False  # every word is written as a name
    language: str = ""  # of the whole question, "" when it does not tell

    @property
    def wanted(self) -> tuple[str, ...]:
        """Every word whose presence raises the score of a document, those of phrases included, without duplicates."""
        inside = (word for phrase in self.phrases for word in phrase)
        return tuple(dict.fromkeys((*self.words, *self.required, *inside)))

    @property
    def content_words(self) -> tuple[str, ...]:
        """The wanted words without stop words; all of them if there are no others."""
        return self._without_stop_words(self.wanted) or self.wanted

    @property
    def is_name(self) -> bool:
        """Whether the question consists only of names, of functions, settings and the like."""
        return bool(self.names) and {word for name in self.names for word in name.words}.issuperset(self.wanted)

    @property
    def needs_text(self) -> bool:
        """Whether the texts of documents must be searched, because it has phrases, or excludes words or phrases."""
        return bool(self.phrases or self.excluded)

    def for_store(self, filter: DocumentFilter) -> WordQuery:
        """The query that finds candidates in the store, without stop words. Words of a phrase are only required:
        whether they stand side by side, and excluded phrases, are checked in the text afterwards."""
        inside = tuple(word for phrase in self.phrases for word in phrase)
        counted = self._without_stop_words((*self.words, *inside)) or self.wanted
        return WordQuery(
            words=tuple(dict.fromkeys((*counted, *self.compounds))),
            prefixes=tuple(map(fold, self.prefixes)),
            required=tuple(dict.fromkeys((*self.required, *inside))),
            excluded=tuple(phrase[0] for phrase in self.excluded if len(phrase) == 1),
            names=(*self.names, *asked_title(self.wanted)),
            filter=filter,
        )

    def _without_stop_words(self, items: tuple[str, ...]) -> tuple[str, ...]:
        """The words without the stop words of the question's language, or English ones if the language is unknown."""
        return tuple(word for word in items if not is_stop_word(word, self.language or "en"))


def parse(text: str) -> Question:
    """Parse the query syntax `word`, `"a phrase"`, `prefix*`, `+must`, `-not`, `-"not this phrase"`; other punctuation
    separates words."""
    plain: list[str] = []
    phrases: list[tuple[str, ...]] = []
    prefixes: list[str] = []
    required: list[str] = []
    excluded: list[tuple[str, ...]] = []
    found_compounds: list[str] = []
    names: list[Name] = []
    pieces = list(_PIECE.finditer(text.replace("“", '"').replace("”", '"')))
    for piece in pieces:
        sign, phrase, word = piece["sign"], piece["phrase"], piece["word"]
        found = words(word if phrase is None else phrase)[:_MOST_WORDS]
        if not found:
            continue
        if sign == "-" and _excludes(word, found) and len(pieces) > 1:
            excluded.append(tuple(found))
        elif phrase is not None and len(found) > 1:
            phrases.append(tuple(found))
        elif word is not None and word.endswith("*") and len(found[-1]) > 1:
            plain += found[:-1]
            prefixes.append(found[-1])
        else:
            (required if sign == "+" else plain).extend(found)
            found_compounds += compounds(word or "")
            # A plain word is a name when it is the whole question.
            names += asked_names(piece[0]) if word and (len(pieces) == 1 or is_name(piece[0])) else ()
    return Question(
        words=_capped(plain),
        phrases=tuple(phrases[:8]),
        prefixes=_capped(prefixes)[:8],
        required=_capped(required),
        excluded=tuple(excluded[:8]),
        compounds=_capped(found_compounds),
        names=tuple(names[:_MOST_NAMES]),
        only_identifiers=bool(names) and all(is_name(piece[0]) for piece in pieces),
        language=language_of(text),
    )


def _excludes(word: str | None, found: list[str]) -> bool:
    """Whether a hyphen in a query excludes what is behind it: a phrase in quotes (`word` is None), or `word` if it is
    one word (`found`) or text without spaces between words, as in Chinese. A hyphen before other text, such as `-a.b`,
    is a dash; `--depth` and `-v` are options of commands."""
    if word is None:
        return True
    return not word.startswith("-") and len(word) > 1 and (len(found) == 1 or all(map(is_unspaced, found)))


def corrected(text: str, changes: dict[str, str]) -> str:
    """The text as typed, with misspelt words replaced; `changes` has the correction of each by its lower case."""
    return re.sub(r"[^\W_]+", lambda match: changes.get(match[0].lower(), match[0]), text)


def with_changes(question: Question, changes: dict[str, str]) -> Question:
    """The question with misspelt words replaced; `changes` has the correction of each."""

    def swapped(items: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(changes.get(word, word) for word in items))

    phrases = tuple(tuple(changes.get(word, word) for word in phrase) for phrase in question.phrases)
    return replace(question, words=swapped(question.words), phrases=phrases, required=swapped(question.required))


def checked_date(name: str, text: str | None) -> str | None:
    """The date that was given for the parameter `name`, as YYYY-MM-DD, or None. Raises InvalidInput for other text."""
    try:
        return date.fromisoformat(text).isoformat() if text else None
    except ValueError as error:
        raise InvalidInput(f"{name} is {text!r}; a date is written as 2025-05-20.") from error


def _capped(items: list[str]) -> tuple[str, ...]:
    """The items without duplicates, at most _MOST_WORDS."""
    return tuple(dict.fromkeys(items))[:_MOST_WORDS]
