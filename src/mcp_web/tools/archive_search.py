"""The tool archive_search: search everything that was read or saved."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from mcp_web.errors import InvalidInput
from mcp_web.text.amounts import amount
from mcp_web.text.headings import below_title
from mcp_web.text.untrusted import one_line
from mcp_web.tools import budget
from mcp_web.tools.arguments import refuse_both
from mcp_web.tools.call import Call
from mcp_web.tools.clean_output import note_lines
from mcp_web.tools.tool import OBJECTS, Answer, Param, Tool

_CITATIONS_SHOWN = 3  # of each direction and document
_CITATION_CHARS = 80
_TOKENS = 1_800  # of all passages together
_LEAST_TOKENS = 60  # of each
_GRAPH_TOKENS = 400


async def run(call: Call, args: dict[str, Any]) -> Answer:
    from mcp_web.archive.answer import ArchiveQuery
    from mcp_web.services.search_archive import search_archive, search_similar

    refuse_both(TOOL.name, args, "query", "similar")
    filters = {name: value for name, value in args.items() if name not in ("query", "similar")}
    query = ArchiveQuery(args["query"] or "", **filters)
    if args["similar"]:
        answer = await search_similar(call.app, args["similar"], query)
    elif query.text:
        answer = await search_archive(call.app, query)
    else:
        raise InvalidInput(
            "archive_search needs the parameter 'query' or 'similar'.", suggestion="Say what to look for."
        )
    data = as_data(answer)
    data["notes"] = [*call.notes, *answer.notes]
    lines = [f"{amount(len(answer.results), 'document')} · {answer.mode}"]
    if answer.corrected_query:
        lines.append(f"searched for: {answer.corrected_query}")
    lines += note_lines(data["notes"])
    if not answer.results:
        lines.append(
            "Nothing kept matches. Search the web with web_search; what you open is kept and found here later."
        )
        return Answer(data, "\n".join(lines), {"results": 0})
    share = max(_LEAST_TOKENS, _TOKENS // len(data["results"]))
    passages: dict[str, int] = {}  # of each text the first result that shows it
    blocks = [_text(rank, row, share, passages) for rank, row in enumerate(data["results"], start=1)]
    if answer.citation_graph is not None and answer.citation_graph.edges:
        blocks.append("```mermaid\n" + budget.cut(answer.citation_graph.mermaid, _GRAPH_TOKENS) + "\n```")
    lines.append(call.envelope.wrap(budget.cut("\n\n".join(blocks), budget.AIM - 1_500)))
    first = answer.results[0].document.snapshot[:16]
    lines.append(f'read the first: cache_get(snapshot="{first}", query=…); others by their snapshot')
    return Answer(data, "\n".join(lines), {"results": len(answer.results)})


def as_data(answer: Any) -> dict[str, Any]:
    """The answer (an ArchiveAnswer) as the object for structured clients: results, citation graph, metadata."""
    data: dict[str, Any] = {"results": [_result(one) for one in answer.results]}
    if answer.citation_graph is not None:
        data["citation_graph"] = {
            "nodes": [asdict(one) for one in answer.citation_graph.nodes],
            "edges": [
                {"from": one.source, "to": one.target, "confidence": one.confidence}
                for one in answer.citation_graph.edges
            ],
            "mermaid": answer.citation_graph.mermaid,
        }
    if answer.corrected_query:
        data["corrected_query"] = answer.corrected_query
    query = answer.query
    data["metadata"] = {
        "total_results": len(answer.results),
        "query": query.text,
        **{name: getattr(query, name) for name in ("fuzzy", "include_citations", "citation_depth", "limit")},
        "mode": answer.mode,
    }
    return data


def _result(one: Any) -> dict[str, Any]:
    """One found document as an object for structured clients."""
    made = asdict(one)
    document = made["document"]
    document["score"] = round(document["score"], 4)
    if not document["shared_by"]:
        del document["shared_by"]
    if one.passage is not None:
        del made["passage"]["match"]
    return {name: value for name, value in made.items() if value is not None}


def _text(rank: int, row: dict[str, Any], tokens: int, passages: dict[str, int]) -> str:
    """One document as text, with at most `tokens` tokens of its passage. A passage that is the same as that of a result
    before it, in `passages`, is not repeated."""
    from mcp_web.read.links import text_only

    document = row["document"]
    where = document["path"] or document["url"]
    head = (
        f"{rank}. {one_line(document['title'])} · {document['source']} · {document['date']} · {document['score']:.2f}"
    )
    if owner := document.get("shared_by"):
        head += f" · shared by {one_line(owner)}"
    lines = [head, f"   {where}", f"   snapshot {document['snapshot'][:16]} · id {document['id']}"]
    if (passage := row.get("passage")) is not None:
        section = " > ".join(map(one_line, below_title(passage["section_path"], document["title"])))
        lines += [f"[{section}]"] if section else []
        text = text_only(passage["text"])
        first = passages.setdefault(text, rank)
        lines.append(f"(the same passage as in {first})" if first < rank else budget.cut(text, tokens))
    citations = row.get("citations", {})
    for kind, words in (("citing", "cites"), ("cited", "cited by")):
        for one in citations.get(kind, ())[:_CITATIONS_SHOWN]:
            other = (one["target_id"] or one["target_url"]) if kind == "citing" else one["source_id"]
            lines.append(f"   {words} {other}: {one_line(one['context'])[:_CITATION_CHARS]}")
    return "\n".join(lines)


TOOL = Tool(
    name="archive_search",
    title="Search what was read",
    description=(
        "Searches everything that was opened or saved here, by words and by meaning, without network: pages, "
        "notes, synced folders. Tolerates typos, understands \"phrases\", word* and -word, can show "
        "what cites what. Use it before web_search when the topic may have come up. Returns documents, each "
        "with the passage that answers and its section; read more with cache_get."
    ),
    params=(
        Param("query", "string", "What to look for.", max_length=500),
        Param("similar", "string", "Or an id, snapshot or address: finds similar documents.", max_length=8_000),
        Param("fuzzy", "boolean", "Correct typos; false finds only the words as typed.", default=True),
        Param("include_citations", "boolean", "Add citations.", default=False),
        Param("citation_depth", "integer", "Citation depth, 1 to 3.", default=1, least=1, most=3),
        Param("limit", "integer", "Documents (default 10).", default=10, least=1, most=50, aliases=("count",)),
        Param("source", "string", "Where from.", default="all", choices=("all", "research", "web")),
        Param("since", "string", "Not before YYYY-MM-DD.", max_length=10),
        Param("until", "string", "Not after YYYY-MM-DD.", max_length=10),
        Param("collection", "string", "A tag or synced folder.", max_length=60, aliases=("tag",)),
        Param("mode", "string", "How.", default="hybrid", choices=("hybrid", "text", "semantic")),
    ),
    run=run,
    open_world=False,
    output={"results": OBJECTS, "metadata": {"type": "object"}},
)  # fmt: skip
