"""The `brave` contract: Brave's own MCP server, one JSON text per result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mcp_web.contracts.asking import WHOLE, ask, brave_country, brave_freshness, brave_language, provider_or_auto
from mcp_web.contracts.contract import Contract, ContractTool, Run, contract_tool
from mcp_web.errors import WebError
from mcp_web.model.search import Category, Hit, SearchQuery
from mcp_web.tools.call import Call
from mcp_web.tools.shrink import compact
from mcp_web.tools.tool import Answer

Row = Callable[[Hit], dict[str, Any]]  # writes a hit as that server's result


def _run(category: Category, row: Row, nothing: str) -> Run:
    """The function of a tool that searches one category; `nothing` is its answer if there are no results."""

    async def run(call: Call, args: dict[str, Any]) -> Answer:
        query = SearchQuery(
            args["query"],
            count=min(50, args["count"]),
            page=args.get("offset") or 0,
            category=category,
            language=brave_language(args.get("search_lang"), args.get("ui_lang")),
            ui_language=args.get("ui_lang"),
            snippet_chars=WHOLE,
            country=brave_country(args.get("country")),
            freshness=brave_freshness(args.get("freshness")),
            safe_search=args["safesearch"],
            extra_snippets=bool(args.get("extra_snippets")),
            goggles=tuple(args.get("goggles") or ()),
        )
        found = (await ask(call, query, provider_or_auto(call.app, "brave"))).found
        texts = [compact(_without_none(row(hit))) for hit in found.hits]
        if not texts:
            # That server reports an empty web search as an error, and its clients rely on the flag.
            return Answer({}, nothing, shape="text", is_error=category == "general")
        return Answer({}, texts[0], shape="text", more=tuple(texts[1:]))

    return run


def _without_none(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if value is not None}


def _web_row(hit: Hit) -> dict[str, Any]:
    extra = list(hit.extra_snippets) or None
    return {"url": hit.url, "title": hit.title, "description": hit.snippet, "extra_snippets": extra}


def _news_row(hit: Hit) -> dict[str, Any]:
    return {
        "url": hit.url,
        "title": hit.title,
        "age": hit.published,
        "page_age": hit.published,
        "breaking": False,
        "description": hit.snippet,
        "extra_snippets": list(hit.extra_snippets) or None,
        "thumbnail": hit.thumbnail,
    }


def _video_row(hit: Hit) -> dict[str, Any]:
    return {"url": hit.url, "title": hit.title, "description": hit.snippet, "thumbnail_url": hit.thumbnail}


def _image_row(hit: Hit) -> dict[str, Any]:
    return {"title": hit.title, "page_url": hit.url, "image_url": hit.image or hit.thumbnail}


def failed(error: WebError, given: Mapping[str, Any]) -> Answer:
    return Answer({}, f"{error.message} {error.suggestion}", shape="text", is_error=True)


_QUERY = {"type": "string", "maxLength": 400, "description": "Search query (max 400 chars, 50 words)"}
_COUNTRY = {"type": "string", "default": "US", "description": "Search query country, where the results come from."}
_LANGUAGE = {"type": "string", "default": "en", "description": "Search language preference."}
_UI = {"type": "string", "default": "en-US", "description": "The language of the UI."}
_OFFSET = {"type": "integer", "minimum": 0, "maximum": 9, "default": 0,
           "description": "Pagination offset (max 9, default 0)"}  # fmt: skip
_SPELLING = {"type": "boolean", "default": True, "description": "Whether to spellcheck the provided query."}
_SAFE = {"type": "string", "enum": ["off", "moderate", "strict"], "default": "moderate",
         "description": "Filters search results for adult content."}  # fmt: skip
_FRESH = {"type": "string", "description": "pd, pw, pm, py or YYYY-MM-DDtoYYYY-MM-DD: when they were discovered."}
_GOGGLES = {"type": "array", "items": {"type": "string"}, "description": "Goggles: URLs or definitions."}
_EXTRA = {"type": "boolean", "description": "Up to 5 additional, alternative excerpts."}


def _count(most: int, usual: int) -> dict[str, Any]:
    """The schema of the parameter for the number of results: at most `most`, by default `usual`."""
    return {"type": "integer", "minimum": 1, "maximum": most, "default": usual,
            "description": f"Number of results (1-{most}, default {usual})"}  # fmt: skip


_COMMON = {"query": _QUERY, "country": _COUNTRY, "search_lang": _LANGUAGE}
_PARAMS: dict[str, dict[str, Any]] = {
    "web": _COMMON | {
        "ui_lang": _UI, "count": _count(20, 10), "offset": _OFFSET, "safesearch": _SAFE, "freshness": _FRESH,
        "text_decorations": {"type": "boolean", "default": True, "description": "Decoration markers in snippets; "
                             "results come without them here."},
        "spellcheck": _SPELLING,
        "result_filter": {"type": "array", "items": {"type": "string"}, "default": ["web", "query"],
                          "description": "Result filter (default ['web', 'query'])"},
        "goggles": _GOGGLES,
        "units": {"type": "string", "enum": ["metric", "imperial"], "description": "The measurement units."},
        "extra_snippets": _EXTRA,
        "summary": {"type": "boolean", "description": "Summary key generation; not offered here."},
    },
    "news": _COMMON | {
        "ui_lang": _UI, "count": _count(50, 20), "offset": _OFFSET, "spellcheck": _SPELLING, "safesearch": _SAFE,
        "freshness": _FRESH | {"default": "pd"}, "extra_snippets": _EXTRA | {"default": False}, "goggles": _GOGGLES,
    },
    "videos": _COMMON | {
        "ui_lang": _UI, "count": _count(50, 20), "offset": _OFFSET, "spellcheck": _SPELLING, "safesearch": _SAFE,
        "freshness": _FRESH,
    },
    "images": _COMMON | {
        "count": _count(200, 50), "safesearch": _SAFE | {"enum": ["off", "strict"], "default": "strict"},
        "spellcheck": _SPELLING,
    },
}  # fmt: skip


def _tool(name: str, title: str, words: str, params: str, run: Run) -> ContractTool:
    schema = {"type": "object", "properties": _PARAMS[params], "required": ["query"]}
    return contract_tool(name, title, words, schema, run, failed=failed, purpose="search")


CONTRACT = Contract(
    "brave",
    (
        _tool("brave_web_search", "Brave Web Search", "Performs web searches and returns a JSON list of web results "
              "with title, description, and URL.", "web", _run("general", _web_row, "No web results found")),
        _tool("brave_news_search", "Brave News Search", "Searches for news articles and returns a JSON list of "
              "results with title, url, and description.", "news", _run("news", _news_row, "No news results found")),
        _tool("brave_video_search", "Brave Video Search", "Searches for videos and returns a JSON list of results "
              "with title, url, description and thumbnail_url.", "videos",
              _run("videos", _video_row, "No video results found")),
        _tool("brave_image_search", "Brave Image Search", "Performs an image search and returns title, page_url and "
              "image_url of each; the pictures themselves are not downloaded.", "images",
              _run("images", _image_row, "No image results found")),
    ),
)  # fmt: skip
