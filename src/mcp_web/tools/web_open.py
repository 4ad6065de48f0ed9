"""The tool web_open: one page by its URL."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mcp_web.errors import WebError
from mcp_web.text.internet_archive import LATEST
from mcp_web.tools.call import Call
from mcp_web.tools.page_params import OUTPUT, page_params, repeated_arguments, view_options
from mcp_web.tools.page_view import PageView, continued, present
from mcp_web.tools.tool import Answer, Param, Tool

if TYPE_CHECKING:
    from mcp_web.services.open_page import OpenRequest

(_FORMAT,) = page_params("format")
_FORMAT = replace(_FORMAT, help="data: tables, lists, facts as JSON.", choices=(*_FORMAT.choices, "data"))


async def run(call: Call, args: dict[str, Any]) -> Answer:
    from mcp_web.services.fetch_archived_copy import is_gone
    from mcp_web.services.open_page import open_page

    call.report(f"opening {args['url']}")
    try:
        opened = await open_page(call.app, request_of(args, args["url"]), deadline=call.deadline)
    except WebError as error:
        if args["at"] or not is_gone(error):
            raise
        gone = copy(error)  # callers that asked for the page at the same time have the same error
        gone.suggestion = f"{error.suggestion} An archived copy: {continued(same_call(args, args['url']), at=LATEST)}"
        raise gone from error
    call.log_page(opened.snapshot, opened.cache)
    return present(
        call, PageView.of(opened), view_options(args, opened.snapshot.final_url), same_call(args, args["url"])
    )


def request_of(args: dict[str, Any], url: str) -> OpenRequest:
    """What the arguments of web_open or web_batch_open ask for, for one URL."""
    from mcp_web.services.open_page import OpenRequest

    names = ("mode", "selector", "include_images", "siteconfig", "max_age", "explain", "at")
    return OpenRequest(url, **{name: args[name] for name in names if name in args})


def same_call(args: dict[str, Any], url: str) -> str:
    """A call of web_open for `url` as text, such as `web_open(url="…", mode="raw")`, for the reader to continue. It
    repeats the arguments in `args` that differ from the defaults, except `start`, `max_age` and `explain`."""
    return continued("web_open()", url=url, **repeated_arguments(args))


TOOL = Tool(
    name="web_open",
    title="Open a web page",
    description=(
        "Fetches one page as clean Markdown: HTML, PDF, office files, feeds, threads, papers by DOI, JSON. Keeps "
        "code, tables, maths and headings; removes navigation, ads and hidden text. Use it to read a page in order "
        "or one section or selector; when you have a question, web_read returns only the passages that "
        "answer and costs less; for several pages use web_batch_open. Returns cache state and "
        "snapshot, the text as untrusted content, numbered links, and for long pages the outline and the exact next "
        "call."
    ),
    params=(
        Param("url", "string", "Address of the page.", required=True, max_length=8_000, address=True),
        *page_params("mode", "selector", "section"),
        _FORMAT,
        *page_params("max_chars", "start", "include_links", "include_images", "siteconfig", "max_age", "at", "explain"),
    ),
    run=run,
    purpose="fetch",
    long_answers=True,
    output=OUTPUT,
)
