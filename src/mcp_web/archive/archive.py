"""The archive: everything that was opened or saved, found again by words and by meaning, with what it cites."""

from __future__ import annotations

import time
from collections.abc import Callable, Container, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime

import anyio
import anyio.to_thread

from mcp_web import trace
from mcp_web.archive.answer import ArchiveAnswer, ArchiveQuery, ArchiveResult, SearchMode
from mcp_web.archive.cited import citations_and_graph
from mcp_web.archive.find import ByWords, ParsedQuery, best_rows, by_meaning, by_words, combined, document_of
from mcp_web.archive.fuse import (
    LEAST,
    READ,
    UNKNOWN,
    Meaning,
    Scales,
    near,
    static_matches,
    with_length,
    with_matches,
    with_nearness,
)
from mcp_web.archive.highlight import Marker, highlights
from mcp_web.archive.passage import best_passage, with_announced
from mcp_web.archive.query import checked_date, corrected, parse
from mcp_web.embed.embedder import QuestionVectors
from mcp_web.errors import EmbeddingError, InvalidInput
from mcp_web.store.protocol import DocumentFilter, DocumentRow, Store
from mcp_web.text.languages import language_of
from mcp_web.text.markdown import readable
from mcp_web.text.shorten import shortened

_MODEL_SECONDS = 10.0  # to wait for the vector of the question
_PASSAGES_SECONDS = 2.0  # to wait for the vectors of passages, without which the order is nearly as good

_Found = tuple[DocumentRow, ArchiveResult]


class Archive:
    """Searches the documents of a store by words and, where there is an embedding model, by meaning."""

    def __init__(
        self,
        store: Store,
        questions: QuestionVectors | None = None,
        clock: Callable[[], float] = time.time,
        *,
        model: str | None = None,
        static: QuestionVectors | None = None,
        languages: frozenset[str] | None = None,
        reads_passages: bool = False,
    ) -> None:
        """`questions` embeds questions with the embedding model, `static` with static word vectors (no model runs);
        either may be missing. `clock` returns the Unix time. `model` is the name under which the documents' vectors are
        stored, by default that of `questions`. `languages` are those that the model knows (None: all). `reads_passages`
        says that the model is quick enough to embed a few passages during a search."""
        self._store = store
        self._questions = questions
        self._model = model or (questions.model if questions else "")
        self._static = static
        self._languages = languages
        self._reads_passages = reads_passages
        self._clock = clock

    async def search(self, query: ArchiveQuery, scales: Scales = UNKNOWN) -> ArchiveAnswer:
        """The documents that match, best first, each with snippets, its best passage and, if requested, citations.
        `scales` say which cosines related texts have. Raises InvalidInput for a query without words or a bad date."""
        parsed = _parsed(query)
        notes: list[str] = []
        with trace.step("archive_search", mode=query.mode) as facts:
            with_meaning = query.mode != "text" and (self._questions is not None or self._static is not None)
            if query.mode != "text" and not with_meaning:
                notes.append("No embedding model is configured: found by words alone.")
            words = await by_words(self._store, parsed, only_words=not with_meaning)
            # The model knows little of identifiers: where one is defined, words alone find it more often.
            with_meaning = with_meaning and not (query.mode == "hybrid" and words.by_name)
            text = corrected(query.text, words.changes) if words.changes else query.text
            meaning = await self._meaning(parsed, words, text, notes) if with_meaning else Meaning()
            # The static vectors also compare the best passage of each document, which needs no stored vectors.
            by_passage = query.mode == "hybrid" and self._static is not None
            mode: SearchMode = query.mode if meaning or by_passage else "text"
            hybrid = query.mode == "hybrid"
            with_words = {candidate.key for candidate in words.matches.candidates} if hybrid else set[str]()
            # The words must be present as typed: meaning then only ranks the documents that contain them.
            relevant = near(meaning, with_words, scales, words_required=hybrid and not query.fuzzy)
            scores = combined(words, relevant, mode, scales)
            today = datetime.fromtimestamp(self._clock(), UTC).date()
            rows = await best_rows(self._store, scores, words, meaning.model, max(query.limit, LEAST), today)
            asked, shown = text if by_passage else "", max(query.limit, READ + 1)
            quoted = await anyio.to_thread.run_sync(_quoted, words, rows, asked, mode, meaning.model, shown)
            if with_meaning and hybrid and self._reads_passages:
                quoted = await self._with_passages_read(text, quoted, meaning.model, scales)
            quoted = quoted[: query.limit]
            facts["results"] = len(quoted)
        if mode != "text" and not rows:
            without_words = "" if mode == "semantic" else "contains these words, and none "
            notes.append(f"No document {without_words}is near in meaning.")
        elif mode == "hybrid" and not words.matches.candidates:
            notes.append("No document contains these words; these are the nearest in meaning.")
        results = tuple(replace(result, passage=with_announced(result.passage, row.markdown)) for row, result in quoted)
        graph = None
        if query.include_citations and quoted:
            cited = [row for row, _ in quoted]
            citations, graph = await citations_and_graph(self._store, cited, query.citation_depth)
            results = tuple(replace(one, citations=citations[one.document.id]) for one in results)
        return ArchiveAnswer(
            query=query,
            results=results,
            mode=mode,
            corrected_query=text if words.changes else None,
            citation_graph=graph,
            notes=tuple(notes),
        )

    async def _with_passages_read(
        self, text: str, found: list[_Found], embedded: Container[str], scales: Scales
    ) -> list[_Found]:
        """`found`, with its first READ documents in a new order: the model compares the question `text` with the best
        passages of those whose keys are not in `embedded`. Unchanged if the model fails or is slow."""
        first = found[:READ]
        known = self._languages
        new = [
            at
            for at, (row, _) in enumerate(first)
            if row.key not in embedded and (known is None or not row.language or row.language in known)
        ]
        if not new or self._questions is None or text not in self._questions.known:
            return found
        cosines: list[float] = []
        with anyio.move_on_after(_PASSAGES_SECONDS), suppress(EmbeddingError):
            cosines = await self._questions.cosines(text, [_passage_text(*first[at]) for at in new])
        least = found[READ][1].document.score if found[READ:] else 0.0  # the highest score of those that follow
        for at, cosine in zip(new, cosines, strict=False):
            row, result = first[at]
            score = max(least, with_nearness(result.document.score, cosine, scales.model))
            first[at] = row, replace(result, document=replace(result.document, score=score))
        return sorted(first, key=lambda one: -one[1].document.score) + found[READ:]

    async def _meaning(self, parsed: ParsedQuery, words: ByWords, text: str, notes: list[str]) -> Meaning:
        """The cosines of documents with the question `text`, by the model if it knows the language, and in mode
        "semantic" by the static vectors too. A failure of the model adds a sentence to `notes`."""
        language = language_of(text)
        known = self._languages is None or not language or language in self._languages
        static = self._static if parsed.query.mode == "semantic" else None
        signals = ((static, static.model if static else ""), (self._questions if known else None, self._model))
        found: list[dict[str, float]] = []
        for questions, model in signals:
            vector = await self._vector(questions, text, notes) if questions is not None else None
            found.append({} if vector is None else await by_meaning(self._store, parsed, words, model, vector))
        return Meaning(*found)

    async def _vector(self, questions: QuestionVectors, text: str, notes: list[str]) -> Sequence[float] | None:
        """The vector of the question `text`; None if the model failed or was too slow, which `notes` then says."""
        try:
            with anyio.fail_after(_MODEL_SECONDS):
                return await questions.vector(text)
        except (EmbeddingError, TimeoutError) as error:
            notes.append(f"The embedding model failed ({error or 'too slow'}): found by words alone.")
            return None


def _parsed(query: ArchiveQuery) -> ParsedQuery:
    """The query with its text parsed and its filters checked; raises InvalidInput without words or for a bad date."""
    question = parse(query.text)
    if not question.wanted and not question.prefixes:
        raise InvalidInput(
            f"The query {shortened(query.text, 80)!r} has no word to look for.",
            suggestion="Name a word that the document should contain.",
        )
    wanted = DocumentFilter(
        source=None if query.source == "all" else query.source,
        since=checked_date("since", query.since),
        until=checked_date("until", query.until),
        collection=query.collection or None,
        domain=query.domain or None,
        language=query.language or None,
    )
    return ParsedQuery(query, question, wanted)


def _quoted(
    words: ByWords,
    rows: Sequence[tuple[DocumentRow, float]],
    asked: str,
    mode: SearchMode,
    embedded: Container[str],
    limit: int,
) -> list[_Found]:
    """The `limit` best of `rows` (documents with scores) with snippets and passages, best first, after the match of its
    best passage was mixed into each score. Passages match by words, unless `mode` is "semantic", and by static word
    vectors if `asked`, the text of the question, is not empty. `embedded` are the keys of documents with vectors of the
    model: their length counts too, and of their static match only the share of the text outside the passage."""
    languages = {row.language for row, _ in rows}
    markers = {language: Marker(words.question, language, words.matches.rarities) for language in languages}
    found = [(row, best_passage(markers[row.language], row.markdown)) for row, _ in rows]
    # A passage that is the whole document says nothing that the document's own score does not say.
    outside = [1 - len(passage.text) / len(row.markdown) if passage else 1.0 for row, passage in found]
    scores = [
        with_length(score, len(row.markdown), part) if words.by_name or row.key in embedded else score
        for (row, score), part in zip(rows, outside, strict=True)
    ]
    if mode != "semantic":
        scores = with_matches(scores, [passage.match if passage else 0.0 for _, passage in found], outside)
    texts = [
        " ".join((row.title, *passage.section_path, passage.text)) if passage else row.title for row, passage in found
    ]
    static = static_matches(asked, texts) if asked else None
    if static is not None:
        # The static signal is a second opinion on a document that has no vector of the model, however short it is.
        weights = [part if row.key in embedded else 1.0 for (row, _), part in zip(rows, outside, strict=True)]
        scores = with_matches(scores, static, weights)
    best = sorted(range(len(rows)), key=lambda at: -scores[at])[:limit]
    quoted = []
    for score, (row, passage) in ((scores[at], found[at]) for at in best):
        marked = highlights(markers[row.language], row.title, row.markdown)
        quoted.append((row, ArchiveResult(document_of(row, score), marked, passage=passage)))
    return quoted


def _passage_text(row: DocumentRow, result: ArchiveResult) -> str:
    """The text of a result that the model embeds: its title and, with a passage, the headings above and the text."""
    if result.passage is None:
        return row.title
    headings = [heading for heading in result.passage.section_path if heading != row.title]
    return "\n".join((" > ".join((row.title, *headings)), readable(result.passage.text)))
