"""The tool web_watch: what changed on watched pages and in the results of watched queries."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import anyio

from mcp_web.errors import InvalidUrl
from mcp_web.text.amounts import amount
from mcp_web.text.untrusted import one_line
from mcp_web.text.urls import parse_url
from mcp_web.tools import budget
from mcp_web.tools.call import Call
from mcp_web.tools.tool import OBJECTS, Answer, Param, Tool

if TYPE_CHECKING:
    from mcp_web.services.watch_pages import Watched, WatchedQuery


async def run(call: Call, args: dict[str, Any]) -> Answer:
    from mcp_web.services import watch_pages as services

    app, removed, until = call.app, args["remove"] or (), call.deadline - 1.0
    watched = await services.watched_urls(app)
    addresses = [one for one in removed if _is_address(one, watched)]
    urls = await services.change_watch(app, args["url"] or (), addresses)
    queries = await services.change_queries(app, args["query"] or (), [one for one in removed if one not in addresses])
    call.report(f"looking at {amount(len(urls), 'page')} and {amount(len(queries), 'query', 'queries')}")
    found: list[WatchedQuery] = []

    async def search_again() -> None:
        for query in queries:
            found.append(await services.check_query(app, query, deadline=until))

    async with anyio.create_task_group() as tasks:  # so that pages that hang leave time for the queries
        tasks.start_soon(search_again)
        pages = await services.check_pages(app, urls, deadline=until)
    data = {
        "pages": [services.as_object(one) for one in pages],
        "queries": [
            {"query": one.query, "new": [{"title": hit.title, "url": hit.url} for hit in one.new], "error": one.error}
            for one in found
        ],
        "notes": call.notes,
    }
    return Answer(data, _text(call, pages, found), {"pages": len(pages), "queries": len(found)})


def _is_address(text: str, urls: list[str]) -> bool:
    """Whether a text is one of these canonical URLs, also in another spelling."""
    with suppress(InvalidUrl):
        return parse_url(text).href in urls
    return False


def _text(call: Call, pages: list[Watched], queries: list[WatchedQuery]) -> str:
    changed = [one for one in pages if one.state in ("changed", "failed")]
    news = [one for one in queries if one.new or one.error]
    watched = f"{amount(len(pages), 'page')}, {amount(len(queries), 'query', 'queries')}"
    head = f"Watched: {watched}; {len(changed) + len(news)} with something new."
    blocks = []
    for page in changed:
        lines = [f"## {one_line(page.title)} {page.url}: {page.state}"] + ([one_line(page.error)] if page.error else [])
        sections = (f"{each.change}: {' > '.join(each.path)}\n{each.hunk}" for each in page.changes)
        blocks.append("\n".join([*lines, *sections]))
    for query in news:
        lines = [f"## query {one_line(query.query)}: {query.error or f'{len(query.new)} new results'}"]
        blocks.append("\n".join([*lines, *(f"- {one_line(hit.title)} {hit.url}" for hit in query.new)]))
    if not blocks:
        return head
    return head + "\n" + call.envelope.wrap(budget.cut("\n\n".join(blocks), budget.AIM - 1_500))


TOOL = Tool(
    name="web_watch",
    title="What changed",
    description=(
        "Watches pages and search queries: fetches every watched page again and returns by section what changed since "
        "the last check, and which results of a watched query are new. Name pages or queries to begin watching them; "
        "the first check only records them. Without arguments it checks everything that is watched. Use cache_get "
        "with diff to compare two kept versions of one page instead."
    ),
    params=(
        Param("url", "array", "Pages to begin watching.", single=True, max_items=20, max_length=8_000),
        Param("query", "array", "Queries to begin watching.", single=True, max_items=10, max_length=500, lines=True),
        Param("remove", "array", "Pages or queries to stop watching.", max_items=20, max_length=8_000, lines=True),
    ),
    run=run,
    purpose="fetch",
    read_only=False,
    output={"pages": OBJECTS,
            "queries": OBJECTS},
)  # fmt: skip
