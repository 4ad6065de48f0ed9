"""One query in, one honest answer out: against look-alikes of the providers over real HTTP."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest

from limit.redis_process import running_redis
from mcp_web import trace
from mcp_web.errors import InvalidInput, SearchAuthError, SearchRateLimited, SearchUnavailable
from mcp_web.limit.limiter import MemoryLimiter
from mcp_web.limit.redis import RedisLimiter
from mcp_web.model.search import SearchQuery
from mcp_web.store.sqlite.store import SqliteStore
from mcp_web.tools.clean_output import clean_value
from miniweb import MiniWeb, Reply, Request, Wire
from search.lookalike import SHARED, MemoryNotes, brave_page, recorded, reply, searcher, searxng_page, soon

pytestmark = pytest.mark.anyio
BRAVE = "/res/v1/web/search"
Q = SearchQuery("tortoise")


async def test_a_recorded_answer_becomes_an_answer(miniweb: MiniWeb) -> None:
    brave = miniweb.site("brave.example")
    brave.page(BRAVE, recorded("brave_web.json"), headers={"Content-Type": "application/json"})
    found = await searcher(keys={"brave": "k"}, urls={"brave": brave.loopback_url("")}).search(Q, deadline=soon())
    assert found.provider == "brave"
    assert [hit.domain for hit in found.hits] == ["animals.example", "races.example"]
    assert found.more_results
    assert found.cache == "fetched"
    assert [(attempt.name, attempt.outcome) for attempt in found.attempted] == [("brave", "ok")]
    (request,) = brave.log
    assert request.headers["x-subscription-token"] == "k"


async def test_auto_fails_over_and_says_so(miniweb: MiniWeb) -> None:
    brave, searx = miniweb.site("brave.example"), miniweb.site("searx.example")
    brave.page(BRAVE, "{}", status=500)
    searx.page("/search", json.dumps(searxng_page("https://a.example/")), headers={"Content-Type": "application/json"})
    made = searcher(
        searxng_urls=(searx.loopback_url(""),),
        providers=("brave", "searxng"),
        keys={"brave": "k"},
        urls={"brave": brave.loopback_url("")},
    )
    found = await made.search(Q, deadline=soon())
    assert found.provider == "searxng"
    assert [attempt.outcome for attempt in found.attempted] == ["error", "ok"]
    assert any("brave did not answer (error)" in note for note in found.notes)
    assert len(brave.log) == 2  # one retry, no more


async def test_an_empty_answer_is_asked_of_the_next_and_then_believed(miniweb: MiniWeb) -> None:
    brave, searx = miniweb.site("brave.example"), miniweb.site("searx.example")
    brave.page(BRAVE, json.dumps({"type": "search", "query": {"original": "q"}}))
    searx.page("/search", json.dumps(searxng_page()), headers={"Content-Type": "application/json"})
    made = searcher(searxng_urls=(searx.loopback_url(""),), keys={"brave": "k"}, urls={"brave": brave.loopback_url("")})
    found = await made.search(Q, deadline=soon())
    assert found.hits == ()
    assert [attempt.outcome for attempt in found.attempted] == ["empty", "empty"]
    assert found.suggestion is not None
    assert found.suggestion.startswith("No results")


async def test_several_names_are_asked_together_and_merged(miniweb: MiniWeb) -> None:
    brave, searx = miniweb.site("brave.example"), miniweb.site("searx.example")
    brave.page(BRAVE, json.dumps(brave_page("https://a.example/", "https://both.example/")))
    searx.page(
        "/search",
        json.dumps(searxng_page("https://b.example/", "https://www.both.example/?utm_source=s")),
        headers={"Content-Type": "application/json"},
    )
    made = searcher(searxng_urls=(searx.loopback_url(""),), keys={"brave": "k"}, urls={"brave": brave.loopback_url("")})
    found = await made.search(Q, ["brave", "searxng"], deadline=soon(), raw=True)
    assert found.provider == "brave+searxng"
    assert found.hits[0].url == "https://both.example/"
    assert found.hits[0].engines == ("brave", "mojeek")
    assert len(found.hits) == 3
    assert set(found.raw) == {"brave", "searxng"}
    assert found.raw["brave"]["type"] == "search"


async def test_one_of_several_may_fail(miniweb: MiniWeb) -> None:
    brave = miniweb.site("brave.example")
    brave.page(BRAVE, json.dumps(brave_page("https://a.example/")))
    made = searcher(keys={"brave": "k"}, urls={"brave": brave.loopback_url("")})
    found = await made.search(Q, "brave,exa", deadline=soon())
    assert found.provider == "brave"
    assert [(one.name, one.outcome) for one in found.attempted] == [("brave", "ok"), ("exa", "auth")]


async def test_a_straggler_does_not_keep_the_others_waiting(miniweb: MiniWeb) -> None:
    brave, searx = miniweb.site("brave.example"), miniweb.site("searx.example")
    brave.page(BRAVE, json.dumps(brave_page("https://a.example/")))
    searx.behave("/search", _never)
    slow, brave_url = searx.loopback_url(""), brave.loopback_url("")
    made = searcher(searxng_urls=(slow,), timeout=2.0, keys={"brave": "k"}, urls={"brave": brave_url})
    found = await made.search(Q, ["brave", "searxng"], deadline=soon(1000))
    assert [(one.name, one.outcome) for one in found.attempted] == [("brave", "ok"), (slow.rstrip("/"), "timeout")]


async def test_fifty_results_are_paged_together(miniweb: MiniWeb) -> None:
    brave = miniweb.site("brave.example")

    def answer(request: Request) -> Reply:
        start = int(request.query.get("offset", ["0"])[0]) * 20
        page = brave_page(*(f"https://s{n}.example/" for n in range(start, start + 20)), more=True)
        return reply(page, X_RateLimit_Limit="50, 0", X_RateLimit_Remaining="49, 0", X_RateLimit_Reset="1, 9")

    brave.route(BRAVE, answer)
    made = searcher(keys={"brave": "k"}, urls={"brave": brave.loopback_url("")})
    found = await made.search(SearchQuery("q", count=50), deadline=soon())
    assert [hit.url for hit in found.hits] == [f"https://s{n}.example/" for n in range(50)]
    assert len(brave.log) == 3
    second = await made.search(SearchQuery("q", count=50, page=1), deadline=soon())
    assert second.hits[0].url == "https://s50.example/"


async def test_empty_incomplete_and_misconfigured_are_three_answers(miniweb: MiniWeb) -> None:
    searx = miniweb.site("searx.example")
    made = searcher(searxng_urls=(searx.loopback_url(""),))
    silent = searxng_page() | {"unresponsive_engines": [["google", "CAPTCHA"], ["bing", "Suspended: access denied"]]}
    searx.page("/search", json.dumps(silent), headers={"Content-Type": "application/json"})
    incomplete = await made.search(Q, deadline=soon())
    assert incomplete.hits == ()
    assert "did not answer" in (incomplete.suggestion or "")
    assert '"google" ("CAPTCHA"), "bing" ("Suspended: access denied")' in incomplete.notes[0]

    searx.page("/search", json.dumps(searxng_page()), headers={"Content-Type": "application/json"})
    empty = await made.search(Q, deadline=soon())  # the instance did not rest meanwhile
    assert empty.suggestion

    searx.page("/search", "<h1>Forbidden</h1>", status=403)
    with pytest.raises(SearchAuthError) as wrong:
        await searcher(searxng_urls=(searx.loopback_url(""),)).search(Q, deadline=soon())
    assert "formats: [html, json]" in wrong.value.suggestion
    suggestions = {incomplete.suggestion, empty.suggestion, wrong.value.suggestion}
    assert len(suggestions) == 3


async def test_an_unconfigured_provider_says_which_variable_is_missing() -> None:
    with pytest.raises(SearchAuthError, match="brave is not configured") as wrong:
        await searcher().search(Q, "brave", deadline=soon())
    assert "BRAVE_API_KEY" in wrong.value.suggestion
    with pytest.raises(SearchAuthError):
        await searcher().search(Q, deadline=soon())


async def test_a_wrong_key_stays_one_when_the_last_resort_fails_too(miniweb: MiniWeb) -> None:
    brave, tavily = miniweb.site("brave.example"), miniweb.site("tavily.example")
    brave.route(BRAVE, lambda _: reply({"error": {"code": "SUBSCRIPTION_TOKEN_INVALID", "meta": {}}}, 422))
    tavily.route("/search", lambda _: reply({}, 503))
    made = searcher(
        exclude=("ddgs", "sources"),
        keys={"brave": "k"},
        urls={"brave": brave.loopback_url(""), "tavily": tavily.loopback_url("")},
    )
    with pytest.raises(SearchAuthError) as wrong:
        await made.search(Q, deadline=soon())
    assert "BRAVE_API_KEY" in wrong.value.suggestion
    assert [one["name"] for one in wrong.value.details["attempted"]] == ["brave", "tavily"]


async def test_a_bad_key_is_not_tried_again_and_again(miniweb: MiniWeb) -> None:
    brave = miniweb.site("brave.example")
    body = {"type": "ErrorResponse", "error": {"code": "SUBSCRIPTION_TOKEN_INVALID", "status": 422, "meta": {}}}
    brave.page(BRAVE, json.dumps(body), status=422)
    made = searcher(keys={"brave": "k"}, urls={"brave": brave.loopback_url("")})
    for _ in range(3):
        with pytest.raises(SearchAuthError) as wrong:
            await made.search(Q, deadline=soon())
        assert "BRAVE_API_KEY" in wrong.value.suggestion
    assert len(brave.log) == 1


async def test_a_question_that_is_not_understood_is_not_held_against_the_provider(miniweb: MiniWeb) -> None:
    brave = miniweb.site("brave.example")
    body = {"type": "ErrorResponse", "error": {"code": "VALIDATION", "status": 422, "detail": "q is odd", "meta": {}}}
    brave.page(BRAVE, json.dumps(body), status=422)
    made = searcher(max_consecutive_failures=1, keys={"brave": "k"}, urls={"brave": brave.loopback_url("")})
    with pytest.raises(SearchUnavailable, match="did not understand"):
        await made.search(SearchQuery("odd"), deadline=soon())
    assert len(brave.log) == 1  # not tried again
    brave.page(BRAVE, json.dumps(brave_page("https://a.example/")))
    assert (await made.search(Q, deadline=soon())).hits


async def test_an_endpoint_that_failed_for_one_replica_is_left_alone_by_the_others(miniweb: MiniWeb) -> None:
    from redis.asyncio import Redis

    brave = miniweb.site("brave.example")
    brave.page(BRAVE, "{}", status=500)
    given: Any = {"max_consecutive_failures": 1, "keys": {"brave": "k"}, "urls": {"brave": brave.loopback_url("")}}
    with running_redis() as port:
        limiters = [RedisLimiter(Redis(port=port)) for _ in range(2)]
        for limiter in limiters:
            with pytest.raises(SearchUnavailable):
                await searcher(limiter=limiter, **given).search(Q, deadline=soon())
            await limiter.close()
    assert len(brave.log) == 2  # both of the first replica, which tries once more


async def test_a_store_that_fails_loses_no_answer(miniweb: MiniWeb, tmp_path: Path) -> None:
    brave = miniweb.site("brave.example")
    brave.page(BRAVE, json.dumps(brave_page("https://a.example/")))
    notes = await SqliteStore.open(tmp_path / "s.sqlite")
    await notes.close()  # every call fails from now on
    made = searcher(notes=notes, keys={"brave": "k"}, urls={"brave": brave.loopback_url("")}, history=True)
    assert (await made.search(Q, deadline=soon())).hits


async def test_pages_that_came_are_delivered_when_the_next_one_fails(miniweb: MiniWeb) -> None:
    brave = miniweb.site("brave.example")
    ok = reply(brave_page(*(f"https://s{n}.example/" for n in range(20)), more=True), X_RateLimit_Limit="50, 0")
    brave.route(BRAVE, lambda request: reply("{}", 500) if "offset" in request.query else ok)
    made = searcher(keys={"brave": "k"}, urls={"brave": brave.loopback_url("")})
    found = await made.search(SearchQuery("q", count=40), deadline=soon())
    assert len(found.hits) == 20
    assert any("brave stopped after 20 results" in note for note in found.notes)


async def test_a_used_up_month_is_reported_with_its_end(miniweb: MiniWeb) -> None:
    brave = miniweb.site("brave.example")
    body = {"type": "ErrorResponse", "error": {"code": "QUOTA_LIMITED", "status": 429, "meta": {}}}
    brave.route(BRAVE, lambda _: reply(body, 429, X_RateLimit_Reset="1, 86400"))
    with pytest.raises(SearchRateLimited) as limited:
        await searcher(keys={"brave": "k"}, urls={"brave": brave.loopback_url("")}).search(Q, deadline=soon())
    assert limited.value.retry_after == 86400
    assert limited.value.details["attempted"][0]["outcome"] == "quota"


async def test_a_short_limit_is_waited_out(miniweb: MiniWeb) -> None:
    brave = miniweb.site("brave.example")
    answers = [
        reply({"error": {"code": "RATE_LIMITED", "meta": {}}}, 429, X_RateLimit_Reset="0, 9"),
        reply(brave_page("https://a.example/")),
    ]
    brave.route(BRAVE, lambda _: answers.pop(0))
    found = await searcher(keys={"brave": "k"}, urls={"brave": brave.loopback_url("")}).search(Q, deadline=soon())
    assert len(found.hits) == 1


async def test_the_operators_own_budget_is_kept(miniweb: MiniWeb) -> None:
    brave = miniweb.site("brave.example")
    brave.route(BRAVE, lambda _: reply(brave_page("https://a.example/"), X_RateLimit_Limit="50, 0"))
    made = searcher(monthly_budgets={"brave": 2}, keys={"brave": "k"}, urls={"brave": brave.loopback_url("")})
    for number in range(2):
        await made.search(SearchQuery(f"q{number}"), deadline=soon())
    with pytest.raises(SearchRateLimited, match="budget of 2"):
        await made.search(SearchQuery("q3"), deadline=soon())
    assert len(brave.log) == 2


async def test_the_budget_of_searxng_counts_all_its_instances(miniweb: MiniWeb) -> None:
    sites = [miniweb.site(f"{name}.example") for name in ("one", "two")]
    for site in sites:
        site.route("/search", lambda _: reply(searxng_page("https://a.example/")))
    made = searcher(monthly_budgets={"searxng": 2}, searxng_urls=tuple(site.loopback_url("") for site in sites))
    for number in range(2):
        await made.search(SearchQuery(f"q{number}"), deadline=soon())
    with pytest.raises(SearchRateLimited, match="budget of 2 requests for searxng"):
        await made.search(SearchQuery("q3"), deadline=soon())
    assert [len(site.log) for site in sites] == [1, 1]


async def test_a_redirect_is_never_followed(miniweb: MiniWeb) -> None:
    searx, elsewhere = miniweb.site("searx.example"), miniweb.site("elsewhere.example")
    searx.redirect("/search", elsewhere.loopback_url("/stolen"))
    with pytest.raises(SearchUnavailable):
        await searcher(searxng_urls=(searx.loopback_url(""),)).search(SearchQuery("!!g x"), deadline=soon())
    assert elsewhere.log == []


@pytest.mark.parametrize(
    "query",
    [
        SearchQuery("  "),
        SearchQuery("q", freshness="lately"),
        SearchQuery("q", freshness="2026-02-30..2026-03-01"),
        SearchQuery("q", freshness="2026-03-01..2026-02-01"),
        SearchQuery("q", language="english"),
        SearchQuery("q", country="Germany"),
    ],
)
async def test_what_nobody_could_understand_is_refused_before_anyone_is_asked(query: SearchQuery) -> None:
    with pytest.raises(InvalidInput):
        await searcher(searxng_urls=("http://127.0.0.1:1",)).search(query, deadline=soon())


async def test_a_certificate_that_nobody_vouches_for_is_refused(miniweb: MiniWeb) -> None:
    searx = miniweb.site("searx.example")
    searx.page("/search", json.dumps(searxng_page("https://a.example/")), headers={"Content-Type": "application/json"})
    made = searcher(searxng_urls=(f"https://127.0.0.1:{searx.port_for(443)}",))
    with pytest.raises(SearchUnavailable) as refused:
        await made.search(Q, deadline=soon())
    assert refused.value.details["attempted"][0]["outcome"] == "unreachable"
    assert searx.log == []


async def test_nobody_there_is_unavailable(miniweb: MiniWeb) -> None:
    with pytest.raises(SearchUnavailable) as gone:
        await searcher(searxng_urls=("http://127.0.0.1:1",)).search(Q, deadline=soon())
    assert gone.value.details["attempted"][0]["outcome"] == "unreachable"
    assert gone.value.retryable


async def test_an_address_without_a_scheme_costs_its_provider_only(miniweb: MiniWeb) -> None:
    searx = miniweb.site("searx.example")
    searx.page("/search", json.dumps(searxng_page("https://a.example/")), headers={"Content-Type": "application/json"})
    made = searcher(
        searxng_urls=(searx.loopback_url(""),),
        providers=("brave", "serper", "searxng"),
        keys={"brave": "k", "serper": "k"},
        urls={"brave": "127.0.0.1:1/brave", "serper": "ftp://gateway.example"},
    )
    found = await made.search(Q, deadline=soon())
    assert [attempt.outcome for attempt in found.attempted] == ["unreachable", "unreachable", "ok"]


async def test_why_a_search_failed_is_said_once() -> None:
    with pytest.raises(SearchUnavailable, match=r"answered: http://127\.0\.0\.1:1 could not be reached") as gone:
        await searcher(searxng_urls=("http://127.0.0.1:1",)).search(Q, deadline=soon())
    (attempt,) = gone.value.details["attempted"]
    assert set(attempt) == {"name", "outcome", "ms"}


async def test_the_deadline_ends_a_search_that_hangs(miniweb: MiniWeb) -> None:
    searx = miniweb.site("searx.example")
    searx.behave("/search", _never)
    with pytest.raises(SearchUnavailable) as late:
        await searcher(searxng_urls=(searx.loopback_url(""),)).search(Q, deadline=soon(0.6))
    assert late.value.details["attempted"][0]["outcome"] == "timeout"


@pytest.mark.parametrize("provider", ["auto", "brave", "brave,serper", "searxng", "searxng,serper"])
@pytest.mark.parametrize(("timeout", "seconds"), [(10.0, 2.5), (1.0, 20.0)])
async def test_a_page_that_came_is_not_lost_with_one_that_does_not(
    miniweb: MiniWeb, provider: str, timeout: float, seconds: float
) -> None:
    site, urls = miniweb.site("engine.example"), [f"https://a{number}.example/" for number in range(20)]
    pages = {
        BRAVE: brave_page(*urls) | {"query": {"more_results_available": True}},
        "/search": searxng_page(*urls[:10]),
    }

    async def answer(request: Request, wire: Wire) -> None:
        if "offset=1" in request.target or "pageno=2" in request.target:
            await wire.wait(60)
        await wire.send(reply(pages[request.path]).wire())

    for path in pages:
        site.behave(path, answer)
    made = searcher(
        searxng_urls=(site.loopback_url(""),),
        timeout=timeout,
        providers=("brave",),
        keys={"brave": "k", "serper": "k"},
        urls={"brave": site.loopback_url(""), "serper": "http://127.0.0.1:1"},
    )
    found = await made.search(SearchQuery("tortoise", count=30), provider, deadline=soon(seconds))
    assert len(found.hits) in (10, 20)
    assert any("stopped after" in note for note in found.notes)


@pytest.mark.parametrize("provider", ["searxng", "brave,searxng"])
async def test_the_deadline_leaves_what_several_instances_replied(miniweb: MiniWeb, provider: str) -> None:
    empty, hanging = miniweb.site("empty.example"), miniweb.site("hanging.example")
    incomplete = searxng_page() | {"unresponsive_engines": [["google", "timeout"]]}
    empty.route("/search", lambda request: reply(incomplete))
    hanging.behave("/search", _never)
    brave = {"keys": {"brave": "k"}, "urls": {"brave": "http://127.0.0.1:1"}}
    names = ("http://127.0.0.1:1", empty.loopback_url(""), hanging.loopback_url(""))
    found = await searcher(searxng_urls=names, hedge_after=60.0, **brave).search(Q, provider, deadline=soon(3))
    attempts = {one.name: one.outcome for one in found.attempted if one.name != "brave"}
    assert attempts == dict(zip(names, ("unreachable", "empty", "timeout"), strict=True))


async def _never(request: Request, wire: object) -> None:
    await anyio.sleep_forever()


class DiskNotes(MemoryNotes):
    """Notes that remember what was kept, as a store on disk would."""

    def __init__(self) -> None:
        super().__init__()
        self.written: list[tuple[str, str, object]] = []

    async def keep_note(self, kind: str, key: str, value: object, expires_at: float) -> None:
        self.written.append((kind, key, value))
        await super().keep_note(kind, key, value, expires_at)


async def test_a_raw_answer_that_is_nested_deeply_is_cut_cached_and_cleaned(miniweb: MiniWeb) -> None:
    searx, nested = miniweb.site("searx.example"), '{"a":' * 600 + "1" + "}" * 600
    page = json.dumps(searxng_page("https://a.example/"))
    searx.page("/search", f'{{"deep": {nested}, {page[1:]}', headers={"Content-Type": "application/json"})
    made = searcher(searxng_urls=(searx.loopback_url(""),), cache_ttl=3600.0)
    first, again = [await made.search(Q, "searxng", raw=True, deadline=soon()) for _ in range(2)]
    assert (first.cache, again.cache) == ("fetched", "hit")
    assert again.raw == first.raw
    assert json.dumps(again.raw["searxng"]["deep"]).count("{") == 100
    assert clean_value(again.raw) == first.raw


async def test_answers_are_cached_and_braves_never_reach_the_disk(miniweb: MiniWeb) -> None:
    brave, searx = miniweb.site("brave.example"), miniweb.site("searx.example")
    brave.page(BRAVE, json.dumps(brave_page("https://a.example/")))
    searx.page("/search", json.dumps(searxng_page("https://b.example/")), headers={"Content-Type": "application/json"})
    notes = DiskNotes()
    made = searcher(
        notes=notes,
        searxng_urls=(searx.loopback_url(""),),
        cache_ttl=3600.0,
        keys={"brave": "k"},
        urls={"brave": brave.loopback_url("")},
    )
    for name, site in (("brave", brave), ("searxng", searx)):
        first = await made.search(Q, name, deadline=soon())
        again = await made.search(Q, name, deadline=soon())
        assert (first.cache, again.cache) == ("fetched", "hit")
        assert again.hits == first.hits
        assert again.attempted == first.attempted
        assert len(site.log) == 1
    assert [kind for kind, _, _ in notes.written] == ["search"]
    assert "b.example" in json.dumps(notes.written)
    assert "a.example" not in json.dumps(notes.written)
    assert "tortoise" not in json.dumps(notes.written)  # keys are digests, and the query is not in the value


async def test_other_filters_are_another_question(miniweb: MiniWeb) -> None:
    searx = miniweb.site("searx.example")
    searx.page("/search", json.dumps(searxng_page("https://b.example/")), headers={"Content-Type": "application/json"})
    made = searcher(searxng_urls=(searx.loopback_url(""),), cache_ttl=3600.0)
    await made.search(Q, deadline=soon())
    await made.search(SearchQuery("tortoise", language="de"), deadline=soon())
    await made.search(SearchQuery("tortoise", page=1), deadline=soon())
    assert len(searx.log) == 3


async def test_the_same_question_at_the_same_time_is_asked_once(miniweb: MiniWeb) -> None:
    searx = miniweb.site("searx.example")
    searx.page("/search", json.dumps(searxng_page("https://b.example/")), headers={"Content-Type": "application/json"})
    made = searcher(searxng_urls=(searx.loopback_url(""),), cache_ttl=3600.0)

    async with anyio.create_task_group() as tasks:
        for _ in range(8):
            tasks.start_soon(_search, made.search)
    assert len(searx.log) == 1


async def _search(search: Callable[..., Awaitable[object]]) -> None:
    await search(Q, deadline=soon())


async def test_history_is_kept_only_when_asked_for(miniweb: MiniWeb) -> None:
    searx = miniweb.site("searx.example")
    searx.page("/search", json.dumps(searxng_page("https://b.example/")), headers={"Content-Type": "application/json"})
    silent = searcher(searxng_urls=(searx.loopback_url(""),))
    await silent.search(Q, deadline=soon())
    assert await silent.history() == []
    remembering = searcher(searxng_urls=(searx.loopback_url(""),), history=True)
    await remembering.search(Q, deadline=soon())
    assert [entry["query"] for entry in await remembering.history()] == ["tortoise"]


async def test_no_query_is_ever_logged(miniweb: MiniWeb, capsys: pytest.CaptureFixture[str]) -> None:
    brave, searx = miniweb.site("brave.example"), miniweb.site("searx.example")
    brave.page(BRAVE, "{}", status=500)
    searx.page("/search", json.dumps(searxng_page("https://b.example/")), headers={"Content-Type": "application/json"})
    trace.configure("debug")
    try:
        secret = SearchQuery("unmistakable words of mine")
        made = searcher(
            searxng_urls=(searx.loopback_url(""),), keys={"brave": "k"}, urls={"brave": brave.loopback_url("")}
        )
        await made.search(secret, deadline=soon())
        with pytest.raises(SearchUnavailable):
            await searcher(searxng_urls=("http://127.0.0.1:1",)).search(secret, deadline=soon())
    finally:
        trace.configure("error")
    logged = capsys.readouterr().err
    assert "search_provider" in logged
    assert "unmistakable" not in logged


async def test_filters_hold_whatever_the_provider_sends(miniweb: MiniWeb) -> None:
    searx = miniweb.site("searx.example")
    page = searxng_page("https://docs.a.org/1", "https://b.org/2", "https://a.org/3")
    page["results"][0]["publishedDate"] = "2001-01-01T00:00:00"
    searx.page("/search", json.dumps(page), headers={"Content-Type": "application/json"})
    made = searcher(searxng_urls=(searx.loopback_url(""),))
    found = await made.search(SearchQuery("q", include_domains=("a.org",), freshness="week"), deadline=soon())
    assert [hit.url for hit in found.hits] == ["https://a.org/3"]
    assert "Freshness: kept 1 undated result." in found.notes
    (request,) = searx.log
    assert request.query["q"] == ["q site:a.org"]


@pytest.mark.skipif(not SHARED.is_dir(), reason="the research folder ../shared/providers is not here")
async def test_the_researched_examples_travel_over_http(miniweb: MiniWeb) -> None:
    brave, google = miniweb.site("brave.example"), miniweb.site("google.example")
    examples = SHARED / "examples"
    brave.page(BRAVE, await anyio.Path(examples / "brave_web_200.json").read_bytes())
    google.page("/customsearch/v1", await anyio.Path(examples / "google_200.json").read_bytes())
    made = searcher(
        limiter=MemoryLimiter(),
        keys={"brave": "k", "google": "k", "google_engine": "c"},
        urls={"brave": brave.loopback_url(""), "google": google.loopback_url("")},
    )
    found = await made.search(SearchQuery("asyncio"), ["brave", "google"], deadline=soon())
    assert found.provider == "brave+google"
    assert found.total == 182000
    assert any("2027-01-01" in note for note in found.notes)
    assert any("python asyncio semaphore" in note for note in found.notes)


async def test_every_other_provider_answers_over_http(miniweb: MiniWeb) -> None:
    exa, tavily = miniweb.site("exa.example"), miniweb.site("tavily.example")
    exa.route("/search", lambda _: reply(recorded("exa.json")))
    tavily.route("/search", lambda _: reply(recorded("tavily_news.json")))
    serper = miniweb.site("serper.example")
    serper.route("/search", lambda _: reply(recorded("serper.json")))
    made = searcher(
        keys={"exa": "k", "tavily": "t", "serper": "s"},
        urls={"exa": exa.loopback_url(""), "tavily": tavily.loopback_url(""), "serper": serper.loopback_url("")},
    )
    found = await made.search(Q, ["exa", "tavily", "serper"], deadline=soon())
    assert found.provider == "exa+tavily+serper"
    assert {engine for hit in found.hits for engine in hit.engines} == {"exa", "tavily", "google"}
    assert found.hits[0].url == "https://animals.example/tortoise"  # two independent indexes agree
    assert all(len(hit.snippet) <= 200 for hit in found.hits)


async def test_images_of_one_page_are_all_shown_with_their_own_address(miniweb: MiniWeb) -> None:
    row = json.loads(recorded("brave_images.json"))["results"][0] | {"url": "https://gallery.example/"}
    files = [f"https://gallery.example/{number}.jpg" for number in range(20)]
    rows = [row | {"title": f"Number {at}", "properties": {"url": file}} for at, file in enumerate(files)]
    brave = miniweb.site("brave.example")
    brave.page("/res/v1/images/search", json.dumps({"type": "images", "results": rows}))
    made = searcher(keys={"brave": "k"}, urls={"brave": brave.loopback_url("")})
    found = await made.search(SearchQuery("knots", count=20, category="images"), deadline=soon())
    assert [hit.image for hit in found.hits] == files
    assert {hit.url for hit in found.hits} == {"https://gallery.example/"}
