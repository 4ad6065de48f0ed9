"""Seed 000: web.search with Google's JSON, web.readFromPage with the passages that match."""

from __future__ import annotations

import hashlib
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import anyio.lowlevel
import pytest

from embed.embedding_server import EmbeddingServer
from miniweb import MiniWeb, Reply

from .contract_caller import ContractCaller, assert_same_shape, contract_caller
from .pages import Lookalike, article, as_json, google_answer, searxng, searxng_answer

pytestmark = pytest.mark.anyio


@pytest.fixture
def google(miniweb: MiniWeb) -> Lookalike:
    return Lookalike(miniweb, "google.example", "/customsearch/v1", google_answer)


def google_env(google: Lookalike) -> dict[str, str]:
    return {
        "GOOGLE_API_KEY": "google-key",
        "GOOGLE_SEARCH_ENGINE_ID": "cx-1",
        "MCP_WEB_GOOGLE_URL": google.url("/customsearch/v1"),
    }


@pytest.fixture
async def tools(miniweb: MiniWeb, google: Lookalike, tmp_path: Path) -> AsyncIterator[ContractCaller]:
    async with contract_caller(miniweb, tmp_path, "read-page", **google_env(google)) as made:
        yield made


async def test_both_schemas_are_those_of_the_seed(tools: ContractCaller) -> None:
    search = tools.schema("web.search")
    assert search["required"] == ["query"]
    assert search["properties"]["query"]["anyOf"] == [
        {"type": "string"},
        {"type": "array", "items": {"type": "string"}},
    ]
    rule = search["properties"]["resultsPerQuery"]
    assert (rule["minimum"], rule["maximum"], rule["default"]) == (1, 50, 10)
    assert set(search["properties"]) == {"query", "resultsPerQuery", "region", "language", "safeSearch"}
    assert search["properties"]["safeSearch"]["enum"] == ["off", "moderate", "strict"]
    read = tools.schema("web.readFromPage")
    assert read["required"] == ["url", "query"]
    assert {name: rule.get("default") for name, rule in read["properties"].items()} == {
        "url": None, "query": None, "forceRefresh": False, "maxResults": 8, "includeMetadata": False,
    }  # fmt: skip
    assert (read["properties"]["maxResults"]["minimum"], read["properties"]["maxResults"]["maximum"]) == (1, 50)


async def test_one_query_answers_google_s_own_json(tools: ContractCaller, google: Lookalike) -> None:
    answer = await tools.object("web.search", query="tortoise")
    assert_same_shape({"queries": [{"query": "tortoise", "result": answer["queries"][0]["result"]}]}, answer)
    assert answer["queries"][0]["result"] == google_answer(google.asked[0])
    assert (google.asked[0]["key"], google.asked[0]["cx"]) == ("google-key", "cx-1")


async def test_several_queries_are_answered_in_their_order(tools: ContractCaller) -> None:
    words = ["alpha", "beta", "gamma"]
    answer = await tools.object("web.search", query=words, resultsPerQuery=2)
    assert [row["query"] for row in answer["queries"]] == words
    assert [row["result"]["queries"]["request"][0]["searchTerms"] for row in answer["queries"]] == words
    assert all(len(row["result"]["items"]) == 2 for row in answer["queries"])


async def test_fifty_results_are_joined_from_google_s_pages_of_ten(tools: ContractCaller, google: Lookalike) -> None:
    answer = await tools.object("web.search", query="tortoise", resultsPerQuery=45)
    items = answer["queries"][0]["result"]["items"]
    assert [item["link"] for item in items] == [f"https://site{number}.example/page" for number in range(1, 46)]
    assert [asked.get("start", "1") for asked in google.asked] == ["1", "11", "21", "31", "41"]


@pytest.mark.parametrize(
    "wrong", [{"resultsPerQuery": 51}, {"resultsPerQuery": 0}, {"safeSearch": "some"}, {"query": []}]
)
async def test_what_the_schema_forbids_is_refused(tools: ContractCaller, wrong: dict[str, Any]) -> None:
    result = await tools.call("web.search", **{"query": "x", **wrong})
    assert result.is_error
    assert "Invalid arguments for tool web.search" in result.text


@pytest.mark.parametrize(("given", "sent"), [("off", "off"), ("moderate", "active"), ("strict", "active")])
async def test_safe_search_is_mapped_to_google_s_two_values(
    tools: ContractCaller, google: Lookalike, given: str, sent: str
) -> None:
    await tools.object("web.search", query="x", safeSearch=given, region="de", language="de")
    assert google.asked[0]["safe"] == sent
    assert (google.asked[0]["gl"], google.asked[0]["lr"]) == ("de", "lang_de")


@pytest.mark.parametrize(("variable", "sent"), [("", "off"), ("strict", "active")])
async def test_the_default_of_safe_search_is_its_variable(
    miniweb: MiniWeb, google: Lookalike, tmp_path: Path, variable: str, sent: str
) -> None:
    async with contract_caller(
        miniweb, tmp_path, "read-page", **google_env(google), GOOGLE_SAFE_SEARCH=variable
    ) as tools:
        await tools.object("web.search", query="x")
    assert google.asked[0]["safe"] == sent


@pytest.mark.parametrize(("variable", "most"), [("", 2), ("3", 3)])
async def test_so_many_queries_run_at_once_as_the_variable_says(
    miniweb: MiniWeb, tmp_path: Path, variable: str, most: int
) -> None:
    under_way, highest = 0, 0

    async def answer(request: Any) -> Reply:
        nonlocal under_way, highest
        under_way += 1
        highest = max(highest, under_way)
        for _ in range(50):
            await anyio.lowlevel.checkpoint()
        under_way -= 1
        return as_json(google_answer({"q": "x"}))

    site = miniweb.site("google.example")
    site.route("/customsearch/v1", answer)
    env = {"GOOGLE_API_KEY": "k", "GOOGLE_SEARCH_ENGINE_ID": "c", "CONCURRENCY": variable,
           "MCP_WEB_GOOGLE_URL": site.loopback_url("/customsearch/v1")}  # fmt: skip
    async with contract_caller(miniweb, tmp_path, "read-page", **env) as tools:
        answer_object = await tools.object("web.search", query=[f"q{n}" for n in range(6)])
    assert len(answer_object["queries"]) == 6
    assert 1 <= highest <= most


async def test_without_google_s_keys_another_provider_answers_in_google_s_shape(
    miniweb: MiniWeb, tmp_path: Path
) -> None:
    instance = searxng(miniweb, searxng_answer("https://a.example/1", "https://b.example/2"))
    async with contract_caller(miniweb, tmp_path, "read-page", MCP_WEB_SEARXNG_URLS=instance.url()) as tools:
        answer = await tools.object("web.search", query="tortoise")
    result = answer["queries"][0]["result"]
    assert result["kind"] == "customsearch#search"
    assert {"kind", "title", "link", "displayLink", "snippet"} <= set(result["items"][0])
    assert result["searchInformation"]["totalResults"] == "8450"
    assert "searxng" in result["note"]


async def test_a_query_that_fails_leaves_the_others_whole(tools: ContractCaller, google: Lookalike) -> None:
    google.answer = lambda asked: as_json({"error": {}}, 500) if asked["q"] == "bad" else google_answer(asked)
    answer = await tools.object("web.search", query=["good", "bad"])
    assert answer["queries"][0]["result"]["items"]
    assert answer["queries"][1]["result"]["error"]["status"] == "SEARCH_UNAVAILABLE"


async def test_google_is_not_asked_again_after_429_and_once_more_after_500(
    tools: ContractCaller, google: Lookalike
) -> None:
    google.answer = as_json({"error": {"code": 429, "message": "Quota", "errors": []}}, 429)
    assert (await tools.call("web.search", query="x")).is_error
    assert len(google.asked) == 1


async def test_google_is_asked_once_more_after_a_server_error(tools: ContractCaller, google: Lookalike) -> None:
    google.answer = as_json({"error": {}}, 500)
    assert (await tools.call("web.search", query="x")).is_error
    assert len(google.asked) == 2


async def test_ten_queries_with_fifty_results_stay_within_the_ceiling(tools: ContractCaller) -> None:
    answer = await tools.object("web.search", query=[f"query {n}" for n in range(10)], resultsPerQuery=50)
    assert len(answer["queries"]) == 10
    assert all(row["result"]["items"] for row in answer["queries"])


# ── web.readFromPage ──────────────────────────────────────────────────────────────────────────────────────────────
READ = {
    "url": "https://docs.example/p",
    "title": "Page",
    "lastCrawled": "2026-01-01T00:00:00Z",
    "queries": [{"query": "q", "results": [{"id": "x", "text": "t", "score": 0.9, "sectionPath": ["A"]}]}],
}
PAGE = article("Handbook", "Installation", "Licensing", "Uninstalling")


@pytest.fixture
def model(miniweb: MiniWeb) -> EmbeddingServer:
    return EmbeddingServer(miniweb)


@pytest.fixture
async def reading(miniweb: MiniWeb, model: EmbeddingServer, tmp_path: Path) -> AsyncIterator[ContractCaller]:
    async with contract_caller(
        miniweb,
        tmp_path,
        "read-page",
        MCP_WEB_EMBEDDINGS="auto",
        EMBEDDING_SERVER_URL=model.url,
        EMBEDDING_SERVER_API_KEY="embed-key",
        EMBEDDING_MODEL_NAME="look-alike",
        SIMILARITY_THRESHOLD="0",
    ) as made:
        yield made


async def test_a_page_answers_each_query_in_the_shape_of_the_seed(reading: ContractCaller, miniweb: MiniWeb) -> None:
    url = miniweb.site("docs.example").page("/p", PAGE)
    answer = await reading.object("web.readFromPage", url=url, query=["installation", "licensing"])
    for row in answer["queries"]:
        for chunk in row["results"]:
            chunk.setdefault("sectionPath", [])  # optional: the beginning of a page has none
    assert_same_shape(READ, answer)
    assert [row["query"] for row in answer["queries"]] == ["installation", "licensing"]
    best = answer["queries"][0]["results"][0]
    assert "Installation is explained" in best["text"]
    assert all(0 <= chunk["score"] <= 1 for row in answer["queries"] for chunk in row["results"])


async def test_ids_are_the_hash_of_url_section_and_text_on_every_machine(
    reading: ContractCaller, miniweb: MiniWeb
) -> None:
    url = miniweb.site("docs.example").page("/p", PAGE)
    answer = await reading.object("web.readFromPage", url=url, query="installation")
    for chunk in answer["queries"][0]["results"]:
        named = f"{url}|{' > '.join(chunk.get('sectionPath', []))}|{chunk['text']}"
        assert chunk["id"] == hashlib.sha256(named.encode()).hexdigest()


def test_a_chunk_id_is_pinned() -> None:
    from mcp_web.contracts.read_page import chunk_id

    assert chunk_id("https://docs.example/p", ["Guide", "Setup"], "Some text.") == (
        "321ae7275c96cf8888dda1beb60425177aacfbc3c0720b80b34423edbe085858"
    )


async def test_the_embedding_server_is_asked_with_its_key_and_model(
    reading: ContractCaller, miniweb: MiniWeb, model: EmbeddingServer
) -> None:
    url = miniweb.site("docs.example").page("/p", PAGE)
    await reading.object("web.readFromPage", url=url, query="installation")
    assert model.requests[0]["model"] == "look-alike"
    assert model.keys[0] == "Bearer embed-key"
    assert all(len(request["input"]) <= 32 for request in model.requests)


async def test_an_unchanged_page_is_not_embedded_again_and_a_changed_one_only_where_it_changed(
    reading: ContractCaller, miniweb: MiniWeb, model: EmbeddingServer
) -> None:
    docs = miniweb.site("docs.example")
    url = docs.page("/p", PAGE)
    await reading.object("web.readFromPage", url=url, query="installation")
    before = len(model.texts)
    await reading.object("web.readFromPage", url=url, query="installation", forceRefresh=True)
    assert len(docs.asked("/p")) == 2, "forceRefresh asks the origin"
    assert len(model.texts) == before
    docs.page("/p", article("Handbook", "Installation", "Licensing", "Removal"))
    await reading.object("web.readFromPage", url=url, query="installation", forceRefresh=True)
    again = model.texts[before:]
    assert any("Removal" in text for text in again)
    assert not any("Licensing is explained" in text for text in again)


async def test_a_cached_page_is_not_fetched_again_and_says_when_it_was(
    reading: ContractCaller, miniweb: MiniWeb
) -> None:
    docs = miniweb.site("docs.example")
    url = docs.page("/p", PAGE)
    first = await reading.object("web.readFromPage", url=url, query="installation")
    second = await reading.object("web.readFromPage", url=url, query="licensing")
    assert len(docs.asked("/p")) == 1
    assert first["lastCrawled"] == second["lastCrawled"]


async def test_the_etag_is_used_when_the_page_is_asked_for_again(reading: ContractCaller, miniweb: MiniWeb) -> None:
    docs = miniweb.site("docs.example")

    def page(request: Any) -> Reply:
        same = request.headers.get("if-none-match") == '"v1"'
        return Reply("", 304) if same else Reply(PAGE, headers={"ETag": '"v1"'})

    docs.route("/etag", page)
    for refresh in (False, True):
        await reading.object(
            "web.readFromPage", url="https://docs.example/etag", query="installation", forceRefresh=refresh
        )
    assert docs.asked("/etag")[-1].headers["if-none-match"] == '"v1"'


async def test_max_results_limits_and_what_lies_below_the_threshold_is_left_out(
    miniweb: MiniWeb, model: EmbeddingServer, tmp_path: Path
) -> None:
    url = miniweb.site("docs.example").page("/p", PAGE)
    env = {"MCP_WEB_EMBEDDINGS": "auto", "EMBEDDING_SERVER_URL": model.url, "EMBEDDING_MODEL_NAME": "m"}
    async with contract_caller(miniweb, tmp_path / "a", "read-page", **env, SIMILARITY_THRESHOLD="0") as tools:
        one = await tools.object("web.readFromPage", url=url, query="installation", maxResults=1)
        assert len(one["queries"][0]["results"]) == 1
    async with contract_caller(miniweb, tmp_path / "b", "read-page", **env) as tools:
        usual = await tools.object("web.readFromPage", url=url, query="installation")
        assert all(chunk["score"] >= 0.72 for chunk in usual["queries"][0]["results"])
    async with contract_caller(miniweb, tmp_path / "c", "read-page", **env, SIMILARITY_THRESHOLD="1") as tools:
        none = await tools.object("web.readFromPage", url=url, query="purple zebras")
        assert none["queries"][0]["results"] == []


async def test_chunks_are_five_hundred_and_twelve_tokens_unless_the_variable_says_otherwise(
    miniweb: MiniWeb, tmp_path: Path
) -> None:
    words = " ".join(f"Sentence number {n} speaks of installation in a few words." for n in range(300))
    url = miniweb.site("docs.example").page("/w", f"<title>W</title><main><h1>W</h1><p>{words}</p></main>")
    sizes = {}
    for name, variable in (("usual", ""), ("small", "64")):
        async with contract_caller(
            miniweb, tmp_path / name, "read-page", SIMILARITY_THRESHOLD="0", EMBEDDING_TOKENS_SIZE=variable
        ) as tools:
            answer = await tools.object("web.readFromPage", url=url, query="installation", maxResults=3)
        sizes[name] = max(len(chunk["text"].split()) for chunk in answer["queries"][0]["results"])
    assert 200 < sizes["usual"] <= 512 * 0.75
    assert sizes["small"] <= 64 * 0.75 + 1


async def test_text_is_plain_without_html_and_links(reading: ContractCaller, miniweb: MiniWeb) -> None:
    html = PAGE.replace("Installation is", 'The <a href="/x"><b>Installation</b></a> is')
    url = miniweb.site("docs.example").page("/h", html)
    text = json.dumps(await reading.object("web.readFromPage", url=url, query="installation"))
    assert "<b>" not in text
    assert "](" not in text


async def test_metadata_is_added_when_wanted(reading: ContractCaller, miniweb: MiniWeb) -> None:
    url = miniweb.site("docs.example").page("/m", article("M", "Part", head="<meta name=author content='Ada L.'>"))
    plain = await reading.object("web.readFromPage", url=url, query="part")
    assert "metadata" not in plain
    rich = await reading.object("web.readFromPage", url=url, query="part", includeMetadata=True)
    assert rich["metadata"]["author"] == "Ada L."


@pytest.mark.parametrize("status", [401, 403])
async def test_a_protected_page_has_the_note_and_no_chunks(
    reading: ContractCaller, miniweb: MiniWeb, status: int
) -> None:
    url = miniweb.site("docs.example").page(f"/closed{status}", "no", status=status)
    answer = await reading.object("web.readFromPage", url=url, query=["a", "b"])
    assert answer["note"] == "content protected"
    assert answer["queries"] == [{"query": "a", "results": []}, {"query": "b", "results": []}]
    assert answer["lastCrawled"]


async def test_a_paywalled_page_has_the_note_and_no_chunks(reading: ContractCaller, miniweb: MiniWeb) -> None:
    html = (
        '<title>Premium</title><script type="application/ld+json">{"@context":"https://schema.org",'
        '"@type":"NewsArticle","headline":"Premium","isAccessibleForFree":false,"hasPart":{"@type":"WebPageElement",'
        '"isAccessibleForFree":false,"cssSelector":".paywall"}}</script><main><article><h1>Premium</h1><p>Free words '
        "that everybody may read.</p><div class=paywall><p>This article requires a subscription. Subscribe to "
        "continue reading.</p></div></article></main>"
    )
    url = miniweb.site("news.example").page("/a", html)
    answer = await reading.object("web.readFromPage", url=url, query="premium")
    assert (answer["note"], answer["queries"][0]["results"]) == ("content protected", [])


async def test_when_the_model_is_down_words_answer_or_the_longest_blocks_come_with_a_note(
    reading: ContractCaller, miniweb: MiniWeb, model: EmbeddingServer
) -> None:
    model.statuses = [429] * 50
    url = miniweb.site("docs.example").page("/down", PAGE)
    answer = await reading.object("web.readFromPage", url=url, query=["licensing", "zebra"], maxResults=2)
    assert "without the model" in answer["note"]
    assert "Licensing is explained" in answer["queries"][0]["results"][0]["text"]
    assert 1 <= len(answer["queries"][1]["results"]) <= 2, "no word fits: the longest blocks"


async def test_a_timeout_names_its_limit(miniweb: MiniWeb, tmp_path: Path) -> None:
    from miniweb.nasty import NASTY

    url = miniweb.site("slow.example").behave("/slow", NASTY["stall"])
    async with contract_caller(miniweb, tmp_path, "read-page", REQUEST_TIMEOUT_MS="300") as tools:
        result = await tools.call("web.readFromPage", url=url, query="x")
    assert result.is_error
    assert result.text.startswith("FETCH_TIMEOUT")
    assert "REQUEST_TIMEOUT_MS=300" in result.text


async def test_what_cannot_be_read_is_a_note(reading: ContractCaller, miniweb: MiniWeb) -> None:
    docs = miniweb.site("docs.example")
    docs.route(
        "/film", lambda request: Reply(b"\x00\x00\x00\x20ftypisom" + b"\0" * 900, 200, {"Content-Type": "video/mp4"})
    )
    answer = await reading.object("web.readFromPage", url="https://docs.example/film", query="x")
    assert answer["note"]
    assert answer["queries"] == [{"query": "x", "results": []}]


async def test_only_http_addresses_are_read(reading: ContractCaller) -> None:
    for url in ("file:///etc/passwd", "ftp://docs.example/x", "http://127.0.0.1/"):
        assert (await reading.call("web.readFromPage", url=url, query="x")).is_error


async def test_the_dotted_names_have_aliases(tools: ContractCaller) -> None:
    assert tools.tool("web_search") is tools.tool("web.search")
    assert tools.tool("web_readFromPage") is tools.tool("web.readFromPage")


async def test_a_long_page_gives_whole_chunks_as_many_as_fit(miniweb: MiniWeb, tmp_path: Path) -> None:
    words = " ".join(f"Sentence number {n} speaks of installation in a few words." for n in range(6000))
    url = miniweb.site("docs.example").page("/w", f"<title>W</title><main><h1>W</h1><p>{words}</p></main>")
    async with contract_caller(miniweb, tmp_path, "read-page", SIMILARITY_THRESHOLD="0") as tools:
        answer = await tools.object("web.readFromPage", url=url, query="installation", maxResults=50)
    chunks = answer["queries"][0]["results"]
    assert 5 < len(chunks) < 50
    assert "results a query fit" in answer["note"]
    for chunk in chunks:
        named = f"{url}|{' > '.join(chunk.get('sectionPath', []))}|{chunk['text']}"
        assert chunk["id"] == hashlib.sha256(named.encode()).hexdigest()
