"""Requests as each provider wants them, answers as each provider gives them. Pure, from recordings."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mcp_web.model.search import SearchQuery
from mcp_web.search.options import SearchOptions
from mcp_web.search.provider import ProviderRefused
from mcp_web.search.providers import REGISTRY, build
from mcp_web.search.providers.api import Access, Provider
from mcp_web.search.providers.brave import Brave
from mcp_web.search.providers.ddgs import Ddgs
from mcp_web.search.providers.exa import Exa
from mcp_web.search.providers.google import Google
from mcp_web.search.providers.searxng import Searxng
from mcp_web.search.providers.serper import Serper
from mcp_web.search.providers.tavily import Tavily
from search.lookalike import answered, api_response

BRAVE = Brave(Access("https://api.search.brave.com/res/v1", key="key"))
GOOGLE = Google(Access("https://customsearch.googleapis.com/customsearch/v1", key="key", engine="cx"))
SEARXNG = Searxng("http://127.0.0.1:8888")
TAVILY = Tavily(Access("https://api.tavily.com", key="key"))
EXA = Exa(Access("https://api.exa.ai", key="key"))
SERPER = Serper(Access("https://google.serper.dev", key="key"))
Q = SearchQuery("tortoise")


def params(provider: Provider, **facts: Any) -> dict[str, str]:
    return dict(provider.request(SearchQuery("tortoise", **facts)).params)


def test_brave_is_asked_in_its_own_codes() -> None:
    request = BRAVE.request(
        SearchQuery("tortoise", count=20, page=2, language="ja", country="JP", freshness="week", safe_search="strict")
    )
    assert request.url == "https://api.search.brave.com/res/v1/web/search"
    assert request.headers["X-Subscription-Token"] == "key"
    sent = dict(request.params)
    assert sent == {
        "q": "tortoise",
        "count": "20",
        "offset": "2",
        "safesearch": "strict",
        "freshness": "pw",
        "country": "JP",
        "search_lang": "jp",
        "ui_lang": "ja-JP",
        "text_decorations": "false",
    }
    assert params(BRAVE, freshness="2026-01-01..2026-02-01")["freshness"] == "2026-01-01to2026-02-01"


def test_brave_gets_domain_lists_as_one_goggle_beside_the_readers_own() -> None:
    query = SearchQuery(
        "x", include_domains=("a.org", "b.org"), exclude_domains=("c.org",), goggles=("$boost=3,site=d.org",)
    )
    goggles = [value for name, value in BRAVE.request(query).params if name == "goggles"]
    assert goggles == ["$boost=3,site=d.org", "$discard\n$site=a.org\n$site=b.org\n$discard,site=c.org"]


def test_brave_images_have_no_pages_and_no_moderate() -> None:
    request = BRAVE.request(SearchQuery("x", category="images", count=2, page=1))
    assert request.url.endswith("/images/search")
    assert dict(request.params) == {"q": "x", "count": "4", "safesearch": "strict"}
    page = BRAVE.parse(answered("brave_images.json"), SearchQuery("x", category="images", count=2, page=1))
    assert [hit.url for hit in page.hits] == ["https://pics.example/2", "https://pics.example/3"]


@pytest.mark.parametrize("base", ["http://h:1", "http://h:1/res/v1/", "http://h:1/res/v1/web/search"])
def test_a_brave_base_is_taken_with_or_without_its_path(base: str) -> None:
    assert Brave.from_options(SearchOptions(urls={"brave": base})).request(Q).url == "http://h:1/res/v1/web/search"


def test_a_brave_page_is_clean() -> None:
    page = BRAVE.parse(answered("brave_web.json"), SearchQuery("tortoise", extra_snippets=True))
    first, second = page.hits
    assert first.title == "Walking tortoises & time"
    assert first.snippet == "A tortoise walks 0.3 km an hour 'at most'."
    assert first.published == "2026-09-01T10:00:00+00:00"
    assert first.domain == "animals.example"
    assert first.extra_snippets == ("One more.", "And another.")
    assert first.thumbnail == "https://animals.example/t.png"
    assert second.snippet == "The hare <b>lost</b> again …"
    assert page.more
    assert page.answers == ("Tortoises are slow reptiles.",)


def test_a_brave_answer_without_web_results_gives_what_else_it_has() -> None:
    body = b'{"query":{},"discussions":{"results":[{"title":"Talk","url":"https://t.example/","description":"d"}]}}'
    assert [hit.title for hit in BRAVE.parse(api_response(200, body), Q).hits] == ["Talk"]


def test_brave_news_are_dated() -> None:
    (hit,) = BRAVE.parse(answered("brave_news.json"), SearchQuery("x", category="news")).hits
    assert (hit.title, hit.published) == ("Tortoise wins", "2026-11-15T04:00:00+00:00")


def test_brave_quota_pairs_and_what_zero_means() -> None:
    capped = api_response(
        200, b"{}", {"x-ratelimit-limit": "1, 15000", "x-ratelimit-remaining": "0, 1000", "x-ratelimit-reset": "1, 99"}
    )
    quota = BRAVE.quota(capped)
    assert quota is not None
    assert (quota.rate, quota.left_this_month, quota.month_resets) == (1, 1000, 99.0)
    uncapped = api_response(
        200, b"{}", {"x-ratelimit-limit": "50, 0", "x-ratelimit-remaining": "49, 0", "x-ratelimit-reset": "1, 9"}
    )
    quota = BRAVE.quota(uncapped)
    assert quota is not None
    assert (quota.rate, quota.left_this_month) == (50, None)


@pytest.mark.parametrize("header", ["", "soon", "1; 5", "x, 15000", "\u00b2, 9", "--1, 9", "9" * 400])
def test_a_quota_header_of_nonsense_is_none(header: str) -> None:
    assert BRAVE.quota(api_response(200, b"{}", {"x-ratelimit-limit": header})) is None


def test_a_used_up_month_is_not_a_rate_limit_even_in_the_old_shape() -> None:
    with pytest.raises(ProviderRefused) as refused:
        BRAVE.parse(answered("brave_429_old_shape.json", 429, {"x-ratelimit-reset": "1, 1234"}), Q)
    assert (refused.value.outcome, refused.value.retry_after) == ("quota", 1234.0)


def test_google_is_asked_in_its_own_codes() -> None:
    sent = params(GOOGLE, count=10, page=3, language="pt-BR", freshness="month", safe_search="moderate")
    assert sent == {
        "key": "key",
        "cx": "cx",
        "q": "tortoise",
        "num": "10",
        "start": "31",
        "lr": "lang_pt",
        "gl": "br",
        "hl": "pt-BR",
        "dateRestrict": "m1",
        "safe": "active",
    }
    assert params(GOOGLE, freshness="2026-01-01..2026-02-01")["sort"] == "date:r:20260101:20260201"


def test_a_google_image_leads_to_its_page() -> None:
    (hit,) = GOOGLE.parse(answered("google_images.json"), SearchQuery("x", category="images")).hits
    assert (hit.url, hit.title, hit.snippet) == ("https://pics.example/page", "A picture", "a picture")
    assert hit.thumbnail == "https://tbn.example/a"


def test_searxng_is_sent_harmless_text_and_passing_headers() -> None:
    request = SEARXNG.request(
        SearchQuery("!!g :de tortoise <3", page=1, freshness="week", language="de", category="news")
    )
    sent = dict(request.params)
    assert sent["q"] == '"!!g" ":de" tortoise "<3"'
    assert (sent["pageno"], sent["time_range"], sent["language"], sent["categories"]) == ("2", "week", "de", "news")
    assert "text/html" in request.headers["Accept"]
    assert {"Accept-Language", "Accept-Encoding", "Sec-Fetch-Mode"} <= set(request.headers)


def test_a_login_in_an_instances_address_becomes_a_header_and_is_never_shown() -> None:
    guarded = Searxng("https://me:p%40ss@search.home.example/sub/")
    request = guarded.request(Q)
    assert (guarded.name, request.url) == ("https://search.home.example/sub", "https://search.home.example/sub/search")
    assert request.headers["Authorization"] == "Basic bWU6cEBzcw=="
    assert Searxng("127.0.0.1:8888").name == Searxng("http://127.0.0.1:8888/search").name == "http://127.0.0.1:8888"


def test_searxng_results_are_in_order_of_score_whatever_the_version() -> None:
    page = SEARXNG.parse(answered("searxng_new.json"), Q)
    assert [hit.title for hit in page.hits] == ["First", "Second"]
    assert page.hits[0].engines == ("brave", "google")
    assert page.hits[1].published == "2026-01-02T03:04:05+00:00"
    assert page.answers == ("42", "Tortoise: A reptile.", "k: v")
    assert page.suggestion == "tortoise speed"
    assert any('"google" ("timeout")' in note for note in page.notes)
    assert any("1 result without a page" in note for note in page.notes)
    old = SEARXNG.parse(answered("searxng_old.json"), Q)
    assert (old.total, old.answers) == (1234, ("plain words",))


def test_a_searxng_redirect_is_a_block_and_never_followed() -> None:
    with pytest.raises(ProviderRefused) as refused:
        SEARXNG.parse(api_response(302, b"", {"location": "https://www.google.com/"}), Q)
    assert refused.value.outcome == "blocked"


def test_ddgs_links_stay_as_they_were() -> None:
    page = Ddgs("duckduckgo").parse(answered("ddgs_text.json"), Q)
    assert [hit.url for hit in page.hits] == ["https://animals.example/a%2Fb?x=1%26y"]
    assert page.hits[0].engines == ("duckduckgo",)


@pytest.mark.parametrize("kind", ["news", "images", "videos"])
def test_ddgs_kinds_parse(kind: Any) -> None:
    (hit,) = Ddgs("duckduckgo").parse(answered(f"ddgs_{kind}.json"), SearchQuery("x", category=kind)).hits
    assert hit.title.startswith("Tortoise")
    assert hit.thumbnail
    if kind != "images":
        assert hit.published


@pytest.mark.parametrize("status", [202, 403, 429])
def test_a_robot_check_is_not_an_empty_result(status: int) -> None:
    with pytest.raises(ProviderRefused) as refused:
        Ddgs("duckduckgo").parse(api_response(status, b"[]"), Q)
    assert refused.value.outcome == "blocked"


def test_tavily_with_and_without_a_key() -> None:
    request = TAVILY.request(SearchQuery("x", count=5, include_domains=("a.org",), country="DE", freshness="day"))
    assert request.headers["Authorization"] == "Bearer key"
    assert request.json == {
        "query": "x",
        "max_results": 5,
        "search_depth": "basic",
        "time_range": "day",
        "include_domains": ["a.org"],
        "country": "germany",
    }
    assert Tavily(Access("https://api.tavily.com", key="")).request(Q).headers["X-Tavily-Access-Mode"] == "keyless"
    page = TAVILY.parse(answered("tavily_news.json"), SearchQuery("x", category="news"))
    assert page.hits[0].published == "2026-11-14T09:00:00+00:00"
    assert page.answers == ("Yes, it won.",)


def test_exa_dates_and_highlights() -> None:
    body = EXA.request(SearchQuery("x", freshness="2026-01-01..2026-02-01", category="science")).json
    assert body["startPublishedDate"] == "2026-01-01T00:00:00.000Z"
    assert body["endPublishedDate"] == "2026-02-02T00:00:00.000Z"
    assert body["category"] == "research paper"
    page = EXA.parse(answered("exa.json"), SearchQuery("x", extra_snippets=True))
    assert (page.hits[0].snippet, page.hits[0].extra_snippets) == ("They walk slowly.", ("They live long.",))
    assert page.hits[1].title == "other.example"


def test_serper_speaks_lower_case_and_reads_spoken_dates() -> None:
    request = SERPER.request(SearchQuery("x", language="zh-CN", page=1, freshness="2026-01-01..2026-02-03"))
    assert request.json["hl"] == "zh-cn"
    assert request.json["page"] == 2
    assert request.json["tbs"] == "cdr:1,cd_min:01/01/2026,cd_max:02/03/2026"
    page = SERPER.parse(answered("serper.json"), Q)
    assert page.answers == ("0.3 km/h", "A slow reptile.")
    assert page.hits[0].published is not None
    assert page.hits[1].snippet == ""
    (news,) = SERPER.parse(answered("serper_news.json"), SearchQuery("x", category="news", language="de")).hits
    assert news.published is not None


@pytest.mark.parametrize(("rows", "more"), [(10, True), (8, True), (5, True), (4, False), (0, False)])
def test_a_page_of_google_is_full_with_fewer_than_asked_for(rows: int, more: bool) -> None:
    organic = [{"title": "T", "link": f"https://t{number}.example/"} for number in range(rows)]
    body = json.dumps({"organic": organic}).encode()
    assert SERPER.parse(api_response(200, body), Q).more is more


@pytest.mark.parametrize(
    ("provider", "name", "status", "outcome"),
    [
        (TAVILY, "tavily_432.json", 432, "quota"),
        (TAVILY, "tavily_432.json", 433, "quota"),
        (EXA, "exa_402.json", 402, "quota"),
        (SERPER, "serper_403.json", 403, "auth"),
        (SERPER, "serper_credits.json", 400, "quota"),
    ],
)
def test_refusals_are_told_apart(provider: Provider, name: str, status: int, outcome: str) -> None:
    with pytest.raises(ProviderRefused) as refused:
        provider.parse(answered(name, status), Q)
    assert refused.value.outcome == outcome
    assert refused.value.fix


def test_every_provider_says_how_to_set_it_up() -> None:
    nothing = SearchOptions(exclude=("ddgs", "tavily", "sources"))
    for name, entry in REGISTRY.items():
        assert entry.capabilities.name == name
        assert build(name, nothing) == []
        assert entry.fix.endswith(".")


def test_keys_travel_in_headers_where_the_provider_allows_it() -> None:
    for provider in (BRAVE, TAVILY, EXA, SERPER):
        request = provider.request(Q)
        assert "key" not in dict(request.params)
        assert any("key" in value for value in request.headers.values())
