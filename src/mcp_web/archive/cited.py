"""The citations of some documents, in both directions, and the graph they make."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from mcp_web.archive.answer import ID_LENGTH, Citations, document_id
from mcp_web.archive.graph import CitationGraph, edges_around, graph_of
from mcp_web.model.citation import Citation
from mcp_web.store.protocol import DocumentRow, Edge, Store

_SHOWN = 50  # citations of one document in one direction


async def citations_and_graph(
    store: Store, rows: Sequence[DocumentRow], depth: int
) -> tuple[dict[str, Citations], CitationGraph]:
    """What each document cites and is cited by, keyed by its id, and the graph of all within `depth` steps."""
    known = {row.key: row for row in rows}
    edges = await edges_around(store, list(known), max(1, min(depth, 3)))
    # A sentence is quoted from each document that cites a result; everything else in the graph needs only its title.
    citing = {edge.source for edge in edges if edge.target in known} - known.keys()
    texts = {**known, **await store.documents(sorted(citing))}
    nearby = {key for edge in edges for key in (edge.source, edge.target) if key is not None} - texts.keys()
    titles = {key: row.title or row.url for key, row in texts.items()} | await store.titles(sorted(nearby))
    return _by_document(known, edges, texts), graph_of(known, edges, titles, ID_LENGTH)


def _by_document(
    known: dict[str, DocumentRow], edges: list[Edge], texts: dict[str, DocumentRow]
) -> dict[str, Citations]:
    citing: dict[str, list[Citation]] = defaultdict(list)
    cited: dict[str, list[Citation]] = defaultdict(list)
    for edge in edges:
        if edge.source not in texts:
            continue
        citation = Citation(
            source_id=document_id(edge.source),
            target_id=document_id(edge.target) if edge.target else None,
            target_url=edge.url,
            context=texts[edge.source].markdown[edge.start : edge.end],
            confidence=edge.confidence,
            kind=edge.kind,
        )
        if edge.source in known:
            citing[edge.source].append(citation)
        if edge.target in known:
            cited[edge.target].append(citation)
    return {document_id(key): Citations(tuple(citing[key][:_SHOWN]), tuple(cited[key][:_SHOWN])) for key in known}
