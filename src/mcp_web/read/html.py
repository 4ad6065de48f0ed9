"""Markdown → HTML, for `format=html` and the web interface. Raw HTML in it is escaped."""

from __future__ import annotations


def to_html(markdown: str) -> str:
    """The Markdown as an HTML fragment; raw HTML in it is escaped."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False, "linkify": False})
    parser.enable(["table", "strikethrough"])
    return str(parser.render(markdown))
