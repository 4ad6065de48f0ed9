"""A page as the `mcp-web` contract returns it: Markdown with front matter of fixed form, and metadata."""

from __future__ import annotations

from typing import Any

from mcp_web.model.page import Document
from mcp_web.services.open_page import Opened
from mcp_web.text.dates import iso
from mcp_web.text.untrusted import one_line
from mcp_web.tools.page_view import MAX_LINKS, ViewOptions, link_rows, metadata_facts, show

_METADATA = ("description", "author", "published", "site_name", "language")


def part_of(args: dict[str, Any], tokens: int) -> ViewOptions:
    """Which part of a page the arguments ask for, with at most `tokens` tokens."""
    return ViewOptions(
        max_chars=args["max_chars"], start=args.get("start") or 0, links="inline", tokens=max(60, tokens)
    )


def page_object(opened: Opened, part: ViewOptions) -> dict[str, Any]:
    """An opened page in that system's format."""
    kept = opened.snapshot
    made = document_object(kept.document, kept.final_url, kept.fetched_at, part)
    return {
        "url": kept.url,
        "final_url": kept.final_url,
        "hash": kept.key,
        "resource": f"resource://cache/{kept.key}",
        "mode": kept.variant.partition(";")[0],
        "status": kept.status,
        "cache_hit": opened.cache != "fetched",
        "fetched_at": iso(kept.fetched_at),
        **made,
        "timings": {name: round(ms, 1) for name, ms in kept.timings.items()},
        **({"notes": [*opened.notes, *kept.document.notes]} if opened.notes or kept.document.notes else {}),
    }


def document_object(document: Document, source: str, fetched_at: float | None, part: ViewOptions) -> dict[str, Any]:
    """The fields of a page that come from its document; `source` is its URL."""
    shown = show(document, part)
    text, next_start = shown.text, shown.next_start
    if part.start == 0:
        text = front_matter(document, source, fetched_at) + "\n" + text
    facts = metadata_facts(document.metadata)
    made: dict[str, Any] = {
        "title": document.title,
        "markdown": text,
        "truncated": next_start is not None,
        "extractor": document.extractor,
        "siteconfig": document.siteconfig,
        "metadata": {name: facts[name] for name in _METADATA if facts[name]},
    }
    if next_start is not None:
        made["next_start"] = next_start
    if part.tokens > 2_000:
        made["links"] = link_rows(document.links[: min(MAX_LINKS, part.tokens // 75)])
    if document.explain is not None:
        made["explain_extraction"] = document.explain
    return made


def front_matter(document: Document, source: str, fetched_at: float | None) -> str:
    """The front matter: five fields whose names and order are fixed."""
    rows = {
        "title": document.title,
        "source": source,
        "fetched_at": iso(fetched_at) if fetched_at is not None else "",
        "extractor": document.extractor,
        "siteconfig": document.siteconfig or "none",
    }
    return "---\n" + "\n".join(f"{name}: {one_line(value)}".rstrip() for name, value in rows.items()) + "\n---"
