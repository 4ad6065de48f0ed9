"""The tool web_read: only the passages that answer a question."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from mcp_web import trace
from mcp_web.errors import WebError
from mcp_web.model.passage import ScoredPassage, Span
from mcp_web.text.dates import iso
from mcp_web.text.headings import below_title, heading_text
from mcp_web.text.untrusted import one_line
from mcp_web.tools import budget
from mcp_web.tools.call import Call
from mcp_web.tools.clean_output import clean_error, error_line, note_lines
from mcp_web.tools.page_params import page_params
from mcp_web.tools.page_view import PageView, front_matter, metadata_facts
from mcp_web.tools.tool import OBJECTS, Answer, Param, Tool

if TYPE_CHECKING:
    from mcp_web.index.rank import Ranked
    from mcp_web.model.snapshot import Snapshot
    from mcp_web.services.read_page import PageRead

_LEFT_OUT, _LEFT_OUT_SHOWN = 8, 4  # sections named that did not fit: in the data, and in the text
_TOKENS = 3_000  # of an answer when the caller names no number
_HEAD_TOKENS = 15  # of a passage's number, score and headings
_CALL_TOKENS = 150  # of one more call and the lines around its answer
CHARS_PER_TOKEN = 4.0  # of English text, roughly
_LONG_TOKEN = 20  # characters of Markdown: no page has as many for each token of its text, addresses of links included


@dataclass(slots=True)
class _Budget:
    """The tokens that are left for a part of the answer, and the ids of the passages that the answer already shows."""

    tokens: int
    shown: set[str] = field(default_factory=set)

    @contextmanager
    def share(self, parts: int) -> Iterator[_Budget]:
        """Context manager: the budget of the next of `parts` equal parts; what it leaves is for the parts after it."""
        tokens = self.tokens // parts
        part = _Budget(tokens, self.shown)
        yield part
        self.tokens -= tokens - part.tokens


@dataclass(frozen=True, slots=True)
class _View:
    """How a page is shown: how many of its passages, whether with metadata, and by which tool the rest is read."""

    all_passages: bool = False  # instead of as many as are worth their tokens
    metadata: bool = False
    kept: bool = False  # the rest is named with the call of cache_get instead of web_open


async def run(call: Call, args: dict[str, Any]) -> Answer:
    from mcp_web.services.read_page import PageRead, read_pages

    queries = list(dict.fromkeys(args["query"]))
    urls = list(dict.fromkeys(args["url"]))
    threshold = args["min_score"] if args["min_score"] is not None else call.app.similarity_threshold
    call.report(f"reading {len(urls)} pages" if len(urls) > 1 else f"reading {urls[0]}")
    pages = await read_pages(
        call.app,
        urls,
        queries,
        max_results=args["max_results"],
        min_score=threshold,
        max_age=args["max_age"],
        deadline=call.deadline,
        on_progress=call.report,
    )
    if len(pages) == 1 and isinstance(pages[0], WebError):
        raise pages[0]
    left = _Budget(min(args["max_tokens"], budget.AIM - 1_000))
    view = _View(all_passages=args["max_results"] is not None, metadata=args["include_metadata"])
    texts, objects = [], []
    for at, (url, page) in enumerate(zip(urls, pages, strict=True)):
        with left.share(len(urls) - at) as share:
            text, data = await _page(call, url, page, share, view)
        texts.append(text)
        objects.append(data)
    notes = note_lines(call.notes)
    data = objects[0] if len(objects) == 1 else {"pages": objects}
    meta = {"pages": [{name: one.get(name) for name in ("url", "snapshot", "answered")} for one in objects]}
    if len(pages) == 1 and isinstance(pages[0], PageRead):
        call.log_page(pages[0].opened.snapshot, pages[0].opened.cache)
    return Answer(data | {"call_notes": call.notes}, "\n\n".join([*notes, *texts]), meta)


async def read_kept_page(call: Call, kept: Snapshot, query: str) -> Answer:
    """The answer with the passages of a kept page that answer the query, as cache_get shows them."""
    from mcp_web.services.read_page import read_kept

    page = await read_kept(call.app, kept, [query], deadline=call.deadline)
    text, data = await _page(call, kept.url, page, _Budget(_TOKENS), _View(kept=True))
    call.log_page(kept, "hit")
    meta = {name: data[name] for name in ("url", "snapshot", "answered")}
    return Answer(data | {"call_notes": call.notes}, "\n\n".join([*note_lines(call.notes), text]), meta)


async def _page(
    call: Call, url: str, page: PageRead | WebError, left: _Budget, view: _View
) -> tuple[str, dict[str, Any]]:
    """One page of the answer (or its error), as text and as object. Deducts the tokens of its passages from `left`, and
    records in the store which passages were shown."""
    from mcp_web.services.record_readings import record_readings

    if isinstance(page, WebError):
        return f"## {url}\n{error_line(clean_error(page))}", {"url": url, "error": page.as_dict()}
    kept = page.opened.snapshot
    blocks, found = [], []
    for at, ranked in enumerate(page.ranked):
        with left.share(len(page.ranked) - at) as share:
            text, results, left_out = _query(call, page, ranked, share, view)
        blocks.append(text)
        found.append({"query": ranked.query, "answered": ranked.answered, "verdict": ranked.verdict,
                      "best_score": round(ranked.best, 3), "results": results, "left_out": left_out})  # fmt: skip
    data: dict[str, Any] = {
        "url": kept.url,
        "title": kept.document.title,
        "last_crawled": iso(kept.checked_at),
        "snapshot": kept.hash,
        "cache": page.opened.cache,
        "answered": any(ranked.answered for ranked in page.ranked),
        "queries": found,
        "notes": list(page.notes),
    }
    lines = [f"## {kept.url}", f"{page.opened.cache} · read {iso(kept.checked_at)} · snapshot {kept.hash[:16]}"]
    lines += note_lines(page.notes)
    if view.metadata:
        data["metadata"] = {name: value for name, value in metadata_facts(kept.document.metadata).items() if value}
        blocks.insert(0, front_matter(PageView.of(page.opened)))
    text = "\n".join([*lines, call.envelope.wrap("\n\n".join(blocks))])
    tool = "cache_get" if view.kept else TOOL.name
    await record_readings(call.app, kept, _shown(page, found), tool=tool, client=call.client)
    trace.metrics.count("tokens_saved", max(0.0, (len(kept.document.markdown) - len(text)) / CHARS_PER_TOKEN))
    return text, data


def _query(
    call: Call, page: PageRead, ranked: Ranked, left: _Budget, view: _View
) -> tuple[str, list[dict[str, Any]], list[dict[str, Any]]]:
    """The passages of one query that fit in `left`, as text and as objects, and the sections of those left out. Deducts
    their tokens from `left`; one that the answer already shows is only named."""
    kept = page.opened.snapshot
    # The requested number of passages, or else as many as are worth their tokens.
    enough = len(ranked.passages) if view.all_passages else ranked.enough
    question = f"### {one_line(ranked.query)}" if len(page.ranked) > 1 else ""
    head = "\n".join(filter(None, (question, _verdict_line(ranked, kept.document.title, found=enough > 0))))
    lines, results = [head] if head else [], []
    candidates, omitted = ranked.passages[:enough], list(ranked.passages[enough:])
    more = 0 if view.all_passages else _CALL_TOKENS
    if ranked.answered and (whole := _whole_page(kept, candidates, left.tokens, more)) is not None:
        candidates, omitted = (whole,), []
    for one in candidates:
        handle = f"{kept.hash[:16]}#{one.passage.number}"
        if handle in left.shown:
            lines.append(f"[#{one.passage.number}] shown above, score {one.score:.2f}")
            results.append(_as_object(call, kept, one, handle) | {"text": None, "shown_above": True})
            continue
        text = _passage_text(kept.document.title, one)
        cost = _cost(one)
        if cost > left.tokens and results:
            omitted.append(one)
            continue
        if cost > left.tokens:
            text = budget.cut(text, max(80, left.tokens)) + " …"
        left.tokens -= min(cost, left.tokens)
        left.shown.add(handle)
        lines.append(text)
        results.append(_as_object(call, kept, one, handle))
    tool = "cache_get" if view.kept else "web_open"
    address = f"snapshot={json.dumps(kept.hash[:16])}" if view.kept else f"url={json.dumps(kept.url)}"
    left_out = _left_out(f"{tool}({address}", omitted)
    if left_out:
        wanted = " or ".join(row["argument"] for row in left_out[: 2 if ranked.sure else _LEFT_OUT_SHOWN])
        lines.append(f"More sections: {tool} with {wanted}")
    return "\n\n".join(lines), results, left_out


def _verdict_line(ranked: Ranked, title: str, *, found: bool) -> str:
    """A sentence that the page does not or may not answer, with the words that it lacks and, if no passages are shown
    below it (`found`), the nearest sections; "" if it clearly answers."""
    if ranked.verdict == "answered":
        return ""
    quoted = ", ".join(f'"{one_line(name)}"' for name in ranked.missing)
    missing = f" The page never mentions {quoted}." if quoted else ""
    if ranked.verdict == "unsure":
        return f"This may not answer; check it (best score {ranked.best:.2f}).{missing}"
    sentence = f"Not answered here (best score {ranked.best:.2f}).{missing}"
    if found:
        return f"{sentence} The closest passages:"
    nearest = [" > ".join(below_title(one.passage.section_path, title)) for one in ranked.nearest[:3]]
    hint = f" Nearest sections: {'; '.join(dict.fromkeys(filter(None, nearest)))}." if any(nearest) else ""
    return f"{sentence}{hint}"


def _shown(page: PageRead, rows: list[dict[str, Any]]) -> Iterator[tuple[str, str, list[Span]]]:
    """Each query with its verdict and the spans of its shown passages; of a page shown whole, the best passage."""
    for ranked, row in zip(page.ranked, rows, strict=True):
        numbers = {int(one["id"].partition("#")[2]) for one in row["results"]}
        found = {one.passage.number: one.passage for one in (*ranked.passages, *ranked.nearest)}
        spans = [(found[at].start, found[at].end) for at in sorted(numbers) if at in found]
        yield ranked.query, ranked.verdict, spans


def _whole_page(kept: Any, candidates: Sequence[ScoredPassage], tokens: int, more: int) -> ScoredPassage | None:
    """The page as one passage, if that costs at most `more` than its best passages and fits; else None."""
    markdown = kept.document.markdown
    most = min(sum(map(_cost, candidates)) + more, tokens)
    if not candidates or len(markdown) > _LONG_TOKEN * most or not budget.within(_plain(markdown), most):
        return None
    best = candidates[0]
    return replace(
        best, passage=replace(best.passage, text=markdown, start=0, end=len(markdown), section_path=(), entry="")
    )


def _passage_text(title: str, one: ScoredPassage) -> str:
    """The passage with its number, the headings above it, unless it begins with them, and the entry it continues."""
    path = below_title(one.passage.above, title)
    text = _plain(one.passage.text)
    path = path[:-1] if path and text.startswith("#") and heading_text(text.partition("\n")[0]) == path[-1] else path
    where = " > ".join(map(one_line, path))
    return f"[#{one.passage.number}] score {one.score:.2f}{f' · {where}' if where else ''}\n{text}"


@lru_cache(maxsize=256)  # the passages of a page are shown for question after question
def _plain(markdown: str) -> str:
    """A passage without link URLs and with `&lt;` and `&amp;` decoded, which saves a fifth of a manual's tokens."""
    from mcp_web.read.links import text_only

    return text_only(markdown).replace("&lt;", "<").replace("&amp;", "&").strip()


def _cost(one: ScoredPassage) -> int:
    """The tokens that a passage takes in the text."""
    return budget.estimate(_plain(one.passage.text)) + _HEAD_TOKENS


def _as_object(call: Call, kept: Any, one: ScoredPassage, handle: str) -> dict[str, Any]:
    """A passage for structured clients, with the id `handle`; only this id if the object is not used."""
    if not call.wants_data:
        return {"id": handle}
    from mcp_web.read.fragment import quote_url

    passage = one.passage
    return {
        "id": handle,
        "text": passage.text,
        "score": round(one.score, 3),
        "section_path": list(passage.section_path),
        **({"entry": passage.entry} if passage.entry else {}),
        "start": passage.start,
        "end": passage.end,
        "quote_url": quote_url(kept.final_url, kept.document.markdown, passage.start, passage.end),
    }


def _left_out(call: str, omitted: list[ScoredPassage]) -> list[dict[str, Any]]:
    """The sections of passages that are not shown, each once, at most 8, each with the call that shows it. `call` is
    the text with which that call begins, such as `web_open(url="…"`."""
    found: dict[str, dict[str, Any]] = {}
    for one in omitted:
        section = one.passage.section_path[-1] if one.passage.section_path else ""
        name = section or f"at {one.passage.start}"
        ask = f"section={json.dumps(section, ensure_ascii=False)}" if section else f"start={one.passage.start}"
        found.setdefault(name, {"section": name, "argument": ask, "call": f"{call}, {ask})"})
    return list(found.values())[:_LEFT_OUT]


TOOL = Tool(
    name="web_read",
    title="Read what answers a question",
    description=(
        "Reads up to 10 pages and returns only the passages that answer your question, best first, until the answer is "
        "there: about 800 tokens for a fact. Code blocks, tables and API entries stay whole. Says so when a page does "
        "not answer, and names the sections left out with the call that gets them. Use it whenever you have a "
        "question; use web_open to read a page in order. Passages have numbers and scores: cite `snapshot#number`."
    ),
    params=(
        Param("url", "array", "Address, or up to 10.", required=True, single=True, max_items=10,
              max_length=8_000, address=True),
        Param("query", "array", "Question, or up to 10.", required=True, single=True, max_items=10,
              max_length=500, lines=True),
        Param("max_results", "integer", "Maximum passages per query; default: until answered.", least=1, most=50,
              aliases=("count", "limit", "top_k")),
        Param("max_tokens", "integer", "Budget of the answer (default 3000).", default=_TOKENS, least=200, most=15_000),
        Param("min_score", "number", "Leave out passages below this, 0 to 1.", least=0, most=1),
        *page_params("max_age"),
        Param("include_metadata", "boolean", "Add author, dates and the like.", default=False),
    ),
    run=run,
    purpose="fetch",
    output={"url": {"type": "string"}, "title": {"type": "string"}, "last_crawled": {"type": "string"},
            "queries": OBJECTS},
)  # fmt: skip
