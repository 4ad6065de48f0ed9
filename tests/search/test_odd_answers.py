"""A provider that changes its mind about a field must cost that field, not the search."""

from __future__ import annotations

import copy
import json
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from mcp_web.model.search import SearchQuery
from mcp_web.search.provider import ProviderRefused
from mcp_web.search.providers.api import Access, Provider
from mcp_web.search.providers.brave import Brave
from mcp_web.search.providers.ddgs import Ddgs
from mcp_web.search.providers.exa import Exa
from mcp_web.search.providers.google import Google
from mcp_web.search.providers.searxng import Searxng
from mcp_web.search.providers.serper import Serper
from mcp_web.search.providers.tavily import Tavily
from search.lookalike import RECORDINGS, SHARED, api_response
from search.unseen import ANSWERS

PROVIDERS: dict[str, Provider] = {
    "brave": Brave(Access("https://h/res/v1", key="k")),
    "google": Google(Access("https://h/x", key="k", engine="c")),
    "searxng": Searxng("http://127.0.0.1:8888"),
    "tavily": Tavily(Access("https://h", key="k")),
    "exa": Exa(Access("https://h", key="k")),
    "serper": Serper(Access("https://h", key="k")),
    "ddgs": Ddgs("duckduckgo"),
}
ODD: list[Any] = [None, 7, -1, 1e400, 10**400, "text", "\ud800", "9" * 30, [], {}, [None], [[]], {"a": 1}, True]


def recordings() -> list[tuple[str, Any]]:
    paths = sorted(RECORDINGS.glob("*.json")) + sorted((SHARED / "examples").glob("*.json"))
    known = [path for path in paths if path.stem.partition("_")[0] in PROVIDERS]
    unseen = [(f"{provider}_{category}_{at}", body) for at, (provider, category, body, _) in enumerate(ANSWERS)]
    return [*((path.stem, json.loads(path.read_bytes())) for path in known), *unseen]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield (*path, key)
        yield from places(child, (*path, key))


def with_odd(value: Any, path: tuple[Any, ...], odd: Any) -> Any:
    changed = copy.deepcopy(value)
    parent = changed
    for key in path[:-1]:
        parent = parent[key]
    parent[path[-1]] = odd
    return changed


@pytest.mark.parametrize(("name", "value"), recordings(), ids=lambda part: part if isinstance(part, str) else "")
def test_any_field_may_be_anything(name: str, value: Any) -> None:
    provider = PROVIDERS[name.partition("_")[0]]
    parts = name.split("_")
    status = next((int(part) for part in parts if part.isdigit() and len(part) == 3), 200)
    category: Any = next((part for part in parts if part in ("news", "images", "videos", "science")), "general")
    query = SearchQuery("q", category=category, extra_snippets=True)
    for path in places(value):
        for odd in ODD:
            body = json.dumps(with_odd(value, path, odd)).encode()
            try:
                page = provider.parse(api_response(status, body, {"content-type": "application/json"}), query)
            except ProviderRefused:
                continue
            assert all(hit.url.startswith("http") and isinstance(hit.title, str) for hit in page.hits)


def test_a_large_answer_is_in_memory_once() -> None:
    body = '{"results": [], "x": [' + "{}," * 100_000 + "{}]}"

    def peak(work: Callable[[], Any]) -> int:
        tracemalloc.start()
        try:
            work()
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    response = api_response(200, body.encode())
    once = peak(lambda: json.loads(body))
    assert peak(lambda: PROVIDERS["searxng"].parse(response, SearchQuery("x"))) < 1.5 * once
