"""Search the web: ask the providers, find which hits are kept already, and open or read the hits on request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import anyio

from mcp_web.app import App
from mcp_web.errors import WebError
from mcp_web.fetch.options import FetchOptions
from mcp_web.model.progress import OnProgress
from mcp_web.model.search import SearchAnswer, SearchQuery
from mcp_web.model.snapshot import SnapshotInfo
from mcp_web.services.open_many import open_many
from mcp_web.services.open_page import Opened, OpenRequest
from mcp_web.services.read_results import ReadResults, read_results
from mcp_web.text.urls import parse_url

SEARCHING_SHARE = 0.6  # of the time that is left, if the hits are opened too


@dataclass(frozen=True, slots=True)
class Searched:
    """The answer to one query. By the URL of a hit: `seen` has its kept version, `contents` its opened page."""

    found: SearchAnswer
    notes: tuple[str, ...] = ()
    seen: dict[str, SnapshotInfo] = field(default_factory=dict)
    contents: dict[str, Opened | WebError] = field(default_factory=dict)
    reading_ms: float = 0.0
    results: ReadResults | None = None  # the passages of the hits, if requested


async def search_web(
    app: App,
    queries: Sequence[SearchQuery],
    provider: str | Sequence[str],
    *,
    raw: bool = False,
    fetch_content: bool = False,
    read: bool = False,
    deadline: float,
    on_progress: OnProgress | None = None,
) -> list[Searched | WebError]:
    """One answer or error for each query, in order.

    `provider` is a name, several to ask together, or "auto". `raw` adds the providers' own JSON, `fetch_content` the
    page of each hit, and `read` the passages that answer. `deadline` is a time of `anyio.current_time()`.
    """
    now = anyio.current_time()
    until = now + (deadline - now) * SEARCHING_SHARE if fetch_content or read else deadline
    answers = await _search_all(app, queries, provider, raw=raw, deadline=until)
    if not (read or fetch_content):
        return answers
    add = _with_passages if read else _with_contents
    return [
        await add(app, answer, deadline, on_progress) if isinstance(answer, Searched) else answer for answer in answers
    ]


async def _search_all(
    app: App, queries: Sequence[SearchQuery], provider: str | Sequence[str], *, raw: bool, deadline: float
) -> list[Searched | WebError]:
    """Search for each query, several at a time; returns the answer or the error of each, in order."""
    answers: dict[int, Searched | WebError] = {}
    slots = anyio.Semaphore(app.settings.of(FetchOptions).concurrency)

    async def one(at: int) -> None:
        async with slots:
            try:
                answers[at] = await _search(app, queries[at], provider, raw=raw, deadline=deadline)
            except WebError as error:
                answers[at] = error

    async with anyio.create_task_group() as tasks:
        for at in range(len(queries)):
            tasks.start_soon(one, at)
    return [answers[at] for at in range(len(queries))]


async def _search(
    app: App, query: SearchQuery, provider: str | Sequence[str], *, raw: bool, deadline: float
) -> Searched:
    """Search for one query, and look up which hits are kept; raises the WebError of a failed search."""
    notes = (await app.fetcher()).leaks.check_query(query.text)
    found = await (await app.searcher()).search(query, provider, raw=raw, deadline=deadline)
    return Searched(found, notes, await _seen(app, found))


async def _seen(app: App, found: SearchAnswer) -> dict[str, SnapshotInfo]:
    """The hits that are already kept: the kept version by the URL of the hit."""
    addresses = {hit.url: _canonical(hit.url) for hit in found.hits}
    kept = await (await app.store()).seen([address for address in addresses.values() if address])
    return {url: kept[address] for url, address in addresses.items() if address in kept}


async def _with_passages(app: App, answer: Searched, deadline: float, on_progress: OnProgress | None) -> Searched:
    """The answer with the passages of its hits that answer the query."""
    found = answer.found
    results = await read_results(app, found.query.text, found.hits, deadline=deadline, on_progress=on_progress)
    return replace(answer, results=results)


async def _with_contents(app: App, answer: Searched, deadline: float, on_progress: OnProgress | None) -> Searched:
    """The answer with the page of each hit, opened as web_open does, or with the error why it could not be opened.

    `deadline` is a time of `anyio.current_time()`.
    """
    begun = anyio.current_time()
    urls = [hit.url for hit in answer.found.hits]
    pages = await open_many(app, [OpenRequest(url) for url in urls], deadline=deadline, on_progress=on_progress)
    elapsed_ms = (anyio.current_time() - begun) * 1000
    return replace(answer, contents=dict(zip(urls, pages, strict=True)), reading_ms=elapsed_ms)


def _canonical(url: str) -> str | None:
    """The canonical form of a URL; None if it is not a valid one."""
    try:
        return parse_url(url).href
    except WebError:
        return None
