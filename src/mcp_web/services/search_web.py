"""Search the web: ask the providers, find which hits are kept already, and open or read the hits on request."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
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

    def reading_stats(self) -> dict[str, int]:
        """How many pages of hits were opened and how many failed, and in how many milliseconds, as answers show it."""
        failed = sum(isinstance(page, WebError) for page in self.contents.values())
        count, ms = len(self.contents), round(self.reading_ms)
        return {"attempted": count, "successful": count - failed, "failed": failed, "total_time_ms": ms}


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
    for at, answer in enumerate(answers):
        if isinstance(answer, WebError):
            continue
        hits = answer.found.hits
        if read:
            passages = await read_results(app, queries[at].text, hits, deadline=deadline, on_progress=on_progress)
            answers[at] = replace(answer, results=passages)
        elif fetch_content:
            begun, requests = anyio.current_time(), [OpenRequest(hit.url) for hit in hits]
            pages = await open_many(app, requests, deadline=deadline, on_progress=on_progress)
            contents = {hit.url: page for hit, page in zip(hits, pages, strict=True)}
            elapsed_ms = (anyio.current_time() - begun) * 1000
            answers[at] = replace(answer, contents=contents, reading_ms=elapsed_ms)
    return answers


async def _search_all(
    app: App, queries: Sequence[SearchQuery], provider: str | Sequence[str], *, raw: bool, deadline: float
) -> list[Searched | WebError]:
    """Search for each query, several at a time; returns the answer or the error of each, in order. `provider` is a
    name, several to ask together, or "auto"; `raw` adds their own JSON."""
    answers: dict[int, Searched | WebError] = {}
    slots = anyio.Semaphore(app.settings.of(FetchOptions).concurrency)
    fetcher, searcher = await app.fetcher(), await app.searcher()

    async def one(at: int) -> None:
        async with slots:
            try:
                notes = fetcher.leaks.check(queries[at].text, "query")
                found = await searcher.search(queries[at], provider, raw=raw, deadline=deadline)
                answers[at] = Searched(found, notes, await _seen(app, found))
            except WebError as error:
                answers[at] = error

    async with anyio.create_task_group() as tasks:
        for at in range(len(queries)):
            tasks.start_soon(one, at)
    return [answers[at] for at in range(len(queries))]


async def _seen(app: App, found: SearchAnswer) -> dict[str, SnapshotInfo]:
    """The hits that are already kept: the kept version by the URL of the hit."""
    addresses: dict[str, str] = {}
    for hit in found.hits:
        with suppress(WebError):  # not a valid URL
            addresses[hit.url] = parse_url(hit.url).href
    kept = await (await app.store()).seen(list(addresses.values()))
    return {url: kept[address] for url, address in addresses.items() if address in kept}
