"""What once differed from the source documents, contract by contract, each seen through the contract's own tools."""

from __future__ import annotations

import json
import threading
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import anyio
import pytest

from mcp_web.contracts.options import WebSearchOptions
from mcp_web.fetch.options import FetchOptions
from mcp_web.read.passages import Size, passages
from mcp_web.search.options import SearchOptions
from mcp_web.settings import load
from miniweb import MiniWeb, Reply

from ..contract_caller import contract_caller
from ..pages import Lookalike, article, as_json, brave, brave_answer, brave_env, google_answer, searxng, searxng_answer

pytestmark = pytest.mark.anyio

# ── read-page


async def test_concurrency_limits_the_queries_of_all_calls_together(miniweb: MiniWeb, tmp_path: Path) -> None:
    lock, now, most = threading.Lock(), 0, 0

    async def google(request: Any) -> Reply:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        for _ in range(50):
            await anyio.lowlevel.checkpoint()
        with lock:
            now -= 1
        return as_json(google_answer({name: values[0] for name, values in request.query.items()}))

    site = miniweb.site("google.example")
    site.route("/customsearch", google)
    env = {"GOOGLE_API_KEY": "k", "GOOGLE_SEARCH_ENGINE_ID": "cx", "CONCURRENCY": "2"}
    env["MCP_WEB_GOOGLE_URL"] = site.loopback_url("/customsearch")
    async with contract_caller(miniweb, tmp_path, "read-page", **env) as tools, anyio.create_task_group() as tasks:
        for call in range(3):
            queries = [f"{call} {at}" for at in range(2)]
            tasks.start_soon(partial(tools.call, "web.search", query=queries))
    assert most <= 2


def test_chunks_of_512_tokens_overlap_by_ten_to_fifteen_per_cent() -> None:
    sentences = [f"Sentence {number} has its own {number % 7 + 6} words " + "and more " * (number % 5) + "here."
                 for number in range(900)]  # fmt: skip
    text = "\n\n".join(" ".join(sentences[at : at + 9]) for at in range(0, len(sentences), 9))
    found = passages(text, (), Size.of_tokens(512))
    shares = [(before.end - after.start) / len(after.text) for before, after in pairwise(found)]
    assert len(shares) > 10
    assert all(0.10 <= share <= 0.15 for share in shares)


async def test_a_page_always_returns_what_comes_closest_with_a_note(miniweb: MiniWeb, tmp_path: Path) -> None:
    url = miniweb.site("docs.example").page("/guide", article("Guide", "Setup", "Usage"))
    async with contract_caller(miniweb, tmp_path, "read-page", MCP_WEB_EMBEDDINGS="local") as tools:
        data = await tools.object("web.readFromPage", url=url, query=["Setup", "capital of Mongolia"])
        answered, unanswered = data["queries"]
        assert answered["results"]
        assert unanswered["results"]
        assert "clearly answers 'capital of Mongolia'" in data["note"]


async def test_a_threshold_that_nothing_reaches_is_named_in_a_note(miniweb: MiniWeb, tmp_path: Path) -> None:
    url = miniweb.site("docs.example").page("/guide", article("Guide", "Setup", "Usage"))
    env = {"MCP_WEB_EMBEDDINGS": "local", "SIMILARITY_THRESHOLD": "0.99"}
    async with contract_caller(miniweb, tmp_path, "read-page", **env) as tools:
        data = await tools.object("web.readFromPage", url=url, query="capital of Mongolia")
        assert data["queries"][0]["results"] == []
        assert "SIMILARITY_THRESHOLD=0.99" in data["note"]


async def test_a_note_says_that_embeddings_are_off(miniweb: MiniWeb, tmp_path: Path) -> None:
    url = miniweb.site("docs.example").page("/guide", article("Guide", "Setup", "Usage"))
    async with contract_caller(miniweb, tmp_path, "read-page") as tools:
        data = await tools.object("web.readFromPage", url=url, query="Setup")
        assert "Embeddings are off" in data["note"]
        assert data["queries"][0]["results"]


# ── mcp-web


async def test_both_languages_are_sent_and_descriptions_are_whole(miniweb: MiniWeb, tmp_path: Path) -> None:
    long = "A description of more than two hundred characters. " * 8
    answer = brave_answer("https://a.example/")
    answer["web"]["results"][0]["description"] = long
    engine = brave(miniweb, answer)
    async with contract_caller(miniweb, tmp_path, "mcp-web", **brave_env(engine)) as tools:
        data = await tools.object("web_search", query="q", search_lang="fr", ui_lang="de-DE")
    assert (engine.asked[0]["search_lang"], engine.asked[0]["ui_lang"]) == ("fr", "de-DE")
    assert data["results"][0]["description"] == long.strip()


async def test_a_page_without_text_is_extract_failed(miniweb: MiniWeb, tmp_path: Path) -> None:
    url = miniweb.site("docs.example").page("/empty", "<html><head><title>x</title></head><body></body></html>")
    async with contract_caller(miniweb, tmp_path, "mcp-web") as tools:
        assert (await tools.refusal("web_open", url=url))["code"] == "EXTRACT_FAILED"
        batch = await tools.object("web_batch_open", urls=[url])
        assert batch["results"][0]["error"]["code"] == "EXTRACT_FAILED"


async def test_site_configs_are_found_in_the_working_folder(
    miniweb: MiniWeb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "site_configs").mkdir()
    (tmp_path / "site_configs" / "docs.toml").write_text('id = "docs"\ndomains = ["docs.example"]\nbody = ["main"]\n')
    monkeypatch.chdir(tmp_path)
    url = miniweb.site("docs.example").page("/guide", article("Guide", "Setup"))
    async with contract_caller(miniweb, tmp_path / "data", "mcp-web") as tools:
        assert (await tools.object("web_open", url=url))["siteconfig"] == "docs@1"


# ── searxng


def instance(miniweb: MiniWeb, count: int, body: str = "") -> Lookalike:
    site = miniweb.site("docs.example")
    page = article("Page", *(f"Part {number}" for number in range(30)))
    urls = [site.page(f"/p{number}", body or page) for number in range(count)]
    return searxng(miniweb, searxng_answer(*urls))


@pytest.mark.parametrize(("count", "least"), [(10, 2_000), (50, 0)])
async def test_every_result_is_listed_with_as_much_of_its_page_as_fits(
    miniweb: MiniWeb, tmp_path: Path, count: int, least: int
) -> None:
    made = instance(miniweb, count)
    async with contract_caller(miniweb, tmp_path, "searxng", MCP_WEB_SEARXNG_URLS=made.url()) as tools:
        result = await tools.call("web_search", query="futures", results_count=count)
    rows = result.extra["metadata"]["results"]
    assert len(rows) == count
    assert json.loads(result.more[0])["results"] == rows
    assert all(len(row["content"]["markdown"]) >= least and row["content"]["summary"] for row in rows)
    assert all(row["content"]["truncated"] for row in rows)


async def test_protected_pages_are_left_out_and_counted_as_failed(miniweb: MiniWeb, tmp_path: Path) -> None:
    walled = (
        '<title>Premium</title><script type="application/ld+json">{"@type":"NewsArticle","isAccessibleForFree":false}'
        "</script><main><h1>Premium</h1><p>This article requires a subscription to read the rest.</p></main>"
    )
    made = instance(miniweb, 1, walled)
    async with contract_caller(miniweb, tmp_path, "searxng", MCP_WEB_SEARXNG_URLS=made.url()) as tools:
        metadata = (await tools.call("web_search", query="premium")).extra["metadata"]
    assert metadata["results"][0]["content_error"]["code"] == "CONTENT_PROTECTED"
    assert metadata["content_fetch_stats"] | {"total_time_ms": 0} == {
        "attempted": 1, "successful": 0, "failed": 1, "total_time_ms": 0,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("reply", "kind"),
    [(Reply("Too Many Requests", 429), "rate_limited"), (Reply("Forbidden", 403), "no_instances_available")],
    ids=["limited", "JSON off"],
)
async def test_an_error_has_the_five_fields_of_the_document(
    miniweb: MiniWeb, tmp_path: Path, reply: Reply, kind: str
) -> None:
    made = searxng(miniweb, reply)
    async with contract_caller(miniweb, tmp_path, "searxng", MCP_WEB_SEARXNG_URLS=made.url()) as tools:
        result = await tools.call("web_search", query="rust programming")
    metadata = result.extra["metadata"]
    assert result.is_error
    assert set(metadata) == {"query", "error_type", "error_details", "attempted_instances", "retry_after"}
    assert (metadata["error_type"], metadata["attempted_instances"]) == (kind, [made.url()])
    assert metadata["retry_after"] > 0


TOML = """
[web_search]
default_results_count = 3
max_results_count = 4
max_concurrent_fetches = 2
default_timeout = 12
content_fetch_timeout = 21
max_content_size = "1MB"
instance_health_check_interval = 60
max_consecutive_failures = 2
rate_limit_backoff_base = 30
rotate_user_agents = false
request_delay_range = [200, 300]
use_random_instances = false
summarize_long_content = true
max_summary_length = 40
extract_code_blocks = false
"""


async def test_the_configuration_section_of_the_document_is_read_whole(miniweb: MiniWeb, tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text(TOML)
    settings = load(environ={"MCP_WEB_CONFIG": str(file)})
    fetch, search = settings.of(FetchOptions), settings.of(SearchOptions)
    assert settings.unknown == []
    assert (fetch.concurrency, fetch.timeout, fetch.max_bytes) == (2, 21.0, 1_048_576)
    assert (search.timeout, search.health_check_interval, search.max_consecutive_failures) == (12.0, 60.0, 2)
    assert (search.rate_limit_backoff, search.rotate_user_agents, search.use_random_instances) == (30.0, False, False)
    assert (search.request_delay_least, search.request_delay_most) == (pytest.approx(0.2), pytest.approx(0.3))
    page = article("Code", "Usage").replace("</article>", "<pre><code>print('kept')</code></pre></article>")
    made = instance(miniweb, 6, page)
    env = {"MCP_WEB_CONFIG": str(file), "MCP_WEB_SEARXNG_URLS": made.url()}
    async with contract_caller(miniweb, tmp_path / "data", "searxng", **env) as tools:
        usual = (await tools.call("web_search", query="code")).extra["metadata"]
        most = (await tools.call("web_search", query="more code", results_count=50)).extra["metadata"]
    assert (usual["results_count"], most["results_count"]) == (3, 4)
    assert all(len(row["content"]["summary"]) <= 40 for row in usual["results"])
    assert "print('kept')" not in usual["results"][0]["content"]["markdown"]


def test_the_defaults_of_a_document_hold_in_its_contract_only() -> None:
    searxng_defaults = load(environ={"MCP_WEB_CONTRACT": "searxng"})
    fetch = searxng_defaults.of(FetchOptions)
    assert (fetch.timeout, fetch.max_bytes, fetch.concurrency) == (45.0, 2_000_000, 5)
    assert searxng_defaults.of(SearchOptions).timeout == 30.0
    assert searxng_defaults.of(WebSearchOptions) == WebSearchOptions()
    assert load(environ={"MCP_WEB_CONTRACT": "web-tools"}).of(FetchOptions).timeout == 30.0
    assert load(environ={"MCP_WEB_CONTRACT": "read-page"}).of(FetchOptions).concurrency == 2
    assert load(environ={"MCP_WEB_CONTRACT": "read-page", "CONCURRENCY": "7"}).of(FetchOptions).concurrency == 7
    assert load(environ={}).of(FetchOptions) == FetchOptions()


# ── web-tools


async def test_a_domain_is_the_registrable_one(miniweb: MiniWeb, tmp_path: Path) -> None:
    engine = brave(miniweb, brave_answer("https://en.wikipedia.org/wiki/Dune", "https://www.bbc.co.uk/news"))
    async with contract_caller(miniweb, tmp_path, "web-tools", **brave_env(engine)) as tools:
        rows = (await tools.object("WebSearch", query="Dune"))["results"]
    assert [row["domain"] for row in rows] == ["wikipedia.org", "bbc.co.uk"]


@pytest.mark.parametrize("form", ["markdown", "text", "html"])
async def test_title_and_length_are_those_of_what_is_returned(miniweb: MiniWeb, tmp_path: Path, form: str) -> None:
    page = article("Dune: Part Two", "Cast").replace("<title>Dune: Part Two", "<title>Dune: Part Two (2024) - IMDb")
    url = miniweb.site("www.imdb.com").page("/title/", page)
    async with contract_caller(miniweb, tmp_path, "web-tools") as tools:
        data = await tools.object("WebFetch", url=url, format=form)
    assert data["title"] == "Dune: Part Two (2024) - IMDb"
    assert data["contentLength"] == len(data["content"])
    assert data["truncated"] is False


async def test_a_page_of_more_than_six_megabytes_is_truncated(miniweb: MiniWeb, tmp_path: Path) -> None:
    words = "Sentences that follow each other without an end. " * 20
    page = "<title>Long</title><main><h1>Long</h1>" + f"<p>{words}</p>" * 6_400 + "</main>"
    assert len(page) > 6_000_000
    url = miniweb.site("docs.example").page("/long", page)
    async with contract_caller(miniweb, tmp_path, "web-tools") as tools:
        data = await tools.object("WebFetch", url=url)
    assert data["truncated"] is True
    assert "truncated after" in data["message"]
    assert data["contentLength"] > 5_000_000


async def test_the_header_of_an_infobox_is_one_cell(miniweb: MiniWeb, tmp_path: Path) -> None:
    rows = {"Directed by": "Denis Villeneuve", "Music by": "Hans Zimmer"}
    cells = "".join(f"<tr><th scope=row>{name}</th><td>{value}</td></tr>" for name, value in rows.items())
    box = f'<table class="infobox"><tr><th colspan=2>Dune: Part Two</th></tr>{cells}</table>'
    url = miniweb.site("en.wikipedia.org").page("/wiki/Dune:_Part_Two", f"<title>Dune</title>{box}<p>Text.</p>")
    async with contract_caller(miniweb, tmp_path, "web-tools") as tools:
        data = await tools.object("WebFetch", url=url, selector=".infobox")
    assert data["content"] == (
        "| Dune: Part Two |\n|---|\n| Directed by | Denis Villeneuve |\n| Music by | Hans Zimmer |"
    )
