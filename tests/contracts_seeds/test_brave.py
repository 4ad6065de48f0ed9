"""Brave's own server: one JSON text per result."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from miniweb import MiniWeb
from search.lookalike import recorded

from .contract_caller import ContractCaller, contract_caller
from .pages import Lookalike, brave, brave_answer, brave_env, searxng, searxng_answer

pytestmark = pytest.mark.anyio


@pytest.fixture
def engine(miniweb: MiniWeb) -> Lookalike:
    return brave(miniweb, brave_answer("https://a.example/1", "https://b.example/2"))


@pytest.fixture
async def tools(miniweb: MiniWeb, engine: Lookalike, tmp_path: Path) -> AsyncIterator[ContractCaller]:
    async with contract_caller(miniweb, tmp_path, "brave", **brave_env(engine)) as made:
        yield made


async def test_each_result_is_a_text_of_its_own(tools: ContractCaller) -> None:
    result = await tools.call("brave_web_search", query="x", extra_snippets=True)
    rows = [json.loads(text) for text in (result.text, *result.more)]
    assert [row["url"] for row in rows] == ["https://a.example/1", "https://b.example/2"]
    assert set(rows[0]) == {"url", "title", "description", "extra_snippets"}


async def test_parameters_reach_brave(tools: ContractCaller, engine: Lookalike) -> None:
    await tools.call("brave_web_search", query="x", country="DE", search_lang="de", count=5, offset=2,
                     safesearch="strict", freshness="pw")  # fmt: skip
    sent = engine.asked[0]
    assert (sent["country"], sent["count"], sent["offset"], sent["freshness"], sent["safesearch"]) == (
        "DE", "5", "2", "pw", "strict",
    )  # fmt: skip
    await tools.call("brave_web_search", query="x", freshness="2022-04-01to2022-07-30")
    assert engine.asked[1]["freshness"] == "2022-04-01to2022-07-30"


async def test_defaults_are_the_server_s(tools: ContractCaller) -> None:
    defaults = {name: rule.get("default") for name, rule in tools.schema("brave_web_search")["properties"].items()}
    assert (defaults["count"], defaults["country"], defaults["search_lang"], defaults["ui_lang"]) == (
        10, "US", "en", "en-US",
    )  # fmt: skip
    assert tools.schema("brave_news_search")["properties"]["freshness"]["default"] == "pd"
    assert tools.schema("brave_image_search")["properties"]["safesearch"]["default"] == "strict"


async def test_no_results_are_an_error_as_that_server_has_it(tools: ContractCaller, engine: Lookalike) -> None:
    engine.answer = brave_answer()
    result = await tools.call("brave_web_search", query="x")
    assert (result.is_error, result.text) == (True, "No web results found")


@pytest.mark.parametrize(
    ("name", "recording", "keys"),
    [
        ("brave_news_search", "brave_news.json", {"url", "title", "age", "page_age", "breaking", "description"}),
        ("brave_image_search", "brave_images.json", {"title", "page_url", "image_url"}),
    ],
)
async def test_news_and_images_have_their_keys(
    tools: ContractCaller, engine: Lookalike, name: str, recording: str, keys: set[str]
) -> None:
    engine.answer = json.loads(recorded(recording))
    result = (
        await tools.call(name, query="tortoise", freshness="py")
        if "news" in name
        else await tools.call(name, query="tortoise")
    )
    assert keys <= set(json.loads(result.text))


async def test_without_a_key_whoever_is_set_up_answers(miniweb: MiniWeb, tmp_path: Path) -> None:
    instance = searxng(miniweb, searxng_answer("https://a.example/1"))
    async with contract_caller(miniweb, tmp_path, "brave", SEARXNG_URL=instance.url()) as tools:
        result = await tools.call("brave_web_search", query="x")
    assert json.loads(result.text)["url"] == "https://a.example/1"
