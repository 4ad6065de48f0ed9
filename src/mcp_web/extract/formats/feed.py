"""RSS, Atom, RDF and JSON feeds → a list of entries: title, link, date, author, summary."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from html import unescape
from typing import Any

from mcp_web.errors import ExtractFailed
from mcp_web.extract.assemble import assemble
from mcp_web.extract.decode import decode
from mcp_web.extract.markdown import web_link
from mcp_web.extract.snippet import snippet_markdown
from mcp_web.model.page import Document, Fetched, Metadata
from mcp_web.text.dates import read_date
from mcp_web.text.json_fields import items, text
from mcp_web.text.media_types import file_name
from mcp_web.text.untrusted import quoted
from mcp_web.text.urls import absolute, host_of

_ENTRIES = 300
_SUMMARY = 800  # characters of an entry that are shown


@dataclass(frozen=True, slots=True)
class Item:
    """An entry of a feed."""

    title: str
    link: str | None
    date: str | None
    author: str | None
    html: str  # its summary, else its content


def read_feed(page: Fetched) -> Document:
    """Reads RSS and Atom feeds, also those served as plain XML; raises ExtractFailed for other XML."""
    from turbohtml.extract import feed as parse_feed

    decoded = decode(page)
    found = parse_feed(decoded.text)
    if found is None:
        raise ExtractFailed(f"{page.final_url} is {quoted(page.media_type)} but contains no feed.", url=page.final_url)
    shown = (
        Item(
            entry.title or "",
            entry.link,
            read_date(entry.published) or read_date(entry.updated),
            entry.author,
            entry.summary or (entry.content if isinstance(entry.content, str) else "") or "",
        )
        for entry in found.entries[:_ENTRIES]
    )
    return _document(
        page, found.title, found.link, found.description, found.updated, shown, len(found.entries), decoded.notes
    )


def read_json_feed(value: dict[str, Any], page: Fetched) -> Document:
    """Reads a JSON Feed (jsonfeed.org)."""
    entries = items(value.get("items"))
    shown = (
        Item(
            text(entry.get("title")),
            text(entry.get("url") or entry.get("external_url")) or None,
            read_date(text(entry.get("date_published"))) or read_date(text(entry.get("date_modified"))),
            ", ".join(_authors(entry)) or None,
            text(entry.get("summary") or entry.get("content_html") or entry.get("content_text")),
        )
        for entry in entries[:_ENTRIES]
    )
    home = text(value.get("home_page_url")) or None
    return _document(
        page, text(value.get("title")), home, text(value.get("description")), None, shown, len(entries), ()
    )


def _document(
    page: Fetched,
    title: str | None,
    home: str | None,
    about: str | None,
    updated: str | None,
    items: Iterable[Item],
    total: int,
    notes: tuple[str, ...],
) -> Document:
    """The document of a feed; `items` are the entries that are shown, of `total`."""
    base = page.final_url
    description, hidden = snippet_markdown(about, base) if about else ("", 0)
    parts = [f"# {_line(title) or file_name(base) or host_of(base) or base}"]
    if description:
        parts.append(description[:_SUMMARY])
    for item in items:
        text, found = _entry(item, base)
        hidden += found
        parts.append(text)
    if total > _ENTRIES:
        notes = (*notes, f"The feed has {total} entries; the first {_ENTRIES} are shown.")
    metadata = Metadata(description[:500] or None, modified=read_date(updated), canonical_url=absolute(base, home))
    return assemble(
        page,
        "feed",
        "\n\n".join(parts),
        title=_line(title),
        kind="listing",
        metadata=metadata,
        notes=notes,
        hidden=hidden,
    )


def _entry(item: Item, base: str) -> tuple[str, int]:
    """The Markdown of an entry, and how many hidden elements were left out."""
    link = absolute(base, item.link)
    body, hidden = snippet_markdown(item.html[:200_000], link or base) if item.html else ("", 0)
    # Headings inside an entry would disturb the outline, which lists the entries.
    body = "\n".join(line.lstrip("# ") if line.startswith("#") else line for line in body.split("\n"))
    title = _line(item.title) or _line(body)[:80] or link or "Untitled"
    heading = f"## {web_link(title, link or '')}"
    facts = " · ".join(part for part in (item.date, _line(item.author)) if part)
    return "\n\n".join(part for part in (heading, facts, _cut(body)) if part), hidden


def _cut(text: str) -> str:
    """The text, cut at a word if it is longer than is shown of an entry."""
    if len(text) <= _SUMMARY:
        return text
    return text[:_SUMMARY].rsplit(" ", 1)[0].rstrip() + " …"


def _authors(entry: dict[str, Any]) -> list[str]:
    """The names of the authors of a JSON Feed entry."""
    found = entry.get("authors") or [entry.get("author")]
    return [text(each.get("name")) for each in found if isinstance(each, dict) and each.get("name")]


def _line(text: str | None) -> str:
    """The text on one line, without entities."""
    return " ".join(unescape(text or "").split())
