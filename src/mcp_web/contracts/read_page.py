"""The `read-page` contract: `web.search` with raw Google JSON, `web.readFromPage` with the passages that match."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import anyio

from mcp_web.app import App
from mcp_web.contracts import google_shape
from mcp_web.contracts.asking import ask, provider_or_auto
from mcp_web.contracts.contract import Contract, camel_case, contract_tool
from mcp_web.errors import ExtractFailed, FetchTimeout, HttpError, UnsupportedContent, WebError
from mcp_web.fetch.options import FetchOptions
from mcp_web.model.passage import Passage
from mcp_web.model.search import SafeSearch, SearchQuery
from mcp_web.search.options import SearchOptions
from mcp_web.services.read_page import PROTECTED, PageRead, read_pages
from mcp_web.services.record_readings import record_readings
from mcp_web.text.dates import iso
from mcp_web.tools import budget
from mcp_web.tools.call import Call
from mcp_web.tools.page_view import metadata_facts
from mcp_web.tools.shrink import answer_tokens, compact
from mcp_web.tools.tool import Answer

if TYPE_CHECKING:
    from mcp_web.index.rank import Ranked

CHUNK_TOKENS = 512  # EMBEDDING_TOKENS_SIZE sets another


async def search(call: Call, args: dict[str, Any]) -> Answer:
    """Search for each query; the answer has Google's JSON of each, in the order asked.

    The option CONCURRENCY limits the queries of all calls together.
    """
    safe = cast(SafeSearch, args["safeSearch"] or call.app.settings.of(SearchOptions).google_safe_search)
    provider = provider_or_auto(call.app, "google")
    results: list[dict[str, Any] | WebError] = [{}] * len(args["query"])

    async def one(at: int, text: str) -> None:
        query = SearchQuery(
            text,
            count=args["resultsPerQuery"],
            language=args["language"],
            country=args["region"].upper() if args["region"] else None,
            safe_search=safe,
        )
        async with call.app.process.network_slots:
            try:
                found = (await ask(call, query, provider, raw=provider == "google")).found
            except WebError as error:
                results[at] = error
                return
        raw = found.raw.get("google")
        results[at] = google_shape.joined(raw, query.count) if raw else google_shape.in_google_format(found)

    async with anyio.create_task_group() as tasks:
        for at, text in enumerate(args["query"]):
            tasks.start_soon(one, at, text)
    failures = [result for result in results if isinstance(result, WebError)]
    if len(failures) == len(results):
        raise failures[0]
    shown = [google_shape.refusal(one) if isinstance(one, WebError) else one for one in results]
    data = {"queries": [{"query": text, "result": one} for text, one in zip(args["query"], shown, strict=True)]}
    fitting = (made for made in google_shape.smaller_versions(data) if budget.within(compact(made), budget.AIM))
    return Answer(next(fitting, data), shape="json")


async def read_from_page(call: Call, args: dict[str, Any]) -> Answer:
    """Open a page and rank its chunks for each query; the answer has the best chunks of each."""
    call.report(f"reading {args['url']}")
    reader = await call.app.reader_of(CHUNK_TOKENS)
    async with call.app.process.network_slots:
        (page,) = await read_pages(
            call.app,
            [args["url"]],
            list(dict.fromkeys(args["query"])),
            max_results=args["maxResults"],
            min_score=call.app.similarity_threshold,
            max_age=0 if args["forceRefresh"] else None,
            deadline=call.deadline,
            on_progress=call.report,
            reader=reader,
        )
    if isinstance(page, WebError):
        return _unread(call.app, page, args)
    kept = page.opened.snapshot
    call.log_page(kept, page.opened.cache)
    data: dict[str, Any] = {"url": kept.url}
    if kept.document.title:
        data["title"] = kept.document.title
    data["lastCrawled"] = iso(kept.checked_at)
    if kept.document.wall in ("paywall", "login"):
        data |= {"queries": _no_results(args["query"]), "note": PROTECTED}
        return Answer(data, shape="json")
    notes = list(page.notes)
    by_words = call.app.process.embedder.dim == 0 or any("words only" in note for note in notes)
    if call.app.process.embedder.dim == 0:
        notes.append("Embeddings are off: passages were ranked by words only.")
    results = {one.query: _found(call, page, one, notes, args["maxResults"], by_words=by_words) for one in page.ranked}
    data["queries"] = [{"query": query, "results": results[query]} for query in args["query"]]
    asked = [
        (one.query, one.verdict, [(each.passage.start, each.passage.end) for each in one.passages])
        for one in page.ranked
    ]
    await record_readings(call.app, kept, asked, tool="web.readFromPage", client=call.client)
    if args["includeMetadata"]:
        data["metadata"] = _metadata(page)
    if notes:
        data["note"] = " ".join(notes)
    return Answer(_whole_chunks(data, answer_tokens(call)), shape="json")


_CLOSEST = "Nothing on this page clearly answers {query!r}; the results come closest."


def _found(
    call: Call, page: PageRead, ranked: Ranked, notes: list[str], count: int, *, by_words: bool
) -> list[dict[str, Any]]:
    """The best chunks for one query; if none answers it, the closest ones, and a sentence is added to `notes`.

    `by_words`: passages were ranked by words only, so their scores say nothing about an answer.
    """
    url, threshold = page.opened.snapshot.url, call.app.similarity_threshold
    if ranked.passages:
        if not (ranked.answered or by_words or threshold is not None):
            notes.append(_CLOSEST.format(query=ranked.query))
        return [_chunk(url, one.passage, one.score) for one in ranked.passages]
    if by_words:
        return _longest(page, count)
    if threshold is not None:
        notes.append(f"Nothing on this page reaches SIMILARITY_THRESHOLD={threshold:g} for {ranked.query!r}: "
                     f"the best score is {ranked.best:.2f}.")  # fmt: skip
        return []
    notes.append(_CLOSEST.format(query=ranked.query))
    return [_chunk(url, one.passage, one.score) for one in ranked.nearest[:count]]


def _whole_chunks(data: dict[str, Any], tokens: int) -> dict[str, Any]:
    """The answer with as many whole chunks as fit: a shortened chunk would no longer match its id."""
    most = max(len(row["results"]) for row in data["queries"])
    made = data
    while most > 1 and not budget.within(compact(made), tokens):
        most -= 1
        rows = [{**row, "results": row["results"][:most]} for row in data["queries"]]
        made = data | {"queries": rows, "note": f"{data.get('note', '')} Only {most} results a query fit.".strip()}
    return made


def _chunk(url: str, passage: Passage, score: float) -> dict[str, Any]:
    """A passage in that system's format."""
    from mcp_web.read.plain import to_plain

    text = to_plain(passage.text).strip()
    made: dict[str, Any] = {"id": chunk_id(url, passage.section_path, text), "text": text, "score": round(score, 4)}
    return made | ({"sectionPath": list(passage.section_path)} if passage.section_path else {})


def chunk_id(url: str, path: Sequence[str], text: str) -> str:
    """sha256 of url, section path and text: the same on every machine."""
    return hashlib.sha256(f"{url}|{' > '.join(path)}|{text}".encode("utf-8", "surrogatepass")).hexdigest()


def _longest(page: PageRead, count: int) -> list[dict[str, Any]]:
    """The longest blocks of the page, which that system returns when it cannot rank."""
    from mcp_web.read.passages import Size, passages

    document = page.opened.snapshot.document
    found = passages(document.markdown, document.headings, Size.of_tokens(CHUNK_TOKENS))
    longest = sorted(found, key=lambda one: -len(one.text))[:count]
    return [_chunk(page.opened.snapshot.url, one, 0.0) for one in longest]


def _metadata(page: PageRead) -> dict[str, Any]:
    """The metadata of the page that are known, with names in camel case."""
    facts = camel_case(metadata_facts(page.opened.snapshot.document.metadata))
    return {name: value for name, value in facts.items() if value}


def _no_results(queries: Sequence[str]) -> list[dict[str, Any]]:
    return [{"query": query, "results": []} for query in queries]


def _unread(app: App, error: WebError, args: dict[str, Any]) -> Answer:
    """The answer for a page that could not be read: without results and with a note if it is protected or empty.

    Any other error is raised.
    """
    if isinstance(error, HttpError) and error.status_code in (401, 402, 403):
        note = PROTECTED
    elif isinstance(error, ExtractFailed | UnsupportedContent):
        note = error.message
    else:
        if isinstance(error, FetchTimeout):
            limit = app.settings.of(FetchOptions).timeout * 1000
            raise FetchTimeout(f"{error.message} (REQUEST_TIMEOUT_MS={limit:.0f})", url=error.url) from error
        raise error
    data = {
        "url": args["url"],
        "lastCrawled": iso(time.time()),
        "queries": _no_results(args["query"]),
        "note": note,
    }
    return Answer(data, shape="json")


def failed(error: WebError, given: Mapping[str, Any]) -> Answer:
    return Answer({}, f"{error.code}: {error.message} {error.suggestion}", shape="text", is_error=True)


_QUERY = {
    "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}],
    "description": "One query, or several.",
}
_SEARCH = {
    "type": "object",
    "properties": {
        "query": _QUERY,
        "resultsPerQuery": {"type": "integer", "minimum": 1, "maximum": 50, "default": 10},
        "region": {"type": "string"},
        "language": {"type": "string"},
        "safeSearch": {"type": "string", "enum": ["off", "moderate", "strict"]},
    },
    "required": ["query"],
}
_READ = {
    "type": "object",
    "properties": {
        "url": {"type": "string", "format": "uri"},
        "query": _QUERY,
        "forceRefresh": {"type": "boolean", "default": False},
        "maxResults": {"type": "integer", "minimum": 1, "maximum": 50, "default": 8},
        "includeMetadata": {"type": "boolean", "default": False},
    },
    "required": ["url", "query"],
}

CONTRACT = Contract(
    "read-page",
    (
        contract_tool(
            "web.search",
            "Search the web",
            "Searches the web for one or several queries and returns Google Custom Search JSON for each.",
            _SEARCH,
            search,
            failed=failed,
            purpose="search",
            long_answers=True,
        ),
        contract_tool(
            "web.readFromPage",
            "Read from a page",
            "Fetches a page and returns only the parts of it that are relevant to the queries, with a score each.",
            _READ,
            read_from_page,
            failed=failed,
            purpose="fetch",
            long_answers=True,
        ),
    ),
)
