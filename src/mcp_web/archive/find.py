"""The steps of a search over what the store answers: words, meaning, the best of both, and where they say it.

Plain functions that run in the store's thread, so that a search is one visit and not one for every step.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from mcp_web.archive.answer import ArchiveDocument, ArchiveQuery, SearchMode, document_id
from mcp_web.archive.fuse import fused, with_age
from mcp_web.archive.highlight import Highlight, Marker, highlights, holds_phrase
from mcp_web.archive.query import Question, with_changes
from mcp_web.archive.typos import correction, neighbours
from mcp_web.store.protocol import Card, DocumentFilter, Finder, WordAnswer
from mcp_web.text.words import fold

_POOL = 50  # candidates from words and from meaning that are fused
# Documents by words whose meaning is compared, whatever is found by meaning alone. On judged collections the best by
# words, ordered by meaning, are as good as all: nDCG@10 on Cranfield .458, with everything .456; CISI .453 and .456;
# a part of SciFact, looked at only afterwards, .933 and .937.
_COMPARED = 100
_PHRASE_POOL = 300  # candidates whose text is looked through for a phrase
_MOST_TYPOS = 5  # unknown words of one question that are corrected


@dataclass(frozen=True, slots=True)
class Asked:
    """A query as the store is asked it."""

    query: ArchiveQuery
    question: Question
    filter: DocumentFilter


@dataclass(frozen=True, slots=True)
class Words:
    """What words found, with the misspelt ones replaced."""

    answer: WordAnswer
    question: Question
    changes: dict[str, str]


@dataclass(frozen=True, slots=True)
class Found:
    cards: tuple[tuple[Card, float], ...]
    results: tuple[tuple[ArchiveDocument, tuple[Highlight, ...]], ...]
    mode: SearchMode  # as it was answered


def by_words(finder: Finder, asked: Asked, *, alone: bool, cards: int) -> Words:
    """Candidates by words; `alone` when nothing else will find any."""
    question, limit = asked.question, asked.query.limit
    pool = _PHRASE_POOL if question.phrases else wider(limit) if alone else _COMPARED
    ask = functools.partial(finder.by_words, limit=max(pool, limit), cards=cards)
    found = ask(question.for_store(asked.filter))
    changes: dict[str, str] = {}
    if asked.query.fuzzy and found.unknown:
        changes = _corrections(finder, [word for word in found.unknown if word in question.wanted][:_MOST_TYPOS])
    if not changes:
        return Words(found, question, changes)
    question = with_changes(question, changes)
    return Words(ask(question.for_store(asked.filter)), question, changes)


def answered(
    finder: Finder, asked: Asked, words: Words, model: str, vector: Sequence[float] | None, today: date
) -> Found:
    """The best documents by words and, with the question's vector, by meaning."""
    meaning = _by_meaning(finder, asked, words, model, vector) if vector is not None else {}
    mode: SearchMode = asked.query.mode if meaning else "text"
    scores = _combined(words.answer, meaning, mode)
    cards = _best(finder, scores, words, asked.query.limit, today)
    marker = Marker(words.question)
    results = [(_document(card, score), highlights(marker, card.title, card.markdown)) for card, score in cards]
    return Found(tuple(cards), tuple(results), mode)


def wider(limit: int) -> int:
    """A few more than asked for: age reorders close neighbours, and variants of one page fall together."""
    return limit + max(1, limit // 10)


def _corrections(finder: Finder, unknown: Sequence[str]) -> dict[str, str]:
    near = {word: neighbours(fold(word)) for word in unknown}
    counts = finder.word_counts([one for ones in near.values() for one in ones])
    found = {}
    for word, ones in near.items():
        likeliest = correction(fold(word), {one: counts[one] for one in ones if one in counts})
        if likeliest is not None:
            found[word] = likeliest
    return found


def _by_meaning(finder: Finder, asked: Asked, words: Words, model: str, vector: Sequence[float]) -> dict[str, float]:
    """Cosines by document, the nearest first; none when no document has vectors."""
    hybrid = asked.query.mode == "hybrid"
    also = [candidate.key for candidate in words.answer.candidates] if hybrid else []
    near = finder.by_vector(model, vector, _POOL, asked.filter, also=also, quick=hybrid)
    return {candidate.key: candidate.score for candidate in near}


def _combined(words: WordAnswer, meaning: Mapping[str, float], mode: SearchMode) -> dict[str, float]:
    if not meaning:
        return {candidate.key: candidate.score for candidate in words.candidates}
    if mode == "semantic":
        return {key: max(0.0, score) for key, score in meaning.items()}
    by_words = {candidate.key: candidate.score for candidate in words.candidates[:_POOL]}
    wanted = {*by_words, *itertools.islice(meaning, _POOL)}
    return fused(by_words, {key: score for key, score in meaning.items() if key in wanted})


def _best(
    finder: Finder, scores: Mapping[str, float], words: Words, limit: int, today: date
) -> list[tuple[Card, float]]:
    """The cards of the best documents, one per URL, every phrase present."""
    order = sorted(scores, key=lambda key: (-scores[key], key))
    known = words.answer.cards
    found: dict[str, tuple[Card, float]] = {}
    for at in range(0, len(order), wider(limit)):
        keys = order[at : at + wider(limit)]
        lacking = [key for key in keys if key not in known]
        cards = {**known, **finder.cards(lacking)} if lacking else known
        for key in keys:
            card = cards.get(key)
            if card is None or (words.question.phrases and not _holds(words.question, card)):
                continue
            found.setdefault(card.url, (card, round(with_age(scores[key], card.date, today), 4)))
        if len(found) >= limit:
            break
    newest_first = sorted(found.values(), key=lambda item: (item[0].date, item[0].key), reverse=True)
    return sorted(newest_first, key=lambda item: -item[1])[:limit]


def _holds(question: Question, card: Card) -> bool:
    text = f"{card.title}\n\n{card.markdown}"
    return all(holds_phrase(phrase, text) for phrase in question.phrases)


def _document(card: Card, score: float) -> ArchiveDocument:
    return ArchiveDocument(
        id=document_id(card.key),
        title=card.title,
        path=card.path,
        url=card.url,
        source=card.source,
        date=card.date,
        score=score,
        snapshot=card.hash,
        tags=card.tags,
    )
