"""Who is asked, for which pages, and what becomes of filters a provider does not have."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_web.errors import InvalidInput
from mcp_web.model.search import Hit, SearchQuery
from mcp_web.search.options import SearchOptions
from mcp_web.search.plan import adapt, select
from mcp_web.search.provider import Capabilities
from mcp_web.search.providers import REGISTRY
from mcp_web.search.result_filter import ResultFilter
from search.lookalike import NOTHING

TODAY = date(2026, 11, 15)


def names(options: SearchOptions, wanted: str | list[str] = "auto", category: str = "general") -> tuple[str, ...]:
    return select(wanted, options, category, TODAY).names  # type: ignore[arg-type]


def test_nothing_configured_is_keyless_search() -> None:
    assert names(SearchOptions()) == ("ddgs", "tavily", "searxng", "wikipedia")
    assert names(replace(SearchOptions(), urls={"searx_space": ""})) == ("ddgs", "tavily", "wikipedia")


def test_auto_beside_other_providers_is_refused_by_its_reason() -> None:
    with pytest.raises(InvalidInput, match="cannot be combined with others"):
        names(SearchOptions(), ["auto", "brave"])


def test_what_the_operator_set_up_comes_first_and_keyless_last() -> None:
    options = SearchOptions(keys={"brave": "k", "tavily": "k"})
    assert names(options) == ("brave", "tavily", "ddgs", "searxng", "wikipedia")


def test_an_own_searxng_comes_first_and_keyless_providers_are_left_out() -> None:
    assert names(SearchOptions(searxng_urls=("http://s",))) == ("searxng",)
    keyed = SearchOptions(keys={"brave": "k", "tavily": "k"}, searxng_urls=("http://s",))
    assert names(keyed) == ("searxng", "brave", "tavily")
    listed = SearchOptions(searxng_urls=("http://s",), providers=("searxng", "ddgs"))
    assert names(listed) == ("searxng", "ddgs")


@pytest.mark.parametrize("name", ["ddgs", "tavily"])
def test_a_call_cannot_send_queries_past_an_own_searxng(name: str) -> None:
    with pytest.raises(InvalidInput, match="configured SearXNG") as refused:
        names(SearchOptions(searxng_urls=("http://s",)), name)
    assert "MCP_WEB_SEARCH_PROVIDERS" in refused.value.suggestion
    assert names(SearchOptions(searxng_urls=("http://s",), providers=("searxng", name)), name) == (name,)


def test_a_given_order_is_kept_and_nothing_is_added() -> None:
    options = SearchOptions(keys={"brave": "k"}, providers=("searxng", "brave", "exa"), searxng_urls=("http://s",))
    assert names(options) == ("searxng", "brave", "exa")  # exa will say that it lacks its key


def test_a_category_goes_first_to_those_who_know_it() -> None:
    options = SearchOptions(keys={"brave": "k"}, searxng_urls=("http://s",))
    assert names(options, category="music")[0] == "searxng"


def test_google_ends() -> None:
    options = replace(NOTHING, keys={"google": "k", "google_engine": "c"})
    assert select("auto", options, "general", TODAY).names == ("google",)
    assert select("auto", options, "general", date(2027, 1, 1)).names == ()


def test_names_may_come_in_any_form() -> None:
    assert select(["brave", "exa"], NOTHING, "general", TODAY).how == "together"
    assert names(NOTHING, "brave, exa") == ("brave", "exa")
    assert names(NOTHING, ["Brave"]) == ("brave",)
    assert select("brave", NOTHING, "general", TODAY).how == "failover"


def test_an_unknown_name_gets_the_nearest_known_one() -> None:
    with pytest.raises(InvalidInput, match="Did you mean brave"):
        select("brvae", NOTHING, "general", TODAY)


PAGES = Capabilities("p", "p", frozenset({"general"}), paging="pages", max_count=20, max_pages=10)


@settings(deadline=None)
@given(st.integers(0, 9), st.integers(1, 50), st.integers(1, 30))
def test_windows_cover_exactly_what_was_asked(page: int, count: int, size: int) -> None:
    capabilities = replace(PAGES, max_count=size, max_pages=10_000)
    results = list(range(2000))
    got = [
        item
        for page_request in adapt(SearchQuery("q", page=page, count=count), capabilities, TODAY).page_requests
        for item in results[
            page_request.page * page_request.size + page_request.skip : (page_request.page + 1) * page_request.size
        ]
    ]
    assert got[:count] == results[page * count : (page + 1) * count]


def test_fifty_results_take_three_brave_pages() -> None:
    page_requests = adapt(SearchQuery("q", count=50), REGISTRY["brave"].capabilities, TODAY).page_requests
    assert [(page_request.page, page_request.size) for page_request in page_requests] == [(0, 20), (1, 20), (2, 20)]


def test_beyond_the_last_page_there_is_nothing_to_ask() -> None:
    assert adapt(SearchQuery("q", count=10, page=9), REGISTRY["tavily"].capabilities, TODAY).page_requests == ()
    assert len(adapt(SearchQuery("q", count=20, page=4), REGISTRY["google"].capabilities, TODAY).page_requests) == 2
    assert adapt(SearchQuery("q", count=50, page=2), REGISTRY["google"].capabilities, TODAY).page_requests == ()
    (deep,) = adapt(SearchQuery("q", count=10, page=3), REGISTRY["exa"].capabilities, TODAY).page_requests
    assert (deep.size, deep.skip) == (40, 30)


def test_domains_become_operators_where_there_is_no_filter() -> None:
    query = SearchQuery("q", include_domains=("a.org", "b.org"), exclude_domains=("c.org",))
    assert adapt(query, REGISTRY["serper"].capabilities, TODAY).query.text == "q (site:a.org OR site:b.org) -site:c.org"
    assert adapt(query, REGISTRY["brave"].capabilities, TODAY).query.text == "q"
    written = SearchQuery("q", include_domains=("https://www.A.org/", "*.a.org"))
    assert adapt(written, REGISTRY["serper"].capabilities, TODAY).query.text == "q site:a.org"
    assert adapt(written, REGISTRY["brave"].capabilities, TODAY).query.include_domains == ("a.org",)
    many = SearchQuery("q", include_domains=tuple(f"d{n}.org" for n in range(20)))
    plan = adapt(many, REGISTRY["serper"].capabilities, TODAY)
    assert plan.query.text == "q"
    assert any("filtered afterwards" in note for note in plan.notes)


def test_what_a_provider_cannot_do_is_said_and_not_sent() -> None:
    query = SearchQuery("q", language="de", safe_search="strict", extra_snippets=True, goggles=("g",), category="music")
    plan = adapt(query, REGISTRY["tavily"].capabilities, TODAY)
    assert plan.query.language is None
    assert plan.query.category == "general"
    (note,) = plan.notes
    assert note.startswith("tavily cannot apply")
    for word in ("language", "safe_search", "extra_snippets", "goggles", "category music"):
        assert word in note


def test_a_plain_query_has_no_notes() -> None:
    for entry in REGISTRY.values():
        assert adapt(SearchQuery("q"), entry.capabilities, TODAY).notes == ()


def test_a_range_is_narrowed_as_far_as_the_provider_can() -> None:
    plan = adapt(SearchQuery("q", freshness="2026-11-01..2026-11-10"), REGISTRY["searxng"].capabilities, TODAY)
    assert plan.query.freshness == "month"
    assert plan.result_filter.drop_undated
    assert (
        adapt(
            SearchQuery("q", freshness="2019-01-01..2019-12-31"), REGISTRY["searxng"].capabilities, TODAY
        ).query.freshness
        is None
    )
    exact = adapt(SearchQuery("q", freshness="2019-01-01..2019-12-31"), REGISTRY["brave"].capabilities, TODAY)
    assert exact.query.freshness == "2019-01-01..2019-12-31"
    assert not exact.result_filter.drop_undated


def test_no_result_is_lost_whether_a_month_of_a_provider_has_30_days_or_31() -> None:
    searxng = REGISTRY["searxng"].capabilities
    assert adapt(SearchQuery("q", freshness="2026-10-16..2026-10-20"), searxng, TODAY).query.freshness == "month"
    assert adapt(SearchQuery("q", freshness="2026-10-15..2026-10-20"), searxng, TODAY).query.freshness == "year"
    span = adapt(SearchQuery("q", freshness="month"), searxng, TODAY).result_filter.span
    assert span is not None
    assert span[0] == date(2026, 10, 15)


def test_a_long_query_is_cut_to_what_brave_takes() -> None:
    plan = adapt(SearchQuery("word " * 80), REGISTRY["brave"].capabilities, TODAY)
    assert len(plan.query.text.split()) == 50
    assert any("was cut" in note for note in plan.notes)


def test_a_phrase_that_is_cut_is_closed_so_that_nothing_is_added_inside_it() -> None:
    asked = SearchQuery(f'rust "{"word " * 80}"')
    assert adapt(asked, REGISTRY["brave"].capabilities, TODAY).query.text.endswith(' word"')


def test_a_query_with_spaces_around_it_is_not_said_to_be_cut() -> None:
    plan = adapt(SearchQuery(" rust async "), REGISTRY["brave"].capabilities, TODAY)
    assert (plan.query.text, plan.notes) == ("rust async", ())


def test_domains_that_would_crowd_out_the_query_are_filtered_afterwards() -> None:
    domains = tuple(f"{name * 40}.example.org" for name in "abcdefghi")
    plan = adapt(SearchQuery("steam valves", include_domains=domains), REGISTRY["ddgs"].capabilities, TODAY)
    assert plan.query.text == "steam valves"
    assert plan.result_filter.include == domains
    assert any("filtered afterwards" in note for note in plan.notes)


def test_domains_that_fit_beside_the_query_are_operators() -> None:
    domains = tuple(f"{name}.documentation.example" for name in "abcdefghi")
    plan = adapt(SearchQuery("steam valves", include_domains=domains), REGISTRY["ddgs"].capabilities, TODAY)
    assert plan.query.text == f"steam valves ({' OR '.join(f'site:{domain}' for domain in domains)})"
    assert not plan.notes


def hit(url: str, published: str | None = None) -> Hit:
    return Hit("t", url, published=published)


def test_the_sieve_says_what_it_did() -> None:
    hits = [hit("https://a.org/1", "2026-11-14"), hit("https://sub.a.org/2"), hit("https://b.org/", "2019-01-01")]
    week = (date(2026, 11, 8), TODAY)
    kept, notes = ResultFilter(include=("a.org",), span=week).apply(hits)
    assert [one.url for one in kept] == ["https://a.org/1", "https://sub.a.org/2"]
    assert notes == ("Left out: 1 result from other domains.", "Freshness: kept 1 undated result.")
    kept, notes = ResultFilter(exclude=("a.org",), span=week, drop_undated=True).apply(hits)
    assert kept == ()
    assert any("dated outside" in note for note in notes)
    kept, notes = ResultFilter(span=week, drop_undated=True).apply(hits)
    assert [one.url for one in kept] == ["https://a.org/1"]
    assert any("dropped 1 undated result" in note for note in notes)
