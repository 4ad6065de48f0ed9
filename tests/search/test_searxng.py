"""Against the real SearXNG: results, paging, categories, time range, refusals, bangs, and a pool of three."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from dataclasses import dataclass

import anyio
import pytest

from limit.redis_process import running_redis
from mcp_web.errors import SearchAuthError, SearchRateLimited
from mcp_web.model.search import SearchQuery
from mcp_web.search.searcher import Searcher
from miniweb import MiniWeb, Reply, Request
from miniweb.site import Site
from search.lookalike import searcher, soon
from search.searxng_process import engine, running, settings

pytestmark = pytest.mark.anyio
DEAD = "http://127.0.0.1:1"


@dataclass
class Servers:
    good: str  # answers JSON
    mute: str  # has JSON switched off, as SearXNG does by default
    limited: str  # has its limiter on
    site: Site  # behind their engines
    ledger: int  # the port of the Redis in which the limiter counts

    def forgotten(self) -> str:
        """The limited one, after it forgot who asked before: no test depends on another's requests."""
        with socket.create_connection(("127.0.0.1", self.ledger), timeout=30) as redis:
            redis.sendall(b"FLUSHALL\r\n")
            assert redis.recv(16) == b"+OK\r\n"
        return self.limited


def items(request: Request) -> Reply:
    """Ten results of a page, of which the first quotes what the engine was asked."""
    asked, page = request.query.get("q", [""])[0], int(request.query.get("p", ["1"])[0])
    rows = [
        {
            "title": f"{asked} {page}-{at}",
            "link": f"https://r{page}x{at}.example/",
            "snippet": f"About {asked} <b>{at}</b>",
        }
        for at in range(10)
    ]
    return Reply(json.dumps({"items": rows}), headers={"Content-Type": "application/json"})


async def slow(request: Request) -> Reply:
    await anyio.sleep(1.0)
    return items(request)


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    web = MiniWeb()
    site = web.site("engines.example")
    site.route("/json", items)
    site.route("/news", items)
    site.route("/slow", slow)
    engines = [
        engine("alpha", site.loopback_url("/json"), "general"),
        engine("news", site.loopback_url("/news"), "news", time_range_support=True),
        engine("tardy", site.loopback_url("/slow"), "it", timeout=5.0),
        engine("gone", DEAD + "/json", "science"),
    ]
    with running_redis() as redis:
        variants = (
            settings(engines),
            settings(engines, formats=["html"]),
            settings(engines, limiter=True, valkey=f"redis://127.0.0.1:{redis}/0"),
        )
        with running(tmp_path_factory.mktemp("searxng"), *variants) as (good, mute, limited):
            yield Servers(good, mute, limited, site, redis)
    web.close()


async def test_results_and_pages(servers: Servers) -> None:
    made = searcher(searxng_urls=(servers.good,))
    found = await made.search(SearchQuery("tortoise"), deadline=soon())
    assert [hit.url for hit in found.hits] == [f"https://r1x{at}.example/" for at in range(10)]
    assert found.hits[0].engines == ("alpha",)
    assert found.hits[0].snippet == "About tortoise 0"
    assert found.attempted[0].name == servers.good
    second = await made.search(SearchQuery("tortoise", page=1), deadline=soon())
    assert second.hits[0].url == "https://r2x0.example/"
    many = await made.search(SearchQuery("tortoise", count=25), deadline=soon())
    assert len(many.hits) == 25
    assert len({hit.url for hit in many.hits}) == 25


async def test_categories_and_time_range(servers: Servers) -> None:
    made = searcher(searxng_urls=(servers.good,))
    found = await made.search(SearchQuery("tortoise", category="news", freshness="week"), deadline=soon())
    assert found.hits[0].engines == ("news",)
    assert "Freshness: kept 10 undated results." in found.notes
    assert "hours" in servers.site.asked("/news")[-1].query
    # An engine that knows no time range is dropped silently: that is an empty answer, not a failure.
    empty = await made.search(SearchQuery("tortoise", freshness="week"), deadline=soon())
    assert empty.hits == ()
    assert "freshness" in (empty.suggestion or "")


async def test_json_switched_off_is_a_setting_to_fix(servers: Servers) -> None:
    with pytest.raises(SearchAuthError) as wrong:
        await searcher(searxng_urls=(servers.mute,)).search(SearchQuery("tortoise"), deadline=soon())
    assert "formats: [html, json]" in wrong.value.suggestion
    (state,) = [one for one in await searcher(searxng_urls=(servers.mute,)).probe() if one.provider == "searxng"]
    assert (state.reachable, state.authorised) == (True, False)


async def test_an_empty_answer_of_dead_engines_names_them_and_costs_no_later_query(servers: Servers) -> None:
    made = searcher(searxng_urls=(servers.good,))
    for number in range(4):
        found = await made.search(SearchQuery(f"tortoise {number}", category="science"), deadline=soon())
        assert found.hits == ()
        assert "gone" in found.notes[0]
        assert "did not answer" in (found.suggestion or "")
    assert (await made.search(SearchQuery("tortoise"), deadline=soon())).hits


BANGS = ["!!g tortoise", "!news tortoise", ":de tortoise", "<1 tortoise", "!! tortoise", "?tortoise"]


@pytest.mark.parametrize("text", BANGS)
async def test_a_bang_is_only_text(servers: Servers, text: str) -> None:
    found = await searcher(searxng_urls=(servers.good,)).search(SearchQuery(text), deadline=soon())
    assert found.hits
    assert found.hits[0].engines == ("alpha",)
    word = text.split()[0].strip("!")
    assert word in servers.site.asked("/json")[-1].query["q"][0]


async def until_limited(made: Searcher) -> int:
    """Search until the instance refuses; how many answers came before."""
    for number in range(6):
        try:
            assert (await made.search(SearchQuery(f"tortoise {number}"), deadline=soon())).hits
        except SearchRateLimited:
            return number
    raise AssertionError("the limiter never limited")


async def test_the_limiter_lets_us_in_and_then_is_believed(servers: Servers) -> None:
    made = searcher(searxng_urls=(servers.forgotten(),))
    assert await until_limited(made) == 4  # what it allows an address in an hour: our headers pass
    with pytest.raises(SearchRateLimited, match="paused") as limited:
        await made.search(SearchQuery("once more"), deadline=soon())
    assert limited.value.retry_after


async def test_three_instances_one_dead_one_limited_one_slow(servers: Servers) -> None:
    await until_limited(searcher(searxng_urls=(servers.forgotten(),)))
    made = searcher(searxng_urls=(DEAD, servers.limited, servers.good), hedge_after=60.0)  # one after the other
    found = await made.search(SearchQuery("tortoise", category="it"), deadline=soon(60))
    assert len(found.hits) == 10
    assert {one.name: one.outcome for one in found.attempted} == {
        DEAD: "unreachable",
        servers.limited: "rate_limited",
        servers.good: "ok",
    }


async def test_the_health_check_asks_the_real_thing(servers: Servers) -> None:
    states = await searcher(searxng_urls=(servers.good, DEAD)).probe()
    found = {one.name: one for one in states}
    assert (found[servers.good].reachable, found[servers.good].authorised) == (True, True)
    assert found[DEAD].reachable is False
