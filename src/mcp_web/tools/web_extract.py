"""The tool web_extract: turn HTML that the caller already has into Markdown."""

from __future__ import annotations

from typing import Any

from mcp_web.model.page import ExtractRequest
from mcp_web.tools.call import Call
from mcp_web.tools.page_params import OUTPUT, page_params, repeated_arguments, view_options
from mcp_web.tools.page_view import PageView, continued, present
from mcp_web.tools.tool import Answer, Param, Tool


async def run(call: Call, args: dict[str, Any]) -> Answer:
    from mcp_web.services.extract_html import extract_html

    request = ExtractRequest(
        selector=args["selector"],
        include_images=args["include_images"],
        siteconfig=args["siteconfig"],
        explain=args["explain"],
    )
    document = await extract_html(call.app, args["html"], args["base_url"], request)
    view, options = PageView(document, args["base_url"] or None), view_options(args, args["base_url"])
    return present(call, view, options, continued("web_extract(html=…)", **repeated_arguments(args)))


TOOL = Tool(
    name="web_extract",
    title="Extract Markdown from HTML",
    description=(
        "Turns HTML you already have into clean Markdown: main content only, with code, tables, maths, headings and "
        "absolute links kept, boilerplate and hidden text removed. Pure: nothing is fetched and nothing is kept. "
        "Use it for HTML that came from another tool or a file; web_open reads a page by its address. Returns the "
        "text with title, metadata, outline and links; long texts come in parts."
    ),
    params=(
        Param("html", "string", "The HTML source.", required=True, max_length=5_000_000, aliases=("content", "text")),
        Param("base_url", "string", "Address the HTML came from; makes relative links absolute.", default="",
              aliases=("url",)),
        *page_params("selector", "section", "format", "max_chars", "start"),
        *page_params("include_links", "include_images", "siteconfig", "explain"),
    ),
    run=run,
    open_world=False,
    output=OUTPUT,
)  # fmt: skip
