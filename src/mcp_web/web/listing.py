"""Rows of documents for lists: recently read, found by a search, or matching filters."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from datetime import date, timedelta
from itertools import groupby
from typing import Any, get_args
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response

from mcp_web.app import App
from mcp_web.archive.highlight import Snippet
from mcp_web.model.snapshot import SnapshotInfo, Source
from mcp_web.services.list_documents import list_documents, list_shared_documents
from mcp_web.web.catalogue import gettext as _
from mcp_web.web.pages import number, page, place
from mcp_web.web.times import clock, day, day_name, day_start, local_day

PAGE_SIZE = 50
MOST_FOUND = 25  # documents of a search, each with highlighted passages
FILTERS = ("q", "read", "collection", "source", "domain", "language", "since", "until")
Row = dict[str, Any]


def info_rows(infos: Sequence[SnapshotInfo], shared_by: str = "") -> list[Row]:
    return [
        {
            "hash": info.hash,
            "title": info.title,
            "url": info.url,
            "place": place(info.url) or info.url,
            "when": clock(info.used_at),
            "size": _("%(count)s characters") % {"count": number(info.chars)},
            "source": info.source,
            "shared_by": shared_by,
            "snippets": [],
        }
        for info in infos
    ]


def by_day(infos: Sequence[SnapshotInfo]) -> list[tuple[str, list[Row]]]:
    """Documents in the order of their last use as rows, by day: the name of each day, and its rows."""
    today = date.today()
    days = groupby(infos, key=lambda info: local_day(info.used_at))
    return [(day_name(at, today), info_rows(list(group))) for at, group in days]


async def found_rows(app: App, query: str, **filters: Any) -> tuple[list[Row], list[str]]:
    """Rows for the documents that a search of the archive finds, and notes; `filters`: fields of `ArchiveQuery`."""
    from mcp_web.archive.answer import ArchiveQuery
    from mcp_web.services.search_archive import search_archive

    answer = await search_archive(app, ArchiveQuery(query, limit=MOST_FOUND, **filters))
    notes = list(answer.notes)
    if answer.corrected_query:
        notes.insert(0, _("Searched for: %(query)s") % {"query": answer.corrected_query})
    rows = [
        {
            "hash": one.document.snapshot,
            "title": one.document.title,
            "url": one.document.url,
            "place": one.document.path or place(one.document.url),
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
    """The snippet as HTML, its matches in `mark` elements, everything else escaped."""
    from markupsafe import Markup

    pieces = (Markup("<mark>{}</mark>").format(part) if matched else part for part, matched in snippet.parts())
    return Markup().join(pieces)


async def archive(app: App, request: Request) -> Response:
    """The view of everything kept, filtered, in pages; with a query, what a search finds."""
    store = await app.store()
    filters = given_filters(request, FILTERS)
    rows, days, notes, cursor = list[Row](), list[tuple[str, list[Row]]](), list[str](), ""
    if filters["q"]:
        wanted = {name: filters[name] or None for name in ("collection", "since", "until", "domain", "language")}
        rows, notes = await found_rows(app, filters["q"], source=filters["source"] or "all", **wanted)
    else:
        after = request.query_params.get("after", "")[:200]
        infos, cursor = await list_documents(app, limit=PAGE_SIZE, after=after, **_conditions(filters))
        days = by_day(infos)
        if filters["collection"] and not after:
            days += await _shared_rows(app, filters)
    given = {name: value for name, value in filters.items() if value}
    return page(
        request,
        "archive.html",
        size=await store.size(),
        filters=filters,
        is_filtered=bool(given),
        rows=rows,
        days=days,
        notes=notes,
        empty=_empty(given),
        is_deleted="deleted" in request.query_params,
        collections=await _collections(app),
        next_page="/archive?" + urlencode(given | {"after": cursor}) if cursor else "",
    )


def _empty(given: dict[str, str]) -> str:
    """The message when no document matches the filters."""
    if not given:
        return _("Nothing here yet.")
    only_read = given["read"] if given.keys() == {"read"} else ""
    texts = {"today": _("Nothing was read today."), "yesterday": _("Nothing was read yesterday."),
             "week": _("Nothing was read in the last seven days.")}  # fmt: skip
    return texts.get(only_read, _("No kept document matches."))


async def _collections(app: App) -> list[tuple[str, int]]:
    """The collections of this tenant and those shared with it, by name, with their numbers of documents."""
    found = Counter(await (await app.store()).collections())
    for shared in await app.shared_stores():
        found.update(await shared.store.collections())
    return sorted(found.items())


async def _shared_rows(app: App, filters: dict[str, str]) -> list[tuple[str, list[Row]]]:
    """Rows for the documents of a collection that others share, most recently used first, with a heading by owner."""
    found = await list_shared_documents(app, limit=PAGE_SIZE, **_conditions(filters))
    return [(_("Shared by %(owner)s") % {"owner": owner}, info_rows(infos, owner)) for owner, infos in found.items()]


def _conditions(filters: dict[str, str]) -> dict[str, Any]:
    """The filters of the form as fields of `DocumentFilter`, None for empty ones.

    `read` becomes `used_since` and `used_before`; `q` is left out.
    """
    wanted: dict[str, Any] = {name: value or None for name, value in filters.items() if name not in ("q", "read")}
    since, before = _read_between(filters["read"], date.today())
    return wanted | {"used_since": since, "used_before": before}


def _read_between(choice: str, today: date) -> tuple[float | None, float | None]:
    """The begin and the end of "today", "yesterday" or "week" (seven days), in Unix times; None is no limit."""
    if choice == "today":
        return day_start(today), None
    if choice == "yesterday":
        return day_start(today - timedelta(days=1)), day_start(today)
    return (time.time() - 7 * 86400, None) if choice == "week" else (None, None)


def given_filters(request: Request, names: Sequence[str]) -> dict[str, str]:
    """The filters in the query string, "" for those that were not given, an invalid day and an unknown source."""
    filters = {name: request.query_params.get(name, "").strip()[:500] for name in names}
    for name in ("since", "until"):
        try:
            filters[name] = date.fromisoformat(filters[name]).isoformat()
        except ValueError:
            filters[name] = ""
    if "source" in names and filters["source"] not in get_args(Source):
        filters["source"] = ""
    return filters
