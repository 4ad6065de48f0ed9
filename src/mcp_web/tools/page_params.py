"""The parameters that all tools that show pages have in common."""

from __future__ import annotations

from typing import Any

from mcp_web.tools.page_view import PAGE_TOKENS, ViewOptions
from mcp_web.tools.tool import OBJECTS, Param, changed_arguments

_PARAMS = {
    param.name: param
    for param in (
        Param("mode", "string", "auto renders in a browser only if needed; raw is the source.", default="auto",
              choices=("auto", "readable", "raw", "rendered")),
        Param("selector", "string", "CSS selector.", aliases=("css", "css_selector")),
        Param("section", "string", "Only the section under this heading.", aliases=("heading",)),
        Param("format", "string", "Default markdown.", default="markdown", choices=("markdown", "text", "html")),
        Param("max_chars", "integer", "Default 10000.", default=10_000, least=100, most=100_000),
        Param("start", "integer", "Offset to continue at (next_start).", default=0, least=0),
        Param("include_links", "boolean", "Default true.", default=True),
        Param("include_images", "boolean", "Default false.", default=False),
        Param("siteconfig", "string", "Site config id."),
        Param("max_age", "integer", "Max. age of a kept copy in seconds; 0 refetches.", least=0),
        Param("at", "string", "Archived copy: 2024-05-01, latest.", max_length=40),
        Param("explain", "boolean", "Show how content was chosen.", default=False),
    )
}  # fmt: skip

_TEXT = {"type": "string"}
_NUMBER = {"type": "number"}
_FLAG = {"type": "boolean"}
OUTPUT = {
    "url": _TEXT, "final_url": _TEXT, "status": _TEXT, "title": _TEXT, "content": _TEXT, "content_length": _NUMBER,
    "start": _NUMBER, "truncated": _FLAG, "outline": OBJECTS, "metadata": {"type": "object"}, "links": OBJECTS,
    "extractor": _TEXT, "notes": {"type": "array", "items": _TEXT},
}  # fmt: skip


def page_params(*names: str) -> tuple[Param, ...]:
    """The shared page parameters of these names, in this order."""
    return tuple(_PARAMS[name] for name in names)


def repeated_arguments(args: dict[str, Any]) -> dict[str, Any]:
    """The arguments that a call for the next part of the page must repeat, because they differ from the defaults."""
    return changed_arguments(_PARAMS.values(), args, "start", "max_age", "explain")


def view_options(args: dict[str, Any], page: str, tokens: int = PAGE_TOKENS) -> ViewOptions:
    """Which part of a page the arguments ask for, with at most `tokens` tokens; `page` is the URL of the page."""
    return ViewOptions(
        format=args["format"],
        max_chars=args["max_chars"],
        start=args.get("start", 0),
        section=args["section"],
        links="numbered" if args["include_links"] else "none",
        tokens=tokens,
        page=page,
    )
