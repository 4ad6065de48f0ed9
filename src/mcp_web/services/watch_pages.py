"""Watched pages and queries: what changed on a page since it was kept, and which results of a query are new."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import anyio

from mcp_web.app import App
from mcp_web.errors import NotFound, WebError
from mcp_web.model.search import Hit, SearchQuery
from mcp_web.model.snapshot import SnapshotInfo
from mcp_web.read.diff import SectionChange
from mcp_web.services.compare_versions import compare_versions
from mcp_web.services.open_page import OpenRequest, newest_kept, open_page
from mcp_web.services.search_web import search_web
from mcp_web.text.dates import iso
from mcp_web.text.urls import parse_url

# Kinds of records: one for each URL, and one for each query, with the addresses that were found before.
PAGE, QUERY = "watch", "watch query"
_MOST_PAGES = 1000  # watched pages whose kept versions are compared
_MOST_KNOWN = 500  # addresses remembered for a query


@dataclass(frozen=True, slots=True)
class Watched:
    """The result of checking a watched page: whether it changed, and which sections did or why that is not known."""

    url: str
    title: str
    state: str  # "new", "same", "changed", "failed"
    snapshot: str = ""
    previous: str = ""
    changes: list[SectionChange] = field(default_factory=list)
    error: str = ""


@dataclass(frozen=True, slots=True)
class WatchedQuery:
    """The result of checking a watched query: the search results that are new, or the error."""

    query: str
    new: tuple[Hit, ...] = ()
    error: str = ""


async def watched_urls(app: App) -> list[str]:
    """The URLs of all watched pages."""
    return await _change_records(app, PAGE, {}, ())


async def change_watch(app: App, add: Sequence[str] = (), remove: Sequence[str] = ()) -> list[str]:
    """Add and remove watched pages by URL; returns the URLs of all. Raises InvalidUrl before any change."""
    added, removed = ([parse_url(url).href for url in urls] for urls in (add, remove))
    return await _change_records(app, PAGE, {url: {} for url in added}, removed)


async def change_queries(app: App, add: Sequence[str] = (), remove: Sequence[str] = ()) -> list[str]:
    """Add and remove watched queries; returns all of them."""
    return await _change_records(app, QUERY, {query: {"known": None} for query in add}, remove)


async def _change_records(app: App, kind: str, add: Mapping[str, Any], remove: Sequence[str]) -> list[str]:
    """Add and remove records of one kind; returns the keys of all."""
    store = await app.store()
    if remove:
        await store.remove_records(kind, remove)
    if add:
        await store.add_records(kind, add)
    return [record.key for record in await store.records(kind)]


async def check_query(app: App, query: str, *, deadline: float) -> WatchedQuery:
    """Search again and report the results that no earlier check found, or the error; the first check reports none, nor
    does that of a query which is not watched any more."""
    (answer,) = await search_web(app, [SearchQuery(query)], "auto", deadline=deadline)
    if isinstance(answer, WebError):
        return WatchedQuery(query, error=answer.message)
    store, hits = await app.store(), answer.found.hits
    before = await store.record(QUERY, query)
    if before is None:
        return WatchedQuery(query)
    known = before["known"]
    merged = list(dict.fromkeys([*(hit.url for hit in hits), *(known or ())]))[:_MOST_KNOWN]
    await store.replace_record(QUERY, query, {"known": merged}, expected=before)
    return WatchedQuery(query, () if known is None else tuple(hit for hit in hits if hit.url not in set(known)))


async def check_page(app: App, url: str) -> Watched:
    """Fetch the page again, within a minute; if it changed, compare it with the version that was kept before. The
    state is "new" for a page that was not kept before, "failed" for one of which at most an older copy can be had."""
    request = OpenRequest(parse_url(url).href, max_age=0)
    before = await newest_kept(app, request)
    try:
        opened = await open_page(app, request, deadline=anyio.current_time() + 60)
    except WebError as error:
        return Watched(url, before.document.title if before else "", "failed", error=error.message)
    kept = opened.snapshot
    title = kept.document.title
    if opened.cache == "stale" or kept.document.metadata.archived_url:
        return Watched(url, title, "failed", kept.hash, error=" ".join(opened.notes))
    if before is None:
        return Watched(url, title, "new", kept.hash)
    if before.hash == kept.hash:
        return Watched(url, title, "same", kept.hash)
    try:
        _, changes = await compare_versions(app, kept, before.hash)
    except NotFound:
        deleted = "The version before was deleted meanwhile, so what changed is not known."
        return Watched(url, title, "changed", kept.hash, error=deleted)
    return Watched(url, title, "changed", kept.hash, before.hash, changes)


async def check_pages(app: App, urls: Sequence[str], *, deadline: float) -> list[Watched]:
    """Check pages concurrently; results in the order of `urls`, "failed" for those not done by the deadline."""
    found: dict[str, Watched] = {}

    async def one(url: str) -> None:
        found[url] = await check_page(app, url)

    with anyio.move_on_after(deadline - anyio.current_time()):
        async with anyio.create_task_group() as tasks:
            for url in urls:
                tasks.start_soon(one, url)
    late = "The page was not read before the call's deadline."
    return [found.get(url) or Watched(url, "", "failed", error=late) for url in urls]


async def watched_changes(app: App, limit: int) -> list[tuple[float, Watched]]:
    """The last `limit` changes between kept versions of watched pages, each with its Unix time; nothing is fetched."""
    store = await app.store()
    steps: list[tuple[SnapshotInfo, SnapshotInfo]] = []
    for url in (await watched_urls(app))[:_MOST_PAGES]:
        for rendered in (False, True):
            steps += pairwise(await store.versions(OpenRequest(url).key(rendered=rendered)))
    steps.sort(key=lambda step: -step[0].since)
    found = []
    for newer, older in steps[:limit]:
        with suppress(NotFound):  # one of them was deleted meanwhile
            if (version := await store.snapshot(newer.hash)) is not None:
                _, changes = await compare_versions(app, version, older.hash)
                change = Watched(newer.url, newer.title, "changed", newer.hash, older.hash, changes)
                found.append((newer.since, change))
    return found


def as_object(one: Watched) -> dict[str, Any]:
    """The result of checking a page as JSON values."""
    return {
        "url": one.url,
        "title": one.title,
        "state": one.state,
        "snapshot": one.snapshot or None,
        "previous": one.previous or None,
        "changes": [
            {"change": each.change, "section": " > ".join(each.path), "hunk": each.hunk} for each in one.changes
        ],
        "error": one.error or None,
    }


_ENTRY = re.compile(r"<entry>.*?</entry>", re.DOTALL)
_UPDATED = re.compile(r"<updated>([^<]+)</updated>")
MOST_ENTRIES = 200


def atom(entries: Sequence[tuple[float, Watched]], *, earlier: str = "", page: str = "") -> str:
    """An Atom feed of changes, given with their Unix times: newest first, then the entries of the feed `earlier`.
    Entries link to the watched page or, when `page` is the address of the web interface, to the comparison there."""
    from xml.sax.saxutils import escape

    def link(one: Watched) -> str:
        address = f"{page}/archive/{one.snapshot}/diff?with={one.previous}" if page and one.previous else one.url
        return escape(address, {'"': "&quot;"})

    rows = []
    for at, one in sorted(entries, key=lambda entry: entry[0]):
        body = "\n\n".join(f"{each.change}: {' > '.join(each.path)}\n{each.hunk}" for each in one.changes)
        rows.append(
            f"<entry><id>urn:sha256:{one.snapshot}</id><title>{escape(one.title or one.url)} {one.state}</title>"
            f'<link href="{link(one)}"/><updated>{iso(at)}</updated>'
            f"<content>{escape(body)}</content></entry>"
        )
    rows = [*reversed(rows), *(entry for entry in _ENTRY.findall(earlier) if entry not in rows)][:MOST_ENTRIES]
    latest = max((found[1] for row in rows if (found := _UPDATED.search(row))), default=iso(time.time()))
    head = '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">'
    head += f"<id>urn:mcp-web:watch</id><title>Watched pages</title><updated>{latest}</updated>"
    head += "<author><name>mcp-web</name></author>"
    return f"{head}{''.join(rows)}</feed>\n"
