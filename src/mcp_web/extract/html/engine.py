"""HTML to `Document`: parse, remove what nobody sees, choose, write Markdown, read the facts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import mcp_web
from mcp_web.errors import ExtractFailed, InvalidInput, SelectorNotFound
from mcp_web.extract.html.choose import choose
from mcp_web.extract.html.parse import body_of, parse_page
from mcp_web.extract.options import ExtractOptions
from mcp_web.model.page import Document, ExtractRequest, Fetched

if TYPE_CHECKING:
    from turbohtml import Document as Tree
    from turbohtml import Element

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


class HtmlExtractor:
    """The engine for HTML, fetched or rendered."""

    name = f"mcp-web@{mcp_web.__version__}"

    def __init__(self, options: ExtractOptions | None = None) -> None:
        self._options = options or ExtractOptions()

    def extract(self, page: Fetched, request: ExtractRequest) -> Document:
        """Read the page; raises ExtractFailed or SelectorNotFound."""
        tree = parse_page(page)
        title = _title(tree)
        if request.mode == "raw":
            text = _CONTROL.sub("", page.body.decode(tree.encoding or "utf-8", "replace"))
            return Document(title=title, markdown=text, extractor=self.name)
        body = body_of(tree)
        if body is None:
            raise ExtractFailed(f"The page at {page.final_url} holds no HTML element.", url=page.final_url)
        base = tree.base_url(page.final_url)
        roots = _selected(tree, request.selector, page.final_url) if request.selector else [choose(tree, body)]
        for root in roots:
            root.resolve_links(base)
        markdown = "\n\n".join(root.to_markdown() for root in roots)
        return Document(title=title, markdown=markdown, extractor=self.name)


def _title(tree: Tree) -> str:
    found = tree.select_one("title")
    return " ".join(found.text.split()) if found else ""


def _selected(tree: Tree, selector: str, url: str) -> list[Element]:
    try:
        found = tree.select(selector)
    except ValueError as error:
        raise InvalidInput(f"The selector {selector!r} is not valid CSS: {error}.", selector=selector) from error
    if not found:
        raise SelectorNotFound(f"Nothing on {url} matches the selector {selector!r}.", url=url, selector=selector)
    return found
