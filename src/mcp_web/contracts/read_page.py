"""The `read-page` contract: `web.search` with raw Google JSON, `web.readFromPage` with the passages that match."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import anyio

from mcp_web.app import CHUNK_TOKENS, App
from mcp_web.contracts import google_shape
from mcp_web.contracts.asking import ask, provider_or_auto
from mcp_web.contracts.contract import camel_case, contract
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
from mcp_web.tools.shrink import answer_tokens, largest_fitting
from mcp_web.tools.tool import Answer

if TYPE_CHECKING:
    from mcp_web.index.rank import Ranked


async def search(call: Call, args: dict[str, Any]) -> Answer:
    """Search for each query: Google's JSON of each, in order. CONCURRENCY limits the queries of all calls together."""
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
    fitting = largest_fitting(lambda left_out: google_shape.without(data, left_out), google_shape.OPTIONAL, budget.AIM)
    return Answer(fitting, shape="json")


async def read_from_page(call: Call, args: dict[str, Any]) -> Answer:
    """Open a page and rank its chunks for each query; the answer has the best chunks of each."""
    call.report(f"reading {args['url']}")
    reader = await call.app.chunk_reader()
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
        data["queries"] = [{"query": query, "results": []} for query in args["query"]]
        return Answer(data | {"note": PROTECTED}, shape="json")
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
        facts = camel_case(metadata_facts(kept.document.metadata))
        data["metadata"] = {name: value for name, value in facts.items() if value}
    if notes:
        data["note"] = " ".join(notes)
    longest = max(len(row["results"]) for row in data["queries"])
    sizes = range(1, max(1, longest) + 1)
    return Answer(largest_fitting(lambda most: _with_chunks(data, most), sizes, answer_tokens(call)), shape="json")


_CLOSEST = "Nothing on this page clearly answers {query!r}; the results come closest."


def _found(
    call: Call, page: PageRead, ranked: Ranked, notes: list[str], count: int, *, by_words: bool
) -> list[dict[str, Any]]:
    """At most `count` chunks (passages in the contract's format) for one query, the best first.

    If none answers it, the closest ones or, with a configured threshold, none; a sentence in `notes` then says so.
    `by_words`: passages were ranked by words only, so scores say nothing; if no word was found, the longest chunks.
    """
    url, threshold = page.opened.snapshot.url, call.app.similarity_threshold
    if ranked.passages:
        if not (ranked.answered or by_words or threshold is not None):
            notes.append(_CLOSEST.format(query=ranked.query))
        return [_chunk(url, one.passage, one.score) for one in ranked.passages]
    if by_words:  # the longest blocks of the page, which that system returns when it cannot rank
        from mcp_web.read.passages import Size, passages

        document = page.opened.snapshot.document
        found = passages(document.markdown, document.headings, Size.of_tokens(CHUNK_TOKENS))
        return [_chunk(url, one, 0.0) for one in sorted(found, key=lambda one: -len(one.text))[:count]]
    if threshold is not None:
        notes.append(f"Nothing on this page reaches SIMILARITY_THRESHOLD={threshold:g} for {ranked.query!r}: "
                     f"the best score is {ranked.best:.2f}.")  # fmt: skip
        return []
    notes.append(_CLOSEST.format(query=ranked.query))
    return [_chunk(url, one.passage, one.score) for one in ranked.nearest[:count]]


def _with_chunks(data: dict[str, Any], most: int) -> dict[str, Any]:
    """The answer with at most `most` whole chunks a query, and a note if some were left out; chunks are not shortened,
    because they would no longer match their ids."""
    rows = [{**row, "results": row["results"][:most]} for row in data["queries"]]
    if rows == data["queries"]:
        return data
    return data | {"queries": rows, "note": f"{data.get('note', '')} Only {most} results a query fit.".strip()}


def _chunk(url: str, passage: Passage, score: float) -> dict[str, Any]:
    """A passage in the contract's format: id, plain text, score and headings."""
    from mcp_web.read.plain import to_plain

    text = to_plain(passage.text).strip()
    made: dict[str, Any] = {"id": chunk_id(url, passage.section_path, text), "text": text, "score": round(score, 4)}
    return made | ({"sectionPath": list(passage.section_path)} if passage.section_path else {})


def chunk_id(url: str, path: Sequence[str], text: str) -> str:
    """The id of a chunk: the SHA-256 (hex digits) of its URL, headings and text, so the same on every machine."""
    return hashlib.sha256(f"{url}|{' > '.join(path)}|{text}".encode("utf-8", "surrogatepass")).hexdigest()


def _unread(app: App, error: WebError, args: dict[str, Any]) -> Answer:
    """The answer for a page that is protected or empty: without results, with a note. Any other error is raised."""
    if isinstance(error, HttpError) and error.status_code in (401, 402, 403):
        note = PROTECTED
    elif isinstance(error, ExtractFailed | UnsupportedContent):
        note = error.message
    else:
        if isinstance(error, FetchTimeout):
            limit = app.settings.of(FetchOptions).timeout * 1000
            raise FetchTimeout(f"{error.message} (REQUEST_TIMEOUT_MS={limit:.0f})", url=error.url) from error
        raise error
    queries = [{"query": query, "results": []} for query in args["query"]]
    data = {"url": args["url"], "lastCrawled": iso(time.time()), "queries": queries, "note": note}
    return Answer(data, shape="json")


def failed(error: WebError, given: Mapping[str, Any]) -> Answer:
    return Answer({}, f"{error.code}: {error.message} {error.suggestion}", shape="text", is_error=True)


CONTRACT = contract("read-page", {"web.search": (search, failed), "web.readFromPage": (read_from_page, failed)})
