"""Rows of documents for lists: what was read recently, what a search found, what the filters leave."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from mcp_web.web.pages import day, host, page

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from mcp_web.app import App
    from mcp_web.archive.highlight import Snippet
    from mcp_web.model.snapshot import SnapshotInfo

PAGE_SIZE = 50
FILTERS = ("q", "collection", "source", "domain", "language", "since", "until")


def info_rows(infos: Sequence[SnapshotInfo], shared_by: str = "") -> list[dict[str, Any]]:
    return [
        {
            "hash": info.hash,
            "title": info.title,
            "url": info.url,
            "place": host(info.url) or info.url,
            "when": day(info.fetched_at),
            "size": f"{info.chars:,} characters",
            "source": info.source,
            "shared_by": shared_by,
            "snippets": [],
        }
        for info in infos
    ]


async def found_rows(app: App, query: str, **filters: Any) -> tuple[list[dict[str, Any]], list[str]]:
    """The documents that a search finds, and its notes."""
    from mcp_web.archive.answer import ArchiveQuery
    from mcp_web.services.search_archive import search_archive

    answer = await search_archive(app, ArchiveQuery(query, limit=PAGE_SIZE, **filters))
    notes = list(answer.notes)
    if answer.corrected_query:
        notes.insert(0, f"Searched for: {answer.corrected_query}")
    rows = [
        {
            "hash": one.document.snapshot,
            "title": one.document.title,
            "url": one.document.url,
            "place": one.document.path or host(one.document.url),
            "when": day(one.document.date),
            "size": "",
            "source": one.document.source,
            "shared_by": one.document.shared_by,
            "snippets": [_marked(text) for mark in one.highlights if mark.field != "title" for text in mark.snippets],
        }
        for one in answer.results
    ]
    return rows, notes


def _marked(snippet: Snippet) -> Any:
    """The snippet as markup, everything but its marks escaped."""
    from markupsafe import Markup

    pieces = (Markup("<mark>{}</mark>").format(part) if matched else part for part, matched in snippet.parts())
    return Markup().join(pieces)


async def archive(app: App, request: Request) -> Response:
    """Everything kept, filtered and paged."""
    store = await app.store()
    filters = {name: request.query_params.get(name, "").strip()[:500] for name in FILTERS}
    filters |= {name: "" for name in ("since", "until") if not is_day(filters[name])}
    notes: list[str] = []
    cursor = ""
    if filters["q"]:
        wanted = {name: filters[name] or None for name in ("collection", "since", "until")}
        rows, notes = await found_rows(app, filters["q"], source=filters["source"] or "all", **wanted)
        rows = [row for row in rows if not filters["domain"] or _within(row["url"], filters["domain"])]
    else:
        after = request.query_params.get("after", "")
        infos, cursor = await _browse(app, filters, after)
        rows = info_rows(infos)
        if filters["collection"] and not after:
            rows += await _shared_rows(app, filters)
    given = {name: value for name, value in filters.items() if value}
    following = "/archive?" + urlencode(given | {"after": cursor}) if cursor else ""
    collections = await _collections(app)
    return page(request, "archive.html", size=await store.size(), filters=filters, rows=rows, notes=notes,
                collections=collections, next_page=following)  # fmt: skip


async def _collections(app: App) -> list[tuple[str, int]]:
    """The own collections and those that others share, by name."""
    found = Counter(await (await app.store()).collections())
    for shared in await app.shared_stores():
        found.update(await shared.store.collections())
    return sorted(found.items())


async def _shared_rows(app: App, filters: dict[str, str]) -> list[dict[str, Any]]:
    """The most recently used documents of a collection that others share."""
    from mcp_web.services.list_documents import list_shared_documents

    wanted: Any = {name: value or None for name, value in filters.items() if name != "q"}
    found = await list_shared_documents(app, limit=PAGE_SIZE, **wanted)
    return [row for owner, infos in found.items() for row in info_rows(infos, owner)]


async def _browse(app: App, filters: dict[str, str], after: str) -> tuple[list[SnapshotInfo], str]:
    """One page of documents, the most recently used first, and the cursor of the next."""
    from mcp_web.services.list_documents import list_documents

    wanted: Any = {name: value or None for name, value in filters.items() if name != "q"}
    return await list_documents(app, limit=PAGE_SIZE, after=after[:200], **wanted)


def is_day(text: str) -> bool:
    """Is this a date as a form sends it (YYYY-MM-DD)?"""
    try:
        return bool(date.fromisoformat(text))
    except ValueError:
        return False


def _within(url: str, domain: str) -> bool:
    found, wanted = host(url), domain.lower().removeprefix("www.")
    return found == wanted or found.endswith("." + wanted)
