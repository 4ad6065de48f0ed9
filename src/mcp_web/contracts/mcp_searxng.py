"""The `mcp-searxng` contract: searxng_web_search and web_url_read as that server answers them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from mcp_web.contracts.asking import ask, searxng_or_auto
from mcp_web.contracts.contract import contract, failure_text
from mcp_web.errors import FetchTimeout, HttpError, InvalidUrl, PolicyError, WebError
from mcp_web.model.page import Document
from mcp_web.model.search import CATEGORIES, Hit, SafeSearch, SearchQuery
from mcp_web.services.open_page import OpenRequest, open_page
from mcp_web.text.untrusted import one_line
from mcp_web.tools import budget
from mcp_web.tools.call import Call
from mcp_web.tools.shrink import shrunk
from mcp_web.tools.tool import Answer

_SAFE: dict[str, SafeSearch] = {"0": "off", "1": "moderate", "2": "strict"}
_RANGE = re.compile(r"^(\d{1,9})(?:-(\d{0,9}))?$")


async def search(call: Call, args: dict[str, Any]) -> Answer:
    named = [one.strip().lower() for one in (args["categories"] or "").split(",")]
    language = args["language"]
    query = SearchQuery(
        args["query"],
        count=int(args["num_results"] or 10),
        page=args["pageno"] - 1,
        category=next((one for one in CATEGORIES if one in named), "general"),
        language=None if language in (None, "all", "auto") else language,
        freshness=args["time_range"],
        safe_search=_SAFE[args["safesearch"] or "1"],
    )
    found = (await ask(call, query, searxng_or_auto(call.app))).found
    hits = [hit for hit in found.hits if args["min_score"] is None or hit.score >= args["min_score"]]
    compact_form = args["result_detail"] == "compact"
    if args["response_format"] == "json":
        results = [{"title": hit.title, "url": hit.url, "content": hit.snippet} for hit in hits]
        whole: dict[str, Any] = {"results": results}
        if not compact_form:  # the JSON of a SearXNG instance
            whole = {
                "query": args["query"],
                "number_of_results": found.total or len(results),
                "results": [one | _signals(hit) for one, hit in zip(results, hits, strict=True)],
                "answers": list(found.answers),
                **{name: [] for name in ("suggestions", "corrections", "infoboxes", "unresponsive_engines")},
            }
        return Answer({}, json.dumps(shrunk(whole), ensure_ascii=False, indent=2), shape="text")
    if not hits:
        nothing = f'🔍 No results found for "{args["query"]}". Try different search terms or check if SearXNG search '
        return Answer({}, nothing + "engines are working.", shape="text")
    text = "\n\n".join(_lines(hit, query.category, compact_form=compact_form) for hit in hits)
    direct = "\n".join(f"Direct answer: {one}" for one in found.answers)
    if direct and not compact_form:
        text = f"{direct}\n\n---\n\n{text}"
    return Answer({}, text, shape="text")


def _signals(hit: Hit) -> dict[str, Any]:
    """The fields of a result that only the full form has (score, engines, date, thumbnail), not the compact one."""
    optional = {"engine": next(iter(hit.engines), ""), "publishedDate": hit.published, "thumbnail": hit.thumbnail}
    known = {name: value for name, value in optional.items() if value}
    return {"score": hit.score, "engines": list(hit.engines)} | known


def _lines(hit: Hit, category: str, *, compact_form: bool) -> str:
    """A result as text, one field a line; in the compact form only title, description and URL."""
    lines = [f"Title: {one_line(hit.title)}", f"Description: {one_line(hit.snippet)}", f"URL: {hit.url}"]
    signals = {
        "Relevance Score": f"{hit.score:.3f}",
        "Engines": ", ".join(hit.engines),
        "Category": category,
        "Published Date": hit.published,
        "Thumbnail": hit.thumbnail,
    }
    more = [f"{name}: {value}" for name, value in signals.items() if value and not compact_form]
    return "\n".join([*lines, *more])


async def read(call: Call, args: dict[str, Any]) -> Answer:
    call.report(f"opening {args['url']}")
    opened = await open_page(call.app, OpenRequest(args["url"]), deadline=call.deadline)
    kept = opened.snapshot
    call.log_page(kept, opened.cache)
    if not kept.document.markdown.strip():
        warning = f"📄 Content Warning: Page fetched but appears empty after conversion ({args['url']}). "
        return Answer({}, warning + "May contain only media or require JavaScript.", shape="text")
    text = _part(kept.document, args)
    whole = budget.chars_for(text, budget.AIM - 300)
    if whole < len(text):
        start = int(args["startChar"] or 0) + whole
        rest = "there are more headings" if args["readHeadings"] else f"continue with startChar={start}"
        text = f"{text[:whole]}\n\n[cut: {rest}]"
    return Answer({}, text, shape="text")


def _part(document: Document, args: dict[str, Any]) -> str:
    """The part of a page that was asked for: its headings; or of a section a range of paragraphs, and of these a range
    of characters. A sentence instead if there is no such part."""
    text = document.markdown
    if args["readHeadings"]:
        headings = [f"{'#' * heading.level} {heading.text}" for heading in document.headings]
        return "\n".join(headings) or "No headings found in the content."
    if args["section"]:
        text = _section(document, args["section"])
        if not text:
            return f'Section "{args["section"]}" not found in the content.'
    if args["paragraphRange"]:
        text = _paragraphs(text, args["paragraphRange"])
        if not text:
            return f'Paragraph range "{args["paragraphRange"]}" is invalid or out of bounds.'
    start = int(args["startChar"] or 0)
    return text[start : start + int(args["maxLength"])] if args["maxLength"] else text[start:]


def _section(document: Document, wanted: str) -> str:
    """The section under the first heading that contains `wanted`; "" if there is none."""
    headings = document.headings
    for at, heading in enumerate(headings):
        if wanted.lower() in heading.text.lower():
            ends = (later.start for later in headings[at + 1 :] if later.level <= heading.level)
            return document.markdown[heading.start : next(ends, None)].rstrip("\n")
    return ""


def _paragraphs(text: str, wanted: str) -> str:
    """The paragraphs of a range such as `3`, `1-5` or `10-`, counted from 1; "" for an invalid range."""
    found = _RANGE.match(wanted)
    paragraphs = [one for one in text.split("\n\n") if one.strip()]
    if not found or not 1 <= int(found[1]) <= len(paragraphs):
        return ""
    first = int(found[1]) - 1
    last = first + 1 if found[2] is None else int(found[2]) if found[2] else len(paragraphs)
    return "\n\n".join(paragraphs[first:last])


def read_failed(error: WebError, given: Mapping[str, Any]) -> Answer:
    url = str(given.get("url"))
    if isinstance(error, InvalidUrl):
        message = f'🔧 URL Format Error: Invalid URL "{url}"'
    elif isinstance(error, PolicyError):
        message = f"🔒 URL blocked by security policy: {url}. {error.message}"
    elif isinstance(error, HttpError):
        message = f"🚫 Website Error ({error.status_code}): {error.message}"
    elif isinstance(error, FetchTimeout):
        message = f"⏱️ Timeout Error: {error.message}"
    else:
        message = f"📄 Content Error: {error.message} ({url})"
    return Answer({}, message, shape="text", is_error=True)


_search_failed = failure_text("All configured SearXNG instances failed. ")
CONTRACT = contract(
    "mcp-searxng", {"searxng_web_search": (search, _search_failed), "web_url_read": (read, read_failed)}
)
