"""Official sources, asked over real HTTP: what each is sent, what it answers, and when it is asked at all."""

from __future__ import annotations

import time
from typing import Any

import anyio
import pytest

from mcp_web.errors import SearchAuthError, SearchRateLimited, SearchUnavailable, WebError
from mcp_web.limit.limiter import MemoryLimiter
from mcp_web.model.search import SearchAnswer, SearchQuery
from mcp_web.search.options import SOURCE_NAMES, SearchOptions
from mcp_web.search.plan import select
from mcp_web.search.providers import REGISTRY, datacite
from mcp_web.search.source_choice import fitting_sources
from miniweb import MiniWeb, Request, Site
from search.lookalike import MemoryNotes, api_response, brave_page, recorded, reply, searcher, searxng_page, soon

pytestmark = pytest.mark.anyio

EMPTY_FEED = '<feed xmlns="http://www.w3.org/2005/Atom"></feed>'

# Source: recording, query, and what the first hit is made of: title, address, day, a part of the snippet.
ANSWERS = {
    "wikipedia": (
        "wikipedia.json",
        "tortoise",
        "Tortoise (reptile)",
        "/wiki/Tortoise_(reptile)",
        "2026-10-02",
        "& slow",
    ),
    "wikidata": ("wikidata.json", "tortoise", "tortoise", "https://www.wikidata.org/wiki/Q46360", None, "reptiles"),
    "openalex": (
        "openalex.json",
        "tortoise",
        "How fast is a tortoise",
        "https://doi.org/10.5555/tortoise.1",
        "2024-03-05",
        "Tortoises walk and walk · Ada Hare, Bo Shell · cited 7 times · open copy https://repo.example/t.pdf",
    ),
    "crossref": (
        "crossref.json",
        "tortoise",
        "How fast is a tortoise",
        "https://doi.org/10.5555/tortoise.1",
        "2024-03-01",
        "Tortoises walk. · Ada Hare, The Shell Group · cited 7 times",
    ),
    "datacite": (
        "datacite.json",
        "tortoise",
        "Speeds of 4,000 tortoises",
        "https://doi.org/10.5281/zenodo.1234",
        "2025-04-06",
        "Measured on grass. · Hare, Ada, The Shell Group · Dataset",
    ),
    "arxiv": (
        "arxiv.xml",
        "tortoise",
        "On the speed of tortoises",
        "https://arxiv.org/abs/2401.01234v2",
        "2024-01-02",
        "We measure tortoises. · Ada Hare",
    ),
    "europepmc": (
        "europepmc.json",
        "tortoise",
        "RETRACTED: Tortoise hearts.",
        "https://europepmc.org/article/MED/38000001",
        "2024-03-05",
        "doi:10.5555/tortoise.1 · open access",
    ),
    "stackexchange": (
        "stackexchange.json",
        "tortoise",
        'Why is my tortoise "slow"?',
        "https://stackoverflow.com/questions/11/why-is-my-tortoise-slow",
        "2023-11-14",
        "41 votes, 3 answers, one accepted · python, turtle · It takes 10 s.",
    ),
    "github": (
        "github_repositories.json",
        "tortoise",
        "shell/tortoise",
        "https://github.com/shell/tortoise",
        "2026-10-01",
        "An ORM · 4,800 stars · Python · orm",
    ),
    "marginalia": (
        "marginalia.json",
        "tortoise",
        "Keeping tortoises",
        "https://shell.example/keeping",
        None,
        "A page about tortoises, without advertisements.",
    ),
    "hackernews": (
        "hackernews.json",
        "tortoise",
        "Show HN: Tortoise",
        "https://news.ycombinator.com/item?id=41",
        "2026-08-01",
        "120 points, 33 comments · about https://tortoise.example/",
    ),
    "internetarchive": (
        "internetarchive.json",
        "tortoise",
        "The Tortoise",
        "https://archive.org/details/tortoise1890",
        "2011-01-01",
        "texts · A. Hare · A book of tales",
    ),
    "pypi": (
        "pypi.json",
        "pip install tortoise-orm",
        "tortoise-orm 0.25.1",
        "https://pypi.org/project/tortoise-orm/",
        "2026-06-05",
        "Easy async ORM · Documentation: https://tortoise.example/docs",
    ),
    "npm": (
        "npm.json",
        "tortoise",
        "tortoise 1.0.1",
        "https://www.npmjs.com/package/tortoise",
        "2026-01-02",
        "Slow queue · queue · https://github.com/x/tortoise",
    ),
    "crates": (
        "crates.json",
        "tortoise",
        "tortoise 0.2.0",
        "https://crates.io/crates/tortoise",
        "2026-02-03",
        "Turtle graphics · 12,345 downloads · https://docs.rs/tortoise",
    ),
}


def served(miniweb: MiniWeb, name: str, body: Any, status: int = 200, **headers: str) -> Site:
    site = miniweb.site(f"{name}.example")
    site.route("/*", lambda _: reply(body, status, **headers))
    return site


async def asked(name: str, site: Site, query: SearchQuery, **options: Any) -> SearchAnswer:
    made = searcher(providers=(name,), **options, urls={name: site.loopback_url("")})
    return await made.search(query, name, deadline=soon())


def category_of(name: str) -> Any:
    return sorted(REGISTRY[name].capabilities.categories, key=lambda one: one == "general")[0]


@pytest.mark.parametrize("name", SOURCE_NAMES)
async def test_every_field_of_a_recorded_answer_arrives(miniweb: MiniWeb, name: str) -> None:
    recording, words, title, url, day, part = ANSWERS[name]
    site = served(miniweb, name, recorded(recording))
    found = await asked(name, site, SearchQuery(words, category=category_of(name), snippet_chars=1000))
    first = found.hits[0]
    assert first.title == title
    assert first.url.endswith(url)
    assert part in first.snippet
    assert (first.published or "")[:10] == (day or "")
    assert first.engines == (name,)
    assert found.provider == name


def test_the_names_of_the_options_are_the_sources() -> None:
    assert set(SOURCE_NAMES) == set(ANSWERS)


@pytest.mark.parametrize("name", SOURCE_NAMES)
@pytest.mark.parametrize(
    ("status", "body", "error", "outcome"),
    [
        (429, "{}", SearchRateLimited, "rate_limited"),
        (503, "<title>Just a moment...</title>", SearchUnavailable, "blocked"),
        (500, "{}", SearchUnavailable, "error"),
        (200, "<html>maintenance</html>", SearchUnavailable, "error"),
        (401, "{}", SearchAuthError, "auth"),
    ],
)
async def test_refusals_are_told_apart(
    miniweb: MiniWeb, name: str, status: int, body: str, error: type[WebError], outcome: str
) -> None:
    site = served(miniweb, name, body, status, Retry_After="300")
    with pytest.raises(error) as refused:
        await asked(name, site, SearchQuery("tortoise", category=category_of(name)))
    assert refused.value.details["attempted"][0]["outcome"] == outcome


@pytest.mark.parametrize("name", SOURCE_NAMES)
async def test_a_source_that_is_down_and_one_without_results_differ(miniweb: MiniWeb, name: str) -> None:
    nothing = EMPTY_FEED if name == "arxiv" else "{}"
    site = served(miniweb, name, nothing)
    found = await asked(name, site, SearchQuery("tortoise", category=category_of(name)))
    assert (found.hits, found.attempted[0].outcome) == ((), "empty")
    made = searcher(providers=(name,), urls={name: "http://127.0.0.1:9"})
    with pytest.raises(SearchUnavailable) as down:
        await made.search(SearchQuery("tortoise", category=category_of(name)), name, deadline=soon())
    assert down.value.details["attempted"][0]["outcome"] == "unreachable"


@pytest.mark.parametrize(
    ("name", "recording", "status", "headers", "outcome", "wait"),
    [
        ("wikipedia", "wikipedia_limited.json", 200, {"Retry_After": "9"}, "rate_limited", 9.0),
        ("openalex", "openalex_budget.json", 429, {}, "quota", None),
        ("stackexchange", "stackexchange_throttled.json", 400, {}, "rate_limited", 83.0),
        ("github", "github_limit.json", 403, {"X_RateLimit_Remaining": "0", "Retry_After": "60"}, "rate_limited", 60.0),
        ("crates", "crates.json", 403, {}, "blocked", None),
    ],
)
async def test_a_sources_own_refusals(
    miniweb: MiniWeb, name: str, recording: str, status: int, headers: dict[str, str], outcome: str, wait: float | None
) -> None:
    site = served(miniweb, name, recorded(recording), status, **headers)
    with pytest.raises((SearchRateLimited, SearchUnavailable)) as refused:
        await asked(name, site, SearchQuery("tortoise"))
    (attempt,) = refused.value.details["attempted"]
    assert (attempt["outcome"], attempt.get("retry_after")) == (outcome, wait)


async def test_a_package_that_does_not_exist_is_an_empty_answer(miniweb: MiniWeb) -> None:
    found = await asked("pypi", served(miniweb, "pypi", "{}", 404), SearchQuery("tortois"))
    assert found.hits == ()
    assert found.attempted[0].outcome == "empty"


async def test_the_contact_is_sent_where_it_is_asked_for(miniweb: MiniWeb) -> None:
    site = served(miniweb, "crossref", recorded("crossref.json"))
    await asked("crossref", site, SearchQuery("tortoise"), contact="ada@example.org")
    assert "mailto:ada@example.org" in site.log[0].headers["user-agent"]
    assert site.log[0].query["mailto"] == ["ada@example.org"]


async def test_a_stack_exchange_backoff_is_kept(miniweb: MiniWeb) -> None:
    class Pauses(MemoryLimiter):
        def __init__(self) -> None:
            super().__init__()
            self.paused: list[tuple[str, float]] = []

        async def pause(self, key: str, seconds: float) -> None:
            self.paused.append((key, seconds))

    limiter = Pauses()
    site = served(miniweb, "stackexchange", {"items": [], "has_more": False, "backoff": 10, "quota_remaining": 200})
    await asked("stackexchange", site, SearchQuery("tortoise", category="it"), limiter=limiter)
    assert limiter.paused == [("search:stackexchange", 10.0)]


@pytest.mark.parametrize("name", SOURCE_NAMES)
async def test_fifty_calls_at_once_keep_the_pace_of_a_source(miniweb: MiniWeb, name: str) -> None:
    """As many requests as the time allows are sent; everybody else is told when to come back."""
    recording, words, *_ = ANSWERS[name]
    site = served(miniweb, name, recorded(recording))
    made = searcher(providers=(name,), urls={name: site.loopback_url("")})
    category, begun = category_of(name), anyio.current_time()
    answered: list[int] = []
    refused: list[WebError] = []

    async def one(number: int) -> None:
        query = SearchQuery(f"{words}{number}" if name == "pypi" else f"{words} {number}", category=category)
        try:
            await made.search(query, name, deadline=soon(1.0 if number else 20.0))
            answered.append(number)
        except (SearchRateLimited, SearchUnavailable) as late:
            refused.append(late)

    await one(0)  # alone, with time to spare: a busy machine sends one request too
    async with anyio.create_task_group() as tasks:
        for number in range(1, 50):
            tasks.start_soon(one, number)
    capabilities, elapsed = REGISTRY[name].capabilities, anyio.current_time() - begun
    assert 1 <= len(site.log) <= 1 + elapsed * capabilities.rate / capabilities.per
    assert len(answered) <= len(site.log)
    assert len(answered) + len(refused) == 50
    assert all(one.retry_after is not None for one in refused)


@pytest.mark.parametrize(
    ("words", "facts", "names"),
    [
        ("tortoise speed", {}, ()),
        ("tortoise speed", {"category": "science"}, ("openalex", "crossref", "arxiv", "europepmc")),
        ("tortoise orm", {"category": "it"}, ("stackexchange", "github", "hackernews")),
        ("npm tortoise", {"category": "it"}, ("stackexchange", "github", "hackernews", "npm")),
        ("10.1000/xyz123", {}, ("crossref", "openalex")),
        ("arXiv 1706.03762 attention", {}, ("arxiv",)),
        ("what is a tortoise", {}, ("wikipedia",)),
        ("TypeError: unhashable type list", {}, ("stackexchange", "github")),
        ("holy terror", {}, ()),
        ("tortoise", {"include_domains": ("de.wikipedia.org",)}, ("wikipedia",)),
        ("what is a tortoise", {"include_domains": ("zoo.example",)}, ()),
        ("tortoise", {"category": "images"}, ()),
    ],
)
def test_sources_are_chosen_by_category_domain_and_look(
    words: str, facts: dict[str, Any], names: tuple[str, ...]
) -> None:
    assert fitting_sources(SearchQuery(words, **facts)) == names


def test_sources_are_not_asked_past_an_own_searxng_or_list() -> None:
    query = SearchQuery("x", category="science")
    for options, beside in [
        (SearchOptions(), ("openalex", "crossref", "arxiv", "europepmc")),
        (SearchOptions(searxng_urls=("http://s",)), ()),
        (SearchOptions(providers=("brave", "arxiv")), ("arxiv",)),
        (SearchOptions(exclude=("sources",)), ()),
    ]:
        made = select("auto", options, "science", soon_date(), fitting=fitting_sources(query))
        assert made.beside == beside


def soon_date() -> Any:
    from datetime import date

    return date(2026, 11, 15)


async def test_sources_are_merged_with_a_general_search(miniweb: MiniWeb) -> None:
    brave = served(miniweb, "brave", brave_page(*(f"https://a.example/{n}" for n in range(10))))
    wikipedia = served(miniweb, "wikipedia", recorded("wikipedia.json"))
    made = searcher(
        exclude=("ddgs", "tavily"),
        keys={"brave": "k"},
        urls={"wikipedia": wikipedia.loopback_url(""), "brave": brave.loopback_url("")},
    )
    found = await made.search(SearchQuery("what is a tortoise"), deadline=soon())
    engines = [hit.engines[0] for hit in found.hits]
    assert engines.count("wikipedia") == 2
    assert engines.count("brave") == 8
    assert "wikipedia" in found.provider


async def test_a_source_answers_when_the_general_providers_do_not(miniweb: MiniWeb) -> None:
    brave = served(miniweb, "brave", "{}", 500)
    wikipedia = served(miniweb, "wikipedia", recorded("wikipedia.json"))
    made = searcher(
        exclude=("ddgs", "tavily"),
        keys={"brave": "k"},
        urls={"wikipedia": wikipedia.loopback_url(""), "brave": brave.loopback_url("")},
    )
    found = await made.search(SearchQuery("what is a tortoise"), deadline=soon())
    assert found.provider == "wikipedia"
    assert any("brave did not answer" in note for note in found.notes)


async def test_every_general_provider_is_among_the_attempted_when_the_deadline_passes(miniweb: MiniWeb) -> None:
    brave, wikipedia = miniweb.site("brave.example"), miniweb.site("wikipedia.example")

    async def never(request: Request, wire: object) -> None:
        await anyio.sleep_forever()

    for site in (brave, wikipedia):
        site.behave("/*", never)
    made = searcher(
        providers=("exa", "brave", "wikipedia"),
        exclude=("ddgs", "tavily"),
        keys={"brave": "k"},
        urls={"wikipedia": wikipedia.loopback_url(""), "brave": brave.loopback_url("")},
    )
    with pytest.raises(SearchUnavailable) as late:
        await made.search(SearchQuery("what is a tortoise"), deadline=soon(0.5))
    outcomes = {one["name"]: one["outcome"] for one in late.value.details["attempted"]}
    assert outcomes == {"exa": "auth", "brave": "timeout", "wikipedia": "timeout"}


@pytest.mark.parametrize(
    ("page", "status", "hours"),
    [
        (searxng_page("https://a.example/"), 200, 1),
        (searxng_page(), 200, 1),
        ({}, 500, 0),
        (searxng_page() | {"unresponsive_engines": [["google", "CAPTCHA"]]}, 200, 0),
    ],
)
async def test_results_of_sources_alone_are_kept_for_an_hour_only_if_the_general_provider_answered(
    miniweb: MiniWeb, page: dict[str, Any], status: int, hours: int
) -> None:
    class Kept(MemoryNotes):
        expiry = 0.0

        async def keep_note(self, kind: str, key: str, value: Any, expires_at: float) -> None:
            self.expiry = expires_at

    searx, notes = served(miniweb, "searx", page, status), Kept()
    wikipedia = served(miniweb, "wikipedia", recorded("wikipedia.json"))
    made = searcher(
        notes=notes,
        cache_ttl=3600.0,
        providers=("searxng", "wikipedia"),
        exclude=("ddgs", "tavily"),
        searxng_urls=(searx.loopback_url(""),),
        urls={"wikipedia": wikipedia.loopback_url("")},
    )
    begun = time.time()
    found = await made.search(SearchQuery("what is a tortoise"), deadline=soon())
    assert "wikipedia" in found.provider
    assert (notes.expiry - begun) // 3600 == hours


def test_github_searches_issues_for_errors_and_code_with_a_token() -> None:
    (plain,) = REGISTRY["github"].build(SearchOptions())
    (keyed,) = REGISTRY["github"].build(SearchOptions(keys={"github": "t"}))
    code, error = SearchQuery("foo.bar(baz)"), SearchQuery("TortoiseError on start")
    assert plain.request(error).url.endswith("/search/issues")
    assert "is:issue" in dict(plain.request(error).params)["q"]
    assert plain.request(code).url.endswith("/search/repositories")
    assert keyed.request(code).url.endswith("/search/code")
    assert keyed.request(code).headers["Authorization"] == "Bearer t"


async def test_the_licence_of_marginalias_results_is_said(miniweb: MiniWeb) -> None:
    site = served(miniweb, "marginalia", recorded("marginalia.json"))
    found = await asked("marginalia", site, SearchQuery("tortoise"))
    assert any("CC-BY-NC-SA 4.0" in note for note in found.notes)
    assert site.log[0].headers["api-key"] == "public"
    await asked("marginalia", site, SearchQuery("tortoise"), keys={"marginalia": "k"})
    assert site.log[1].headers["api-key"] == "k"


def test_only_known_editions_become_part_of_a_host() -> None:
    (wikipedia,) = REGISTRY["wikipedia"].build(SearchOptions())
    hosts = {
        language: wikipedia.request(SearchQuery("x", language=language)).url.split("/")[2]
        for language in ("de", "pt-BR", "xx", None)
    }
    assert hosts == {
        "de": "de.wikipedia.org",
        "pt-BR": "pt.wikipedia.org",
        "xx": "en.wikipedia.org",
        None: "en.wikipedia.org",
    }


def test_entities_in_a_feed_are_not_read() -> None:
    from mcp_web.search.provider import ProviderRefused

    (arxiv,) = REGISTRY["arxiv"].build(SearchOptions())
    bomb = b'<!DOCTYPE feed [<!ENTITY a "aaaa">]><feed xmlns="http://www.w3.org/2005/Atom">&a;</feed>'
    with pytest.raises(ProviderRefused):
        arxiv.parse(api_response(200, bomb), SearchQuery("x"))


@pytest.mark.parametrize(
    ("issued", "date"), [("2021", "2021-01-01"), ("2021-05", "2021-05-01"), ("2021-05-04", "2021-05-04"), ("", None)]
)
def test_a_year_or_month_of_datacite_is_its_first_day(issued: str, date: str | None) -> None:
    assert datacite._date({"dates": [{"dateType": "Issued", "date": issued}]}) == date
