"""The citations of some documents, in both directions, and the graph they make."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from urllib.parse import quote

from mcp_web.archive.answer import Citations
from mcp_web.archive.graph import CitationGraph, edges_around, graph_of
from mcp_web.model.citation import Citation
from mcp_web.model.snapshot import document_id
from mcp_web.store.protocol import DocumentRow, Edge, Store

_End = Callable[[Edge], str | None]  # returns the document at one end of a citation
_SHOWN = 50  # citations of one document in one direction
_FILE_LINK = re.compile(r"\]\(file:///(?P<path>[^()\s#]{1,1000})(?P<rest>#[^()\s]{0,200})?\)")


async def citations_and_graph(
    store: Store, rows: Sequence[DocumentRow], depth: int
) -> tuple[dict[str, Citations], CitationGraph]:
    """(what each document cites and is cited by, by its id; the graph of all these citations). Both follow citations
    for `depth` steps, taken as 1 to 3, and have at most 50 citations of a document in each direction."""
    known = {row.key: row for row in rows}
    steps = max(1, min(depth, 3))
    edges = await edges_around(store, list(known), steps)
    citing = {key: _chain(key, edges, steps, lambda edge: edge.source, lambda edge: edge.target) for key in known}
    cited = {key: _chain(key, edges, steps, lambda edge: edge.target, lambda edge: edge.source) for key in known}
    shown = list(dict.fromkeys(edge for key in known for edge in (*citing[key], *cited[key])))
    texts = {**known, **await store.documents(sorted({edge.source for edge in shown} - known.keys()))}
    nearby = {key for edge in shown for key in (edge.source, edge.target) if key is not None} - texts.keys()
    titles = {key: row.title or row.url for key, row in texts.items()} | {
        key: one.title or one.url for key, one in (await store.headlines(sorted(nearby))).items()
    }
    citations = {
        document_id(key): Citations(_citations(citing[key], texts), _citations(cited[key], texts)) for key in known
    }
    return citations, graph_of(known, shown, titles)


def _chain(key: str, edges: Iterable[Edge], steps: int, near: _End, far: _End) -> list[Edge]:
    """The citations that lead from the document `key` in one direction, nearest first, at most _SHOWN. `near` returns
    the document at the end of a citation that it is followed from, `far` the one that it leads to. Two documents that
    only cite the same source are not connected by that."""
    leaving: dict[str | None, list[Edge]] = {}
    for edge in edges:
        leaving.setdefault(near(edge), []).append(edge)
    found: list[Edge] = []
    front, seen = [key], {key}
    for _ in range(steps):
        step = [edge for name in front for edge in leaving.get(name, ())]
        found += step
        front = [name for edge in step if (name := far(edge)) is not None and name not in seen]
        seen.update(front)
    return list(dict.fromkeys(found))[:_SHOWN]


def _citations(edges: Iterable[Edge], texts: Mapping[str, DocumentRow]) -> tuple[Citation, ...]:
    """The edges as citations, each with the sentence that cites; without those of documents that are not in `texts`."""
    return tuple(
        Citation(
            source_id=document_id(edge.source),
            target_id=document_id(edge.target) if edge.target else None,
            target_url=edge.url,
            context=_as_written(texts[edge.source].markdown[edge.start : edge.end], texts[edge.source].path),
            confidence=edge.confidence,
            kind=edge.kind,
        )
        for edge in edges
        if edge.source in texts
    )


def _as_written(context: str, path: str | None) -> str:
    """A sentence with its file links relative again, as the author of the synced file at `path` wrote them; unchanged
    for a document that is not from a synced folder (None)."""
    if path is None:
        return context
    folder = quote(posixpath.dirname(path))  # as in links
    return _FILE_LINK.sub(
        lambda link: f"]({posixpath.relpath(link['path'], folder or '.')}{link['rest'] or ''})", context
    )
