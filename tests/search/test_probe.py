"""What `doctor` learns about each provider, and the fix it names."""

from __future__ import annotations

import json

import pytest

from mcp_web.search.options import SOURCE_NAMES
from mcp_web.search.probe import ProviderState
from miniweb import MiniWeb
from search.lookalike import reply, searcher, searxng_page

pytestmark = pytest.mark.anyio


async def states(**options: object) -> dict[str, ProviderState]:
    return {state.name: state for state in await searcher(**options).probe()}  # type: ignore[arg-type]


async def test_nothing_configured_names_every_variable() -> None:
    found = await states()
    assert set(found) == {"brave", "google", "searxng", "ddgs", "tavily", "exa", "serper", *SOURCE_NAMES}
    assert not any(state.configured for state in found.values())
    assert "BRAVE_API_KEY" in (found["brave"].fix or "")
    assert "SERPER_API_KEY" in (found["serper"].fix or "")


async def test_a_brave_key_is_tested_without_spending_a_search(miniweb: MiniWeb) -> None:
    brave = miniweb.site("brave.example")
    missing = {"error": {"code": "VALIDATION", "meta": {"errors": [{"loc": ["query", "q"]}]}}}
    brave.route(
        "/res/v1/web/search",
        lambda _: reply(missing, 422, X_RateLimit_Limit="1, 2000", X_RateLimit_Remaining="1, 1604"),
    )
    good = (await states(keys={"brave": "k"}, urls={"brave": brave.loopback_url("")}))["brave"]
    assert (good.configured, good.reachable, good.authorised, good.quota_left) == (True, True, True, "1604 this month")
    assert "q" not in brave.log[0].query
    brave.route("/res/v1/web/search", lambda _: reply({"error": {"code": "SUBSCRIPTION_TOKEN_INVALID"}}, 422))
    bad = (await states(keys={"brave": "k"}, urls={"brave": brave.loopback_url("")}))["brave"]
    assert (bad.reachable, bad.authorised) == (True, False)
    assert "BRAVE_API_KEY" in (bad.fix or "")


async def test_searxng_without_json_gets_the_yaml_line(miniweb: MiniWeb) -> None:
    mute, good = miniweb.site("mute.example"), miniweb.site("good.example")
    mute.page("/search", "Forbidden", status=403)
    good.page("/search", json.dumps(searxng_page("https://a.example/")), headers={"Content-Type": "application/json"})
    urls = (mute.loopback_url(""), good.loopback_url(""), "http://127.0.0.1:1")
    found = await states(searxng_urls=urls)
    assert found[urls[0]].authorised is False
    assert "search:\n  formats: [html, json]" in (found[urls[0]].fix or "")
    assert (found[urls[1]].reachable, found[urls[1]].authorised) == (True, True)
    assert found[urls[2]].reachable is False


async def test_google_says_when_it_ends(miniweb: MiniWeb) -> None:
    google = miniweb.site("google.example")
    google.route("/customsearch/v1", lambda _: reply({"items": []}))
    state = (await states(keys={"google": "k", "google_engine": "c"}, urls={"google": google.loopback_url("")}))[
        "google"
    ]
    assert "2027-01-01" in state.detail
