"""Repeat watched queries, and report which results are new."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mcp_web.app import App
from mcp_web.errors import WebError
from mcp_web.model.search import Hit, SearchQuery
from mcp_web.services.search_web import search_web

KIND = "watch query"  # of records: one for each query, with the addresses that were found before
_MOST_KNOWN = 500  # addresses remembered for a query


@dataclass(frozen=True, slots=True)
class WatchedQuery:
    """The result of checking a watched query."""

    query: str
    new: tuple[Hit, ...] = ()
    error: str = ""


async def change_queries(app: App, add: Sequence[str] = (), remove: Sequence[str] = ()) -> list[str]:
    """Add and remove watched queries; returns the new list."""
    store = await app.store()
    if remove:
        await store.remove_records(KIND, remove)
    if add:
        await store.add_records(KIND, {query: {"known": None} for query in add})
    return [record.key for record in await store.records(KIND)]


async def check_query(app: App, query: str, *, deadline: float) -> WatchedQuery:
    """Search again and report the results that no earlier check found; the first check reports none.

    A failed search is reported with its error.
    """
    answer = (await search_web(app, [SearchQuery(query)], "auto", deadline=deadline))[0]
    if isinstance(answer, WebError):
        return WatchedQuery(query, error=answer.message)
    store = await app.store()
    known = ((await store.record(KIND, query)) or {}).get("known")
    hits = answer.found.hits
    now = [hit.url for hit in hits]
    merged = list(dict.fromkeys([*now, *(known or ())]))[:_MOST_KNOWN]
    await store.keep_record(KIND, query, {"known": merged})
    return WatchedQuery(query, () if known is None else tuple(hit for hit in hits if hit.url not in set(known)))
