"""Find the passages of pages that answer questions: open each page, rank its passages, leave out the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import anyio

from mcp_web.app import App
from mcp_web.errors import FetchTimeout, HttpError, WebError
from mcp_web.model.progress import OnProgress
from mcp_web.model.snapshot import Snapshot
from mcp_web.services.open_many import open_many
from mcp_web.services.open_page import Opened, OpenRequest
from mcp_web.text.languages import language_of

if TYPE_CHECKING:
    from mcp_web.index.rank import Ranked
    from mcp_web.index.reader import PageReader

_MAX_RESULTS = 8  # passages a query when the caller names no number
OPENING_SHARE = 0.7  # of the time that is left; ranking gets the rest
MODEL_SHARE = 0.5  # of what is left then: the model's for all pages; without it, words and static signal rank
PROTECTED = "content protected"


@dataclass(frozen=True, slots=True)
class PageRead:
    """An opened page, and its ranked passages for each query, in the order of the queries."""

    opened: Opened
    ranked: tuple[Ranked, ...]
    notes: tuple[str, ...] = ()


async def read_pages(
    app: App,
    urls: Sequence[str],
    queries: Sequence[str],
    *,
    max_results: int | None,
    min_score: float | None,
    max_age: float | None,
    deadline: float,
    on_progress: OnProgress | None = None,
    reader: PageReader | None = None,
    quick: bool = False,
) -> list[PageRead | WebError]:
    """Open the pages and rank their passages for each query: one result or error for each URL, in order.

    At most `max_results` passages for a query (None: 8), of at least `min_score` (0…1; None: those worth their tokens).
    `max_age` is for kept pages, in seconds. `reader` replaces the default page reader. Of several pages, the embedding
    model ranks only those for which words and static vectors leave the answer uncertain; with `quick`, it ranks none.
    """
    requests = [OpenRequest(url, max_age=max_age) for url in urls]
    now = anyio.current_time()
    pages = await open_many(app, requests, deadline=now + (deadline - now) * OPENING_SHARE, on_progress=on_progress)
    model_until = _model_until(deadline)
    answers: list[PageRead | WebError] = []
    for page, url in zip(pages, urls, strict=True):
        if isinstance(page, WebError):
            if isinstance(page, HttpError) and page.status_code in (401, 402, 403):
                page.details["note"] = PROTECTED
            answers.append(page)
            continue
        with anyio.move_on_after(max(0.0, deadline - anyio.current_time() - 1.0)):
            readers = [reader] * len(queries) if reader else await _readers(app, page, queries)
            rank = partial(
                _rank, readers, page, queries, max_results=max_results, min_score=min_score, model_until=model_until
            )
            several = reader is None and len(urls) > 1
            read = await rank(quick=quick or several)
            if several and not quick and any(one.in_doubt for one in read.ranked):
                read = await rank(quick=False)
            answers.append(read)
            continue
        answers.append(FetchTimeout("The page was opened but not ranked before the call's deadline.", url=url))
    return answers


async def read_kept(app: App, kept: Snapshot, queries: Sequence[str], *, deadline: float) -> PageRead:
    """Rank the passages of a kept page for each query, without network: none below the operator's threshold. A model
    reads them if it is free in time before `deadline`."""
    page = Opened(kept, "hit", (await app.keeper()).age(kept))
    return await _rank(
        await _readers(app, page, queries),
        page,
        queries,
        max_results=None,
        min_score=app.similarity_threshold,
        quick=False,
        model_until=_model_until(deadline),
    )


def _model_until(deadline: float) -> float:
    """The time until which a call that ends at `deadline` may use the embedding model: a share of what is left.
    Both are times of `anyio.current_time()`."""
    now = anyio.current_time()
    return now + (deadline - now) * MODEL_SHARE


async def _readers(app: App, page: Opened, queries: Sequence[str]) -> list[PageReader]:
    """The page reader for each query: the default one, or the one for queries in another language than the page."""
    usual, other = await app.reader(), await app.cross_language_reader()
    language = language_of(page.snapshot.document.markdown)
    if other is None or not language:
        return [usual] * len(queries)
    return [usual if language_of(query) in ("", language) else other for query in queries]


async def _rank(
    readers: Sequence[PageReader],
    page: Opened,
    queries: Sequence[str],
    *,
    max_results: int | None,
    min_score: float | None,
    quick: bool,
    model_until: float,
) -> PageRead:
    """Rank the passages of one page for each query, with the reader at the same index. The embedding model is used
    until `model_until` at most and, with `quick`, not at all."""
    kept = page.snapshot
    results: dict[int, Ranked] = {}
    notes = [*page.notes, *kept.document.notes]
    for reader in dict.fromkeys(readers):
        places = [at for at, one in enumerate(readers) if one is reader]
        answer = await reader.rank(
            kept.key,
            kept.document.markdown,
            kept.document.headings,
            [queries[at] for at in places],
            title=_about(kept),
            max_results=max_results or _MAX_RESULTS,
            min_score=min_score,
            quick=quick,
            model_until=model_until,
        )
        results |= zip(places, answer.results, strict=True)
        notes += answer.notes
    if kept.document.wall in ("paywall", "login"):
        notes.append(f"{PROTECTED}: only part of the page can be read.")
    return PageRead(page, tuple(results[at] for at in range(len(queries))), tuple(notes))


def _about(kept: Snapshot) -> str:
    """The titles, address and metadata of a page, one to a line; a name in them counts as mentioned by the page."""
    facts = kept.document.metadata
    address = kept.final_url.partition("://")[2]
    names = (kept.document.title, facts.page_title, address, facts.site_name, facts.author)
    return "\n".join(part for part in (*names, facts.description, facts.published) if part)
