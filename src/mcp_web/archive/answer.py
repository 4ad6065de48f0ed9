"""Queries to the archive, their answers, and the answers of several archives merged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from mcp_web.archive.graph import CitationGraph
from mcp_web.archive.highlight import Highlight
from mcp_web.archive.passage import ArchivePassage
from mcp_web.model.citation import Citation
from mcp_web.model.snapshot import Source

SearchMode = Literal["hybrid", "text", "semantic"]
SearchedSource = Literal["all", "research", "web"]


@dataclass(frozen=True, slots=True)
class ArchiveQuery:
    """A search in the archive: the question and its filters."""

    text: str
    fuzzy: bool = True
    include_citations: bool = False
    citation_depth: int = 1  # 1–3
    limit: int = 10  # at most 50
    source: SearchedSource = "all"
    since: str | None = None  # ISO date
    until: str | None = None
    collection: str | None = None  # a tag, or the name of a synced folder
    mode: SearchMode = "hybrid"
    domain: str | None = None  # host or its subdomains
    language: str | None = None  # code, as "de"


@dataclass(frozen=True, slots=True)
class ArchiveDocument:
    """A document that a search found, without its text."""

    id: str
    title: str
    path: str | None
    url: str
    source: Source
    date: str
    score: float  # 0…1
    snapshot: str  # hash of the version that was searched
    tags: tuple[str, ...] = ()
    shared_by: str = ""  # the tenant that shares it; empty for a document of this tenant


@dataclass(frozen=True, slots=True)
class Citations:
    """The citations of one document in both directions."""

    citing: tuple[Citation, ...]  # what the document cites
    cited: tuple[Citation, ...]  # what cites the document


@dataclass(frozen=True, slots=True)
class ArchiveResult:
    """A document that a search found, with its snippets, its best passage and, if requested, its citations."""

    document: ArchiveDocument
    highlights: tuple[Highlight, ...]
    citations: Citations | None = None
    passage: ArchivePassage | None = None  # what answers best


@dataclass(frozen=True, slots=True)
class ArchiveAnswer:
    """The results of one search, best first."""

    query: ArchiveQuery
    results: tuple[ArchiveResult, ...]
    mode: SearchMode  # the mode used: "text" if no model was available
    corrected_query: str | None = None
    citation_graph: CitationGraph | None = None
    notes: tuple[str, ...] = ()


def merged(own: ArchiveAnswer, shared: Mapping[str, ArchiveAnswer]) -> ArchiveAnswer:
    """One answer from those of several archives to the same query: the best results by score, at most as many as the
    query asks for, each URL once. `shared` has the answers from the archives of other tenants, by tenant; of a URL
    found in several, the tenant's own document is kept."""
    found: dict[str, ArchiveResult] = {one.document.url: one for one in own.results}
    for owner, answer in shared.items():
        for one in answer.results:
            found.setdefault(one.document.url, replace(one, document=replace(one.document, shared_by=owner)))
    results = sorted(found.values(), key=lambda one: -one.document.score)[: own.query.limit]
    answers = [own, *shared.values()]
    with_results = [one for one in answers if one.results] or [own]
    graphs = [one.citation_graph for one in answers if one.citation_graph]
    nodes = {node.id: node for graph in reversed(graphs) for node in graph.nodes}
    edges = dict.fromkeys(edge for graph in graphs for edge in graph.edges)
    return replace(
        own,
        results=tuple(results),
        mode=with_results[0].mode,
        corrected_query=with_results[0].corrected_query,
        citation_graph=CitationGraph(tuple(nodes.values()), tuple(edges)) if graphs else None,
        notes=tuple(dict.fromkeys(note for one in with_results for note in one.notes)),
    )
