"""The steps of a search: by words, correcting misspelt words, by meaning, combining both."""

from __future__ import annotations

import itertools
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from mcp_web.archive.about import scores_with_headlines
from mcp_web.archive.answer import ArchiveDocument, ArchiveQuery, SearchMode
from mcp_web.archive.fuse import LEAST, Meaning, Scales, by_meaning_alone, fused, with_age
from mcp_web.archive.highlight import holds_phrase
from mcp_web.archive.query import Question, with_changes
from mcp_web.archive.typos import correction, neighbours
from mcp_web.model.snapshot import document_id
from mcp_web.store.protocol import DocumentFilter, DocumentRow, Headline, Store, VectorQuery, WordMatches
from mcp_web.text.words import fold

_POOL = 50  # candidates from words and from meaning that are fused
# The documents that are best by words and also compared by meaning; others are found by meaning alone. To compare all
# documents is hardly better: when this was chosen, nDCG@10 changed by -.002 on Cranfield and by +.003 on CISI;
# measured afterwards, by +.004 on a part of SciFact.
_COMPARED = 100
_PHRASE_POOL = 300  # candidates whose text is searched for phrases
_MOST_TYPOS = 5  # unknown words of one question that are corrected


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """A query with its text parsed into words, and its other conditions as a filter of documents."""

    query: ArchiveQuery
    question: Question
    filter: DocumentFilter


@dataclass(frozen=True, slots=True)
class ByWords:
    """What a search by words found, and the corrections of misspelt words (`changes`) that it was made with."""

    matches: WordMatches
    question: Question
    changes: dict[str, str]

    @property
    def by_name(self) -> bool:
        """Whether the question consists of identifiers only, and some document defines one of them."""
        return self.question.only_identifiers and bool(self.matches.defined)


async def by_words(store: Store, parsed: ParsedQuery, *, only_words: bool) -> ByWords:
    """Find documents that contain words of the question. Words that no document has are corrected, if the query allows
    it. `only_words`: no search by meaning follows, so fewer documents are needed."""
    question, limit = parsed.question, max(parsed.query.limit, LEAST)  # fewer results are the first of more
    pool = max(limit, _PHRASE_POOL if question.needs_text else rows_to_read(limit) if only_words else _COMPARED)
    found = await store.find_by_words(question.for_store(parsed.filter), pool)
    unknown = [word for word in found.unknown if word in question.wanted][:_MOST_TYPOS]
    if not parsed.query.fuzzy or not unknown:
        return ByWords(found, question, {})
    near = {word: neighbours(fold(word)) for word in unknown}
    counts = await store.word_counts([one for ones in near.values() for one in ones])
    known = {word: {one: counts[one] for one in ones if one in counts} for word, ones in near.items()}
    changes = {word: likeliest for word in unknown if (likeliest := correction(fold(word), known[word])) is not None}
    if not changes:
        return ByWords(found, question, {})
    question = with_changes(question, changes)
    return ByWords(await store.find_by_words(question.for_store(parsed.filter), pool), question, changes)


async def by_meaning(
    store: Store, parsed: ParsedQuery, words: ByWords, model: str, vector: Sequence[float]
) -> dict[str, float]:
    """The cosine of documents with the question's `vector`, by key, the nearest first: of the nearest ones and, in mode
    "hybrid", of those that `words` found. Empty if no document has vectors of `model`."""
    hybrid = parsed.query.mode == "hybrid"
    also = [candidate.key for candidate in words.matches.candidates] if hybrid else []
    near = await store.find_by_vector(VectorQuery(model, vector, _POOL, parsed.filter, also=also, quick=hybrid))
    return {candidate.key: candidate.score for candidate in near}


def combined(words: ByWords, meaning: Meaning, mode: SearchMode, scales: Scales) -> dict[str, float]:
    """One score for each document, by key: by words, by meaning or by both, as the mode says. If nothing was found by
    meaning, mode "hybrid" ranks by words alone. `scales` calibrate the cosines."""
    if mode == "semantic":
        return by_meaning_alone(meaning, scales)
    pool = _POOL if meaning and not words.question.needs_text else None
    by_words = {candidate.key: candidate.score for candidate in words.matches.candidates[:pool]}
    if not meaning:
        return by_words
    wanted = {*by_words, *itertools.islice(meaning.model, _POOL)}
    return fused(by_words, {key: cosine for key, cosine in meaning.model.items() if key in wanted}, scales)


async def best_rows(
    store: Store, scores: Mapping[str, float], words: ByWords, embedded: Container[str], limit: int, today: date
) -> list[tuple[DocumentRow, float]]:
    """The `limit` best documents as (row, score), best first, one per URL, without those that lack a phrase or word
    that the question requires, or have one that it excludes. `scores` are by key; titles, URLs and age change them.
    `embedded` are the keys of documents whose score includes that by the embedding model; `today` is for their age."""
    order, at_once = _best_first(scores), rows_to_read(limit)
    # The rows of few documents are read at once: they include the headlines.
    known = await store.documents(order) if len(order) <= at_once else {}
    headlines = {key: Headline(row.title, row.url, row.path, row.language) for key, row in known.items()}
    headlines = headlines or await store.headlines(order[:_COMPARED])
    scores = scores_with_headlines(scores, headlines, words.question, words.matches.rarities, embedded)
    order = _best_first(scores)
    with_words = {candidate.key for candidate in words.matches.candidates}  # they have the words that are required
    found: dict[str, tuple[DocumentRow, float]] = {}
    for at in range(0, len(order), at_once):
        keys = order[at : at + at_once]
        rows = known or await store.documents(keys)
        for key in keys:
            row = rows.get(key)
            if row is not None and _may_be_shown(row, words.question, has_words=key in with_words):
                found.setdefault(row.url, (row, round(with_age(scores[key], row.date, today), 4)))
        if len(found) >= limit:
            break
    newest_first = sorted(found.values(), key=lambda item: (item[0].date, item[0].key), reverse=True)
    return sorted(newest_first, key=lambda item: -item[1])[:limit]


def _may_be_shown(row: DocumentRow, question: Question, *, has_words: bool) -> bool:
    """Whether the document has all phrases and words that the question requires (the words need no check if
    `has_words`), and none of the words and phrases that it excludes."""
    text = f"{row.title}\n\n{row.markdown}"
    wanted = question.phrases + (() if has_words else tuple((word,) for word in question.required))
    return all(holds_phrase(phrase, text, row.language) for phrase in wanted) and not any(
        holds_phrase(phrase, text, row.language) for phrase in question.excluded
    )


def _best_first(scores: Mapping[str, float]) -> list[str]:
    return sorted(scores, key=lambda key: (-scores[key], key))


def document_of(row: DocumentRow, score: float) -> ArchiveDocument:
    """What a search result shows of a document, from its row in the store."""
    return ArchiveDocument(
        id=document_id(row.key),
        title=row.title,
        path=row.path,
        url=row.url,
        source=row.source,
        date=row.date,
        score=score,
        snapshot=row.hash,
        tags=row.tags,
    )


def rows_to_read(limit: int) -> int:
    """How many rows to read to show `limit` results: more, as age reorders close scores and a URL is shown once."""
    return limit + max(1, limit // 10)
