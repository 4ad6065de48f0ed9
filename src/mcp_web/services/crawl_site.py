"""Add a documentation site to the archive: sitemaps, llms.txt and links below a prefix, rate-limited and resumable."""

from __future__ import annotations

import fnmatch
import math
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import anyio

from mcp_web.app import App
from mcp_web.archive import add
from mcp_web.archive.sitemap import listed_links
from mcp_web.errors import InvalidInput, WebError
from mcp_web.model.progress import OnProgress
from mcp_web.services.open_page import OpenRequest, newest_kept, open_page
from mcp_web.store.protocol import Store
from mcp_web.text.urls import join, parse_url

REMEMBERED = 30 * 86400.0  # how long an unfinished crawl can be resumed
MOST_SITEMAPS = 50
BATCH = 20  # pages visited before the list of waiting pages is read again


@dataclass(slots=True)
class CrawlReport:
    """How many pages were visited, and how many of them were new, changed, unchanged or failed."""

    pages: int = 0
    new: int = 0
    changed: int = 0
    unchanged: int = 0
    failed: list[tuple[str, str]] = field(default_factory=list)
    left: int = 0  # known but not visited: the ceiling was reached


@dataclass(slots=True)
class _Crawl:
    """A crawl below the URL `prefix`. Each page has a record in the store: processes crawling a site share one list."""

    app: App
    store: Store
    prefix: str
    exclude: Sequence[str]  # patterns of addresses below the prefix that are not visited
    max_depth: int
    tags: tuple[str, ...]
    report: CrawlReport = field(default_factory=CrawlReport)

    @property
    def kind(self) -> str:
        """The kind of the records that this crawl keeps of its pages."""
        return f"crawl {self.prefix}"

    async def waiting(self) -> list[tuple[str, int]]:
        """(url, depth) of pages that have not been visited yet, in the order in which they were found."""
        found = [one for one in await self.store.records(self.kind) if one.value["state"] == "waiting"]
        return [(one.key, int(one.value["depth"])) for one in found if self._is_wanted(one.key)]

    async def add(self, base: str, links: Iterable[str], depth: int) -> None:
        """Add records of the pages that the page `base` links to, as waiting, as far as they are new, below the prefix
        and not excluded; `depth` counts the links from the start page."""
        start, wanted = parse_url(base), {}
        for link in links:
            with suppress(WebError):  # not a link to a page
                if self._is_wanted(url := join(start, link).href):
                    wanted[url] = {"depth": depth, "state": "waiting"}
        if wanted:
            await self.store.add_records(self.kind, wanted, time.time() + REMEMBERED)

    def _is_wanted(self, url: str) -> bool:
        """Whether a URL is below the prefix and not excluded."""
        below = url.removeprefix(self.prefix)
        excluded = any(fnmatch.fnmatchcase(place, pattern) for pattern in self.exclude for place in (url, below))
        return url.startswith(self.prefix) and not excluded

    async def add_listed(self, first: str) -> None:
        """Add the pages that the sitemaps and llms.txt of the site of `first` list, as far as these can be read."""
        origin = parse_url(first).origin
        below = f"{self.prefix}sitemap.xml", f"{self.prefix}llms.txt"
        places = list(dict.fromkeys((f"{origin}/sitemap.xml", *below, f"{origin}/llms.txt")))
        for place in places:  # grows meanwhile
            try:
                page = await (await self.app.fetcher()).get(place)
                is_sitemap, size = not place.endswith(".txt"), len(page.body)
                pages, more = await self.app.process.sandbox.run(listed_links, page.body, is_sitemap, size=size)
            except WebError:
                continue  # most sites have only some of them
            new = dict.fromkeys(one for one in more if one.startswith(f"{origin}/") and one not in places)
            places += list(new)[: MOST_SITEMAPS - len(places)]
            await self.add(place, pages, 1)

    async def visit(self, url: str, depth: int) -> None:
        """Open one page, keep it as research, add the pages that it links to; count it in the report, or as failed."""
        report, request = self.report, OpenRequest(url, max_age=0)
        before = await newest_kept(self.app, request)
        try:
            kept = (await open_page(self.app, request)).snapshot
        except WebError as error:
            report.pages += 1
            report.failed.append((url, error.message))
        else:
            report.pages += 1
            if kept.source != "research" or not set(self.tags) <= set(kept.tags):
                await add.add_page(self.store, kept, tags=self.tags)
            if before is None:
                report.new += 1
            elif before.hash == kept.hash:
                report.unchanged += 1
            else:
                report.changed += 1
            if depth < self.max_depth:
                await self.add(kept.final_url, (link.url for link in kept.document.links), depth + 1)
        # Last, so that a crawl that was killed visits the page again and finds its links.
        visited = {"depth": depth, "state": "visited"}
        await self.store.keep_record(self.kind, url, visited, time.time() + REMEMBERED)


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

    `prefix` is by default the folder of the start page; InvalidInput is raised if that is not below it. From pages that
    are `max_depth` links away from the start no links are followed. Pages that are known are only revalidated. Those
    left at `max_pages`, after `deadline` (of `anyio.current_time()`) or a cancellation are visited by the next crawl.
    """
    first = parse_url(start).href
    scope = parse_url(prefix).href if prefix else first.rpartition("/")[0] + "/"
    if not first.startswith(scope):
        raise InvalidInput(f"The start {first} does not lie below the prefix {scope}.")
    await app.require_kept_store()
    crawl = _Crawl(app, await app.store(), scope, exclude, max_depth, tags)
    if is_new := not await crawl.waiting():
        await crawl.store.remove_records(crawl.kind)  # of an earlier crawl, which visited them all
    await crawl.add(first, [first], 0)
    report, limiter = crawl.report, anyio.Semaphore(4)

    async def visit(url: str, depth: int, known: int) -> None:
        async with limiter:
            await crawl.visit(url, depth)
        if on_progress is not None:
            on_progress(url, report.pages, min(max_pages, max(known, report.pages)))

    with anyio.move_on_after(deadline - anyio.current_time()):
        if is_new:
            await crawl.add_listed(first)
        while (waiting := await crawl.waiting()) and report.pages < max_pages:
            known = report.pages + len(waiting)
            async with anyio.create_task_group() as tasks:
                for url, depth in waiting[: min(BATCH, max_pages - report.pages)]:
                    tasks.start_soon(visit, url, depth, known)
    report.left = len(await crawl.waiting())
    if not report.left:
        await crawl.store.remove_records(crawl.kind)
    return report
