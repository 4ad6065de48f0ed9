"""The tool search, in the format of ChatGPT's connectors: results with ids for `fetch`."""

from __future__ import annotations

from typing import Any

from mcp_web.errors import WebError
from mcp_web.model.search import SearchQuery
from mcp_web.tools.call import Call
from mcp_web.tools.tool import OBJECTS, Answer, Param, Tool

_KEPT = 3  # documents of the archive, listed before those of the web


async def run(call: Call, args: dict[str, Any]) -> Answer:
    from mcp_web.services.search_web import search_web

    call.report("searching")
    kept = await _kept(call, args["query"])
    (answer,) = await search_web(call.app, [SearchQuery(args["query"])], "auto", deadline=call.deadline)
    if isinstance(answer, WebError):
        if not kept:
            raise answer
        return Answer({"results": kept}, shape="json")
    known = {one["url"] for one in kept}
    found = [
        {"id": hit.url, "title": hit.title, "url": hit.url, "text": hit.snippet}
        for hit in answer.found.hits
        if hit.url not in known
    ]
    return Answer({"results": [*kept, *found]}, shape="json")


async def _kept(call: Call, text: str) -> list[dict[str, Any]]:
    """The saved research that matches, as results; none if the archive fails. Web pages are left to the web search."""
    from mcp_web.archive.answer import ArchiveQuery
    from mcp_web.services.search_archive import search_archive

    try:
        answer = await search_archive(call.app, ArchiveQuery(text, limit=_KEPT, source="research", mode="text"))
    except WebError:
        return []
    return [
        {
            "id": one.document.snapshot,
            "title": one.document.title,
            "url": one.document.url,
            "text": next((snippet.text for mark in one.highlights for snippet in mark.snippets), ""),
        }
        for one in answer.results
    ]


TOOL = Tool(
    name="search",
    title="Search",
    description=(
        "Searches the web, and the research saved on this server, for pages that fit a query. Use it to find sources "
        "before reading them; use fetch with the id of a result to get the text. Returns a list of results, each "
        "with an id, a title, an address for citing and a short excerpt. An empty list means that nothing was found, "
        "not that nothing exists: try other words."
    ),
    params=(Param("query", "string", "What to look for.", required=True, max_length=500),),
    run=run,
    purpose="search",
    output={"results": OBJECTS},
)
