"""The `archives` contract: searchLocalArchives over what is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mcp_web.contracts.contract import camel_case, contract
from mcp_web.errors import WebError
from mcp_web.services.search_archive import search_archive
from mcp_web.tools.archive_search import as_data
from mcp_web.tools.call import Call
from mcp_web.tools.tool import Answer

if TYPE_CHECKING:
    from mcp_web.archive.highlight import Highlight


async def search(call: Call, args: dict[str, Any]) -> Answer:
    from mcp_web.archive.answer import ArchiveQuery

    answer = await search_archive(
        call.app,
        ArchiveQuery(
            args["query"],
            fuzzy=args["fuzzy"],
            include_citations=args["includeCitations"],
            citation_depth=args["citationDepth"],
            limit=args["limit"],
        ),
    )
    shown = as_data(answer)
    found = zip(shown["results"], answer.results, strict=True)
    data: dict[str, Any] = {"results": [_result(row, one.highlights) for row, one in found]}
    if args["includeCitations"] and shown["results"] and "citation_graph" in shown:
        data["citationGraph"] = _only(shown["citation_graph"], "nodes", "edges")
    names = ("totalResults", "query", "fuzzy", "includeCitations", "citationDepth", "limit")
    data["metadata"] = _only(camel_case(shown["metadata"]), *names) | {"query": args["query"]}
    return Answer(data, shape="json")


def _result(row: dict[str, Any], highlights: Sequence[Highlight]) -> dict[str, Any]:
    """A found document in the contract's format; `row` is the object that archive_search makes of it."""
    document = row["document"] | {"path": row["document"]["path"] or row["document"]["url"]}
    made = {
        "document": _only(document, "id", "title", "path", "source", "date", "score"),
        "highlights": [
            {"field": mark.field, "snippets": [snippet.as_html() for snippet in mark.snippets]} for mark in highlights
        ],
    }
    if "citations" in row:
        names = ("sourceId", "targetId", "targetUrl", "context", "confidence")
        made["citations"] = {
            direction: [_only(camel_case(one), *names) for one in found]
            for direction, found in row["citations"].items()
        }
    return made


def _only(facts: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: facts[name] for name in names}


def failed(error: WebError, given: Mapping[str, Any]) -> Answer:
    return Answer({}, f"Failed to search local archives: {error.message}", shape="text", is_error=True)


CONTRACT = contract("archives", {"searchLocalArchives": (search, failed)})
