"""robots.txt: how it is read, and what its absence, refusal and failure mean."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_web.errors import FetchFailed, FetchTimeout, RobotsDisallowed
from mcp_web.fetch.robots import agent_token, parse_robots
from mcp_web.store.sqlite.store import SqliteStore
from miniweb import MiniWeb, Reply
from miniweb.nasty import NASTY
from miniweb.server import Request
from miniweb.site import Site

CORPUS = Path(__file__).resolve().parents[2] / ".." / "shared" / "security" / "robots_cases.jsonl"


def corpus() -> list[Any]:
    if not CORPUS.exists():
        return [pytest.param(None, marks=pytest.mark.skip(reason="Google's test cases are not on this machine"))]
    rows = [json.loads(line) for line in CORPUS.read_text().splitlines()]
    return [pytest.param(row, id=f"{row['test']}-{row['line']}-{at}") for at, row in enumerate(rows)]


@pytest.mark.parametrize("case", corpus())
def test_googles_own_cases(case: dict[str, Any]) -> None:
    assert parse_robots(case["robots_txt"]).allows(case["user_agent"], case["url"]) is case["allowed"]


@given(st.binary(max_size=2000), st.text(max_size=30), st.text(max_size=200))
@settings(max_examples=200, deadline=None)
def test_no_file_makes_the_parser_raise(body: bytes, agent: str, url: str) -> None:
    robots = parse_robots(body)
    assert robots.allows(agent, url) in (True, False)
    robots.delay(agent)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_line_end_is_understood(end: str) -> None:
    robots = parse_robots(end.join(["User-agent: *", "Disallow: /a", "Allow: /a/b"]))
    assert not robots.allows("x", "/a/c")
    assert robots.allows("x", "/a/b")


@pytest.mark.parametrize("mark", [b"\xef\xbb\xbf", b"\xef\xbb", b"\xef"])
def test_a_byte_order_mark_does_not_hide_the_first_line(mark: bytes) -> None:
    assert not parse_robots(mark + b"User-agent: *\nDisallow: /").allows("x", "/")


def test_rules_beyond_half_a_megabyte_are_not_read() -> None:
    filler = b"# comment\n" * 52_500
    assert not parse_robots(filler[:500_000] + b"\nUser-agent: *\nDisallow: /").allows("x", "/")
    assert parse_robots(filler + b"\nUser-agent: *\nDisallow: /").allows("x", "/")


def test_a_pattern_full_of_stars_is_matched_in_linear_time() -> None:
    robots = parse_robots("User-agent: *\nDisallow: /" + "*a" * 5000 + "$")
    assert robots.allows("x", "/" + "a" * 4999 + "b")


def test_the_delay_is_that_of_our_group_and_else_of_all() -> None:
    text = "User-agent: *\nCrawl-delay: 5\nUser-agent: mcp-web\nCrawl-delay: 1.5\nDisallow: /x\n"
    assert parse_robots(text).delay("other") == 5
    assert parse_robots(text).delay("mcp-web") == 1.5
    assert not parse_robots(text).allows("other", "/x")  # but the delay line closes no group of rules
    assert parse_robots("User-agent: a\nUser-agent: b\nCrawl-delay: 2").delay("a") == 2
    text = "User-agent: *\nDisallow:\nCrawl-delay: 5\n\nUser-agent: mcp-web\nDisallow: /x\nCrawl-delay: 1.5"
    assert parse_robots(text).delay("other") == 5
    assert parse_robots(text).delay("mcp-web") == 1.5
    assert parse_robots("User-agent: *\nCrawl-delay: soon").delay("x") is None


@pytest.mark.parametrize(
    ("user_agent", "token"),
    [
        ("mcp-web/0.1", "mcp-web"),
        ("Mozilla/5.0 (compatible; AcmeBot/2.1; +https://acme.example/bot)", "AcmeBot"),
        ("", ""),
    ],
)
def test_the_name_looked_up_is_the_product_of_the_user_agent(user_agent: str, token: str) -> None:
    assert agent_token(user_agent) == token


@pytest.mark.anyio
async def test_a_forbidden_page_is_refused_with_path_and_robots_url(miniweb: MiniWeb) -> None:
    site = miniweb.site("docs.example")
    site.robots("User-agent: *\nDisallow: /private/")
    site.page("/private/x", "secret")
    with pytest.raises(RobotsDisallowed) as caught:
        await miniweb.fetcher().get(site.url("/private/x?q=1"))
    assert caught.value.details["path"] == "/private/x"
    assert caught.value.details["robots_url"] == "https://docs.example/robots.txt"
    assert site.asked("/private/x") == []


@pytest.mark.anyio
async def test_rules_for_our_own_name_come_before_rules_for_all(miniweb: MiniWeb) -> None:
    site = miniweb.site("docs.example")
    site.robots("User-agent: *\nDisallow: /\n\nUser-agent: mcp-web\nAllow: /")
    site.page("/x", "welcome")
    assert (await miniweb.fetcher().get(site.url("/x"))).body == b"welcome"
    with pytest.raises(RobotsDisallowed):
        await miniweb.fetcher(user_agent="OtherBot/1").get(site.url("/x"))


@pytest.mark.anyio
async def test_the_file_is_asked_for_once_for_many_pages(miniweb: MiniWeb) -> None:
    site = miniweb.site("docs.example")
    site.robots("User-agent: *\nAllow: /")
    site.route("/p*", lambda request: Reply("page"))
    fetcher = miniweb.fetcher()
    async with anyio.create_task_group() as group:
        for number in range(20):
            group.start_soon(fetcher.get, site.url(f"/p{number}"))
    assert len(site.asked("/robots.txt")) == 1


@pytest.mark.anyio
@pytest.mark.parametrize("status", [200, 404])
async def test_another_process_uses_the_kept_file(miniweb: MiniWeb, status: int, tmp_path: Path) -> None:
    site = miniweb.site("docs.example")
    site.page("/robots.txt", "User-agent: *\nDisallow: /no", status=status)
    site.page("/yes", "page")
    notes = await SqliteStore.open(tmp_path / "s.sqlite")
    for _ in range(2):
        await miniweb.fetcher(notes=notes).get(site.url("/yes"))
    await notes.close()
    assert len(site.asked("/robots.txt")) == 1


@pytest.mark.anyio
@pytest.mark.parametrize("status", [400, 404, 410, 418])
async def test_a_site_without_rules_may_be_read(miniweb: MiniWeb, status: int) -> None:
    site = miniweb.site("docs.example")
    site.page("/robots.txt", "User-agent: *\nDisallow: /", status=status)
    site.page("/x", "page")
    assert (await miniweb.fetcher().get(site.url("/x"))).body == b"page"


@pytest.mark.anyio
@pytest.mark.parametrize("status", [401, 403, 429, 500, 503])
async def test_a_refused_or_failing_robots_txt_closes_the_site(miniweb: MiniWeb, status: int) -> None:
    site = miniweb.site("docs.example")
    site.page("/robots.txt", "User-agent: *\nAllow: /", status=status)
    site.page("/x", "page")
    with pytest.raises(RobotsDisallowed, match=str(status)):
        await miniweb.fetcher().get(site.url("/x"))
    assert site.asked("/x") == []


@pytest.mark.anyio
async def test_a_robots_txt_that_never_comes_closes_the_site(miniweb: MiniWeb) -> None:
    site = miniweb.site("docs.example")
    site.behave("/robots.txt", NASTY["never_answers"])
    site.page("/x", "page")
    with pytest.raises(FetchTimeout):
        await miniweb.fetcher(timeout=0.4).get(site.url("/x"))
    site.behave("/robots.txt", NASTY["hangs_up"])
    with pytest.raises(FetchFailed):
        await miniweb.fetcher(timeout=5).get(site.url("/x"))
    assert site.asked("/x") == []


async def until_asked(site: Site) -> None:
    """Wait until the robots.txt of the site was asked for; the site lives in a thread of its own."""
    with anyio.fail_after(60):
        while not site.asked("/robots.txt"):
            await anyio.lowlevel.checkpoint()


@pytest.mark.anyio
async def test_a_caller_with_little_time_does_not_close_the_site_for_callers_with_more(miniweb: MiniWeb) -> None:
    site = miniweb.site("docs.example")

    async def slow_at_first(request: Request) -> Reply:
        if len(site.asked("/robots.txt")) == 1:
            await anyio.sleep_forever()
        return Reply("User-agent: *\nDisallow: /no")

    site.route("/robots.txt", slow_at_first)
    site.page("/x", "page")
    fetcher = miniweb.fetcher(timeout=60)

    async def in_a_hurry() -> None:
        with pytest.raises(FetchTimeout):
            await fetcher.get(site.url("/hurried"), deadline=anyio.current_time() + 1)

    async with anyio.create_task_group() as callers:
        callers.start_soon(in_a_hurry)
        await until_asked(site)
        assert (await fetcher.get(site.url("/x"))).body == b"page"
    assert len(site.asked("/robots.txt")) == 2


@pytest.mark.anyio
async def test_a_failure_that_a_hurried_caller_could_not_try_again_holds_for_nobody_with_more_time(
    miniweb: MiniWeb,
) -> None:
    site = miniweb.site("docs.example")
    answers = [Reply("", 503, headers={"Retry-After": "4"}), Reply("User-agent: *\nDisallow: /no")]
    site.route("/robots.txt", lambda request: answers.pop(0))
    site.page("/x", "page")
    fetcher = miniweb.fetcher()
    with pytest.raises(RobotsDisallowed):  # the four seconds do not fit into half of its time
        await fetcher.get(site.url("/hurried"), deadline=anyio.current_time() + 6)
    assert (await fetcher.get(site.url("/x"))).body == b"page"


@pytest.mark.anyio
async def test_a_check_ends_at_its_own_deadline_while_another_caller_waits_for_the_same_file(miniweb: MiniWeb) -> None:
    site = miniweb.site("docs.example")
    site.behave("/robots.txt", NASTY["never_answers"])
    fetcher = miniweb.fetcher(timeout=200)
    async with anyio.create_task_group() as callers:
        callers.start_soon(fetcher.get, site.url("/patient"))
        await until_asked(site)
        with anyio.fail_after(60), pytest.raises(FetchTimeout):
            await fetcher.admit(site.url("/hurried"), deadline=anyio.current_time() + 0.1)
        callers.cancel_scope.cancel()
    assert len(site.asked("/robots.txt")) == 1


@pytest.mark.anyio
async def test_callers_with_the_same_time_ask_a_silent_site_once(miniweb: MiniWeb) -> None:
    site = miniweb.site("docs.example")
    site.behave("/robots.txt", NASTY["never_answers"])
    fetcher = miniweb.fetcher(timeout=0.8)
    for path in ("/a", "/b", "/c"):
        with pytest.raises(FetchTimeout):
            await fetcher.get(site.url(path))
    assert len(site.asked("/robots.txt")) == 1


@pytest.mark.anyio
async def test_a_passing_failure_of_the_file_is_tried_again(miniweb: MiniWeb) -> None:
    site = miniweb.site("docs.example")
    answers = iter([Reply("", 503), Reply("User-agent: *\nDisallow: /no")])
    site.route("/robots.txt", lambda request: next(answers))
    site.page("/yes", "page")
    assert (await miniweb.fetcher().get(site.url("/yes"))).body == b"page"


@pytest.mark.anyio
async def test_redirects_of_the_file_are_followed_and_its_rules_hold_for_the_first_host(miniweb: MiniWeb) -> None:
    site = miniweb.site("docs.example")
    other = miniweb.site("cdn.example")
    site.redirect("/robots.txt", "https://cdn.example/a")
    other.redirect("/a", "/b")
    other.page("/b", "User-agent: *\nDisallow: /x")
    site.page("/x", "page")
    with pytest.raises(RobotsDisallowed):
        await miniweb.fetcher().get(site.url("/x"))


async def test_a_failure_of_the_file_does_not_tell_of_other_pages(miniweb: MiniWeb) -> None:
    docs = miniweb.site("docs.example")
    docs.behave("/robots.txt", NASTY["hangs_up"])
    miniweb.site("home.example").redirect("/x", "https://docs.example/draft")
    fetcher, failures = miniweb.fetcher(), []
    for url in ("https://home.example/x", "https://docs.example/plain"):
        with pytest.raises(FetchFailed) as failed:
            await fetcher.get(url)
        failures.append(failed.value.details.get("redirected_to"))
    assert failures == ["https://docs.example/draft", None]


@pytest.mark.anyio
@pytest.mark.parametrize("behaviour", ["redirect_forever", "redirect_to_nonsense", "redirect_nowhere"])
async def test_a_file_lost_in_redirects_counts_as_no_rules(miniweb: MiniWeb, behaviour: str) -> None:
    site = miniweb.site("docs.example")
    site.behave("/robots.txt", NASTY[behaviour])
    site.page("/x", "page")
    assert (await miniweb.fetcher().get(site.url("/x"))).body == b"page"
    assert len(site.asked("/robots.txt")) <= 6


@pytest.mark.anyio
async def test_a_huge_file_is_read_as_far_as_it_must_be(miniweb: MiniWeb) -> None:
    site = miniweb.site("docs.example")
    site.robots("User-agent: *\nDisallow: /x\n" + "# filler\n" * 200_000)
    site.page("/y", "page")
    fetcher = miniweb.fetcher()
    assert (await fetcher.get(site.url("/y"))).body == b"page"
    with pytest.raises(RobotsDisallowed):
        await fetcher.get(site.url("/x"))


@pytest.mark.anyio
async def test_every_hop_of_a_redirect_keeps_to_its_own_rules(miniweb: MiniWeb) -> None:
    site = miniweb.site("docs.example")
    other = miniweb.site("other.example")
    other.robots("User-agent: *\nDisallow: /target")
    other.page("/target", "page")
    site.redirect("/x", "https://other.example/target")
    with pytest.raises(RobotsDisallowed, match=r"other\.example"):
        await miniweb.fetcher().get(site.url("/x"))
    assert other.asked("/target") == []


@pytest.mark.anyio
async def test_the_switch_turns_the_check_off(miniweb: MiniWeb) -> None:
    site = miniweb.site("docs.example")
    site.robots("User-agent: *\nDisallow: /")
    site.page("/x", "page")
    assert (await miniweb.fetcher(respect_robots=False).get(site.url("/x"))).body == b"page"
    assert site.asked("/robots.txt") == []


@pytest.mark.anyio
async def test_robots_txt_itself_can_always_be_opened(miniweb: MiniWeb) -> None:
    site = miniweb.site("docs.example")
    site.robots("User-agent: *\nDisallow: /")
    assert b"Disallow" in (await miniweb.fetcher().get(site.url("/robots.txt"))).body


@pytest.mark.anyio
async def test_a_delay_too_long_for_the_deadline_says_when_to_come_back(miniweb: MiniWeb) -> None:
    site = miniweb.site("docs.example")
    site.robots("User-agent: *\nCrawl-delay: 25\nDisallow:")
    site.route("/*", lambda request: Reply("page"))
    site.robots("User-agent: *\nCrawl-delay: 25\nDisallow:")
    fetcher = miniweb.fetcher(timeout=5)
    await fetcher.get(site.url("/a"))
    with pytest.raises(FetchTimeout) as caught:
        await fetcher.get(site.url("/b"))
    assert caught.value.retry_after is not None
    assert 20 < caught.value.retry_after <= 25
    assert site.asked("/b") == []
