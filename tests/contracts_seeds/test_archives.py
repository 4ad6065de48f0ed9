"""Seed 003: searchLocalArchives."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from miniweb import MiniWeb

from .contract_caller import ContractCaller, assert_same_shape, contract_caller

pytestmark = pytest.mark.anyio

CITATION = {"sourceId": "doc-123", "targetId": "doc-456", "targetUrl": "https://example.com/ml-algorithms",
            "context": "For more", "confidence": 1.0}  # fmt: skip
EXAMPLE = {
    "results": [{
        "document": {"id": "doc-123", "title": "Introduction", "path": "research-archive/x.md", "source": "research",
                     "date": "2025-05-20", "score": 0.95},
        "highlights": [{"field": "title", "snippets": ["Introduction to <mark>Machine Learning</mark>"]}],
        "citations": {"citing": [CITATION], "cited": [CITATION]},
    }],
    "citationGraph": {
        "nodes": [{"id": "doc-123", "label": "Introduction to Machine Learning", "type": "source"}],
        "edges": [{"from": "doc-123", "to": "doc-456", "confidence": 1.0}],
    },
    "metadata": {"totalResults": 1, "query": "machine learning", "fuzzy": True, "includeCitations": True,
                 "citationDepth": 1, "limit": 5},
}  # fmt: skip
NOTES = {
    "2025-05-20/machine_learning_intro.md": "# Introduction to Machine Learning\n\nMachine learning is a subset of "
    "artificial intelligence.\n\nFor more information on ML algorithms, see "
    "[this resource](https://example.com/ml-algorithms).\n",
    "2025-05-21/algorithms.md": "---\ntitle: Machine Learning Algorithms\nurl: https://example.com/ml-algorithms\n---\n"
    "\nGradient boosting and random forests.\n",
}


@pytest.fixture
async def tools(miniweb: MiniWeb, tmp_path: Path) -> AsyncIterator[ContractCaller]:
    folder = tmp_path / "research-archive"
    for name, text in NOTES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    async with contract_caller(
        miniweb, tmp_path / "data", "archives", SEARCH_DB_PATH=str(tmp_path / "search.db")
    ) as made:
        from mcp_web.services.sync_folder import sync_folder

        await sync_folder(made.app, folder)
        yield made


async def test_the_schema_is_the_seed_s_own(tools: ContractCaller) -> None:
    tool = tools.tool("searchLocalArchives")
    assert tool.description == "Searches the local research and URL content archives"
    schema = tool.input_schema()
    assert schema["required"] == ["query"]
    assert {name: (rule["type"], rule.get("default")) for name, rule in schema["properties"].items()} == {
        "query": ("string", None), "fuzzy": ("boolean", True), "includeCitations": ("boolean", False),
        "citationDepth": ("integer", 1), "limit": ("integer", 10),
    }  # fmt: skip
    depth, limit = schema["properties"]["citationDepth"], schema["properties"]["limit"]
    assert (depth["minimum"], depth["maximum"], limit["minimum"], limit["maximum"]) == (1, 3, 1, 50)


async def test_the_example_request_answers_in_the_shape_of_its_example(tools: ContractCaller) -> None:
    answer = await tools.object(
        "searchLocalArchives", query="machine learning", fuzzy=True, includeCitations=True, limit=5
    )
    assert_same_shape(EXAMPLE, answer)
    row = next(one for one in answer["results"] if "intro" in one["document"]["path"])
    assert row["document"]["path"] == "research-archive/2025-05-20/machine_learning_intro.md"
    assert (row["document"]["source"], row["document"]["date"]) == ("research", "2025-05-20")
    assert 0 < row["document"]["score"] <= 1
    fields = {mark["field"]: mark["snippets"] for mark in row["highlights"]}
    assert any("<mark>" in snippet for snippet in fields["title"])
    assert any("<mark>" in snippet for snippet in fields["content"])
    (citing,) = row["citations"]["citing"]
    assert citing["targetUrl"] == "https://example.com/ml-algorithms"
    assert citing["sourceId"] == row["document"]["id"]
    assert citing["targetId"]
    assert "For more information" in citing["context"]
    assert {node["type"] for node in answer["citationGraph"]["nodes"]} <= {"source", "target"}
    assert {"from": citing["sourceId"], "to": citing["targetId"], "confidence": citing["confidence"]} in answer[
        "citationGraph"
    ]["edges"]
    assert answer["metadata"]["totalResults"] == len(answer["results"])


async def test_without_citations_neither_they_nor_the_graph_are_there(tools: ContractCaller) -> None:
    answer = await tools.object("searchLocalArchives", query="machine learning")
    assert "citationGraph" not in answer
    assert all("citations" not in row for row in answer["results"])
    assert answer["metadata"] == {"totalResults": len(answer["results"]), "query": "machine learning", "fuzzy": True,
                                  "includeCitations": False, "citationDepth": 1, "limit": 10}  # fmt: skip


async def test_fuzzy_forgives_a_typo_and_exact_does_not(tools: ContractCaller) -> None:
    assert (await tools.object("searchLocalArchives", query="gradeint boosting"))["results"]
    exact = await tools.object("searchLocalArchives", query="gradeint", fuzzy=False)
    assert exact["results"] == []


async def test_limit_limits(tools: ContractCaller) -> None:
    assert len((await tools.object("searchLocalArchives", query="machine learning", limit=1))["results"]) == 1


async def test_who_is_cited_by_is_told_from_the_other_side(tools: ContractCaller) -> None:
    answer = await tools.object("searchLocalArchives", query="random forests", includeCitations=True, citationDepth=3)
    row = next(one for one in answer["results"] if "algorithms" in one["document"]["path"])
    assert row["citations"]["cited"][0]["targetId"] == row["document"]["id"]


@pytest.mark.parametrize("wrong", [{"limit": 0}, {"limit": 51}, {"citationDepth": 4}, {"fuzzy": "perhaps"}])
async def test_what_the_schema_forbids_is_refused_in_its_words(tools: ContractCaller, wrong: dict[str, Any]) -> None:
    result = await tools.call("searchLocalArchives", **{"query": "x", **wrong})
    assert result.is_error
    assert result.text.startswith("Failed to search local archives: ")


async def test_a_missing_query_is_refused(tools: ContractCaller) -> None:
    result = await tools.call("searchLocalArchives")
    assert result.is_error
    assert "query is required" in result.text


async def test_the_database_lies_where_its_variable_says(tools: ContractCaller, tmp_path: Path) -> None:
    assert (tmp_path / "search.db").exists()
    assert not (tmp_path / "data" / "mcp-web.sqlite").exists()


async def test_a_page_that_was_opened_is_found_with_its_address_as_path(
    tools: ContractCaller, miniweb: MiniWeb
) -> None:
    from mcp_web.services.open_page import OpenRequest, open_page

    from .pages import article

    url = miniweb.site("docs.example").page("/gardening", article("Gardening", "Compost"))
    await open_page(tools.app, OpenRequest(url))
    (row,) = (await tools.object("searchLocalArchives", query="compost"))["results"]
    assert (row["document"]["source"], row["document"]["path"]) == ("web", url)


CHAIN = {
    "a.md": "# Alpha\n\nAlpha tells of tortoises, and [Beta](sub/b.md) says more.\n",
    "sub/b.md": "# Beta\n\nIt rests on [Gamma](../c.md) alone.\n",
    "c.md": "# Gamma\n\nThe end of the chain.\n",
    "d.md": "# Delta\n\nThis one also reads [Beta](sub/b.md).\n",
}


@pytest.mark.parametrize(("depth", "targets"), [(1, ["sub/b.md"]), (2, ["sub/b.md", "c.md"])])
async def test_citations_and_graph_follow_the_depth_and_nothing_else(
    miniweb: MiniWeb, tmp_path: Path, depth: int, targets: list[str]
) -> None:
    from mcp_web.services.sync_folder import sync_folder

    for name, text in CHAIN.items():
        (tmp_path / "notes" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "notes" / name).write_text(text)
    async with contract_caller(miniweb, tmp_path / "data", "archives") as tools:
        await sync_folder(tools.app, tmp_path / "notes")
        answer = await tools.object(
            "searchLocalArchives", query="tortoises", includeCitations=True, citationDepth=depth, limit=1
        )
    (row,) = answer["results"]
    citing = row["citations"]["citing"]
    assert [one["targetUrl"].removeprefix("notes/") for one in citing] == targets
    assert citing[0]["context"] == "Alpha tells of tortoises, and [Beta](sub/b.md) says more."
    labels = {node["label"] for node in answer["citationGraph"]["nodes"]}
    assert labels == ({"Alpha", "Beta", "Gamma"} if depth == 2 else {"Alpha", "Beta"})
    (snippet,) = next(mark for mark in row["highlights"] if mark["field"] == "content")["snippets"]
    assert snippet == "Alpha tells of <mark>tortoises</mark>, and Beta says more."
