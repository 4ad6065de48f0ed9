"""A real SearXNG in every bad state, asked through web_search: a good query is never lost because of another one."""

from __future__ import annotations

import json
import signal
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio
import pytest
from anyio import to_thread

from miniweb import MiniWeb, Reply, Request
from miniweb.site import Site
from search.searxng_process import Server, engine, serving, settings
from surface.tool_caller import ToolCaller, tool_caller

pytestmark = pytest.mark.anyio
OFFLINE = {"MCP_WEB_EMBEDDINGS": "none", "MCP_WEB_SEARCH_CACHE_TTL": "0"}


def results(request: Request) -> Reply:
    """Two results; none for `nothing` and for sums."""
    words = request.query.get("q", [""])[0]
    rows = [{"title": f"{words} {at}", "link": f"https://r{at}.example/", "snippet": words} for at in range(2)]
    return Reply(
        json.dumps({"items": [] if "nothing" in words or "*" in words else rows}),
        headers={"Content-Type": "application/json"},
    )


def picky(request: Request) -> Reply:
    """Refuses what it cannot parse, as some engines do."""
    return Reply("Bad Request", 400) if "(" in request.query.get("q", [""])[0] else results(request)


def forbidden(request: Request) -> Reply:
    return Reply("Forbidden", 403)


@dataclass
class Lab:
    good: Server  # two engines answer, a third is denied access
    spare: Server
    html_only: Server
    site: Site


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    web = MiniWeb()
    site = web.site("engines.example")
    site.route("/json", results)
    site.route("/picky", picky)
    site.route("/forbidden", forbidden)
    engines = [
        engine("alpha", site.loopback_url("/json"), "general"),
        engine("picky", site.loopback_url("/picky"), "general"),
        engine("denied", site.loopback_url("/forbidden"), "general"),
    ]
    made = settings(engines, plugins={"searx.plugins.hash_plugin.SXNGPlugin": {"active": True}})
    variants = (made, made, settings(engines, formats=["html"]))
    with serving(tmp_path_factory.mktemp("lab"), *variants) as (good, spare, html_only):
        yield Lab(good, spare, html_only, site)
    web.close()


@asynccontextmanager
async def asking(web: MiniWeb, folder: Path, *urls: str, **env: str) -> AsyncIterator[ToolCaller]:
    async with tool_caller(web, folder, MCP_WEB_SEARXNG_URLS=",".join(urls), **OFFLINE, **env) as made:
        yield made


async def answered(made: ToolCaller, query: str) -> int:
    """How many results a query has; a failed one is an assertion."""
    result = await made.call("web_search", structured=True, query=query)
    assert not result.is_error, result.text
    return len(result.data["queries"][0]["results"])


async def test_a_query_without_hits_is_an_empty_answer_and_the_next_is_sent(
    lab: Lab, miniweb: MiniWeb, tmp_path: Path
) -> None:
    async with asking(miniweb, tmp_path, lab.good.url) as made:
        for number in range(5):
            result = await made.call("web_search", query=f"nothing {number}")
            assert not result.is_error
            assert '"denied" (' in result.text
            assert "there may be some" in result.text
            assert await answered(made, f"tortoise {number}") == 2


async def test_a_query_that_an_engine_rejects_costs_no_other(lab: Lab, miniweb: MiniWeb, tmp_path: Path) -> None:
    async with asking(miniweb, tmp_path, lab.good.url) as made:
        for number in range(5):
            assert await answered(made, f"12*(3+{number})") == 0
            assert await answered(made, f"hare {number}") == 2


async def test_an_instant_answer_is_shown_without_results(lab: Lab, miniweb: MiniWeb, tmp_path: Path) -> None:
    async with asking(miniweb, tmp_path, lab.good.url) as made:
        result = await made.call("web_search", query="sha256 nothing")
        assert "answers: " in result.text
        assert "1785cfc3bc6ac7738e8b38cdccd1af12563c2b9070e07af336a1bf8c0f772b6a" in result.text


async def test_an_instance_without_json_leaves_the_query_to_the_other(
    lab: Lab, miniweb: MiniWeb, tmp_path: Path
) -> None:
    async with asking(miniweb, tmp_path, lab.html_only.url, lab.good.url) as made:
        for number in range(4):
            assert await answered(made, f"badger {number}") == 2
    async with asking(miniweb, tmp_path / "alone", lab.html_only.url) as alone:
        result = await alone.call("web_search", query="badger")
        assert result.is_error
        assert "formats: [html, json]" in result.text


async def test_queries_of_an_own_instance_go_nowhere_else(lab: Lab, miniweb: MiniWeb, tmp_path: Path) -> None:
    tavily = miniweb.site("tavily.example")
    tavily.page("/search", "{}")
    env = {"MCP_WEB_SEARCH_URLS": f"tavily={tavily.loopback_url('')}"}
    async with asking(miniweb, tmp_path, lab.good.url, **env) as made:
        assert await answered(made, "nothing") == 0
        refused = await made.call("web_search", query="nothing", provider="tavily")
        assert refused.is_error
        assert "MCP_WEB_SEARCH_PROVIDERS" in refused.text
    assert tavily.log == []


async def test_a_hanging_instance_ends_at_the_configured_time_and_is_named(
    lab: Lab, miniweb: MiniWeb, tmp_path: Path
) -> None:
    with lab.spare.stopped():
        async with asking(miniweb, tmp_path, lab.spare.url, MCP_WEB_SEARCH_TIMEOUT="1") as alone:
            result = await alone.call("web_search", query="otter")
            assert result.is_error
            (attempt,) = result.meta["error"]["details"]["attempted"]
            assert (attempt["name"], attempt["outcome"]) == (lab.spare.url, "timeout")
            assert attempt["ms"] < 5_000  # not the call's own deadline of 50 s
        async with asking(miniweb, tmp_path / "two", lab.spare.url, lab.good.url) as made:
            for number in range(4):
                assert await answered(made, f"otter {number}") == 2


async def test_an_instance_killed_in_the_middle_of_a_search_costs_no_query(
    lab: Lab, miniweb: MiniWeb, tmp_path: Path
) -> None:
    arrived, pause = threading.Event(), threading.Event()  # the mini web has an event loop of its own

    async def held(request: Request) -> Reply:
        arrived.set()
        await to_thread.run_sync(pause.wait, 60)
        return results(request)

    site = miniweb.site("engines.example")
    site.route("/json", held)
    doomed_settings = settings([engine("alpha", site.loopback_url("/json"), "general", timeout=20.0)])
    (tmp_path / "doomed").mkdir()
    with serving(tmp_path / "doomed", doomed_settings) as (doomed,):
        async with asking(miniweb, tmp_path / "data", doomed.url, lab.good.url) as made:
            async with anyio.create_task_group() as tasks:
                counts: list[int] = []

                async def one() -> None:
                    counts.append(await answered(made, "heron"))

                tasks.start_soon(one)
                assert await to_thread.run_sync(arrived.wait, 30)
                doomed.process.send_signal(signal.SIGKILL)
                pause.set()
            assert counts == [2]
            assert await answered(made, "heron again") == 2
