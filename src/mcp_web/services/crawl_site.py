"""Add a documentation site to the archive: sitemaps, llms.txt and links below a prefix, rate-limited and resumable."""

from __future__ import annotations

import fnmatch
import math
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import anyio

from mcp_web.app import App
from mcp_web.archive import add
from mcp_web.archive.sitemap import listed_links
from mcp_web.errors import InvalidInput, WebError
from mcp_web.model.progress import OnProgress
from mcp_web.services.open_page import OpenRequest, open_page
from mcp_web.store.protocol import Store
from mcp_web.text.urls import join, parse_url

REMEMBERED = 30 * 86400.0  # how long an unfinished crawl can be resumed
MOST_SITEMAPS = 50
BATCH = 20  # pages visited before the list of waiting pages is read again


@dataclass(slots=True)
class CrawlReport:
    """How many pages were visited, and what was found."""

    pages: int = 0
    new: int = 0
    changed: int = 0
    unchanged: int = 0
    failed: list[tuple[str, str]] = field(default_factory=list)
    left: int = 0  # known but not visited: the ceiling was reached


class _Frontier:
    """The pages of a crawl, one record each, so that processes crawling the same site add to one list."""

    def __init__(self, store: Store, prefix: str, exclude: Sequence[str]) -> None:
        """`exclude` holds patterns of addresses below the prefix that are not visited."""
        self.prefix = prefix
        self._exclude = exclude
        self._store = store
        self._kind = f"crawl {prefix}"

    async def waiting(self) -> list[tuple[str, int]]:
        """(url, depth) of pages that have not been visited yet, in the order in which they were found."""
        found = await self._store.records(self._kind)
        return [
            (one.key, int(one.value["depth"]))
            for one in found
            if one.value["state"] == "waiting" and self._is_wanted(one.key)
        ]

    async def add(self, urls: Iterable[str], depth: int) -> None:
        """Add the new URLs that are below the prefix."""
        wanted = {url: {"depth": depth, "state": "waiting"} for url in urls if self._is_wanted(url)}
        if wanted:
            await self._store.add_records(self._kind, wanted, time.time() + REMEMBERED)

    def _is_wanted(self, url: str) -> bool:
        """Whether a URL is below the prefix and not excluded."""
        below = url.removeprefix(self.prefix)
        excluded = any(fnmatch.fnmatchcase(place, pattern) for pattern in self._exclude for place in (url, below))
        return url.startswith(self.prefix) and not excluded

    async def visited(self, url: str, depth: int) -> None:
        value = {"depth": depth, "state": "visited"}
        await self._store.keep_record(self._kind, url, value, time.time() + REMEMBERED)

    async def remove(self) -> None:
        await self._store.remove_records(self._kind)


async def crawl_site(
    app: App,
    start: str,
    *,
    prefix: str | None = None,
    max_pages: int = 200,
    max_depth: int = 4,
    tags: tuple[str, ...] = (),
    exclude: Sequence[str] = (),
    deadline: float = math.inf,
    on_progress: OnProgress | None = None,
) -> CrawlReport:
    """Visit the start page and the pages below the prefix that it leads to, and keep them as research.

    `prefix` is by default the folder of the start page; InvalidInput is raised if that is not below it. Pages that are
    known are only revalidated. After `deadline`, a time of `anyio.current_time()`, or a cancellation, the next crawl
    visits the rest.
    """
    first = parse_url(start).href
    scope = parse_url(prefix).href if prefix else first.rpartition("/")[0] + "/"
    if not first.startswith(scope):
        raise InvalidInput(f"The start {first} does not lie below the prefix {scope}.")
    await app.require_kept_store()
    frontier = _Frontier(await app.store(), scope, exclude)
    if not await frontier.waiting():
        await frontier.remove()
        await _begin(app, frontier, first)
    report = CrawlReport()
    limiter = anyio.Semaphore(4)

    async def visit(url: str, depth: int, known: int) -> None:
        async with limiter:
            await _visit(app, frontier, report, url, depth, max_depth, tags)
        if on_progress is not None:
            on_progress(url, report.pages, min(max_pages, max(known, report.pages)))

    with anyio.move_on_after(deadline - anyio.current_time()):
        while (waiting := await frontier.waiting()) and report.pages < max_pages:
            known = report.pages + len(waiting)
            async with anyio.create_task_group() as tasks:
                for url, depth in waiting[: min(BATCH, max_pages - report.pages)]:
                    tasks.start_soon(visit, url, depth, known)
    waiting = await frontier.waiting()
    report.left = len(waiting)
    if not waiting:
        await frontier.remove()
    return report


async def _visit(
    app: App, frontier: _Frontier, report: CrawlReport, url: str, depth: int, max_depth: int, tags: tuple[str, ...]
) -> None:
    """Open one page, count it in the report, and add the pages that it links to."""
    store = await app.store()
    before = (await store.seen([url])).get(url)
    try:
        opened = await open_page(app, OpenRequest(url, max_age=0))
    except WebError as error:
        report.pages += 1
        report.failed.append((url, error.message))
        await frontier.visited(url, depth)
        return
    report.pages += 1
    kept = opened.snapshot
    if kept.source != "research" or not set(tags) <= set(kept.tags):
        await add.add_page(store, kept, tags=tags)
    if before is None:
        report.new += 1
    elif before.hash == kept.hash:
        report.unchanged += 1
    else:
        report.changed += 1
    if depth < max_depth:
        await frontier.add(_absolute(kept.final_url, (link.url for link in kept.document.links)), depth + 1)
    # Last, so that a crawl that was killed visits the page again and finds its links.
    await frontier.visited(url, depth)


def _absolute(base: str, targets: Iterable[str]) -> Iterator[str]:
    """The links of a page as absolute URLs, without those that are not links to a page."""
    start = parse_url(base)
    for target in targets:
        try:
            yield join(start, target).href
        except WebError:
            continue  # not a link to a page


async def _begin(app: App, frontier: _Frontier, first: str) -> None:
    """Add the first pages: the start, and those listed in sitemaps and llms.txt, as far as these can be read."""
    await frontier.add([first], 0)
    origin = parse_url(first).origin
    scope = frontier.prefix
    waiting = deque([f"{origin}/sitemap.xml", f"{scope}sitemap.xml", f"{scope}llms.txt", f"{origin}/llms.txt"])
    seen: set[str] = set()
    while waiting and len(seen) < MOST_SITEMAPS:
        place = waiting.popleft()
        if place in seen:
            continue
        seen.add(place)
        try:
            page = await (await app.fetcher()).get(place)
            is_sitemap = place.endswith((".xml", ".xml.gz"))
            pages, more = await app.process.sandbox.run(listed_links, page.body, is_sitemap, size=len(page.body))
        except WebError:
            continue  # most sites have only some of them
        waiting.extend(one for one in more if one.startswith(f"{origin}/"))
        await frontier.add(_absolute(place, pages), 1)
