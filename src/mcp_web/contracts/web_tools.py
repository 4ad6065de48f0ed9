"""The `web-tools` contract: WebSearch and WebFetch, with a suggestion in every error."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from mcp_web.contracts.asking import ask
from mcp_web.contracts.contract import Contract, contract_tool
from mcp_web.errors import SelectorNotFound, WebError
from mcp_web.model.search import Hit, SearchQuery
from mcp_web.net.address import site_of
from mcp_web.services.open_page import Opened, OpenRequest, open_page
from mcp_web.tools.call import Call
from mcp_web.tools.page_view import MAX_LINKS, Shown, ViewOptions, link_rows, rendered, show
from mcp_web.tools.shrink import fitted
from mcp_web.tools.tool import Answer

NOTHING = "No results found. Try broader search terms or check spelling."
PAYWALL = "Content appears to be behind a paywall"

SEARCH_WORDS = """\
Searches the web and returns relevant results with titles, snippets, and URLs.

Parameters:
- query: The search query (be specific for better results)
- maxResults: Number of results (default: 10, max: 20)
- site: Limit to domain (e.g., "imdb.com", "wikipedia.org")
- dateRange: Filter by recency: 'day', 'week', 'month', 'year'
- safeSearch: Enable content filtering (default: true)

Use cases:
- Find movie/show information: query="Dune Part Two cast"
- Look up release dates: query="The Last of Us season 2 release date"
- Find documentation: query="qBittorrent API documentation" site="github.com"
- Get recent news: query="Netflix new releases" dateRange="week"

Tips:
- Use site: parameter when you know the authoritative source
- Use dateRange: for time-sensitive information
- Include specific terms like actor names, years, or version numbers
- For ambiguous queries, add context (e.g., "Dune 2024 movie" not just "Dune")"""

FETCH_WORDS = """\
Fetches and extracts readable content from a URL.

Parameters:
- url: The web page to fetch
- selector: CSS selector to target specific content (e.g., ".main-content", "#article")
- format: Output format - 'text', 'markdown', or 'html' (default: 'markdown')
- maxLength: Maximum characters (default: 10000)
- includeLinks: Include hyperlinks (default: true)
- includeImages: Include image descriptions (default: false)

Use after WebSearch to:
1. Get full details from a promising search result
2. Extract specific data from known pages
3. Read documentation or articles

Limitations:
- Cannot execute JavaScript (some sites may not work)
- May be blocked by some sites
- Paywalled content will be partial
- Large pages are truncated

Examples:
- Get movie details: url="https://www.imdb.com/title/tt15239678/"
- Extract Wikipedia infobox: url="...", selector=".infobox"
- Read documentation: url="https://docs.example.com/api", format="markdown\""""

# Messages for the most frequent HTTP statuses.
_MESSAGES = {
    401: "Access denied: the page asks for a login",
    403: "Access denied",
    404: "Page not found",
    410: "Page is gone",
    429: "The site limits requests",
}
_WIDE_HEADER = re.compile(r"^\| ([^|\n]+?) \|(?: +\|)+\n\|(?: ?:?-+:? ?\|)+", re.MULTILINE)
_ADVICE = "Verify the URL is correct or search for the content"


async def search(call: Call, args: dict[str, Any]) -> Answer:
    query = SearchQuery(
        args["query"],
        count=args["maxResults"],
        freshness=args["dateRange"],
        safe_search="moderate" if args["safeSearch"] else "off",
        include_domains=(args["site"],) if args["site"] else (),
    )
    found = (await ask(call, query, "auto")).found
    data: dict[str, Any] = {
        "query": args["query"],
        "totalResults": max(found.total or 0, len(found.hits)),
        "results": [_result(hit) for hit in found.hits],
    }
    if not found.hits:
        return Answer(data | {"suggestion": NOTHING}, shape="json")
    return Answer(
        data | {"searchEngine": found.provider, "searchTime": round(found.elapsed_ms / 1000, 2)}, shape="json"
    )


def _result(hit: Hit) -> dict[str, Any]:
    return {
        "title": hit.title,
        "url": hit.url,
        "snippet": hit.snippet,
        "domain": site_of(hit.domain),
        "datePublished": hit.published[:10] if hit.published else None,
    }


def search_failed(error: WebError, given: Mapping[str, Any]) -> Answer:
    data = {"query": given.get("query"), "status": "error", **_problem(error)}
    return Answer(data, shape="json", is_error=True)


async def fetch(call: Call, args: dict[str, Any]) -> Answer:
    call.report(f"opening {args['url']}")
    request = OpenRequest(args["url"], mode="readable", selector=args["selector"], include_images=args["includeImages"])
    opened = await open_page(call.app, request, deadline=call.deadline)
    call.log_page(opened.snapshot, opened.cache)

    options = ViewOptions(args["format"], args["maxLength"], links="none")
    length = len(rendered(opened.snapshot.document.markdown, options)[0])

    def page(tokens: int) -> dict[str, Any]:
        return _page(opened, args, show(opened.snapshot.document, replace(options, tokens=tokens)), length, tokens)

    data = fitted(call, page)
    return Answer(data, shape="json")


def _page(opened: Opened, args: dict[str, Any], shown: Shown, length: int, tokens: int) -> dict[str, Any]:
    """A page in that system's format; `length` is that of the whole page in the requested format."""
    document, meta = opened.snapshot.document, opened.snapshot.document.metadata
    walled = document.wall in ("paywall", "login")
    data: dict[str, Any] = {"url": args["url"]}
    if args["selector"]:
        data["selector"] = args["selector"]
    data |= {
        "status": "partial" if document.wall else "success",
        "title": meta.page_title or document.title,
        "content": _plain_header(shown.text) if args["selector"] else shown.text,
        "contentLength": length,
        "truncated": shown.next_start is not None or walled,
    }
    if args["selector"]:
        data["selectorMatched"] = True
    elif not document.wall:
        data["metadata"] = {
            "description": meta.description,
            "author": meta.author,
            "datePublished": meta.published[:10] if meta.published else None,
            "siteName": meta.site_name,
        }
        if args["includeLinks"]:
            data["links"] = link_rows(document.links[: min(MAX_LINKS, tokens // 75)])
    if walled:
        data["message"] = PAYWALL if document.wall == "paywall" else "Content appears to be behind a login"
    elif document.wall:
        data["message"] = "The page shows little without a browser, consent or a check of its visitors"
    elif shown.next_start is not None:
        data["message"] = (
            f"Content was truncated after {len(shown.text)} of {length} characters; "
            "raise maxLength or use a selector for the rest"
        )
    return data


def _plain_header(text: str) -> str:
    """An infobox as that system writes it: a header cell that spans all columns becomes a single cell."""
    return _WIDE_HEADER.sub(r"| \1 |\n|---|", text)


def fetch_failed(error: WebError, given: Mapping[str, Any]) -> Answer:
    data: dict[str, Any] = {"url": given.get("url"), "status": "error", **_problem(error)}
    if isinstance(error, SelectorNotFound):
        data |= {"selector": given.get("selector"), "selectorMatched": False}
    return Answer(data, shape="json", is_error=True)


def _problem(error: WebError) -> dict[str, Any]:
    """The code, the message and the suggestion of an error."""
    status = error.status_code
    message = _MESSAGES.get(status or 0)
    return {
        "errorCode": status if status is not None else error.code,
        "message": message or error.message,
        "suggestion": _ADVICE if status in (404, 410) else error.suggestion,
    }


_SEARCH = {
    "type": "object",
    "properties": {
        "query": {"type": "string", "description": "The search query", "minLength": 1},
        "maxResults": {"type": "integer", "description": "Maximum results to return (default: 10, max: 20)",
                       "default": 10, "minimum": 1, "maximum": 20},
        "site": {"type": "string", "description": 'Limit search to specific domain (e.g., "imdb.com")'},
        "dateRange": {"type": "string", "description": "Time filter: day, week, month, year",
                      "enum": ["day", "week", "month", "year"]},
        "safeSearch": {"type": "boolean", "description": "Enable safe search filtering (default: true)",
                       "default": True},
    },
    "required": ["query"],
}  # fmt: skip
_FETCH = {
    "type": "object",
    "properties": {
        "url": {"type": "string", "description": "The URL to fetch"},
        "selector": {"type": "string", "description": "CSS selector to target specific content"},
        "format": {"type": "string", "description": "Output format: text, markdown, html (default: markdown)",
                   "enum": ["text", "markdown", "html"], "default": "markdown"},
        "maxLength": {"type": "integer", "description": "Maximum characters to return (default: 10000)",
                      "default": 10000, "minimum": 1, "maximum": 100000},
        "includeLinks": {"type": "boolean", "description": "Include hyperlinks in output (default: true)",
                         "default": True},
        "includeImages": {"type": "boolean", "description": "Include image alt text/captions (default: false)",
                          "default": False},
    },
    "required": ["url"],
}  # fmt: skip

CONTRACT = Contract(
    "web-tools",
    (
        contract_tool("WebSearch", "Search the web", SEARCH_WORDS, _SEARCH, search, failed=search_failed,
                      purpose="search", clamps=True),
        contract_tool("WebFetch", "Fetch a web page", FETCH_WORDS, _FETCH, fetch, failed=fetch_failed,
                      purpose="fetch", clamps=True, long_answers=True),
    ),
)  # fmt: skip
