"""Search against look-alikes of the providers, over real HTTP on loopback."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio

from mcp_web.limit.limiter import Limiter, MemoryLimiter
from mcp_web.net.client import ApiClient
from mcp_web.net.dial import OperatorDialer
from mcp_web.search.cache import MemoryNoteStore, NoteStore
from mcp_web.search.options import SearchOptions
from mcp_web.search.provider import StaticResponse
from mcp_web.search.searcher import Searcher
from miniweb import Reply

RECORDINGS = Path(__file__).parent / "recordings"
SHARED = Path(__file__).resolve().parents[3] / "shared" / "providers"

# Nothing but what a test names: no keyless search, no public list, no official sources.
NO_LIST = {"searx_space": "off"}
NOTHING = SearchOptions(exclude=("ddgs", "tavily", "sources"), urls=NO_LIST, cache_ttl=0)


def options_of(**options: Any) -> SearchOptions:
    """Nothing but these options; a provider with a key is not excluded."""
    urls = NO_LIST | options.pop("urls", {})
    exclude = options.pop("exclude", tuple(name for name in NOTHING.exclude if name not in options.get("keys", {})))
    return replace(NOTHING, urls=urls, exclude=exclude, **options)


def searcher(limiter: Limiter | None = None, notes: NoteStore | None = None, **options: Any) -> Searcher:
    client = ApiClient(OperatorDialer())
    return Searcher(options_of(**options), client, limiter or MemoryLimiter(), notes or MemoryNoteStore())


def soon(seconds: float = 20.0) -> float:
    return anyio.current_time() + seconds


def recorded(name: str) -> bytes:
    return (RECORDINGS / name).read_bytes()


def answered(name: str, status: int = 200, headers: dict[str, str] | None = None) -> StaticResponse:
    return StaticResponse(status, recorded(name), {"content-type": "application/json"} | (headers or {}))


def reply(value: Any, status: int = 200, **headers: str) -> Reply:
    body = value if isinstance(value, (bytes, str)) else json.dumps(value)
    named = {name.replace("_", "-"): text for name, text in headers.items()}
    return Reply(body, status, {"Content-Type": "application/json"} | named)


def brave_page(*urls: str, more: bool = False) -> dict[str, Any]:
    rows = [{"title": f"Page {url}", "url": url, "description": f"About {url}."} for url in urls]
    return {"type": "search", "query": {"original": "q", "more_results_available": more}, "web": {"results": rows}}


def searxng_page(*urls: str, engine: str = "mojeek") -> dict[str, Any]:
    rows = [
        {"title": f"Page {url}", "url": url, "content": f"About {url}.", "engines": [engine], "score": 100 - at}
        for at, url in enumerate(urls)
    ]
    return {
        "query": "q",
        "results": rows,
        "answers": [],
        "infoboxes": [],
        "suggestions": [],
        "unresponsive_engines": [],
    }
