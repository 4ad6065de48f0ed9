"""The `web-tools` contract: WebSearch and WebFetch, with a suggestion in every error."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from mcp_web.contracts.asking import ask
from mcp_web.contracts.contract import contract
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

# Messages for the most frequent HTTP statuses.
_MESSAGES = {
    401: "Access denied: the page asks for a login",
    403: "Access denied",
    404: "Page not found",
    410: "Page is gone",
    429: "The site limits requests",
}
# A header cell that spans all columns of an infobox: that system writes it as a single cell.
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

    return Answer(fitted(call, page), shape="json")


def _page(opened: Opened, args: dict[str, Any], shown: Shown, length: int, tokens: int) -> dict[str, Any]:
    """A page in the contract's format; `length`: characters of the whole page in this format; `tokens` limits links."""
    document, meta = opened.snapshot.document, opened.snapshot.document.metadata
    walled = document.wall in ("paywall", "login")
    data: dict[str, Any] = {"url": args["url"]}
    if args["selector"]:
        data["selector"] = args["selector"]
    data |= {
        "status": "partial" if document.wall else "success",
        "title": meta.page_title or document.title,
        "content": _WIDE_HEADER.sub(r"| \1 |\n|---|", shown.text) if args["selector"] else shown.text,
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


def fetch_failed(error: WebError, given: Mapping[str, Any]) -> Answer:
    data: dict[str, Any] = {"url": given.get("url"), "status": "error", **_problem(error)}
    if isinstance(error, SelectorNotFound):
        data |= {"selector": given.get("selector"), "selectorMatched": False}
    return Answer(data, shape="json", is_error=True)


def _problem(error: WebError) -> dict[str, Any]:
    """The fields of an error in the contract's format: code (the HTTP status, if any), message and suggestion."""
    status = error.status_code
    message = _MESSAGES.get(status or 0)
    return {
        "errorCode": status if status is not None else error.code,
        "message": message or error.message,
        "suggestion": _ADVICE if status in (404, 410) else error.suggestion,
    }


CONTRACT = contract("web-tools", {"WebSearch": (search, search_failed), "WebFetch": (fetch, fetch_failed)})
