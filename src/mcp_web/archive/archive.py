"""The archive: everything that was opened or saved, found again by words and by meaning, with what it cites."""

from __future__ import annotations

import functools
import itertools
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime

import anyio
import anyio.to_thread

from mcp_web import trace
from mcp_web.archive.add import add_note, add_page
from mcp_web.archive.answer import (
    ArchiveAnswer,
    ArchiveDocument,
    ArchiveQuery,
    ArchiveResult,
    Citations,
    SearchMode,
    document_id,
)
from mcp_web.archive.cited import citations_and_graph
from mcp_web.archive.fuse import fused, with_age
from mcp_web.archive.highlight import Highlight, Marker, highlights, holds_phrase
from mcp_web.archive.query import Question, corrected, parse, with_changes
from mcp_web.archive.typos import correction, neighbours
from mcp_web.embed.embedder import Embedder
from mcp_web.errors import EmbeddingError, InvalidInput, WebError
from mcp_web.model.page import Document
from mcp_web.model.snapshot import Snapshot
from mcp_web.store.protocol import Card, DocumentFilter, Store, WordAnswer

_POOL = 50  # candidates from words and from meaning that are fused
# Documents by words whose meaning is compared, whatever is found by meaning alone. On judged collections the best by
# words, ordered by meaning, are as good as all (nDCG@10 on Cranfield .458, with everything .456; CISI .453 and .456).
_COMPARED = 100
_PHRASE_POOL = 300  # candidates whose text is looked through for a phrase
_MOST_TYPOS = 5  # unknown words of one question that are corrected
_PATIENCE = 10.0  # seconds that words wait for the question's vector
_VECTORS_KEPT = 256
_LONG_WORK = 100_000  # characters to mark beyond which that leaves the event loop


class Archive:
    """Search over a store; an embedder adds meaning to words."""

    def __init__(
        self,
        store: Store,
        embedder: Embedder | None = None,
        clock: Callable[[], float] = time.time,
        *,
        model: str | None = None,
    ) -> None:
        """`model` names the vectors to search, where that is not simply the embedder's name."""
        self._store = store
        self._embedder = embedder
        self._model = model or (embedder.name if embedder else "")
        self._clock = clock
        self._vectors: dict[str, list[float]] = {}

    async def search(self, query: ArchiveQuery) -> ArchiveAnswer:
        """The documents that answer, with what they say and, when asked, what they cite."""
        question, filter = _checked(query)
        with trace.step("archive_search", mode=query.mode) as facts:
            notes: list[str] = []
            words, changes, vector = await self._asked(question, filter, query, notes)
            question = with_changes(question, changes)
            meaning = await self._by_meaning(vector, filter, words, query, notes) if vector is not None else None
            mode: SearchMode = query.mode if meaning is not None else "text"
            scores = _combined(words, meaning, mode)
            cards = await self._best(scores, question, query.limit, words.cards)
            results = await self._results(cards, question)
            facts["results"] = len(results)
        citations: dict[str, Citations] = {}
        graph = None
        if query.include_citations and cards:
            citations, graph = await citations_and_graph(self._store, [card for card, _ in cards], query.citation_depth)
        return ArchiveAnswer(
            query=query,
            results=tuple(ArchiveResult(document, marks, citations.get(document.id)) for document, marks in results),
            mode=mode,
            corrected_query=corrected(query.text, changes) if changes else None,
            citation_graph=graph,
            notes=tuple(notes),
        )

    async def add_note(self, document: Document, *, day: str | None = None, tags: Sequence[str] = ()) -> Snapshot:
        """Keep a text as research; its id is `document_id(snapshot.key)`."""
        return await add_note(self._store, document, self._clock(), day=day, tags=tags)

    async def add_page(self, snapshot: Snapshot, *, day: str | None = None, tags: Sequence[str] = ()) -> Snapshot:
        """Make a kept page research."""
        return await add_page(self._store, snapshot, day=day, tags=tags)

    async def _asked(
        self, question: Question, filter: DocumentFilter, query: ArchiveQuery, notes: list[str]
    ) -> tuple[WordAnswer, dict[str, str], list[float] | None]:
        """What words find, the misspelt ones that were replaced, and the question's vector."""
        if query.mode == "text" or self._embedder is None or query.text in self._vectors:
            vector = await self._vector(query, {}, notes)
            words, changes = await self._by_words(question, filter, query)
        else:
            words, changes, vector = await self._at_once(question, filter, query, notes)
        if changes and vector is not None:
            vector = await self._vector(query, changes, notes)
        return words, changes, vector

    async def _at_once(
        self, question: Question, filter: DocumentFilter, query: ArchiveQuery, notes: list[str]
    ) -> tuple[WordAnswer, dict[str, str], list[float] | None]:
        """The model reads the question while its words are looked up: neither waits for the other."""
        vector: list[float] | None = None
        failure: WebError | None = None

        async def ask_model() -> None:
            nonlocal vector
            vector = await self._vector(query, {}, notes)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ask_model)
            try:
                words, changes = await self._by_words(question, filter, query)
            except WebError as error:
                failure = error
                tasks.cancel_scope.cancel()
        if failure is not None:
            raise failure
        return words, changes, vector

    # words
    async def _by_words(
        self, question: Question, filter: DocumentFilter, query: ArchiveQuery
    ) -> tuple[WordAnswer, dict[str, str]]:
        """Candidates by words, and the misspelt words that were replaced to find them."""
        by_words_alone = query.mode == "text" or self._embedder is None
        # While the model reads the question there is time to fetch what words find; half of it will be shown.
        cards = 0 if query.text in self._vectors and not by_words_alone else _wider(query.limit)
        pool = _PHRASE_POOL if question.phrases else _wider(query.limit) if by_words_alone else _COMPARED
        ask = functools.partial(self._store.by_words, limit=max(pool, query.limit), cards=cards)
        found = await ask(question.for_store(filter))
        changes: dict[str, str] = {}
        if query.fuzzy and found.unknown:
            changes = await self._corrections(found.unknown[:_MOST_TYPOS])
        if changes:
            found = await ask(with_changes(question, changes).for_store(filter))
        return found, changes

    async def _corrections(self, unknown: Sequence[str]) -> dict[str, str]:
        near = {word: neighbours(word) for word in unknown}
        counts = await self._store.word_counts([one for ones in near.values() for one in ones])
        found = {}
        for word, ones in near.items():
            likeliest = correction(word, {one: counts[one] for one in ones if one in counts})
            if likeliest is not None:
                found[word] = likeliest
        return found

    # meaning
    async def _vector(self, query: ArchiveQuery, changes: dict[str, str], notes: list[str]) -> list[float] | None:
        """The question's vector, or None with a note why words alone answer."""
        if query.mode == "text":
            return None
        if self._embedder is None:
            notes.append("No embedding model is configured: found by words alone.")
            return None
        text = corrected(query.text, changes) if changes else query.text
        # The same question is asked again with other filters and limits.
        if (known := self._vectors.get(text)) is not None:
            return known
        try:
            with anyio.fail_after(_PATIENCE):
                row = (await self._embedder.embed([text], "query"))[0]
        except (EmbeddingError, TimeoutError) as error:
            notes.append(f"The embedding model could not be asked ({error or 'too slow'}): found by words alone.")
            return None
        vector: list[float] = row.tolist()
        self._vectors[text] = vector
        while len(self._vectors) > _VECTORS_KEPT:
            self._vectors.pop(next(iter(self._vectors)))
        return vector

    async def _by_meaning(
        self,
        vector: list[float],
        filter: DocumentFilter,
        words: WordAnswer,
        query: ArchiveQuery,
        notes: list[str],
    ) -> dict[str, float] | None:
        """Cosines by document, the nearest first, or None when words alone answer."""
        hybrid = query.mode == "hybrid"
        also = [candidate.key for candidate in words.candidates] if hybrid else []
        near = await self._store.by_vector(self._model, vector, _POOL, filter, also=also, quick=hybrid)
        if not near:
            notes.append("No document has vectors of this model yet; `mcp-web archive reindex` makes them.")
            return None
        return {candidate.key: candidate.score for candidate in near}

    # results
    async def _best(
        self, scores: dict[str, float], question: Question, limit: int, known: Mapping[str, Card]
    ) -> list[tuple[Card, float]]:
        """The cards of the best documents, one per URL, every phrase present."""
        order = sorted(scores, key=lambda key: (-scores[key], key))
        today = datetime.fromtimestamp(self._clock(), UTC).date()
        found: dict[str, tuple[Card, float]] = {}
        for at in range(0, len(order), _wider(limit)):
            keys = order[at : at + _wider(limit)]
            lacking = [key for key in keys if key not in known]
            cards = {**known, **await self._store.cards(lacking)} if lacking else known
            for key in keys:
                card = cards.get(key)
                if card is None or (question.phrases and not _holds(question, card)):
                    continue
                found.setdefault(card.url, (card, round(with_age(scores[key], card.date, today), 4)))
            if len(found) >= limit:
                break
        newest_first = sorted(found.values(), key=lambda item: (item[0].date, item[0].key), reverse=True)
        return sorted(newest_first, key=lambda item: -item[1])[:limit]

    async def _results(
        self, cards: list[tuple[Card, float]], question: Question
    ) -> list[tuple[ArchiveDocument, tuple[Highlight, ...]]]:
        work = functools.partial(_marked, cards, question)
        if sum(len(card.markdown) for card, _ in cards) > _LONG_WORK:
            return await anyio.to_thread.run_sync(work)
        return work()


def _wider(limit: int) -> int:
    """A few more than asked for: age reorders close neighbours, and variants of one page fall together."""
    return limit + max(1, limit // 10)


def _checked(query: ArchiveQuery) -> tuple[Question, DocumentFilter]:
    question = parse(query.text)
    if not question.wanted and not question.prefixes:
        raise InvalidInput(
            f"The query {query.text!r} has no word to look for.",
            suggestion="Name a word that the document should contain.",
        )
    for name, value in (("since", query.since), ("until", query.until)):
        try:
            date.fromisoformat(value or "2000-01-01")
        except ValueError as error:
            raise InvalidInput(f"{name} is {value!r}; a date is written as 2025-05-20.") from error
    source = None if query.source == "all" else query.source
    return question, DocumentFilter(source, query.since, query.until, query.collection or None)


def _combined(words: WordAnswer, meaning: dict[str, float] | None, mode: SearchMode) -> dict[str, float]:
    if meaning is None:
        return {candidate.key: candidate.score for candidate in words.candidates}
    if mode == "semantic":
        return {key: max(0.0, score) for key, score in meaning.items()}
    by_words = {candidate.key: candidate.score for candidate in words.candidates[:_POOL]}
    wanted = {*by_words, *itertools.islice(meaning, _POOL)}
    return fused(by_words, {key: score for key, score in meaning.items() if key in wanted})


def _holds(question: Question, card: Card) -> bool:
    text = f"{card.title}\n\n{card.markdown}"
    return all(holds_phrase(phrase, text) for phrase in question.phrases)


def _marked(cards: list[tuple[Card, float]], question: Question) -> list[tuple[ArchiveDocument, tuple[Highlight, ...]]]:
    marker = Marker(question)
    return [(_document(card, score), highlights(marker, card.title, card.markdown)) for card, score in cards]


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
