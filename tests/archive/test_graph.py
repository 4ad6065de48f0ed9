from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from mcp_web.archive.graph import edges_around, graph_of
from mcp_web.model.citation import Mention
from mcp_web.store.protocol import Derived, Edge, Store
from mcp_web.store.sqlite.store import SqliteStore

from contracts.store_samples import snapshot  # isort: skip

pytestmark = pytest.mark.anyio


@pytest.fixture
async def chain(tmp_path: Path) -> AsyncIterator[tuple[Store, list[str]]]:
    """Five documents, each citing the next; the last cites the first."""
    store = await SqliteStore.open(tmp_path / "s.sqlite")
    pages = [snapshot(f"https://{letter}.example/", title=letter) for letter in "abcde"]
    for at, page in enumerate(pages):
        after = "abcde"[(at + 1) % 5]
        mention = Mention(after, f"https://{after}.example/", "link", 0, 1, 1.0)
        await store.keep(page, Derived(names=("abcde"[at],), mentions=(mention,)))
    yield store, [page.key for page in pages]
    await store.close()


@pytest.mark.parametrize(("depth", "edges"), [(1, 2), (2, 4), (3, 5)])
async def test_depth_reaches_as_many_steps_both_ways(chain: tuple[Store, list[str]], depth: int, edges: int) -> None:
    store, keys = chain
    assert len(await edges_around(store, [keys[0]], depth)) == edges


def _edge(source: str, target: str | None, url: str = "https://x.example/", confidence: float = 1.0) -> Edge:
    return Edge(source, target, url, "link", 0, 1, confidence)


async def test_the_graph_has_the_shape_of_the_seed() -> None:
    graph = graph_of(["a" * 64], [_edge("a" * 64, "b" * 64), _edge("a" * 64, None)], {"a" * 64: "A", "b" * 64: "B"})
    assert [(node.id, node.label, node.type) for node in graph.nodes] == [
        ("a" * 12, "A", "source"),
        ("b" * 12, "B", "target"),
    ]
    assert [(edge.source, edge.target, edge.confidence) for edge in graph.edges] == [("a" * 12, "b" * 12, 1.0)]
    assert graph.mermaid == 'graph LR\n  n0[["A"]]\n  n1["B"]\n  n0 --> n1'


async def test_labels_cannot_break_out_of_mermaid_or_xml() -> None:
    label = 'x"]; click n0 "javascript:alert(1)"\n n9[<script>&\x00'
    graph = graph_of(["a"], [_edge("a", "b")], {"a": label, "b": "B"})
    lines = graph.mermaid.splitlines()
    assert len(lines) == 4
    assert lines[1].count('"') == 2
    tree = ElementTree.fromstring(graph.graphml)
    assert len(list(tree.iter("{http://graphml.graphdrawing.org/xmlns}node"))) == 2


async def test_a_huge_graph_is_cut() -> None:
    graph = graph_of(["a"], [_edge("a", f"b{number}") for number in range(1000)], {})
    assert len(graph.nodes) == 500
