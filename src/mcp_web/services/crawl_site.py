"""Bring a documentation site into the archive: sitemaps, llms.txt and links below a prefix, politely, resumable."""

from __future__ import annotations

import fnmatch
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import anyio

from mcp_web.archive.sitemap import sitemap_links, text_links
from mcp_web.errors import InvalidInput, WebError
from mcp_web.services.open_page import OpenRequest, open_page
from mcp_web.text.urls import join, parse_url

if TYPE_CHECKING:
    from mcp_web.app import App

OnProgress = Callable[[str, float, float], None]
NOTE = "crawl"
REMEMBERED = 30 * 86400.0  # how long an unfinished crawl can be taken up again
MOST_SITEMAPS = 50
SAVE_EVERY = 20  # pages between two notes of where we are


@dataclass(slots=True)
class CrawlReport:
    pages: int = 0
    new: int = 0
    changed: int = 0
    unchanged: int = 0
    failed: list[tuple[str, str]] = field(default_factory=list)
    left: int = 0  # known but not visited: the ceiling was reached


@dataclass(slots=True)
class _Walk:
    prefix: str
    waiting: deque[tuple[str, int]]
    known: set[str]
    exclude: Sequence[str] = ()  # patterns of addresses below the prefix that are not visited
    report: CrawlReport = field(default_factory=CrawlReport)

    def meet(self, url: str, depth: int) -> None:
        below = url.removeprefix(self.prefix)
        if any(fnmatch.fnmatchcase(place, pattern) for pattern in self.exclude for place in (url, below)):
            return
        if url not in self.known and url.startswith(self.prefix):
            self.known.add(url)
            self.waiting.append((url, depth))


async def crawl_site(
    app: App,
    start: str,
    *,
    prefix: str | None = None,
    max_pages: int = 200,
    max_depth: int = 4,
    tags: tuple[str, ...] = (),
    exclude: Sequence[str] = (),
    on_progress: OnProgress | None = None,
) -> CrawlReport:
    """Visit pages below the prefix; a second crawl asks the origin only whether they changed."""
    first = parse_url(start).href
    scope = parse_url(prefix).href if prefix else first.rpartition("/")[0] + "/"
    if not first.startswith(scope):
        raise InvalidInput(f"The start {first} does not lie below the prefix {scope}.")
    walk = await _resumed(app, scope, exclude) or await _begun(app, first, scope, exclude)
    places = anyio.Semaphore(4)

    async def visit(url: str, depth: int) -> None:
        async with places:
            await _visit(app, walk, url, depth, max_depth, tags)
        if on_progress is not None:
            on_progress(url, walk.report.pages, min(max_pages, walk.report.pages + len(walk.waiting)))

    while walk.waiting and walk.report.pages < max_pages:
        take = min(len(walk.waiting), SAVE_EVERY, max_pages - walk.report.pages)
        async with anyio.create_task_group() as tasks:
            for _ in range(take):
                tasks.start_soon(visit, *walk.waiting.popleft())
        await _save(app, walk)
    walk.report.left = len(walk.waiting)
    if not walk.waiting:
        await (await app.store()).keep_note(NOTE, scope, None, time.time())
    return walk.report


async def _visit(app: App, walk: _Walk, url: str, depth: int, max_depth: int, tags: tuple[str, ...]) -> None:
    from mcp_web.archive import add

    before = (await (await app.store()).seen([url])).get(url)
    walk.report.pages += 1
    try:
        opened = await open_page(app, OpenRequest(url, max_age=0))
    except WebError as error:
        walk.report.failed.append((url, error.message))
        return
    kept = opened.snapshot
    if kept.source != "research" or not set(tags) <= set(kept.tags):
        await add.add_page(await app.store(), kept, tags=tags)
    if before is None:
        walk.report.new += 1
    elif before.hash == kept.hash:
        walk.report.unchanged += 1
    else:
        walk.report.changed += 1
    if depth < max_depth:
        for link in kept.document.links:
            _meet(walk, kept.final_url, link.url, depth + 1)


def _meet(walk: _Walk, base: str, target: str, depth: int) -> None:
    try:
        walk.meet(join(parse_url(base), target).href, depth)
    except WebError:
        return  # a link to something that is no page


async def _begun(app: App, first: str, scope: str, exclude: Sequence[str]) -> _Walk:
    """The first pages: where we start, what the site lists in sitemaps and llms.txt."""
    walk = _Walk(scope, deque(), set(), exclude)
    walk.meet(first, 0)
    origin = parse_url(first).origin
    waiting = deque([f"{origin}/sitemap.xml", f"{scope}sitemap.xml", f"{scope}llms.txt", f"{origin}/llms.txt"])
    seen: set[str] = set()
    while waiting and len(seen) < MOST_SITEMAPS:
        place = waiting.popleft()
        if place in seen:
            continue
        seen.add(place)
        try:
            page = await (await app.fetcher()).get(place)
        except WebError:
            continue  # most sites have only some of them
        pages, more = sitemap_links(page.body) if place.endswith(".xml") else (text_links(page.body), [])
        waiting.extend(one for one in more if one.startswith(f"{origin}/"))
        for url in pages:
            _meet(walk, place, url, 1)
    return walk


async def _save(app: App, walk: _Walk) -> None:
    state: dict[str, Any] = {"waiting": [list(pair) for pair in walk.waiting], "known": sorted(walk.known)}
    await (await app.store()).keep_note(NOTE, walk.prefix, state, time.time() + REMEMBERED)


async def _resumed(app: App, scope: str, exclude: Sequence[str]) -> _Walk | None:
    state = await (await app.store()).note(NOTE, scope)
    if not state or not state.get("waiting"):
        return None
    waiting = deque((str(url), int(depth)) for url, depth in state["waiting"])
    return _Walk(scope, waiting, set(state["known"]), exclude)
