"""Seed 001: six tools, front matter, cache by hash, that system's error codes."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from miniweb import MiniWeb, Reply

from .contract_caller import ContractCaller, assert_same_shape, contract_caller
from .pages import Lookalike, article, as_json, brave, brave_answer, brave_env

pytestmark = pytest.mark.anyio


@pytest.fixture
def engine(miniweb: MiniWeb) -> Lookalike:
    return brave(miniweb, brave_answer("https://a.example/1", "https://b.example/2", more=True))


@pytest.fixture
async def tools(miniweb: MiniWeb, engine: Lookalike, tmp_path: Path) -> AsyncIterator[ContractCaller]:
    async with contract_caller(miniweb, tmp_path, "mcp-web", **brave_env(engine)) as made:
        yield made


async def test_the_six_tools_and_two_prompts_are_offered(tools: ContractCaller) -> None:
    assert [tool.name for tool in tools.contract.tools] == [
        "web_search", "web_open", "web_batch_open", "web_extract", "cache_get", "cache_purge",
    ]  # fmt: skip
    assert [prompt.name for prompt in tools.contract.prompts] == [
        "docs_summarize_for_coding", "docs_extract_api_surface",
    ]  # fmt: skip


async def test_a_prompt_carries_the_address(tools: ContractCaller) -> None:
    for prompt in tools.contract.prompts:
        _, text = await prompt.write(tools.app, "https://docs.example/api", 0.0)
        assert "https://docs.example/api" in text
        assert "web_open" in text


async def test_search_takes_brave_s_parameters(tools: ContractCaller, engine: Lookalike) -> None:
    rules = tools.schema("web_search")["properties"]
    assert (rules["count"]["maximum"], rules["count"]["default"]) == (20, 20)
    assert (rules["offset"]["minimum"], rules["offset"]["maximum"]) == (0, 9)
    assert rules["safesearch"]["default"] == "moderate"
    await tools.object(
        "web_search", query="tokio select", count=15, offset=2, freshness="pm", safesearch="strict", country="US",
        search_lang="en", ui_lang="en-US", extra_snippets=True, goggles="$boost=3,site=docs.rs",
        enable_rich_callback=True,
    )  # fmt: skip
    sent = engine.asked[0]
    assert sent.items() >= {
        "q": "tokio select", "count": "15", "offset": "2", "freshness": "pm", "safesearch": "strict", "country": "US",
        "search_lang": "en", "ui_lang": "en-US", "extra_snippets": "true", "goggles": "$boost=3,site=docs.rs",
        "enable_rich_callback": "1",
    }.items()  # fmt: skip
    assert engine.headers[0]["x-subscription-token"] == "brave-key"


@pytest.mark.parametrize(
    ("given", "sent"),
    [("pd", "pd"), ("pw", "pw"), ("pm", "pm"), ("py", "py"), ("2024-01-01to2024-06-30", "2024-01-01to2024-06-30")],
)
async def test_every_freshness_of_brave_is_understood(
    tools: ContractCaller, engine: Lookalike, given: str, sent: str
) -> None:
    await tools.call("web_search", query="x", freshness=given)
    assert engine.asked[0]["freshness"] == sent


async def test_results_are_normalised(tools: ContractCaller) -> None:
    answer = await tools.object("web_search", query="x", extra_snippets=True)
    row = {"title": "t", "url": "u", "description": "d", "extra_snippets": ["s"], "rank": 1}
    assert_same_shape({"query": "x", "results": [row], "more_results_available": True, "cache_hit": False}, answer)
    assert [one["rank"] for one in answer["results"]] == [1, 2]
    assert answer["more_results_available"] is True
    assert answer["results"][0]["extra_snippets"] == ["One more."]
    assert (await tools.object("web_search", query="x", extra_snippets=True))["cache_hit"] is True


async def test_a_domain_allowlist_filters_results(tools: ContractCaller) -> None:
    answer = await tools.object("web_search", query="x", domain_allowlist=["a.example"])
    assert [row["url"] for row in answer["results"]] == ["https://a.example/1"]


async def test_the_rich_key_is_handed_on(tools: ContractCaller, engine: Lookalike) -> None:
    engine.answer = brave_answer("https://a.example/1") | {"rich": {"type": "rich", "hint": {"callback_key": "abc"}}}
    answer = await tools.object("web_search", query="weather", enable_rich_callback=True)
    assert answer["rich"]["hint"]["callback_key"] == "abc"


async def test_a_wrong_key_is_brave_auth_error(tools: ContractCaller, engine: Lookalike) -> None:
    engine.answer = as_json({"error": {"code": "SUBSCRIPTION_TOKEN_INVALID", "detail": "no"}}, 422)
    error = await tools.refusal("web_search", query="x")
    assert (error["code"], error["cause"]) == ("BRAVE_AUTH_ERROR", "SEARCH_AUTH_ERROR")


async def test_no_key_and_nobody_else_is_brave_auth_error(miniweb: MiniWeb, tmp_path: Path) -> None:
    async with contract_caller(miniweb, tmp_path, "mcp-web") as tools:
        assert (await tools.refusal("web_search", query="x"))["code"] == "BRAVE_AUTH_ERROR"


async def test_too_many_requests_are_brave_rate_limited(tools: ContractCaller, engine: Lookalike) -> None:
    engine.answer = as_json({"error": {"code": "RATE_LIMITED", "detail": "slow", "meta": {}}}, 429)
    error = await tools.refusal("web_search", query="x")
    assert error["code"] == "BRAVE_RATE_LIMITED"
    assert error["retryable"] is True


async def test_a_server_error_is_tried_once_more(tools: ContractCaller, engine: Lookalike) -> None:
    engine.answer = as_json({}, 500)
    assert (await tools.refusal("web_search", query="x"))["code"] == "HTTP_ERROR"
    assert len(engine.asked) == 2


async def test_a_page_has_the_stable_front_matter(tools: ContractCaller, miniweb: MiniWeb) -> None:
    from mcp_web import __version__

    url = miniweb.site("docs.example").page("/guide", article("Guide", "Setup"))
    answer = await tools.object("web_open", url=url)
    head, _, rest = answer["markdown"].removeprefix("---\n").partition("\n---\n")
    assert [line.partition(":")[0] for line in head.splitlines()] == [
        "title", "source", "fetched_at", "extractor", "siteconfig",
    ]  # fmt: skip
    assert head.splitlines()[1] == f"source: {url}"
    assert f"extractor: mcp-web@{__version__}" in head
    assert "siteconfig: none" in head
    assert "Setup is explained" in rest
    assert {"hash", "resource", "mode", "cache_hit", "title", "links", "timings", "metadata"} <= set(answer)


async def test_the_second_call_is_a_cache_hit_with_the_same_hash(tools: ContractCaller, miniweb: MiniWeb) -> None:
    docs = miniweb.site("docs.example")
    url = docs.page("/guide", article("Guide", "Setup"))
    first, second = await tools.object("web_open", url=url), await tools.object("web_open", url=url)
    assert (first["cache_hit"], second["cache_hit"]) == (False, True)
    assert first["hash"] == second["hash"]
    assert len(docs.asked("/guide")) == 1


async def test_the_hash_names_url_and_mode(tools: ContractCaller, miniweb: MiniWeb) -> None:
    from mcp_web.model.snapshot import page_key

    url = miniweb.site("docs.example").page("/guide", article("Guide", "Setup"))
    readable = await tools.object("web_open", url=url)
    raw = await tools.object("web_open", url=url, mode="raw")
    assert readable["hash"] == page_key(url, "readable")
    assert raw["hash"] == page_key(url, "raw") != readable["hash"]
    assert "<h2>Setup</h2>" in raw["markdown"]


async def test_addresses_are_made_canonical(tools: ContractCaller, miniweb: MiniWeb) -> None:
    url = miniweb.site("docs.example").page("/guide", article("Guide", "Setup"))
    whole = await tools.object("web_open", url=url)
    for spelling in ("  docs.example/guide ", "HTTPS://DOCS.example:443/guide#part"):
        assert (await tools.object("web_open", url=spelling))["hash"] == whole["hash"]


async def test_a_cached_page_is_had_by_its_hash_and_as_a_resource(tools: ContractCaller, miniweb: MiniWeb) -> None:
    from mcp_web.server.resources import read_resource

    url = miniweb.site("docs.example").page("/guide", article("Guide", "Setup"))
    opened = await tools.object("web_open", url=url)
    kept = await tools.object("cache_get", hash=opened["hash"])
    assert kept["markdown"] == opened["markdown"]
    assert kept["cache_hit"] is True
    for uri in (f"resource://cache/{opened['hash']}", f"resource://meta/{opened['hash']}"):
        contents = (await read_resource(tools.app, uri)).contents[0]
        assert "docs.example" in str(contents)


async def test_an_unknown_hash_is_a_cache_error(tools: ContractCaller) -> None:
    assert (await tools.refusal("cache_get", hash="0" * 64))["code"] == "CACHE_ERROR"


async def test_a_batch_has_a_result_or_an_error_for_each(tools: ContractCaller, miniweb: MiniWeb) -> None:
    docs = miniweb.site("docs.example")
    good, bad = docs.page("/good", article("Good", "A")), docs.page("/bad", "x", status=500)
    answer = await tools.object("web_batch_open", urls=[good, bad, "http://10.0.0.1/"], max_concurrency=1)
    assert (answer["succeeded"], answer["failed"]) == (1, 2)
    assert [row.get("title") or row["error"]["code"] for row in answer["results"]] == [
        "Good", "HTTP_ERROR", "SSRF_BLOCKED",
    ]  # fmt: skip
    assert answer["results"][1]["error"]["status_code"] == 500


async def test_fifty_pages_stay_within_the_ceiling(tools: ContractCaller, miniweb: MiniWeb) -> None:
    docs = miniweb.site("docs.example")
    urls = [docs.page(f"/p{n}", article(f"Page {n}", "A", "B", "C", "D")) for n in range(50)]
    answer = await tools.object("web_batch_open", urls=urls)
    assert answer["succeeded"] == 50
    assert all(row["truncated"] for row in answer["results"])


async def test_a_long_page_goes_on_at_next_start(tools: ContractCaller, miniweb: MiniWeb) -> None:
    parts = [f"Part {number}" for number in range(300)]
    url = miniweb.site("docs.example").page("/long", article("Long", *parts))
    whole, start = "", 0
    while True:
        answer = await tools.object("web_open", url=url, start=start)
        whole += answer["markdown"]
        if not answer["truncated"]:
            break
        start = answer["next_start"]
    assert all(f"{part} is explained" in whole for part in parts)


async def test_html_is_extracted_without_network(tools: ContractCaller, miniweb: MiniWeb) -> None:
    html = article("Given", "Part", say='with <a href="/x">a link</a> and <code>code()</code>')
    answer = await tools.object("web_extract", html=html, base_url="https://docs.example/", explain_extraction=True)
    assert "title: Given" in answer["markdown"]
    assert "`code()`" in answer["markdown"]
    assert {"text": "a link", "url": "https://docs.example/x"} in answer["links"]
    assert answer["explain_extraction"]
    assert miniweb.sites == {} or not miniweb.site("docs.example").log


async def test_site_configs_are_applied_by_name_then_by_domain_and_recorded(miniweb: MiniWeb, tmp_path: Path) -> None:
    folder = tmp_path / "site_configs"
    folder.mkdir()
    (folder / "shop.toml").write_text('id = "shop"\nversion = 3\ndomains = ["docs.example"]\nbody = ["#text"]\n')
    (folder / "other.toml").write_text('id = "other"\nversion = 1\ndomains = ["x.example"]\nbody = ["#blurb"]\n')
    long = "Words that are long enough to be taken as the text of this page. " * 8
    html = f"<title>T</title><div id=text><p>Alpha. {long}</p></div><div id=blurb><p>Beta. {long}</p></div>"
    url = miniweb.site("docs.example").page("/s", html)
    async with contract_caller(miniweb, tmp_path / "data", "mcp-web", MCP_WEB_SITE_CONFIGS=str(folder)) as tools:
        matched = await tools.object("web_open", url=url)
        named = await tools.object("web_open", url=url, siteconfig="other")
    assert (matched["siteconfig"], named["siteconfig"]) == ("shop@3", "other@1")
    assert "siteconfig: shop@3" in matched["markdown"]
    assert "Alpha." in matched["markdown"]
    assert "Alpha." not in named["markdown"]


async def test_cache_is_purged_by_age_domain_and_count(tools: ContractCaller, miniweb: MiniWeb) -> None:
    one = miniweb.site("one.example").page("/1", article("One", "A"))
    two = miniweb.site("two.example").page("/2", article("Two", "A"))
    first = await tools.object("web_open", url=one)
    await tools.object("web_open", url=two)
    plan = await tools.object("cache_purge", domain="one.example", dry_run=True)
    assert (plan["purged"], plan["dry_run"]) == (1, True)
    assert (await tools.object("cache_purge", older_than_days=1))["purged"] == 0
    assert (await tools.object("cache_purge", domain="one.example"))["purged"] == 1
    assert (await tools.call("cache_get", hash=first["hash"])).is_error
    assert (await tools.object("cache_purge", max_entries=0))["purged"] == 1


async def test_robots_error_has_its_four_facts(tools: ContractCaller, miniweb: MiniWeb) -> None:
    site = miniweb.site("closed.example")
    site.robots("User-agent: *\nDisallow: /secret")
    url = site.page("/secret", "x")
    error = await tools.refusal("web_open", url=url)
    assert {name: error[name] for name in ("code", "url", "path", "robots_url")} == {
        "code": "ROBOTS_DISALLOWED", "url": url, "path": "/secret", "robots_url": "https://closed.example/robots.txt",
    }  # fmt: skip


@pytest.mark.parametrize(
    "url",
    ["file:///etc/passwd", "data:text/html,x", "ftp://docs.example/", "chrome://settings", "https://u:p@docs.example/"],
)
async def test_other_schemes_and_credentials_are_invalid_urls(tools: ContractCaller, url: str) -> None:
    assert (await tools.refusal("web_open", url=url))["code"] == "INVALID_URL"


@pytest.mark.parametrize(
    "host", ["localhost", "127.0.0.1", "[::1]", "10.0.0.1", "172.16.0.1", "192.168.0.1", "169.254.169.254", "224.0.0.1"]
)
async def test_private_addresses_are_blocked(tools: ContractCaller, miniweb: MiniWeb, host: str) -> None:
    miniweb.names.answer("localhost", "127.0.0.1")
    assert (await tools.refusal("web_open", url=f"http://{host}/"))["code"] == "SSRF_BLOCKED"
    assert miniweb.private.log == []


async def test_a_name_that_leads_inside_is_blocked(tools: ContractCaller, miniweb: MiniWeb) -> None:
    miniweb.names.answer("inside.example", "93.184.216.99", "10.0.0.7")
    assert (await tools.refusal("web_open", url="https://inside.example/"))["code"] == "SSRF_BLOCKED"


@pytest.mark.parametrize("status", [404, 500])
async def test_an_http_error_carries_its_status(tools: ContractCaller, miniweb: MiniWeb, status: int) -> None:
    url = miniweb.site("docs.example").page(f"/s{status}", "x", status=status)
    error = await tools.refusal("web_open", url=url)
    assert (error["code"], error["status_code"]) == ("HTTP_ERROR", status)


async def test_slow_and_large_pages_have_their_codes(miniweb: MiniWeb, tmp_path: Path) -> None:
    from miniweb.nasty import NASTY

    slow = miniweb.site("slow.example").behave("/slow", NASTY["stall"])
    large = miniweb.site("docs.example").page("/large", "<main>" + "word " * 20_000 + "</main>")
    async with contract_caller(miniweb, tmp_path / "1", "mcp-web", MCP_WEB_TIMEOUT_MS="400") as tools:
        assert (await tools.refusal("web_open", url=slow))["code"] == "FETCH_TIMEOUT"
    async with contract_caller(miniweb, tmp_path / "2", "mcp-web", MCP_WEB_MAX_BYTES="10000") as tools:
        assert (await tools.refusal("web_open", url=large))["code"] == "FETCH_TOO_LARGE"


async def test_rendering_is_off_by_default(tools: ContractCaller, miniweb: MiniWeb) -> None:
    url = miniweb.site("docs.example").page("/r", article("R", "A"))
    assert (await tools.refusal("web_open", url=url, mode="rendered"))["code"] == "RENDER_DISABLED"


async def test_what_cannot_be_extracted_has_its_code(tools: ContractCaller, miniweb: MiniWeb) -> None:
    docs = miniweb.site("docs.example")
    docs.route("/zip", lambda request: Reply(b"PK\x03\x04" + b"\0" * 500, 200, {"Content-Type": "application/zip"}))
    assert (await tools.refusal("web_open", url="https://docs.example/zip"))["code"] == "EXTRACT_FAILED"


async def test_domain_lists_are_kept_to(miniweb: MiniWeb, tmp_path: Path) -> None:
    allowed = miniweb.site("docs.example").page("/a", article("A", "A"))
    async with contract_caller(miniweb, tmp_path / "1", "mcp-web", MCP_WEB_ALLOWLIST_DOMAINS="docs.example") as tools:
        assert (await tools.object("web_open", url=allowed))["title"] == "A"
        assert (await tools.refusal("web_open", url="https://other.example/"))["code"] == "SSRF_BLOCKED"
    async with contract_caller(miniweb, tmp_path / "2", "mcp-web", MCP_WEB_DENYLIST_DOMAINS="docs.example") as tools:
        error = await tools.refusal("web_open", url=allowed)
        assert (error["code"], error["cause"]) == ("SSRF_BLOCKED", "DOMAIN_DENIED")


@pytest.mark.parametrize(
    ("variable", "value", "path", "shown"),
    [("MCP_WEB_USER_AGENT", "my-agent/1.0", "/ua", "my-agent/1.0"), ("MCP_WEB_RESPECT_ROBOTS", "false", "/secret", "")],
)
async def test_agent_name_and_robots_switch_are_variables(
    miniweb: MiniWeb, tmp_path: Path, variable: str, value: str, path: str, shown: str
) -> None:
    site = miniweb.site("docs.example")
    site.robots("User-agent: *\nDisallow: /secret")
    url = site.page(path, article("Page", "A"))
    async with contract_caller(miniweb, tmp_path, "mcp-web", **{variable: value}) as tools:
        assert (await tools.object("web_open", url=url))["title"] == "Page"
    assert shown in site.asked(path)[0].headers["user-agent"]


async def test_the_database_lies_where_its_variable_says(miniweb: MiniWeb, tmp_path: Path) -> None:
    url = miniweb.site("docs.example").page("/a", article("A", "A"))
    async with contract_caller(miniweb, tmp_path, "mcp-web", MCP_WEB_DB_PATH=str(tmp_path / "my.sqlite")) as tools:
        await tools.object("web_open", url=url)
    assert (tmp_path / "my.sqlite").exists()


async def test_the_page_is_asked_again_with_its_etag(tools: ContractCaller, miniweb: MiniWeb) -> None:
    docs = miniweb.site("docs.example")

    def page(request: Any) -> Reply:
        same = request.headers.get("if-none-match") == '"v1"'
        return Reply("", 304) if same else Reply(article("E", "Part"), headers={"ETag": '"v1"'})

    docs.route("/etag", page)
    first = await tools.object("web_open", url="https://docs.example/etag")
    again = await tools.object("web_open", url="https://docs.example/etag", refresh=True)
    assert (again["hash"], again["cache_hit"]) == (first["hash"], True)
    assert len(docs.asked("/etag")) == 2


async def test_a_log_line_names_tool_url_time_cache_and_status(
    miniweb: MiniWeb, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    url = miniweb.site("docs.example").page("/l", article("L", "A"))
    async with contract_caller(miniweb, tmp_path, "mcp-web", MCP_WEB_LOG="info") as tools:
        await tools.object("web_open", url=url)
    lines = [json.loads(line) for line in capfd.readouterr().err.splitlines() if line.startswith("{")]
    (line,) = [line for line in lines if line.get("tool") == "web_open"]
    assert {"ts", "tool", "url", "ms", "cache", "status"} <= set(line)


async def test_programs_that_get_the_object_twice_stay_within_the_ceiling_too(miniweb: MiniWeb, tmp_path: Path) -> None:
    url = miniweb.site("docs.example").page("/long", article("Long", *(f"Part {number}" for number in range(300))))
    async with contract_caller(miniweb, tmp_path, "mcp-web", MCP_WEB_ANSWERS="structured") as tools:
        result = await tools.call("web_open", structured=True, url=url)
    assert result.data == json.loads(result.text)
    assert result.data["truncated"] is True
    assert result.data["markdown"].startswith("---\ntitle: Long")
