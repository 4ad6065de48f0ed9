"""Seed 002: web_search over SearXNG, with metadata and is_error."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from miniweb import MiniWeb

from .contract_caller import ContractCaller, assert_same_shape, contract_caller
from .pages import Lookalike, article, as_json, searxng, searxng_answer

pytestmark = pytest.mark.anyio

WITH_CONTENT = {
    "query": "rust async programming", "category": "general", "language": "en", "results_count": 10,
    "search_time_ms": 1250, "instance_used": "https://search.example.org",
    "results": [{
        "title": "Async", "url": "https://doc.rust-lang.org/", "description": "Learn", "score": 0.95,
        "engine": "duckduckgo",
        "content": {"markdown": "# Async", "word_count": 2840, "fetch_time_ms": 340, "summary": "Comprehensive"},
    }],
    "total_results": 8450, "engines_used": ["duckduckgo"],
    "content_fetch_stats": {"attempted": 10, "successful": 8, "failed": 2, "total_time_ms": 2840},
}  # fmt: skip
BARE = {"title": "Ownership", "url": "https://doc.rust-lang.org/", "description": "Learn", "score": 0.98,
        "engine": "duckduckgo"}  # fmt: skip
FAILED = {"query": "rust programming", "error_type": "no_instances_available", "error_details": "All",
          "attempted_instances": ["https://search.example1.org"], "retry_after": 300}  # fmt: skip


@pytest.fixture
def pages(miniweb: MiniWeb) -> list[str]:
    site = miniweb.site("docs.example")
    return [site.page(f"/p{number}", article(f"Page {number}", "Futures", "Runtime")) for number in range(3)]


@pytest.fixture
def instance(miniweb: MiniWeb, pages: list[str]) -> Lookalike:
    return searxng(miniweb, searxng_answer(*pages))


@pytest.fixture
async def tools(miniweb: MiniWeb, instance: Lookalike, tmp_path: Path) -> AsyncIterator[ContractCaller]:
    async with contract_caller(miniweb, tmp_path, "searxng", MCP_WEB_SEARXNG_URLS=instance.url()) as made:
        yield made


async def search(tools: ContractCaller, **arguments: Any) -> tuple[str, dict[str, Any]]:
    """The sentence and the metadata of a search that succeeds."""
    result = await tools.call("web_search", **arguments)
    assert not result.is_error, result.text
    assert result.extra["is_error"] is False
    return result.text, result.extra["metadata"]


async def test_the_schema_is_the_seed_s_own(tools: ContractCaller) -> None:
    schema = tools.schema("web_search")
    assert schema["required"] == ["query"]
    rules = schema["properties"]
    assert {name: rule.get("default") for name, rule in rules.items()} == {
        "query": None, "category": "general", "language": "en", "results_count": 10, "fetch_content": True,
        "safe_search": 1, "time_range": "",
    }  # fmt: skip
    assert (rules["query"]["minLength"], rules["query"]["maxLength"]) == (1, 500)
    assert (rules["results_count"]["minimum"], rules["results_count"]["maximum"]) == (1, 50)
    assert rules["safe_search"]["enum"] == [0, 1, 2]
    assert rules["time_range"]["enum"] == ["", "day", "week", "month", "year"]
    assert rules["language"]["pattern"] == "^[a-z]{2}(-[A-Z]{2})?$"
    assert len(rules["category"]["enum"]) == 9


async def test_a_search_with_content_answers_in_the_shape_of_its_example(tools: ContractCaller) -> None:
    text, metadata = await search(tools, query="rust async programming")
    assert text == "Found 3 search results for query 'rust async programming'"
    assert_same_shape(WITH_CONTENT, metadata)
    assert metadata["content_fetch_stats"]["successful"] == 3
    assert metadata["total_results"] == 8450
    assert set(metadata["engines_used"]) == {"duckduckgo", "google"}
    assert "Futures is explained" in metadata["results"][0]["content"]["markdown"]
    assert metadata["results"][0]["content"]["word_count"] > 100


async def test_a_model_that_sees_only_content_gets_the_same_object(tools: ContractCaller) -> None:
    result = await tools.call("web_search", query="rust")
    assert json.loads(result.more[0]) == result.extra["metadata"]


async def test_a_search_without_content_answers_in_the_shape_of_its_example(
    tools: ContractCaller, miniweb: MiniWeb
) -> None:
    text, metadata = await search(tools, query="rust memory management", results_count=5, fetch_content=False)
    assert text == "Found 3 search results for query 'rust memory management'"
    assert {"query", "results_count", "fetch_content", "results"} <= set(metadata)
    assert metadata["fetch_content"] is False
    for row in metadata["results"]:
        assert_same_shape(BARE, row)
    assert miniweb.site("docs.example").log == [], "no page was asked for"


async def test_scores_are_from_zero_to_one_and_best_first(tools: ContractCaller) -> None:
    _, metadata = await search(tools, query="x", fetch_content=False)
    scores = [row["score"] for row in metadata["results"]]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


@pytest.mark.parametrize(
    ("arguments", "sent"),
    [
        ({"query": "rust async sqlx database connection pooling", "category": "it", "results_count": 15,
          "fetch_content": False, "time_range": "year"}, {"categories": "it", "time_range": "year"}),
        ({"query": "latest rust language updates 2024", "category": "news", "results_count": 10, "time_range": "month",
          "fetch_content": False}, {"categories": "news", "time_range": "month"}),
        ({"query": "site:docs.rs serde deserialize custom format", "category": "general", "results_count": 8,
          "fetch_content": False}, {"q": "site:docs.rs serde deserialize custom format"}),
        ({"query": "rust 1.75 release date new features", "results_count": 5, "fetch_content": False},
         {"safesearch": "1"}),
        ({"query": "x", "safe_search": 2, "language": "de-DE", "fetch_content": False},
         {"safesearch": "2", "language": "de-DE"}),
        ({"query": "x", "safe_search": 0, "fetch_content": "false"}, {"safesearch": "0"}),
    ],
)  # fmt: skip
async def test_every_example_request_reaches_the_instance(
    tools: ContractCaller, instance: Lookalike, arguments: dict[str, Any], sent: dict[str, str]
) -> None:
    result = await tools.call("web_search", **arguments)
    assert not result.is_error
    assert sent.items() <= instance.asked[-1].items()
    assert instance.asked[-1]["format"] == "json"


@pytest.mark.parametrize(
    "wrong",
    [{"results_count": 51}, {"results_count": 0}, {"safe_search": 3}, {"time_range": "hour"}, {"language": "english"},
     {"category": "all"}, {"query": ""}, {"query": "x" * 501}],
)  # fmt: skip
async def test_what_the_schema_forbids_is_refused_in_its_error_shape(
    tools: ContractCaller, wrong: dict[str, Any]
) -> None:
    result = await tools.call("web_search", **{"query": "x", **wrong})
    assert result.is_error
    assert result.extra["is_error"] is True
    assert result.extra["metadata"]["error_type"] == "invalid_parameters"


async def test_when_no_instance_answers_the_error_is_the_example_s(
    tools: ContractCaller, instance: Lookalike, miniweb: MiniWeb
) -> None:
    instance.answer = as_json({}, 500)
    result = await tools.call("web_search", query="rust programming")
    assert result.is_error
    assert result.text == "Search failed: No available SearXNG instances"
    assert result.extra["is_error"] is True
    assert_same_shape(FAILED, result.extra["metadata"])
    assert result.extra["metadata"]["attempted_instances"] == [instance.url().rstrip("/")]


async def test_limited_instances_are_told_apart_with_the_time_to_wait(
    tools: ContractCaller, instance: Lookalike
) -> None:
    instance.answer = as_json({}, 429)
    result = await tools.call("web_search", query="x")
    assert result.extra["metadata"]["error_type"] == "rate_limited"
    assert result.extra["metadata"]["retry_after"] > 0


async def test_another_instance_takes_over_and_is_named(miniweb: MiniWeb, tmp_path: Path, pages: list[str]) -> None:
    broken = searxng(miniweb, as_json({}, 500), "one.example")
    good = searxng(miniweb, searxng_answer(*pages), "two.example")
    urls = f"{broken.url()},{good.url()}"
    async with contract_caller(miniweb, tmp_path, "searxng", MCP_WEB_SEARXNG_URLS=urls) as tools:
        _, metadata = await search(tools, query="x", fetch_content=False)
    assert metadata["instance_used"] == good.url().rstrip("/")


async def test_pages_that_fail_leave_the_rest_whole(
    tools: ContractCaller, instance: Lookalike, miniweb: MiniWeb
) -> None:
    site = miniweb.site("docs.example")
    good, bad = site.page("/good", article("Good", "A")), site.page("/bad", "x", status=500)
    instance.answer = searxng_answer(good, bad, "http://10.0.0.1/")
    _, metadata = await search(tools, query="x")
    by_url = {row["url"]: row for row in metadata["results"]}
    assert "content" in by_url[good]
    assert by_url[bad]["content_error"]["code"] == "HTTP_ERROR"
    assert metadata["content_fetch_stats"]["failed"] == len(by_url) - 1
    assert miniweb.private.reached == []


async def test_fifty_long_pages_stay_within_the_ceiling(
    tools: ContractCaller, instance: Lookalike, miniweb: MiniWeb
) -> None:
    site = miniweb.site("long.example")
    urls = [site.page(f"/p{n}", article(f"Page number {n}", f"Alpha{n}", f"Beta{n}", "C", "D")) for n in range(50)]
    instance.answer = searxng_answer(*urls)
    _, metadata = await search(tools, query="x", results_count=50)
    assert metadata["results"]
    assert metadata["results"][0]["content"]["markdown"]


async def test_summaries_are_five_hundred_characters_at_most(tools: ContractCaller) -> None:
    _, metadata = await search(tools, query="x")
    assert all(len(row["content"]["summary"]) <= 500 for row in metadata["results"])


async def test_an_operator_may_choose_other_providers(miniweb: MiniWeb, tmp_path: Path, pages: list[str]) -> None:
    from .pages import brave, brave_answer, brave_env

    engine = brave(miniweb, brave_answer(*pages))
    async with contract_caller(
        miniweb, tmp_path, "searxng", MCP_WEB_SEARCH_PROVIDERS="brave", **brave_env(engine)
    ) as tools:
        _, metadata = await search(tools, query="x", fetch_content=False)
    assert metadata["instance_used"] == "brave"
