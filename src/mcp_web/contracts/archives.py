"""The `archives` contract: searchLocalArchives over what is kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp_web.contracts.contract import Contract, contract_tool
from mcp_web.errors import WebError
from mcp_web.model.citation import Citation
from mcp_web.services.search_archive import search_archive
from mcp_web.tools.call import Call
from mcp_web.tools.tool import Answer


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
    data: dict[str, Any] = {"results": [_result(one) for one in answer.results]}
    if args["includeCitations"] and answer.results and (graph := answer.citation_graph) is not None:
        data["citationGraph"] = {
            "nodes": [{"id": one.id, "label": one.label, "type": one.type} for one in graph.nodes],
            "edges": [{"from": one.source, "to": one.target, "confidence": one.confidence} for one in graph.edges],
        }
    data["metadata"] = {
        "totalResults": len(answer.results),
        "query": args["query"],
        "fuzzy": args["fuzzy"],
        "includeCitations": args["includeCitations"],
        "citationDepth": args["citationDepth"],
        "limit": args["limit"],
    }
    return Answer(data, "", shape="json")


def _result(one: Any) -> dict[str, Any]:
    document = one.document
    made: dict[str, Any] = {
        "document": {
            "id": document.id,
            "title": document.title,
            "path": document.path or document.url,
            "source": document.source,
            "date": document.date,
            "score": round(document.score, 4),
        },
        "highlights": [{"field": mark.field, "snippets": list(mark.snippets)} for mark in one.highlights],
    }
    if one.citations is not None:
        made["citations"] = {
            "citing": [_citation(each) for each in one.citations.citing],
            "cited": [_citation(each) for each in one.citations.cited],
        }
    return made


def _citation(one: Citation) -> dict[str, Any]:
    return {
        "sourceId": one.source_id,
        "targetId": one.target_id,
        "targetUrl": one.target_url,
        "context": one.context,
        "confidence": one.confidence,
    }


def failed(error: WebError, given: Mapping[str, Any]) -> Answer:
    return Answer({}, f"Failed to search local archives: {error.message}", shape="text", is_error=True)


_SCHEMA = {
    "type": "object",
    "properties": {
        "query": {"type": "string", "description": "The search query"},
        "fuzzy": {"type": "boolean", "description": "Whether to enable fuzzy matching", "default": True},
        "includeCitations": {"type": "boolean", "description": "Whether to include citation information",
                             "default": False},
        "citationDepth": {"type": "integer", "description": "How many levels of citations to include", "default": 1,
                          "minimum": 1, "maximum": 3},
        "limit": {"type": "integer", "description": "Maximum number of results to return", "default": 10,
                  "minimum": 1, "maximum": 50},
    },
    "required": ["query"],
}  # fmt: skip

CONTRACT = Contract(
    "archives",
    (
        contract_tool(
            "searchLocalArchives",
            "Search local archives",
            "Searches the local research and URL content archives",
            _SCHEMA,
            search,
            failed=failed,
            open_world=False,
        ),
    ),
)
