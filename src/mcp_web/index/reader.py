"""Questions → the passages of a page that answer them.

Words and the static signal rank all passages, in any language. A model, if it knows the language, reads only the
passages that they rank high: the packaged judge together with the question, an embedding model of the operator's own
without it, so that it reads each passage once. If it fails, the notes say so.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

import anyio
import anyio.to_thread

from mcp_web import trace
from mcp_web.embed.embedder import Calibration, Embedder, QuestionVectors, supports_language
from mcp_web.errors import CacheError, EmbeddingError
from mcp_web.index.calibrate import calibration_of, kinds, probe_texts, store_calibration, stored_calibration
from mcp_web.index.evidence import Evidence
from mcp_web.index.page import Cut, IndexedPages, PreparedPage, prepare
from mcp_web.index.rank import FIRST_READ, Ranked, is_clear, rank, to_read
from mcp_web.index.vectors import PageVectors, pack, unpack
from mcp_web.index.widen import SHOW_WORDS, widen
from mcp_web.lru import LruDict
from mcp_web.model.page import Heading
from mcp_web.store.protocol import Store
from mcp_web.text.languages import language_of

if TYPE_CHECKING:
    from mcp_web.embed.judge import Judge

T = TypeVar("T")
EvidenceFor = Callable[[str], Evidence]  # returns the signals for a question

# Passages the model embeds per question, and per call whatever the number of questions.
LIKELY, MOST_NEW = 16, 64
# Pages with more passages than this are ranked in a thread; so many take about two milliseconds.
AT_ONCE = 120
MOST_RECENT = 32  # pages whose vectors stay in memory: 1.5 kB a passage
MOST_JUDGED = 8192  # pairs of question and passage whose scores stay in memory
# The other signals never wait longer than this for the model.
MODEL_SECONDS = 15.0


@dataclass(frozen=True, slots=True)
class PageAnswer:
    """The passages that a page has for each question, in the order of the questions, and notes on what failed."""

    results: tuple[Ranked, ...]
    notes: tuple[str, ...]
    passages: int  # of the whole page
    embedded: int  # read by the model in this call


class PageReader:
    """Ranks the passages of pages for questions; one reader serves many calls at the same time."""

    def __init__(
        self,
        store: Store,
        embedder: Embedder,
        cut: Cut,
        *,
        questions: QuestionVectors | None = None,
        cut_name: str = "",
        show_words: int = SHOW_WORDS,
        model_seconds: float = MODEL_SECONDS,
        always_ask: bool = False,
        judge: Judge | None = None,
    ) -> None:
        """With a `judge`, that reads each passage together with the question, instead of the embedder reading it alone.
        `cut` divides a page into passages; those shorter than `show_words` are shown with a neighbour (0: never). With
        `always_ask` the model is also asked if words decide, and about all of a short page. `questions` caches the
        vectors of questions, also for other readers. `cut_name` is empty for the default cut; the vectors of another
        cut are stored under its name. A page is ranked without the model if that takes longer than `model_seconds`."""
        self.model = f"{embedder.name};{cut_name}" if cut_name else embedder.name
        self._store = store
        self._embedder = embedder
        self._cut = cut
        self._show_words = show_words
        self._model_seconds = model_seconds
        self._always_ask = always_ask
        self._pages = IndexedPages()
        self._judge = judge
        self._judged: LruDict[tuple[str, str], float] = LruDict(MOST_JUDGED)  # by question and digest
        self._questions = (questions or QuestionVectors(embedder)).known
        self._recent: LruDict[str, PageVectors] = LruDict(MOST_RECENT)
        self._calibration: Calibration | None = None
        # Two calls about one page must not embed it twice. Two pages that share a lock only wait for each other.
        self._locks = [anyio.Lock() for _ in range(64)]

    async def rank(
        self,
        key: str,
        markdown: str,
        headings: Sequence[Heading],
        queries: Sequence[str],
        *,
        title: str = "",
        max_results: int = 8,
        min_score: float | None = None,
        quick: bool = False,
        model_until: float = math.inf,
    ) -> PageAnswer:
        """The passages of the page that answer each question, best first, without repetitions. `key` identifies the
        page in the caches and in the store. A name of the question that is in `title` counts as mentioned by the page.
        `max_results` and `min_score` (0 to 1; None: what is worth its tokens) apply to each question. `quick` uses no
        model. If the model or the store of its vectors fails, or it has not answered at `model_until` (a time of
        `anyio.current_time()`), the answer has a note instead of an error."""
        with trace.step("read_rank", chars=len(markdown), queries=len(queries)) as facts:
            page = await self._prepared(key, markdown, headings)
            notes: list[str] = []
            asked = [query for query in dict.fromkeys(queries) if not quick and self._can_read(page, query)]
            evidence = functools.cache(page.evidence)  # for the choice of what the model reads, and for the ranking
            wanted = await _in_thread_if_long(page, self._likely, page, evidence, asked) if asked else {}
            if self._judge:
                wanted = {query: numbers for query, numbers in wanted.items() if self._unread(page, query, numbers)}
            vectors, embedded = None, 0
            if wanted:  # only who needs the model waits for another call about this page, and not without end
                seconds = max(0.0, min(self._model_seconds, model_until - anyio.current_time()))
                try:
                    with anyio.fail_after(seconds):
                        async with self._locks[hash(key) % len(self._locks)]:
                            if self._judge:
                                embedded = await self._read_pairs(self._judge, page, wanted)
                            else:
                                vectors, embedded = await self._vectors(key, page, wanted, notes)
                except TimeoutError:
                    notes.append(f"Ranked without the model: it did not answer within {seconds:.2g} s.")
                except (EmbeddingError, CacheError) as error:
                    notes.append(f"Ranked without the model: {error.message}")
            facts["passages"], facts["embedded"] = len(page.passages), embedded
            widened = functools.partial(widen, markdown, page.passages, words=self._show_words)

            def ranked(query: str) -> Ranked:
                found = self._with_model(page, query, evidence(query), vectors)
                found = replace(found, missing=page.words.missing_names(query, title))
                return rank(query, page.passages, found, max_results=max_results, min_score=min_score, widen=widened)

            results = await _in_thread_if_long(page, lambda: tuple(map(ranked, queries)))
            return PageAnswer(results, tuple(notes), len(page.passages), embedded)

    def _can_read(self, page: PreparedPage, query: str) -> bool:
        """Whether the model knows the languages of page and question; not if there is no model, or no passage."""
        if self._embedder.dim == 0 or not page.passages:
            return False
        return all(supports_language(self._embedder, one) for one in (page.words.language, language_of(query)))

    def _likely(self, page: PreparedPage, evidence: EvidenceFor, queries: Sequence[str]) -> dict[str, list[int]]:
        """For each question that needs the model, the numbers of the passages that it should read, likeliest first."""
        if self._always_ask and len(page.passages) <= LIKELY:
            return {query: list(range(len(page.passages))) for query in queries}
        each = max(4, min(LIKELY, MOST_NEW // max(1, len(queries))))
        always = self._always_ask or self._judge is not None
        found = {query: to_read(evidence(query), each, always=always) for query in queries}
        return {query: numbers for query, numbers in found.items() if numbers}

    async def _read_pairs(self, judge: Judge, page: PreparedPage, wanted: Mapping[str, Sequence[int]]) -> int:
        """Have the judge score each question in `wanted` with those of its passages (numbers) that it has not read for
        it before; returns how many pairs it read. Their scores are kept also if it then fails or takes too long."""
        count = 0
        for query, numbers in wanted.items():
            for most in (FIRST_READ, len(numbers)):
                new = self._unread(page, query, numbers)[:most]  # another call may have read them meanwhile
                scores = await judge.scores([(query, page.text(at)) for at in new])
                for at, score in zip(new, scores, strict=True):
                    self._judged[query, page.passages[at].digest] = score
                count += len(new)
        return count

    def _unread(self, page: PreparedPage, query: str, numbers: Sequence[int]) -> list[int]:
        """Those of the passages (numbers, likeliest first) that the judge should still read for this question: the ones
        without a score, or none if the scores of the likeliest are clear."""
        found = [self._judged.get((query, page.passages[at].digest)) for at in numbers]
        if is_clear([score for score in found[:FIRST_READ] if score is not None]):
            return []
        return [at for at, score in zip(numbers, found, strict=True) if score is None]

    async def _prepared(self, key: str, markdown: str, headings: Sequence[Heading]) -> PreparedPage:
        """The page cut into passages and indexed, from the cache if it was asked about lately."""
        page = self._pages.get(key, markdown)
        if page is None:
            page = await anyio.to_thread.run_sync(prepare, markdown, headings, self._cut)
            self._pages.keep(key, markdown, page)
        return page

    async def _vectors(
        self, key: str, page: PreparedPage, wanted: Mapping[str, Sequence[int]], notes: list[str]
    ) -> tuple[PageVectors, int]:
        """(the vectors of the page, how many of them are new). `wanted` has the passages (numbers) that need some, by
        question; new questions get theirs too. If something cannot be stored, a note is added to `notes`."""
        known = await self._known(key)
        likely = sorted({number for numbers in wanted.values() for number in numbers})[:MOST_NEW]
        missing = [number for number in likely if page.passages[number].digest not in known.rows]
        asked = [query for query in wanted if query not in self._questions]
        if not missing and not asked:
            return known, 0
        return await self._embed(key, page, known, missing, asked, notes), len(missing)

    async def _known(self, key: str) -> PageVectors:
        """The vectors of a page computed before, from memory or the store; maybe none. Also loads the calibration."""
        if self._calibration is None:
            self._calibration = await stored_calibration(self._store, self._embedder)
        if (recent := self._recent.get(key)) is not None:
            return recent
        found = unpack(await self._store.vectors(key, self.model), self.model, self._embedder.dim)
        self._recent[key] = found  # vectors that another process adds meanwhile may be computed twice
        return found

    async def _embed(
        self,
        key: str,
        page: PreparedPage,
        known: PageVectors,
        missing: Sequence[int],
        asked: Sequence[str],
        notes: list[str],
    ) -> PageVectors:
        """Embed in one call the questions `asked`, the passages `missing` (numbers) and, the first time, the texts for
        calibration. Returns the known and the new vectors of the page; they are stored too, or a note says why not."""
        probes, probe_kinds = probe_texts() if self._calibration is None else ([], [])
        texts = [*asked, *(page.text(number) for number in missing), *probes]
        rows = await self._embedder.embed(texts, kinds(len(asked), len(missing)) + probe_kinds)
        for query, row in zip(asked, rows, strict=False):
            self._questions[query] = row.copy()  # a copy, because a view would keep all rows in memory
        grown = known.with_rows(page.passages, missing, rows[len(asked) : len(asked) + len(missing)])
        try:
            if probes:
                self._calibration = calibration_of(rows[len(asked) + len(missing) :])
                await store_calibration(self._store, self._embedder.name, rows.shape[1], self._calibration)
            if missing:
                await self._store.keep_vectors({key: pack(grown, page.passages)})
        except CacheError as error:
            notes.append(f"The page's vectors could not be kept: {error.message}")
        self._recent[key] = grown
        return grown

    def _with_model(self, page: PreparedPage, query: str, evidence: Evidence, vectors: PageVectors | None) -> Evidence:
        """The signals with the scores of the judge, nan for the passages that it has not read (or None if it has read
        none). Without a judge, with the cosines of the embedding model, if the page and the question have vectors."""
        import numpy as np

        if self._judge:
            scores = [self._judged.get((query, one.digest), math.nan) for one in page.passages]
            return replace(evidence, judged=None if all(map(math.isnan, scores)) else np.array(scores))
        question = self._questions.get(query)
        if vectors is None or question is None or not self._can_read(page, query):
            return evidence
        return replace(evidence, cosines=vectors.cosines(page.passages, question), calibration=self._calibration)


async def _in_thread_if_long(page: PreparedPage, work: Callable[..., T], *args: Any) -> T:
    """Call `work` with these arguments, for a page of many passages in a thread, and return its result."""
    return work(*args) if len(page.passages) <= AT_ONCE else await anyio.to_thread.run_sync(work, *args)
