"""The tool web_search: pages for a query, from the configured providers."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from mcp_web.errors import WebError
from mcp_web.model.search import CATEGORIES, Hit, SearchAnswer, SearchQuery
from mcp_web.text.amounts import amount
from mcp_web.text.dates import iso
from mcp_web.text.markdown import with_closed_fence
from mcp_web.text.untrusted import one_line
from mcp_web.tools import budget
from mcp_web.tools.arguments import refuse_both
from mcp_web.tools.call import Call
from mcp_web.tools.clean_output import clean_error, error_line, note_lines
from mcp_web.tools.page_view import continued
from mcp_web.tools.result_passages import TOKENS, passages_data, passages_text
from mcp_web.tools.tool import OBJECTS, Answer, Param, Tool, changed_arguments

if TYPE_CHECKING:
    from mcp_web.services.open_page import Opened
    from mcp_web.services.search_web import Searched

_OPTIONAL = ("image", "thumbnail", "source_name", "duplicates")  # fields that only some results have
_LAST_PAGE = 9  # the first is 0
_LEADING_DOTS = re.compile(r"^(?:\.{3,}|…)\s*")


async def run(call: Call, args: dict[str, Any]) -> Answer:
    from mcp_web.services.search_web import Searched, search_web

    refuse_both(TOOL.name, args, "read", "fetch_content")
    queries = [_search_query(text, args) for text in args["query"]]
    provider = args["provider"][0] if len(args["provider"]) == 1 else args["provider"]
    call.report("searching")
    answers = await search_web(
        call.app,
        queries,
        provider,
        raw=args["raw"],
        fetch_content=args["fetch_content"],
        read=args["read"],
        deadline=call.deadline,
        on_progress=call.report,
    )
    if len(answers) == 1 and isinstance(answers[0], WebError):
        raise answers[0]
    share = (budget.AIM - 500) // len(answers)
    texts, objects = [], []
    for text, answer in zip(args["query"], answers, strict=True):
        shown, data = _query_answer(call, args, text, answer, share)
        texts.append(f"## {one_line(text)[:120]}\n{shown}" if len(answers) > 1 else shown)
        objects.append(data)
    notes = note_lines(call.notes)
    if searched := [one for one in answers if isinstance(one, Searched)]:
        call.log_search("hit" if all(one.found.cache == "hit" for one in searched) else "fetched")
    meta = {"results": [len(one.get("results", ())) for one in objects]}
    return Answer({"queries": objects, "notes": call.notes}, "\n\n".join([*notes, *texts]), meta)


def _search_query(text: str, args: dict[str, Any]) -> SearchQuery:
    names = ("count", "page", "category", "language", "freshness", "safe_search", "extra_snippets")
    lists = ("include_domains", "exclude_domains", "goggles")
    given = {name: args[name] for name in names} | {name: tuple(args[name] or ()) for name in lists}
    return SearchQuery(text, country=args["country"].upper() if args["country"] else None, **given)


def _query_answer(
    call: Call, args: dict[str, Any], text: str, answer: Searched | WebError, tokens: int
) -> tuple[str, dict[str, Any]]:
    """The answer to one query, or its error, as text within `tokens` tokens and as object."""
    if isinstance(answer, WebError):
        return error_line(clean_error(answer)), {"query": text, "error": answer.as_dict()}
    found = answer.found
    data = _as_data(answer, args)
    lines = [_header(found)]
    lines += note_lines((*answer.notes, *found.notes))
    answers = "answers: " + " · ".join(map(one_line, found.answers))
    head = [budget.cut(answers, tokens // 4)] if found.answers else []
    shown = head + [_hit_text(rank, hit, answer, args) for rank, hit in enumerate(found.hits, start=1)]
    if not shown:
        lines.append(found.suggestion or "No results: try fewer or other words. No results do not prove absence.")
        return "\n".join(lines), data
    if answer.results is not None:
        left = min(TOKENS, tokens) - 250 - budget.estimate("".join(head))
        shown = ["\n".join([*head, passages_text(answer.results, found.hits, left)])]
        data["read"] = passages_data(answer.results)
    whole = _within(shown, tokens - 250)
    missing = len(shown) - len(whole)
    if args["raw"]:
        left = min(tokens // 2, tokens - 300 - budget.estimate("\n".join(whole)))
        whole.append("raw:\n```json\n" + budget.cut(json.dumps(found.raw, ensure_ascii=False), left) + "\n```")
    lines.append(call.envelope.wrap("\n".join(whole)))
    if missing:
        lines.append(f"{missing} more results did not fit: ask with a smaller count or content_chars.")
    if found.more_results and args["page"] < _LAST_PAGE:
        same = changed_arguments(TOOL.params, args, "query", "page")
        lines.append(f"more: {continued('web_search()', query=text, page=args['page'] + 1, **same)}")
    return "\n".join(lines), data


def _header(found: SearchAnswer) -> str:
    """The first line of an answer: number of results, provider, duration (or "hit": cached), failed providers."""
    state = found.cache if found.cache == "hit" else f"{found.elapsed_ms:.0f} ms"
    failed = (one for one in found.attempted if one.outcome not in ("ok", "empty"))
    failures = ", ".join(f"{one.name} {one.outcome.replace('_', ' ')}" for one in failed)
    total = f" of about {found.total:,}" if found.total else ""
    head = f"{amount(len(found.hits), 'result')}{total} · {found.provider} · {state}"
    return f"{head} · {failures}" if failures else head


def _hit_text(rank: int, hit: Hit, answer: Searched, args: dict[str, Any]) -> str:
    """One result as text, with the beginning of its page if that was opened."""
    facts = [fact for fact in (hit.published[:10] if hit.published else None, hit.source_name) if fact]
    if (kept := answer.seen.get(hit.url)) is not None:
        facts.append(f"seen {iso(kept.fetched_at)[:10]} as {kept.hash[:16]}")
    if hit.duplicates:
        facts.append(f"{len(hit.duplicates)} near-duplicates folded")
    lines = [f"{rank}. {one_line(hit.title)}" + (f" · {' · '.join(facts)}" if facts else ""), f"   {hit.url}"]
    if hit.snippet:
        lines.append(f"   {one_line(hit.snippet)}")
    lines += [f"   … {_LEADING_DOTS.sub('', one_line(extra))}" for extra in hit.extra_snippets]
    if picture := hit.image or hit.thumbnail:
        lines.append(f"   image: {picture}")
    page = answer.contents.get(hit.url)
    if isinstance(page, WebError):
        lines.append(f"   content: {page.code}: {page.message}")
    elif page is not None:
        lines.append(_content(page, args["content_chars"]))
    return "\n".join(lines)


def _content(page: Opened, chars: int) -> str:
    """At most `chars` characters of a result's page as text, and the web_open call for the rest if there is more."""
    from mcp_web.read.links import text_only
    from mcp_web.read.window import cut

    window = cut(page.snapshot.document.markdown, 0, chars)
    call = f"web_open(url={json.dumps(page.snapshot.url)}, start={window.next_start})"
    rest = f"\n   … more: {call}" if window.next_start else ""
    return f"\n{with_closed_fence(text_only(window.text).strip())}{rest}\n"


def _within(items: list[str], tokens: int) -> list[str]:
    """The first items that fit into `tokens` tokens together; if the first one alone is too large, it is cut."""
    kept: list[str] = []
    left = tokens
    for item in items:
        cost = budget.estimate(item)
        if cost > left:
            break
        kept.append(item)
        left -= cost
    return kept or [budget.cut(items[0], tokens)]


def _as_data(answer: Searched, args: dict[str, Any]) -> dict[str, Any]:
    """The answer to one query as the object for structured clients."""
    found = answer.found
    data: dict[str, Any] = {
        "query": found.query.text,
        "provider": found.provider,
        "results": [_as_object(rank, hit, answer, args) for rank, hit in enumerate(found.hits, start=1)],
        "total": found.total,
        "more_results": found.more_results,
        "suggestion": found.suggestion,
        "answers": list(found.answers),
        "notes": [*answer.notes, *found.notes],
        "attempted": [
            {"name": one.name, "outcome": one.outcome, "ms": round(one.ms), "detail": one.detail or None}
            for one in found.attempted
        ],
        "cache": found.cache,
        "elapsed_ms": round(found.elapsed_ms),
    }
    if answer.contents:
        data["content_stats"] = answer.reading_stats()
    if args["raw"]:
        data["raw"] = dict(found.raw)
    return data


def _as_object(rank: int, hit: Hit, answer: Searched, args: dict[str, Any]) -> dict[str, Any]:
    """One result as an object, with its kept version and, if its page was opened, the beginning of the text."""
    from mcp_web.read.window import cut
    from mcp_web.text.summary import summary_of

    facts = asdict(hit) | {"score": round(hit.score, 4)}
    made = {"rank": rank} | {name: value for name, value in facts.items() if value or name not in _OPTIONAL}
    if (kept := answer.seen.get(hit.url)) is not None:
        made["seen"] = {"snapshot": kept.hash, "fetched_at": iso(kept.fetched_at)}
    page = answer.contents.get(hit.url)
    if isinstance(page, WebError):
        made["content_error"] = page.as_dict()
    elif page is not None:
        text = page.snapshot.document.markdown
        window = cut(text, 0, args["content_chars"])
        made["content"] = {
            "markdown": window.text,
            "truncated": window.next_start is not None,
            "word_count": len(text.split()),
            "summary": summary_of(page.snapshot.document),
            "snapshot": page.snapshot.hash,
        }
    return made


TOOL = Tool(
    name="web_search",
    title="Search the web",
    description=(
        "Searches the web and returns ranked results with title, address, date and snippet. With read it also opens "
        "the best results and returns the passages that answer, cited, in about 2,500 tokens: one call for what "
        "would take several. Works without a key; several providers can be asked together. Use archive_search first "
        "for what was read before. An empty answer, a blocked provider and a missing key are distinguished."
    ),
    params=(
        Param("query", "array", "Query, or up to 10.", required=True, single=True, max_items=10,
              max_length=500, lines=True),
        Param("provider", "array", "auto, or names to ask together: brave, google, searxng, ddgs, tavily, exa, serper.",
              default=("auto",), max_items=7, aliases=("providers", "engine")),
        Param("count", "integer", "Results (default 10).", default=10, least=1, most=50,
              aliases=("results_count",)),
        Param("page", "integer", "Page of results, from 0.", default=0, least=0, most=_LAST_PAGE),
        Param("category", "string", "Kind of results.", default="general", choices=CATEGORIES),
        Param("language", "string", "en or en-US.", max_length=20),
        Param("country", "string", "Two letters.", max_length=10, aliases=("region",)),
        Param("freshness", "string", "day, week, month, year or YYYY-MM-DD..YYYY-MM-DD; only if recency matters.",
              max_length=30, aliases=("time_range", "date_range")),
        Param("safe_search", "string", "Default moderate.", default="moderate", choices=("off", "moderate", "strict"),
              aliases=("safesearch",)),
        Param("include_domains", "array", "Only these domains.", max_items=50, max_length=253, aliases=("site",)),
        Param("exclude_domains", "array", "Not these domains.", max_items=50, max_length=253),
        Param("read", "boolean", "Open the best results and return the passages that answer.", default=False),
        Param("fetch_content", "boolean", "Add each page's beginning.", default=False),
        Param("content_chars", "integer", "Characters of each page read (default 4000).", default=4000, least=200,
              most=20_000),
        Param("extra_snippets", "boolean", "More excerpts a result (Brave).", default=False),
        Param("goggles", "array", "Brave goggles: URL or rules.", max_items=5, max_length=2_000, lines=True),
        Param("raw", "boolean", "Add the provider's own JSON.", default=False),
    ),
    run=run,
    purpose="search",
    long_answers=True,
    output={"queries": OBJECTS},
)  # fmt: skip
