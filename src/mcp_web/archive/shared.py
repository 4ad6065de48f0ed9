"""Answers of several archives as one: the own, and what other tenants share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from mcp_web.archive.answer import ArchiveAnswer, ArchiveResult
from mcp_web.archive.graph import CitationGraph


def merged(own: ArchiveAnswer, shared: Mapping[str, ArchiveAnswer]) -> ArchiveAnswer:
    """The best of all, each address once; `shared` by owner. Scores are absolute, so they compare."""
    found: dict[str, ArchiveResult] = {one.document.url: one for one in own.results}
    for owner, answer in shared.items():
        for one in answer.results:
            found.setdefault(one.document.url, _from(owner, one))
    results = sorted(found.values(), key=lambda one: -one.document.score)[: own.query.limit]
    answers = [own, *shared.values()]
    telling = [one for one in answers if one.results] or [own]
    return replace(
        own,
        results=tuple(results),
        mode=telling[0].mode,
        corrected_query=telling[0].corrected_query,
        citation_graph=_graph([one.citation_graph for one in answers if one.citation_graph]),
        notes=tuple(dict.fromkeys(note for one in telling for note in one.notes)),
    )


def _from(owner: str, result: ArchiveResult) -> ArchiveResult:
    return replace(result, document=replace(result.document, shared_by=owner))


def _graph(graphs: Sequence[CitationGraph]) -> CitationGraph | None:
    if not graphs:
        return None
    nodes = {node.id: node for graph in reversed(graphs) for node in graph.nodes}
    edges = dict.fromkeys(edge for graph in graphs for edge in graph.edges)
    return CitationGraph(tuple(nodes.values()), tuple(edges), any(graph.truncated for graph in graphs))
