"""Answers of the real programs and the examples of the research folder parse completely."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mcp_web.model.search import SearchQuery
from mcp_web.net.connection import HttpResponse
from mcp_web.search.provider import ProviderRefused
from mcp_web.search.providers.api import Access
from mcp_web.search.providers.brave import Brave
from mcp_web.search.providers.google import Google
from mcp_web.search.providers.searxng import Searxng
from mcp_web.search.providers.tavily import Tavily
from mcp_web.search.searxng.discovery import read_directory
from search.lookalike import SHARED, api_response

pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="the research folder ../shared/providers is not here")

PROVIDERS = {
    "brave": Brave(Access("https://h/res/v1", key="k")),
    "google": Google(Access("https://h/x", key="k", engine="c")),
    "tavily": Tavily(Access("https://h", key="k")),
}
Q = SearchQuery("q")


def example(name: str) -> Any:
    return json.loads((SHARED / "examples" / name).read_bytes())


@pytest.mark.parametrize(
    ("name", "status", "outcome", "wait"),
    [
        ("brave_422_missing_header", 422, "auth", None),
        ("brave_422_token", 422, "auth", None),
        ("brave_422_validation", 422, "rejected", None),
        ("brave_429_quota", 429, "quota", 1419704.0),
        ("brave_429_rate_free_plan", 429, "rate_limited", 1.0),
        ("brave_429_rate_search_plan", 429, "rate_limited", 1.0),
        ("google_400_key", 400, "auth", None),
        ("google_403_closed", 403, "auth", None),
        ("google_429_minute", 429, "rate_limited", 60.0),
        ("tavily_error", 401, "auth", None),
        ("tavily_keyless_limit", 429, "quota", 3600.0),
    ],
)
def test_recorded_refusals(name: str, status: int, outcome: str, wait: float | None) -> None:
    provider = PROVIDERS[name.partition("_")[0]]
    response = api_response(status, json.dumps(example(name + ".json")).encode(), {"x-ratelimit-reset": "1, 1419704"})
    with pytest.raises(ProviderRefused) as refused:
        provider.parse(response, Q)
    assert (refused.value.outcome, refused.value.retry_after) == (outcome, wait)


@pytest.mark.parametrize(("page", "outcome"), [(0, "auth"), (9, "rejected")])
def test_an_invalid_argument_is_the_engine_on_the_first_page_and_the_page_beyond(page: int, outcome: str) -> None:
    response = api_response(400, json.dumps(example("google_400_start.json")).encode())
    with pytest.raises(ProviderRefused) as refused:
        PROVIDERS["google"].parse(response, SearchQuery("q", page=page))
    assert refused.value.outcome == outcome
    assert refused.value.fix


def test_googles_day_limit_ends_at_midnight_pacific() -> None:
    with pytest.raises(ProviderRefused) as refused:
        PROVIDERS["google"].parse(api_response(429, json.dumps(example("google_429_day.json")).encode()), Q)
    assert refused.value.outcome == "quota"
    assert 0 < (refused.value.retry_after or 0) <= 25 * 3600


@pytest.mark.parametrize(
    ("name", "urls"),
    [
        (
            "brave_web_200",
            [
                "https://docs.example.org/library/asyncio-sync.html?utm_source=brave",
                "https://qa.example.net/q/48483348",
            ],
        ),
        ("brave_web_200_empty", []),
        ("google_200", ["https://docs.example.org/library/asyncio.html", "https://ex.org/c.pdf"]),
        ("google_200_noresults", []),
        ("tavily_200", ["https://ex.org"]),
    ],
)
def test_recorded_answers(name: str, urls: list[str]) -> None:
    page = PROVIDERS[name.partition("_")[0]].parse(api_response(200, json.dumps(example(name + ".json")).encode()), Q)
    assert [hit.url for hit in page.hits] == urls
    assert all(hit.title and hit.domain and "<" not in hit.title for hit in page.hits)
    if name in ("brave_web_200", "google_200", "tavily_200"):
        assert (page.hits[0].published or "").startswith("2026-10-02")


def folders() -> list[Path]:
    found = [SHARED / "recorded-searxng", SHARED / "recorded-searx-1.1.0"]
    return sorted(body for folder in found if folder.is_dir() for body in folder.glob("*.body"))


def response_of(body: Path) -> HttpResponse:
    lines = body.with_suffix(".headers").read_text().splitlines()
    pairs = (line.split(": ", 1) for line in lines[1:] if ": " in line)
    return api_response(int(lines[0].split()[1]), body.read_bytes(), {name.lower(): value for name, value in pairs})


@pytest.mark.parametrize("body", folders(), ids=lambda body: f"{body.parent.name}/{body.stem}")
def test_recorded_searxng(body: Path) -> None:
    """Every JSON search parses to all its results with an address; everything else is refused for its reason."""
    response, provider = response_of(body), Searxng("http://127.0.0.1:8888")
    searched = body.stem.startswith(("search_", "ok_")) and "json" in (response.header("content-type") or "")
    if not searched:
        if body.stem.startswith(("search_", "html_", "err_", "limiter_")):
            with pytest.raises(ProviderRefused):
                provider.parse(response, Q)
        return
    answer = json.loads(response.body)
    with_address = [row for row in answer["results"] if row.get("url")]
    page = provider.parse(response, Q)
    assert page.incomplete is bool(answer["unresponsive_engines"])
    assert {hit.url for hit in page.hits} == {row["url"].strip() for row in with_address}
    assert all(hit.engines for hit in page.hits)


@pytest.mark.parametrize(
    ("name", "status", "outcome"),
    [("err_403_json_disabled", 403, "auth"), ("limiter_api_max", 429, "rate_limited")],
)
def test_searxng_without_json_and_limited(name: str, status: int, outcome: str) -> None:
    body = SHARED / "recorded-searxng" / f"{name}.body"
    with pytest.raises(ProviderRefused) as refused:
        Searxng("http://127.0.0.1:8888").parse(response_of(body), Q)
    assert refused.value.outcome == outcome
    if outcome == "auth":
        assert "formats: [html, json]" in (refused.value.fix or "")


def test_the_recorded_directory_without_its_dead_instance() -> None:
    path = SHARED / "recorded-searx-space" / "instances-2026-checker-loopback-with-dead.json"
    listed = read_directory(json.loads(path.read_bytes()), "http://127.0.0.1:9000/instances.json")
    assert [one.url for one in listed] == ["http://127.0.0.1:8888", "http://127.0.0.1:8890"]
    assert read_directory(json.loads(path.read_bytes()), "https://searx.space/data/instances.json") == []
