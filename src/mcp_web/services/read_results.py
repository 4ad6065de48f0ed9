"""Read the best results of a search: open them together, keep the passages that answer, order the pages by them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from functools import partial

import anyio

from mcp_web.app import App
from mcp_web.archive.about import scores_with_headlines
from mcp_web.archive.query import parse
from mcp_web.errors import WebError
from mcp_web.index.rank import repeats
from mcp_web.model.passage import ScoredPassage
from mcp_web.model.progress import OnProgress
from mcp_web.model.search import Hit
from mcp_web.services.read_page import PageRead, read_pages
from mcp_web.store.protocol import Headline
from mcp_web.text.languages import language_of
from mcp_web.text.words import words

Read = Callable[..., Awaitable[list[PageRead | WebError]]]
MOST_PAGES = 8  # opened for one query
MOST_PASSAGES = 3  # of one page
MODEL_PAGES = 3  # ranked by the model if words and static signal are uncertain
SECONDS = 10.0  # for opening pages; slower ones are reported as failed
_SAME = 0.8  # share of common words from which two passages say the same
# The rank of the engines counts a little, because it reflects links and visits.
_RANK_SHARE = 0.2


@dataclass(frozen=True, slots=True)
class ReadHit:
    """A search result whose page was opened: its score, and the passages that answer the query, best first."""

    hit: Hit
    page: PageRead
    score: float
    passages: tuple[ScoredPassage, ...]


@dataclass(frozen=True, slots=True)
class ReadResults:
    """The search results that were read, best first, and those that could not be, each with its error."""

    read: tuple[ReadHit, ...] = ()
    failed: tuple[tuple[Hit, WebError], ...] = ()


async def read_results(
    app: App, query: str, hits: tuple[Hit, ...], *, deadline: float, on_progress: OnProgress | None = None
) -> ReadResults:
    """Open the first hits of a search, rank the pages by their passages that answer the query, and return them best
    first. Hits that cannot be opened within SECONDS, or before the deadline, are reported as failed."""
    chosen = hits[:MOST_PAGES]
    read = partial(
        read_pages,
        app,
        queries=[query],
        max_results=MOST_PASSAGES,
        min_score=None,
        max_age=None,
        deadline=min(deadline, anyio.current_time() + SECONDS),
        on_progress=on_progress,
    )
    pages = await read([hit.url for hit in chosen], quick=True)
    failed = tuple((hit, page) for hit, page in zip(chosen, pages, strict=True) if isinstance(page, WebError))
    found = [(hit, page) for hit, page in zip(chosen, pages, strict=True) if isinstance(page, PageRead)]
    if not any(page.ranked[0].sure for _, page in found):
        found = await _with_model(read, query, found)
    scores = _scores(query, found)
    ordered = sorted(found, key=lambda one: -scores[one[0].url])
    seen: list[frozenset[str]] = []
    made = tuple(ReadHit(hit, page, scores[hit.url], tuple(_new(page, seen))) for hit, page in ordered)
    return ReadResults(made, failed)


async def _with_model(read: Read, query: str, found: list[tuple[Hit, PageRead]]) -> list[tuple[Hit, PageRead]]:
    """The same hits and pages, in the same order; on the most promising pages, the passages are ranked again with the
    embedding model, which would take seconds for all."""
    scores = _scores(query, found)
    best = sorted((hit.url for hit, _ in found), key=lambda url: -scores[url])[:MODEL_PAGES]
    again = dict(zip(best, await read(best), strict=True))
    pages = ((hit, page, again.get(hit.url)) for hit, page in found)
    return [(hit, second if isinstance(second, PageRead) else page) for hit, page, second in pages]


def _scores(query: str, found: list[tuple[Hit, PageRead]]) -> dict[str, float]:
    """A score from 0 to 1 for each URL, from the passages, the title and the place among the search results."""
    question = parse(query)
    headlines = {}
    for hit, page in found:
        document = page.opened.snapshot.document
        language = language_of(document.markdown)
        headlines[hit.url] = Headline(document.title or hit.title, page.opened.snapshot.final_url, None, language)
    by_text = {hit.url: max(0.0, min(1.0, page.ranked[0].best)) for hit, page in found}
    about = scores_with_headlines(
        by_text, headlines, question, dict.fromkeys((*question.content_words, *question.compounds), 1.0)
    )
    return {
        hit.url: (1 - _RANK_SHARE) * about[hit.url] + _RANK_SHARE / (1 + rank) for rank, (hit, _) in enumerate(found)
    }


def _new(page: PageRead, seen: list[frozenset[str]]) -> Iterator[ScoredPassage]:
    """The passages of a page that are worth showing, or else the nearest one, without those that repeat one shown
    before. `seen` has the words of each passage shown, and those of the new ones are added."""
    ranked = page.ranked[0]
    for one in ranked.passages[: ranked.enough] or ranked.nearest[:1]:
        own = frozenset(words(one.passage.text))
        if not any(repeats(own, other, _SAME) for other in seen):
            seen.append(own)
            yield one
