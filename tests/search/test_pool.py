"""The SearXNG pool over look-alikes: order, failover, rests, discovery, blacklist."""

from __future__ import annotations

import json
import time
from typing import Any

import anyio
import pytest

from mcp_web.errors import SearchUnavailable
from mcp_web.limit.limiter import MemoryLimiter
from mcp_web.model.search import SearchQuery
from mcp_web.net.client import ApiClient
from mcp_web.net.dial import OperatorDialer
from mcp_web.search.run import Runner
from mcp_web.search.searxng.discovery import read_directory
from mcp_web.search.searxng.pool import InstancePool
from mcp_web.store.best_effort import BestEffortNotes
from miniweb import MiniWeb, Request
from search.lookalike import MemoryNotes, options_of, reply, searcher, searxng_page, soon

pytestmark = pytest.mark.anyio
Q = SearchQuery("tortoise")


def listed(**facts: Any) -> dict[str, Any]:
    """An instance as searx.space describes a good one."""
    return {
        "network_type": "normal",
        "http": {"status_code": 200, "error": None, "grade": "A"},
        "tls": {"grade": "A+"},
        "html": {"grade": "V", "resources": {}},
        "timing": {"search": {"success_percentage": 100.0, "all": {"median": 0.5}}},
        "uptime": {"uptimeDay": 100.0},
        "analytics": False,
        "error": None,
    } | facts


def pool(**options: Any) -> InstancePool:

    chosen = options_of(**options)
    client = ApiClient(OperatorDialer())
    runner = Runner(chosen, {"api": client, "guarded": client}, MemoryLimiter())
    return InstancePool(chosen, runner, BestEffortNotes(MemoryNotes()))


def test_the_list_is_sorted_by_grade_and_speed_and_sifted() -> None:
    data = {
        "instances": {
            "https://b.example/": listed(tls={"grade": "B"}),
            "https://slow.example/": listed(timing={"search": {"success_percentage": 100, "all": {"median": 3}}}),
            "https://fast.example/": listed(timing={"search": {"success_percentage": 90, "all": {"value": 0.1}}}),
            "https://a.example/": listed(tls={"grade": "A"}),
            "https://ungraded.example/": listed(tls={}, http={"status_code": 200}),
            "http://hidden.onion/": listed(network_type="tor"),
            "https://down.example/": listed(http={"status_code": 502}),
            "https://f.example/": listed(tls={"grade": "F"}),
            "https://watching.example/": listed(analytics=True),
            "https://scripted.example/": listed(html={"grade": "Cjs👁️"} | {"grade": "E"}),
            "https://flaky.example/": listed(uptime={"uptimeDay": 60.0}),
            "https://failing.example/": listed(timing={"search": {"success_percentage": 10}}),
            "http://plain.example/": listed(),
            "https://10.0.0.7/": listed(),
            "https://localhost/": listed(),
            "https://metadata.internal/": listed(),
            "https://bare.example/": {"http": {"status_code": 200}},
            "https://broken.example/": "nonsense",
        }
    }
    urls = [one.url for one in read_directory(data, "https://searx.space/x.json")]
    assert urls == [
        "https://fast.example",
        "https://slow.example",
        "https://a.example",
        "https://b.example",
        "https://ungraded.example",
        "https://bare.example",
    ]
    for nonsense in (None, [], {}, {"instances": []}, {"instances": {"https://x.example/": None}}):
        assert read_directory(nonsense, "https://searx.space/") == []


async def test_own_instances_take_turns(miniweb: MiniWeb) -> None:
    sites = [miniweb.site(f"{name}.example") for name in ("one", "two", "three")]
    for site in sites:
        site.page(
            "/search", json.dumps(searxng_page("https://a.example/")), headers={"Content-Type": "application/json"}
        )
    made = searcher(searxng_urls=tuple(site.loopback_url("") for site in sites))
    for number in range(6):
        await made.search(SearchQuery(f"tortoise {number}"), deadline=soon())
    assert [len(site.log) for site in sites] == [2, 2, 2]


async def test_a_resting_instance_is_passed_over_and_reported_when_there_is_no_other() -> None:
    made = pool(searxng_urls=("http://one", "http://two"))
    now = anyio.current_time()
    made.runner.health["http://one"].failed(now, "rate_limited", "429", made.options, 300)
    result = await made.search(Q, soon(0.5))
    assert [one.name for one in result.attempts] == ["http://two"]
    made.runner.health["http://two"].failed(now, "rate_limited", "429", made.options, 100)
    result = await made.search(Q, soon())
    assert {(one.name, one.outcome) for one in result.attempts} == {
        ("http://one", "rate_limited"),
        ("http://two", "rate_limited"),
    }


async def test_public_instances_are_found_used_and_banned_when_they_have_no_json(miniweb: MiniWeb) -> None:
    directory, good, mute = (miniweb.site(f"{name}.example") for name in ("directory", "good", "mute"))
    instances = {mute.loopback_url("/"): listed(), good.loopback_url("/"): listed(tls={"grade": "B"})}
    directory.page("/instances.json", json.dumps({"instances": instances}))
    mute.page("/search", "Forbidden", status=403)
    good.page("/search", json.dumps(searxng_page("https://a.example/")), headers={"Content-Type": "application/json"})
    made = searcher(
        request_delay_most=0.1, public_interval=0.1, urls={"searx_space": directory.loopback_url("/instances.json")}
    )
    for _ in range(2):
        found = await made.search(Q, "searxng", deadline=soon())
        assert found.hits[0].url == "https://a.example/"
    assert len(mute.log) == 1  # A+ before B, but never again after its 403
    assert len(directory.log) == 1
    agents = {request.headers["user-agent"] for request in good.log}
    assert all(agent.startswith("Mozilla/5.0") for agent in agents)


async def test_every_instance_of_a_list_goes_through_the_address_guard() -> None:
    data = [["https://a.example", "A+", None, None]]
    for source in (
        "https://searx.space/data/instances.json",
        "http://127.0.0.1:9/x.json",
        "https://list.example:9443/",
    ):
        made = pool(urls={"searx_space": source})
        await made.notes.keep("searx_space", source, data, 1e12)
        (one,) = await made.known()
        assert one.provider.capabilities.guarded


async def test_a_ban_ends() -> None:
    source = "https://searx.space/data/instances.json"
    for until, known in ((time.time() + 1000, 0), (time.time() - 1, 1)):
        made = pool(urls={"searx_space": source})
        await made.notes.keep("searx_space", source, [["https://a.example", "A+", None, None]], 1e12)
        await made.notes.keep("searxng_blacklist", "https://a.example", until, 1e12)
        assert len(await made.known()) == known


async def test_an_instance_that_is_configured_twice_is_asked_once() -> None:
    made = pool(searxng_urls=("http://one.example", "one.example", "http://one.example/search"))
    assert [one.url for one in await made.known()] == ["http://one.example"]


@pytest.mark.parametrize("odd", ["x", [1], 3])
def test_a_list_of_another_shape_lists_nothing(odd: object) -> None:
    source = "https://searx.space/data/instances.json"
    assert read_directory(odd, source) == []
    assert read_directory({"instances": {"https://a.example": listed(http=odd)}}, source) == []
    assert read_directory({"instances": {"https://a.example": listed(timing=odd, uptime=odd, html=odd)}}, source)


async def test_a_directory_that_is_down_is_not_the_end(miniweb: MiniWeb) -> None:
    own = miniweb.site("own.example")
    own.page("/search", json.dumps(searxng_page("https://a.example/")), headers={"Content-Type": "application/json"})
    made = searcher(searxng_urls=(own.loopback_url(""),), urls={"searx_space": "http://127.0.0.1:1/instances.json"})
    assert (await made.search(Q, deadline=soon())).hits


async def test_an_error_of_the_directory_is_not_kept_as_its_list(miniweb: MiniWeb) -> None:
    directory, notes = miniweb.site("directory.example"), MemoryNotes()
    directory.page("/i.json", '{"message": "try later"}', status=503)
    made = searcher(notes=notes, providers=("searxng",), urls={"searx_space": directory.loopback_url("/i.json")})
    with pytest.raises(SearchUnavailable):
        await made.search(Q, deadline=soon())
    assert directory.log
    assert await notes.note("searx_space", directory.loopback_url("/i.json")) is None


async def test_whoever_runs_an_instance_keeps_queries_to_it() -> None:
    made = pool(searxng_urls=("http://one",), urls={"searx_space": "https://searx.space/data/instances.json"})
    assert [one.url for one in await made.known()] == ["http://one"]


async def test_ones_own_instance_does_not_wait_for_the_list_of_public_ones(miniweb: MiniWeb) -> None:
    own, directory = miniweb.site("own.example"), miniweb.site("directory.example")
    own.page("/search", json.dumps(searxng_page("https://a.example/")), headers={"Content-Type": "application/json"})
    directory.page("/i.json", json.dumps({"instances": {}}))
    made = searcher(searxng_urls=(own.loopback_url(""),), urls={"searx_space": directory.loopback_url("/i.json")})
    assert (await made.search(Q, deadline=soon())).hits
    assert directory.log == []


async def test_first_searches_at_once_all_wait_for_the_list(miniweb: MiniWeb) -> None:
    directory, good = miniweb.site("directory.example"), miniweb.site("good.example")
    directory.page("/i.json", json.dumps({"instances": {good.loopback_url("/"): listed()}}))
    good.page("/search", json.dumps(searxng_page("https://a.example/")), headers={"Content-Type": "application/json"})
    made = searcher(
        request_delay_most=0.1, public_interval=0.1, urls={"searx_space": directory.loopback_url("/i.json")}
    )
    found = []

    async def one(text: str) -> None:
        found.append(await made.search(SearchQuery(text), deadline=soon(30)))

    async with anyio.create_task_group() as tasks:
        for text in ("hare", "tortoise"):
            tasks.start_soon(one, text)
    assert all(answer.hits for answer in found)
    assert len(directory.log) == 1


async def test_a_dead_instance_of_ones_own_gives_way_to_a_public_one(miniweb: MiniWeb) -> None:
    directory, good = miniweb.site("directory.example"), miniweb.site("good.example")
    directory.page("/i.json", json.dumps({"instances": {good.loopback_url("/"): listed()}}))
    good.page("/search", json.dumps(searxng_page("https://a.example/")), headers={"Content-Type": "application/json"})
    made = searcher(searxng_urls=("http://127.0.0.1:1",), urls={"searx_space": directory.loopback_url("/i.json")})
    found = await made.search(Q, deadline=soon())
    assert [one.outcome for one in found.attempted] == ["unreachable", "ok"]


async def test_one_dead_one_limited_one_slow_still_answers(miniweb: MiniWeb) -> None:
    limited, slow = miniweb.site("limited.example"), miniweb.site("slow.example")
    limited.page("/search", "Too Many Requests", status=429)

    async def late(request: Request) -> Any:
        await anyio.sleep(0.5)
        return reply(searxng_page("https://a.example/"))

    slow.route("/search", late)
    # One after the other: whether the slow one could overtake the limited one would be the machine's choice.
    urls = ("http://127.0.0.1:1", limited.loopback_url(""), slow.loopback_url(""))
    found = await searcher(searxng_urls=urls, hedge_after=60.0).search(Q, deadline=soon(60))
    assert [hit.url for hit in found.hits] == ["https://a.example/"]
    outcomes = {attempt.name: attempt.outcome for attempt in found.attempted}
    assert outcomes == {urls[0]: "unreachable", urls[1]: "rate_limited", urls[2]: "ok"}


async def test_a_deadline_that_is_over_is_no_missing_setting(miniweb: MiniWeb) -> None:
    made = searcher(searxng_urls=("http://127.0.0.1:1",), keys={"brave": "k"}, urls={"brave": "http://127.0.0.1:1"})
    for provider in ("brave", "searxng", "auto", "brave,searxng"):
        with pytest.raises(SearchUnavailable):
            await made.search(Q, provider, deadline=soon(-1))


async def test_a_slow_instance_does_not_hold_up_a_quick_one(miniweb: MiniWeb) -> None:
    slow, quick = miniweb.site("slow.example"), miniweb.site("quick.example")

    async def never(request: Request, wire: object) -> None:
        await anyio.sleep_forever()

    slow.behave("/search", never)
    quick.page("/search", json.dumps(searxng_page("https://a.example/")), headers={"Content-Type": "application/json"})
    made = searcher(searxng_urls=(slow.loopback_url(""), quick.loopback_url("")), hedge_after=0.05)
    found = await made.search(Q, deadline=soon())
    assert [(one.outcome, one.detail) for one in found.attempted] == [("ok", ""), ("skipped", "another answered first")]


async def test_an_instance_that_is_overtaken_again_and_again_rests(miniweb: MiniWeb) -> None:
    slow, quick = miniweb.site("slow.example"), miniweb.site("quick.example")

    async def never(request: Request, wire: object) -> None:
        await anyio.sleep_forever()

    slow.behave("/search", never)
    quick.page("/search", json.dumps(searxng_page("https://a.example/")), headers={"Content-Type": "application/json"})
    made = searcher(
        searxng_urls=(slow.loopback_url(""), quick.loopback_url("")),
        hedge_after=0.3,
        max_consecutive_failures=2,
        failure_backoff=1000.0,
    )
    for number in range(8):
        found = await made.search(SearchQuery(f"q{number}"), deadline=soon())
    assert [one.name for one in found.attempted] == [quick.loopback_url("")]  # nobody asks the slow one any more


async def test_all_failing_names_everyone_and_when_to_come_back(miniweb: MiniWeb) -> None:
    limited = miniweb.site("limited.example")
    limited.page("/search", "Too Many Requests", status=429)
    made = searcher(searxng_urls=("http://127.0.0.1:1", limited.loopback_url("")))
    with pytest.raises(SearchUnavailable) as failed:
        await made.search(Q, deadline=soon())
    assert [one["name"] for one in failed.value.details["attempted"]] == [
        "http://127.0.0.1:1",
        limited.loopback_url(""),
    ]
    assert failed.value.retry_after


@pytest.mark.parametrize("was_limited", [False, True])
async def test_health_checks_are_cheap_and_revive(was_limited: bool, miniweb: MiniWeb) -> None:
    one = miniweb.site("one.example")
    one.page("/healthz", "OK")
    urls = (one.loopback_url(""), "http://127.0.0.1:1")
    made = pool(searxng_urls=urls, health_check_interval=1.0, failure_backoff=1000.0)
    health = made.runner.health[one.loopback_url("")]
    if was_limited:
        health.failed(anyio.current_time() - 60, "rate_limited", "x", made.options, retry_after=10)
    for _ in range(3):
        health.failed(anyio.current_time() - 10, "error", "x", made.options)
    await made.check()
    assert not health.wait(anyio.current_time())
    assert made.runner.health["http://127.0.0.1:1"].failures == 1
    assert [request.path for request in one.log] == ["/healthz"]
    await made.check()
    assert len(one.log) == 1  # not again before the interval is over


async def test_a_banned_instance_is_not_checked_and_leaves_its_place_to_another(miniweb: MiniWeb) -> None:
    directory = miniweb.site("directory.example")
    sites = [miniweb.site(f"{name}.example") for name in "abcdefgh"]
    for site in sites:
        site.page("/healthz", "OK")
    instances = {site.loopback_url("/"): listed() for site in sites}  # equally good: asked in this order
    directory.page("/i.json", json.dumps({"instances": instances}))
    made = pool(urls={"searx_space": directory.loopback_url("/i.json")})
    until = time.time() + 1000
    await made.notes.keep("searxng_blacklist", sites[0].loopback_url(""), until, until)
    await made.public()
    await made.check()
    assert [len(site.log) for site in sites] == [0, 1, 1, 1, 1, 1, 1, 0]


async def test_a_health_check_ends_no_rate_limit(miniweb: MiniWeb) -> None:
    one = miniweb.site("one.example")
    one.page("/healthz", "OK")
    made = pool(searxng_urls=(one.loopback_url(""),), health_check_interval=1.0)
    health = made.runner.health[one.loopback_url("")]
    health.failed(anyio.current_time() - 60, "rate_limited", "x", made.options, retry_after=3600)
    health.failed(anyio.current_time() - 10, "error", "/healthz answered 500", made.options)
    await made.check()
    assert health.wait(anyio.current_time())


async def test_a_single_instance_is_named_also_when_the_search_ends_first(miniweb: MiniWeb) -> None:
    site = miniweb.site("slow.example")

    async def never(request: Request, wire: object) -> None:
        await anyio.sleep_forever()

    site.behave("/search", never)
    address = site.loopback_url("")
    hanging = searcher(searxng_urls=(address,), timeout=30.0)
    with pytest.raises(SearchUnavailable) as late:
        await hanging.search(Q, deadline=soon(0.5))
    (attempt,) = late.value.details["attempted"]
    assert (attempt["name"], attempt["outcome"]) == (address.rstrip("/"), "timeout")
    assert pool(searxng_urls=(address, "http://127.0.0.1:1")).name == "searxng"  # which of them was slow is not known
