"""Small pieces of HTML, every value escaped."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from mcp_web import trace

_SHELL = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} · mcp-web</title><link rel="icon" href="/static/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/static/page.css"></head>
<body><header><a class="brand" href="/">mcp-web</a><nav>{nav}</nav></header>
<main>{body}</main>
<footer>Page text comes from the web and is shown as it was read.</footer></body></html>"""

_PAGES = (("/", "Overview"), ("/archive", "Archive"), ("/figures", "Figures"))


def page(title: str, here: str, *parts: str) -> str:
    """A whole page around its parts."""
    nav = "".join(f'<a href="{path}"{" aria-current=page" if path == here else ""}>{name}</a>' for path, name in _PAGES)
    return trace.redact(_SHELL.format(title=escape(title), nav=nav, body="\n".join(parts)))


def text(value: Any) -> str:
    return escape(str(value), quote=True)


def section(heading: str, *parts: str) -> str:
    return f"<section><h2>{text(heading)}</h2>{''.join(parts)}</section>"


def facts(rows: dict[str, Any]) -> str:
    inside = "".join(f"<dt>{text(name)}</dt><dd>{text(value)}</dd>" for name, value in rows.items())
    return f'<dl class="facts">{inside}</dl>'


def code(value: str) -> str:
    return f"<pre><code>{text(value)}</code></pre>"


def table(columns: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """Cells are HTML already; rows of words become cards on a narrow screen, figures stay in columns."""
    if not rows:
        return "<p class=empty>Nothing yet.</p>"
    head = "".join(f"<th>{text(column)}</th>" for column in columns)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    kind = "rows" if len(columns) <= 3 else "figures"
    return f"<div class=scroll><table class={kind}><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"


def link(url: str, words: str) -> str:
    """A link to another page of ours, or to the web in a new tab without a referrer."""
    if url.startswith("/"):
        return f'<a href="{text(url)}">{text(words)}</a>'
    if not url.startswith(("http://", "https://")):
        return text(words)
    return f'<a href="{text(url)}" target="_blank" rel="noreferrer noopener">{text(words)}</a>'
