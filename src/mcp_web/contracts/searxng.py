"""The `searxng` contract: one `web_search` that also reads the results, with `metadata` and `is_error` in its answer.

Clients written for that system read `metadata` beside `content`. MCP clients of today drop fields they do not know
and show a model only `content`, so the same object stands there too, as a second text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp_web.contracts.asking import ask
from mcp_web.contracts.contract import Contract, contract_tool
from mcp_web.errors import AgentError, SearchRateLimited, WebError
from mcp_web.extract.summary import summary_of
from mcp_web.model.search import Hit, SafeSearch, SearchQuery
from mcp_web.search.options import SearchOptions
from mcp_web.services.open_page import Opened
from mcp_web.services.search_web import Searched
from mcp_web.tools import budget
from mcp_web.tools.call import Call
from mcp_web.tools.shrink import compact, shrunk
from mcp_web.tools.tool import Answer

_SAFE: dict[int, SafeSearch] = {0: "off", 1: "moderate", 2: "strict"}
_HALF = (budget.AIM - 500) // 2  # the object stands in the answer twice


async def search(call: Call, args: dict[str, Any]) -> Answer:
    # SearXNG alone, as that system did, unless the operator says whom to ask.
    chosen = call.app.settings.of(SearchOptions).providers
    query = SearchQuery(
        args["query"],
        count=args["results_count"],
        category=args["category"],
        language=args["language"],
        freshness=args["time_range"] or None,
        safe_search=_SAFE[args["safe_search"]],
    )
    answer = await ask(call, query, "auto" if chosen else "searxng", fetch_content=args["fetch_content"])
    hits = answer.found.hits
    metadata = _metadata(args, answer)
    return _answer(f"Found {len(hits)} search results for query '{args['query']}'", metadata, is_error=False)


def _metadata(args: dict[str, Any], answer: Searched) -> dict[str, Any]:
    found = answer.found
    best = max((hit.score for hit in found.hits), default=0.0) or 1.0
    used = next((one.name for one in found.attempted if one.outcome in ("ok", "empty")), found.provider)
    metadata: dict[str, Any] = {
        "query": args["query"],
        "category": args["category"],
        "language": args["language"],
        "results_count": len(found.hits),
        "search_time_ms": round(found.elapsed_ms),
        "instance_used": used,
        "results": [_result(hit, hit.score / best, answer) for hit in found.hits],
        "total_results": max(found.total or 0, len(found.hits)),
        "engines_used": list(dict.fromkeys(engine for hit in found.hits for engine in hit.engines)),
    }
    if not args["fetch_content"]:
        return metadata | {"fetch_content": False}
    good = sum(isinstance(page, Opened) for page in answer.contents.values())
    metadata["content_fetch_stats"] = {
        "attempted": len(answer.contents),
        "successful": good,
        "failed": len(answer.contents) - good,
        "total_time_ms": round(answer.reading_ms),
    }
    return metadata


def _result(hit: Hit, score: float, answer: Searched) -> dict[str, Any]:
    made: dict[str, Any] = {
        "title": hit.title,
        "url": hit.url,
        "description": hit.snippet,
        "score": round(score, 2),
        "engine": hit.engines[0] if hit.engines else answer.found.provider,
    }
    page = answer.contents.get(hit.url)
    if isinstance(page, Opened):
        document = page.snapshot.document
        made["content"] = {
            "markdown": document.markdown,
            "word_count": len(document.markdown.split()),
            "fetch_time_ms": round(sum(page.snapshot.timings.values())) if page.cache == "fetched" else 0,
            "summary": summary_of(document),
        }
    elif page is not None:
        made["content_error"] = {"code": page.code, "message": page.message}
    return made


def failed(error: WebError, given: Mapping[str, Any]) -> Answer:
    attempted = [one["name"] for one in error.details.get("attempted", ())]
    kind, said = "no_instances_available", "No available SearXNG instances"
    details = "All configured SearXNG instances are unavailable or rate limited"
    if isinstance(error, SearchRateLimited):
        kind, said = "rate_limited", "All SearXNG instances are rate limited"
    elif isinstance(error, AgentError):
        kind, said, details = "invalid_parameters", error.message, error.message
    metadata: dict[str, Any] = {
        "query": given.get("query"),
        "error_type": kind,
        "error_details": details if kind == "invalid_parameters" else f"{details}: {error.message} {error.way_on}",
        "attempted_instances": attempted,
    }
    if error.can_retry:
        metadata["retry_after"] = round(error.retry_after or 60)
    return _answer(f"Search failed: {said}", metadata, is_error=True)


def _answer(text: str, metadata: dict[str, Any], *, is_error: bool) -> Answer:
    metadata, _ = shrunk(metadata, _HALF)
    extra = {"is_error": is_error, "metadata": metadata}
    return Answer(extra, text, shape="text", more=(compact(metadata),), extra=extra, is_error=is_error)


_SCHEMA = {
    "type": "object",
    "properties": {
        "query": {"type": "string", "description": "The search query string", "minLength": 1, "maxLength": 500},
        "category": {
            "type": "string",
            "enum": ["general", "images", "videos", "news", "map", "music", "it", "science", "files"],
            "description": "Search category (optional, defaults to general)",
            "default": "general",
        },
        "language": {
            "type": "string",
            "description": "Search language code (optional, defaults to 'en')",
            "pattern": "^[a-z]{2}(-[A-Z]{2})?$",
            "default": "en",
        },
        "results_count": {
            "type": "integer",
            "description": "Number of search results to return (optional, defaults to 10)",
            "minimum": 1,
            "maximum": 50,
            "default": 10,
        },
        "fetch_content": {
            "type": "boolean",
            "description": "Whether to fetch and process content from result URLs (optional, defaults to true)",
            "default": True,
        },
        "safe_search": {
            "type": "integer",
            "enum": [0, 1, 2],
            "description": "Safe search level: 0=off, 1=moderate, 2=strict (optional, defaults to 1)",
            "default": 1,
        },
        "time_range": {
            "type": "string",
            "enum": ["", "day", "week", "month", "year"],
            "description": "Time range filter for results (optional, empty means all time)",
            "default": "",
        },
    },
    "required": ["query"],
}

CONTRACT = Contract(
    "searxng",
    (
        contract_tool(
            "web_search",
            "Search with SearXNG",
            "Perform web searches using SearXNG and fetch result content",
            _SCHEMA,
            search,
            failed=failed,
            purpose="search",
            long_answers=True,
        ),
    ),
)
