"""The citation graph around some documents: nodes and edges, as Mermaid and as GraphML."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal
from xml.sax.saxutils import escape, quoteattr

from mcp_web.model.snapshot import document_id
from mcp_web.store.protocol import Edge, Store

_MOST_EDGES = 200  # of one document in one direction
_MOST_NODES = 500

NodeType = Literal["source", "target"]


@dataclass(frozen=True, slots=True)
class GraphNode:
    id: str
    label: str
    type: NodeType  # a result, or a document it is linked with


@dataclass(frozen=True, slots=True)
class GraphEdge:
    source: str
    target: str
    confidence: float


@dataclass(frozen=True, slots=True)
class CitationGraph:
    """Documents and the citations between them."""

    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]

    @property
    def mermaid(self) -> str:
        """The graph as Mermaid source."""
        numbers = {node.id: f"n{at}" for at, node in enumerate(self.nodes)}
        lines = ["graph LR"]
        for node in self.nodes:
            left, right = ("[[", "]]") if node.type == "source" else ("[", "]")
            lines.append(f'  {numbers[node.id]}{left}"{_mermaid_text(node.label)}"{right}')
        lines += [f"  {numbers[edge.source]} --> {numbers[edge.target]}" for edge in self.edges]
        return "\n".join(lines)

    @property
    def graphml(self) -> str:
        """The graph as GraphML, for programs such as Gephi and yEd."""
        nodes = "".join(
            f'    <node id={quoteattr(_clean(node.id))}><data key="label">{escape(_clean(node.label))}</data>'
            f'<data key="type">{node.type}</data></node>\n'
            for node in self.nodes
        )
        edges = "".join(
            f"    <edge source={quoteattr(_clean(edge.source))} target={quoteattr(_clean(edge.target))}>"
            f'<data key="confidence">{edge.confidence}</data></edge>\n'
            for edge in self.edges
        )
        return (
            '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
            '  <key id="label" for="node" attr.name="label" attr.type="string"/>\n'
            '  <key id="type" for="node" attr.name="type" attr.type="string"/>\n'
            '  <key id="confidence" for="edge" attr.name="confidence" attr.type="double"/>\n'
            f'  <graph edgedefault="directed">\n{nodes}{edges}  </graph>\n</graphml>\n'
        )


async def edges_around(store: Store, keys: Sequence[str], depth: int, most: int = _MOST_EDGES) -> list[Edge]:
    """The citations within `depth` steps of the documents `keys`, in both directions, each once: at most `most` of a
    document in each direction. After _MOST_NODES documents, no further ones are followed."""
    seen = set(keys)
    front = list(keys)
    found: dict[tuple[str, str | None, str], Edge] = {}
    for _ in range(depth):
        edges = [*await store.cites(front, most), *await store.cited_by(front, most)]
        for edge in edges:
            found.setdefault((edge.source, edge.target, edge.url), edge)
        near = dict.fromkeys(key for edge in edges for key in (edge.source, edge.target) if key and key not in seen)
        if not (front := list(near)[: max(0, _MOST_NODES - len(seen))]):
            break
        seen.update(front)
    return list(found.values())


def graph_of(keys: Iterable[str], edges: Sequence[Edge], labels: Mapping[str, str]) -> CitationGraph:
    """The graph of the edges between kept documents; `keys` are the results of a search, `labels` the titles by key.
    Edges that would add more than `_MOST_NODES` documents are left out."""
    nodes = {key: _node(key, labels, "source") for key in keys}
    lines: dict[tuple[str, str], GraphEdge] = {}
    for edge in edges:
        if edge.target is None:
            continue
        fresh = [name for name in (edge.source, edge.target) if name not in nodes]
        if len(nodes) + len(fresh) > _MOST_NODES:
            continue
        for name in fresh:
            nodes[name] = _node(name, labels, "target")
        pair = (nodes[edge.source].id, nodes[edge.target].id)
        if pair not in lines or lines[pair].confidence < edge.confidence:
            lines[pair] = GraphEdge(*pair, edge.confidence)
    return CitationGraph(tuple(nodes.values()), tuple(lines.values()))


def _node(key: str, labels: Mapping[str, str], kind: NodeType) -> GraphNode:
    return GraphNode(document_id(key), labels.get(key, document_id(key)), kind)


def _mermaid_text(text: str) -> str:
    """A label for a node in Mermaid, cut to 80 characters and escaped so that it cannot end the node."""
    flat = " ".join(_clean(text).split())[:80]
    for char, entity in (("&", "&amp;"), ('"', "#quot;"), ("<", "&lt;"), (">", "&gt;"), ("`", "'")):
        flat = flat.replace(char, entity)
    return flat


def _clean(text: str) -> str:
    """The text without non-printable characters, which XML and Mermaid do not allow; tabs and line breaks stay."""
    return "".join(char for char in text if char.isprintable() or char in "\t\n ")
