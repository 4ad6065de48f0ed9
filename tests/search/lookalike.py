"""Search against look-alikes of the providers, over real HTTP on loopback."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio

from mcp_web.limit.limiter import Limiter, MemoryLimiter
from mcp_web.net.client import ApiClient
from mcp_web.net.connection import HttpResponse
from mcp_web.net.dial import OperatorDialer
from mcp_web.search.options import SearchOptions
from mcp_web.search.searcher import Searcher
from mcp_web.store.protocol import Record
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


class MemoryNotes:
    """The notes and records of a store, in memory."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], tuple[float, Any]] = {}

    async def note(self, kind: str, key: str) -> Any | None:
        expires_at, value = self._kept.get((kind, key), (0.0, None))
        if expires_at <= time.time():
            self._kept.pop((kind, key), None)
            return None
        return value

    async def keep_note(self, kind: str, key: str, value: Any, expires_at: float) -> None:
        self._kept[kind, key] = (expires_at, value)

    async def records(self, kind: str, *, limit: int = 1000, newest_first: bool = False) -> list[Record]:
        found = [Record(key, value) for (of, key), (expires, value) in self._kept.items() if of == kind]
        return (found[::-1] if newest_first else found)[:limit]

    async def add_records(self, kind: str, items: Mapping[str, Any], expires_at: float | None = None) -> list[str]:
        for key, value in items.items():
            await self.keep_note(kind, key, value, math.inf if expires_at is None else expires_at)
        return list(items)


def searcher(limiter: Limiter | None = None, notes: MemoryNotes | None = None, **options: Any) -> Searcher:
    client = ApiClient(OperatorDialer())
    return Searcher(options_of(**options), client, limiter or MemoryLimiter(), notes or MemoryNotes())


def soon(seconds: float = 20.0) -> float:
    return anyio.current_time() + seconds


def recorded(name: str) -> bytes:
    return (RECORDINGS / name).read_bytes()


def api_response(status: int, body: bytes, headers: Mapping[str, str] | None = None) -> HttpResponse:
    return HttpResponse(status, tuple((headers or {}).items()), body)


def answered(name: str, status: int = 200, headers: dict[str, str] | None = None) -> HttpResponse:
    return api_response(status, recorded(name), {"content-type": "application/json"} | (headers or {}))


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
