"""Every example answer of the source documents, reproduced field by field from local parts."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from mcp_web.services.sync_folder import sync_folder
from miniweb import MiniWeb

from ..contract_caller import contract_caller
from ..pages import brave, brave_env, searxng

pytestmark = pytest.mark.anyio
SEEDS = Path(__file__).resolve().parents[4] / "shared" / "seeds"
if not SEEDS.exists():
    pytest.skip("the source documents are not on this machine", allow_module_level=True)


def examples(number: str) -> list[dict[str, Any]]:
    """The JSON objects of a document, in their order; a comment in one is left out."""
    (file,) = SEEDS.glob(f"{number}_*.txt")
    blocks = re.findall(r"```json\n(.*?)```", file.read_text(encoding="utf-8"), re.DOTALL)
    return [json.loads(re.sub(r",\s*//[^\n]*", "", block)) for block in blocks]


# ── web-tools

SEARCH, NO_RESULTS, PAGE, INFOBOX, MISSING, PAYWALL = examples("004")[:6]


async def test_the_search_example_is_reproduced(miniweb: MiniWeb, tmp_path: Path) -> None:
    rows = [
        {"title": row["title"], "url": row["url"], "description": row["snippet"], "page_age": row["datePublished"]}
        for row in SEARCH["results"]
    ]
    engine = brave(miniweb, {"type": "search", "query": {"original": "q"}, "web": {"results": rows}})
    async with contract_caller(miniweb, tmp_path, "web-tools", **brave_env(engine)) as tools:
        made = await tools.object("WebSearch", query=SEARCH["query"])
    assert set(made) == set(SEARCH)
    assert _dotted(made["results"]) == SEARCH["results"]
    assert (made["query"], made["searchEngine"]) == (SEARCH["query"], SEARCH["searchEngine"])
    assert made["totalResults"] == 3  # Brave names no total
    assert isinstance(made["searchTime"], float)


async def test_the_search_without_results_is_reproduced(miniweb: MiniWeb, tmp_path: Path) -> None:
    engine = brave(miniweb, {"type": "search", "query": {"original": "q"}})
    async with contract_caller(miniweb, tmp_path, "web-tools", **brave_env(engine)) as tools:
        assert await tools.object("WebSearch", query=NO_RESULTS["query"]) == NO_RESULTS


async def test_the_page_example_is_reproduced(miniweb: MiniWeb, tmp_path: Path) -> None:
    links = {link["text"]: link["url"] for link in PAGE["links"]}
    cast = re.findall(r"^- (.+?) as (.+)$", PAGE["content"], re.MULTILINE)
    items = [
        f"<li>{f'<a href={links[name]}>{name}</a>' if name in links else name} as {role}</li>" for name, role in cast
    ]
    plot = re.search(r"^Paul .+$", PAGE["content"], re.MULTILINE)
    assert plot
    head = f'<meta name=description content="{PAGE["metadata"]["description"]}"><meta property="og:site_name" '
    head += 'content="IMDb"><meta property="article:published_time" content="2024-03-01">'
    body = f"<h1>Dune: Part Two</h1><p><b>2024</b> · PG-13 · 2h 46m</p><p>{plot[0]}</p>"
    page = f"<html lang=en><head><title>{PAGE['title']}</title>{head}</head><body><main>{body}<h2>Cast</h2>"
    miniweb.site("www.imdb.com").page("/title/tt15239678/", page + f"<ul>{''.join(items)}</ul></main></body></html>")
    async with contract_caller(miniweb, tmp_path, "web-tools") as tools:
        made = await tools.object("WebFetch", url=PAGE["url"])
    assert set(made) == set(PAGE)
    assert made["content"] == PAGE["content"].removesuffix("\n...")
    assert made["contentLength"] == len(made["content"])
    same = ("url", "status", "title", "truncated", "metadata", "links")
    assert {name: made[name] for name in same} == {name: PAGE[name] for name in same}


async def test_the_infobox_example_is_reproduced(miniweb: MiniWeb, tmp_path: Path) -> None:
    title, _, *rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in INFOBOX["content"].split("\n")]
    cells = "".join(f"<tr><th scope=row>{name}</th><td>{value}</td></tr>" for name, value in rows)
    table = f'<table class="infobox"><tr><th colspan=2>{title[0]}</th></tr>{cells}</table>'
    page = f"<title>{INFOBOX['title']}</title><p>An article.</p>{table}"
    miniweb.site("en.wikipedia.org").page("/wiki/Dune:_Part_Two", page)
    async with contract_caller(miniweb, tmp_path, "web-tools") as tools:
        made = await tools.object("WebFetch", url=INFOBOX["url"], selector=INFOBOX["selector"])
    assert made["content"] == INFOBOX["content"]
    assert made | {"contentLength": 0} == INFOBOX | {"contentLength": 0}


async def test_the_missing_page_is_reproduced(miniweb: MiniWeb, tmp_path: Path) -> None:
    miniweb.site("example.com").page("/404-page", "Not here", status=404)
    async with contract_caller(miniweb, tmp_path, "web-tools") as tools:
        assert await tools.refusal("WebFetch", url=MISSING["url"]) == MISSING


async def test_the_paywalled_page_is_reproduced(miniweb: MiniWeb, tmp_path: Path) -> None:
    page = (
        f"<title>{PAYWALL['title']}</title><main><article><p>This article requires a subscription...</p>"
        "<div class=paywall><a href=/subscribe>Subscribe to continue reading</a></div></article></main>"
    )
    miniweb.site("paywalled-site.com").page("/article", page)
    async with contract_caller(miniweb, tmp_path, "web-tools") as tools:
        made = await tools.object("WebFetch", url=PAYWALL["url"])
    assert PAYWALL["content"] in made["content"]
    loose = {"content": "", "contentLength": 0}
    assert made | loose == PAYWALL | loose


# ── searxng

WITH_CONTENT, ONLY_RESULTS, NO_INSTANCE = examples("002")[1:4]
NUMBERS = ("search_time_ms", "results", "content_fetch_stats", "instance_used", "results_count", "engines_used")


def searxng_rows(results: list[dict[str, Any]], *engines: str) -> dict[str, Any]:
    rows = [
        {"title": row["title"], "url": row["url"], "content": row["description"], "score": row["score"] * 10,
         "engine": row["engine"], "engines": [row["engine"], *engines]}
        for row in results
    ]  # fmt: skip
    return {"query": "q", "number_of_results": 8450, "results": rows, "unresponsive_engines": []}


async def test_the_search_with_content_is_reproduced(miniweb: MiniWeb, tmp_path: Path) -> None:
    expected = WITH_CONTENT["metadata"]
    made = searxng(miniweb, searxng_rows(expected["results"], "bing"))
    for row in expected["results"]:
        heading = row["content"]["markdown"].split("\n")[0].removeprefix("# ")
        host, _, path = row["url"].removeprefix("https://").partition("/")
        text = f"<h1>{heading}</h1><p>{row['content']['summary']}</p><p>{'More is said here in detail. ' * 30}</p>"
        miniweb.site(host).page(f"/{path}", f"<title>{heading}</title><main>{text}</main>")
    async with contract_caller(miniweb, tmp_path, "searxng", MCP_WEB_SEARXNG_URLS=made.url()) as tools:
        result = await tools.call("web_search", query=expected["query"])
    metadata = result.extra["metadata"]
    assert result.text == f"Found 2 search results for query '{expected['query']}'"
    assert set(metadata) == set(expected)
    assert {name: metadata[name] for name in expected if name not in NUMBERS} == {
        name: expected[name] for name in expected if name not in NUMBERS
    }
    assert (metadata["instance_used"], metadata["results_count"]) == (made.url(), 2)
    assert set(metadata["engines_used"]) == set(expected["engines_used"])
    assert metadata["content_fetch_stats"] | {"total_time_ms": 0} == {
        "attempted": 2, "successful": 2, "failed": 0, "total_time_ms": 0,
    }  # fmt: skip
    for row, wanted in zip(metadata["results"], expected["results"], strict=True):
        assert set(row) == set(wanted)
        assert {name: _dotted(row[name]) for name in ("title", "url", "description", "engine")} == {
            name: wanted[name] for name in ("title", "url", "description", "engine")
        }
        assert set(row["content"]) == set(wanted["content"])
        assert row["content"]["markdown"].startswith(wanted["content"]["markdown"].split("\n")[0])
        assert wanted["content"]["summary"] in row["content"]["summary"]


async def test_the_search_without_content_is_reproduced(miniweb: MiniWeb, tmp_path: Path) -> None:
    expected = ONLY_RESULTS["metadata"]
    made = searxng(miniweb, searxng_rows(expected["results"]))
    async with contract_caller(miniweb, tmp_path, "searxng", MCP_WEB_SEARXNG_URLS=made.url()) as tools:
        result = await tools.call("web_search", query=expected["query"], fetch_content=False, results_count=5)
    metadata = result.extra["metadata"]
    assert result.extra["is_error"] is ONLY_RESULTS["is_error"]
    assert set(expected) <= set(metadata)
    assert (metadata["query"], metadata["fetch_content"]) == (expected["query"], False)
    (row,), (wanted,) = metadata["results"], expected["results"]
    assert _dotted(row) | {"score": 0} == wanted | {"score": 0}


async def test_the_error_without_an_instance_is_reproduced(miniweb: MiniWeb, tmp_path: Path) -> None:
    urls = ["http://127.0.0.1:1", "http://127.0.0.1:2"]
    async with contract_caller(miniweb, tmp_path, "searxng", MCP_WEB_SEARXNG_URLS=",".join(urls)) as tools:
        result = await tools.call("web_search", query=NO_INSTANCE["metadata"]["query"])
    metadata, expected = result.extra["metadata"], NO_INSTANCE["metadata"]
    assert result.text == NO_INSTANCE["content"][0]["text"]
    assert result.extra["is_error"] is True
    assert set(metadata) == set(expected)
    assert (metadata["query"], metadata["error_type"]) == (expected["query"], expected["error_type"])
    assert metadata["error_details"].startswith(expected["error_details"])
    assert sorted(metadata["attempted_instances"]) == urls
    assert metadata["retry_after"] > 0


# ── archives


async def test_the_archive_example_is_reproduced(miniweb: MiniWeb, tmp_path: Path) -> None:
    request, expected = examples("003")
    wanted = expected["results"][0]
    context = wanted["citations"]["citing"][0]["context"]
    folder = tmp_path / "research-archive"
    (folder / "2025-05-20").mkdir(parents=True)
    (folder / "2025-05-20" / "machine_learning_intro.md").write_text(
        "# Introduction to Machine Learning\n\nMachine learning is a subset of artificial intelligence...\n\n"
        f"{context}\n"
    )
    (folder / "algorithms.md").write_text(
        "---\ntitle: Machine Learning Algorithms\nurl: https://example.com/ml-algorithms\n---\n\nForests and trees.\n"
    )
    async with contract_caller(miniweb, tmp_path / "data", "archives") as tools:
        await sync_folder(tools.app, folder)
        made = await tools.object("searchLocalArchives", **request)
    assert set(made) == set(expected)
    row = next(one for one in made["results"] if one["document"]["title"] == wanted["document"]["title"])
    names = {row["document"]["id"]: "doc-123", row["citations"]["citing"][0]["targetId"]: "doc-456"}
    assert _renamed(row["document"], names) | {"score": 0} == wanted["document"] | {"score": 0}
    (title, content), (wanted_title, wanted_content) = row["highlights"], wanted["highlights"]
    assert title == wanted_title
    assert content["field"] == wanted_content["field"]
    assert content["snippets"][0].startswith(wanted_content["snippets"][0])
    assert _renamed(row["citations"], names) == wanted["citations"]
    graph = _renamed(made["citationGraph"], names)
    assert {json.dumps(node) for node in expected["citationGraph"]["nodes"][:1]} <= {
        json.dumps(node) for node in graph["nodes"]
    }
    assert graph["edges"] == expected["citationGraph"]["edges"]
    assert made["metadata"] | {"totalResults": 1} == expected["metadata"]


def _dotted(value: Any) -> Any:
    """The value with the ellipsis of a cut snippet written as three dots."""
    return json.loads(json.dumps(value, ensure_ascii=False).replace(" …", "...").replace("…", "..."))


def _renamed(value: Any, names: dict[str, str]) -> Any:
    """The value with our ids as those of the document."""
    text = json.dumps(value)
    for ours, theirs in names.items():
        text = text.replace(ours, theirs)
    return json.loads(text)
