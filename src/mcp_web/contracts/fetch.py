"""The `fetch` contract: the reference server's tool and prompt, word for word."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp_web.app import App
from mcp_web.contracts.contract import Prompt, contract
from mcp_web.errors import HttpError, RobotsDisallowed, WebError
from mcp_web.services.open_page import OpenRequest, open_page
from mcp_web.text.urls import parse_url
from mcp_web.tools import budget
from mcp_web.tools.call import Call
from mcp_web.tools.tool import Answer

# The last two are extracted here, though the reference server cannot.
_SIMPLIFIED = ("text/html", "application/xhtml+xml", "application/pdf", "text/markdown")
_PLAIN = ("application/json", "application/xml", "application/javascript", "application/yaml")


async def fetch(call: Call, args: dict[str, Any]) -> Answer:
    call.report(f"opening {args['url']}")
    content, prefix = await _content(call.app, args["url"], raw=args["raw"], deadline=call.deadline)
    url = parse_url(args["url"]).href
    return Answer({}, f"{prefix}Contents of {url}:\n{_window(content, args)}", shape="text")


async def _content(app: App, url: str, *, raw: bool, deadline: float) -> tuple[str, str]:
    """The text of a page, and a sentence to put before it if that is the unchanged source (with `raw`, or not HTML)."""
    kept = (await open_page(app, OpenRequest(url, mode="raw" if raw else "auto"), deadline=deadline)).snapshot
    kind = kept.media_type
    if not raw and kind not in _SIMPLIFIED and (kind.startswith("text/") or kind in _PLAIN):
        kept = (await open_page(app, OpenRequest(url, mode="raw"), deadline=deadline)).snapshot
        raw = True
    prefix = f"Content type {kept.media_type} cannot be simplified to markdown, but here is the raw content:\n"
    return kept.document.markdown, prefix if raw else ""


def _window(content: str, args: dict[str, Any]) -> str:
    """The requested part of the content, and a sentence with the next start_index if there is more; a sentence in place
    of the part if the content ends before it."""
    start = args["start_index"]
    piece = content[start : start + args["max_length"]]
    piece = piece[: budget.chars_for(piece, budget.AIM - 300)]
    if not piece:
        return "<error>No more content available.</error>"
    end = start + len(piece)
    if end < len(content):
        piece += (
            f"\n\n<error>Content truncated. Call the fetch tool with a start_index of {end} to get more "
            "content.</error>"
        )
    return piece


def failed(error: WebError, given: Mapping[str, Any]) -> Answer:
    return Answer({}, _message(error, str(given.get("url"))), shape="text", is_error=True)


def _message(error: WebError, url: str) -> str:
    """The message for an error in the words of the reference `fetch` server."""
    if isinstance(error, HttpError):
        return f"Failed to fetch {url} - status code {error.status_code}"
    if isinstance(error, RobotsDisallowed):
        return (
            f"The sites robots.txt ({error.details.get('robots_url')}), specifies that autonomous fetching of this "
            f"page is not allowed, <url>{url}</url>\nThe assistant must let the user know that it failed to view the "
            "page. The assistant may provide further guidance based on the above information."
        )
    return f"Failed to fetch {url}: {error.message} {error.suggestion}"


async def write(app: App, value: str, deadline: float) -> tuple[str, str]:
    """The description and the text of the prompt for a URL."""
    try:
        content, prefix = await _content(app, value, raw=False, deadline=deadline)
    except WebError as error:
        return f"Failed to fetch {value}", _message(error, value)
    return f"Contents of {value}", prefix + budget.cut(content, budget.AIM)


CONTRACT = contract(
    "fetch",
    {"fetch": (fetch, failed)},
    (Prompt("fetch", "Fetch a URL", "Fetch a URL and extract its contents as markdown", "url", "URL to fetch", write),),
)
