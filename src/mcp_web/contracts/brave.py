"""The `brave` contract: Brave's own MCP server, one JSON text per result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mcp_web.contracts.asking import ask, brave_query, provider_or_auto
from mcp_web.contracts.contract import Run, contract, failure_text
from mcp_web.model.search import Category, Hit
from mcp_web.tools.call import Call
from mcp_web.tools.shrink import compact
from mcp_web.tools.tool import Answer

Row = Callable[[Hit], dict[str, Any]]  # writes a hit as that server's result


def _run(category: Category, row: Row, nothing: str) -> Run:
    """The function of a tool that searches one category; `nothing` is its answer if there are no results."""

    async def run(call: Call, args: dict[str, Any]) -> Answer:
        goggles = tuple(args.get("goggles") or ())
        query = brave_query(args, count=min(50, args["count"]), category=category, goggles=goggles)
        found = (await ask(call, query, provider_or_auto(call.app, "brave"))).found
        rows = [{name: value for name, value in row(hit).items() if value is not None} for hit in found.hits]
        texts = [compact(one) for one in rows]
        if not texts:
            # That server reports an empty web search as an error, and its clients rely on the flag.
            return Answer({}, nothing, shape="text", is_error=category == "general")
        return Answer({}, texts[0], shape="text", more=tuple(texts[1:]))

    return run


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


CONTRACT = contract(
    "brave",
    {
        "brave_web_search": (_run("general", _web_row, "No web results found"), failure_text()),
        "brave_news_search": (_run("news", _news_row, "No news results found"), failure_text()),
        "brave_video_search": (_run("videos", _video_row, "No video results found"), failure_text()),
        "brave_image_search": (_run("images", _image_row, "No image results found"), failure_text()),
    },
)
