"""The `searxng` contract: one `web_search` that also reads the results, with `metadata` and `is_error` in its answer.

Clients written for that system read `metadata` beside `content`. MCP clients of today drop fields they do not know
and show a model only `content`, so the same object is also there, as a second text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp_web.contracts.asking import WHOLE, ask, searxng_or_auto
from mcp_web.contracts.contract import contract
from mcp_web.contracts.options import WebSearchOptions
from mcp_web.errors import AgentError, SearchAuthError, SearchRateLimited, WebError
from mcp_web.model.search import Hit, SafeSearch, SearchQuery
from mcp_web.read.window import cut
from mcp_web.services.open_page import Opened
from mcp_web.services.search_web import Searched
from mcp_web.text.markdown import fenced_lines
from mcp_web.text.shorten import shortened_at_word
from mcp_web.text.summary import summary_of
from mcp_web.tools import budget
from mcp_web.tools.call import Call
from mcp_web.tools.shrink import compact, largest_fitting, shrunk
from mcp_web.tools.tool import Answer

_SAFE: dict[int, SafeSearch] = {0: "off", 1: "moderate", 2: "strict"}
_HALF = (budget.AIM - 500) // 2  # tokens: the object is in the answer twice
_RETRY_AFTER = 300  # seconds, if the failure names no time: a missing setting is not corrected at once
_STEP = 20  # characters: closer to the limit is not worth another try
_SHORT = 160  # characters of a description or summary that are always left


async def search(call: Call, args: dict[str, Any]) -> Answer:
    options = call.app.settings.of(WebSearchOptions)
    query = SearchQuery(
        args["query"],
        count=min(args["results_count"] or options.default_results_count, options.max_results_count),
        category=args["category"],
        language=args["language"],
        freshness=args["time_range"] or None,
        safe_search=_SAFE[args["safe_search"]],
        snippet_chars=WHOLE,
    )
    answer = await ask(call, query, searxng_or_auto(call.app), fetch_content=args["fetch_content"])
    hits = answer.found.hits
    metadata = _metadata(args, answer, options)
    return _answer(f"Found {len(hits)} search results for query '{args['query']}'", metadata, is_error=False)


def _metadata(args: dict[str, Any], answer: Searched, options: WebSearchOptions) -> dict[str, Any]:
    """The field `metadata` of the contract's answer: the results and the facts about the search."""
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
        "results": [_result(hit, hit.score / best, answer, options) for hit in found.hits],
        "total_results": max(found.total or 0, len(found.hits)),
        "engines_used": list(dict.fromkeys(engine for hit in found.hits for engine in hit.engines)),
    }
    if not args["fetch_content"]:
        return metadata | {"fetch_content": False}
    good = sum("content" in row for row in metadata["results"])  # without pages behind a wall
    counts = {"successful": good, "failed": len(metadata["results"]) - good}
    return metadata | {"content_fetch_stats": answer.reading_stats() | counts}


def _result(hit: Hit, score: float, answer: Searched, options: WebSearchOptions) -> dict[str, Any]:
    """A hit in the contract's format, with its page or why that was not read; `score` is relative to the best hit."""
    made: dict[str, Any] = {
        "title": hit.title,
        "url": hit.url,
        "description": hit.snippet,
        "score": round(score, 2),
        "engine": hit.engines[0] if hit.engines else answer.found.provider,
    }
    page = answer.contents.get(hit.url)
    if isinstance(page, Opened):
        wall = page.snapshot.document.wall
        if wall in ("paywall", "login"):
            message = f"The page is behind a {wall}, so its content was left out."
            made["content_error"] = {"code": "CONTENT_PROTECTED", "message": message}
        else:
            made["content"] = _content(page, options)
    elif page is not None:
        made["content_error"] = {"code": page.code, "message": page.message}
    return made


def _content(page: Opened, options: WebSearchOptions) -> dict[str, Any]:
    """The field `content` of a result: the Markdown of its page, the number of words, the fetch time, a summary."""
    document = page.snapshot.document
    text = document.markdown
    if not options.extract_code_blocks:
        text = "".join(line for line, is_code in fenced_lines(text) if not is_code)
    made: dict[str, Any] = {
        "markdown": text,
        "word_count": len(document.markdown.split()),
        "fetch_time_ms": round(sum(page.snapshot.timings.values())) if page.cache == "fetched" else 0,
    }
    if options.summarize_long_content:
        made["summary"] = shortened_at_word(summary_of(document), options.max_summary_length)
    return made


def failed(error: WebError, given: Mapping[str, Any]) -> Answer:
    """The answer for an error in the contract's format, with `error_type` and, if a later try may succeed, a wait."""
    attempted = [one["name"] for one in error.details.get("attempted", ()) if "://" in one["name"]]
    kind, sentence = "no_instances_available", "No available SearXNG instances"
    details = "All configured SearXNG instances are unavailable or rate limited"
    if isinstance(error, SearchRateLimited):
        kind, sentence = "rate_limited", "All SearXNG instances are rate limited"
    elif isinstance(error, SearchAuthError):
        details = "No configured SearXNG instance can be used as it is set up"
    elif isinstance(error, AgentError):
        kind, sentence, details = "invalid_parameters", error.message, error.message
    metadata: dict[str, Any] = {
        "query": given.get("query"),
        "error_type": kind,
        "error_details": details if kind == "invalid_parameters" else f"{details}: {error.message} {error.suggestion}",
        "attempted_instances": attempted,
    }
    if kind != "invalid_parameters":
        metadata["retry_after"] = round(error.retry_after or _RETRY_AFTER)
    return _answer(f"Search failed: {sentence}", metadata, is_error=True)


def _answer(text: str, metadata: dict[str, Any], *, is_error: bool) -> Answer:
    """The answer with `text`, and with the metadata as a second text and as a field of the result. It has all results
    and as much of each page as fits; if nothing of the pages fits, it is shrunk further."""
    rows = metadata.get("results", ())
    longest = max((len(row["content"]["markdown"]) for row in rows if "content" in row), default=0)

    def shortened(chars: int) -> dict[str, Any]:
        return metadata | {"results": [_shortened(row, chars) for row in rows]} if rows else metadata

    fitting = shrunk(largest_fitting(shortened, [*range(0, longest, _STEP), longest], _HALF), _HALF)
    extra = {"is_error": is_error, "metadata": fitting}
    return Answer(extra, text, shape="text", more=(compact(fitting),), extra=extra, is_error=is_error)


def _shortened(row: dict[str, Any], chars: int) -> dict[str, Any]:
    """A result with at most `chars` characters of its page, cut between blocks if possible; then its description and
    summary are shortened too."""
    if len(row.get("content", {}).get("markdown", "")) <= chars:
        return row
    text = cut(row["content"]["markdown"], 0, chars).text if chars else ""
    described = shortened_at_word(row["description"], max(_SHORT, chars))
    content = row["content"] | {"markdown": text, "truncated": True}
    if "summary" in content:
        content["summary"] = shortened_at_word(content["summary"], max(_SHORT, chars))
    return row | {"description": described, "content": content}


CONTRACT = contract("searxng", {"web_search": (search, failed)})
