"""RSS, Atom, RDF and JSON feeds → a list of entries: title, link, date, author, summary."""

from __future__ import annotations

from html import escape, unescape
from typing import Any

from turbohtml.extract import Entry, Feed
from turbohtml.extract import feed as parse_feed

from mcp_web.errors import ExtractFailed
from mcp_web.extract.assemble import assemble
from mcp_web.extract.decode import decode
from mcp_web.extract.markdown import web_link
from mcp_web.extract.snippet import snippet_markdown
from mcp_web.model.page import Document, Fetched, Metadata
from mcp_web.text.dates import read_date
from mcp_web.text.json_fields import items, text
from mcp_web.text.media_types import file_name
from mcp_web.text.shorten import shortened_at_word
from mcp_web.text.untrusted import quoted
from mcp_web.text.urls import absolute, host_of

_ENTRIES = 300
_SUMMARY = 800  # characters of an entry that are shown


def read_feed(page: Fetched) -> Document:
    """Reads RSS and Atom feeds, also those served as plain XML; raises ExtractFailed for other XML."""
    decoded = decode(page)
    found = parse_feed(decoded.text)
    if found is None:
        raise ExtractFailed(f"{page.final_url} is {quoted(page.media_type)} but contains no feed.", url=page.final_url)
    return _document(page, found, decoded.notes)


def read_json_feed(value: dict[str, Any], page: Fetched) -> Document:
    """Reads a JSON Feed (jsonfeed.org) that is already parsed from JSON."""
    entries = tuple(
        Entry(
            title=text(entry.get("title")),
            link=text(entry.get("url") or entry.get("external_url")) or None,
            id=None,
            published=text(entry.get("date_published")),
            updated=text(entry.get("date_modified")),
            summary=_html(entry.get("summary")) or text(entry.get("content_html")) or _html(entry.get("content_text")),
            content=None,
            author=", ".join(_authors(entry)),
        )
        for entry in items(value.get("items"))
    )
    title, home, about = (text(value.get(name)) for name in ("title", "home_page_url", "description"))
    return _document(page, Feed("json", title, home or None, about, None, entries), ())


def _document(page: Fetched, feed: Feed, notes: tuple[str, ...]) -> Document:
    """The document of a feed, with the first of its entries; `notes` are those about its decoding."""
    base = page.final_url
    description, hidden = snippet_markdown(feed.description, base) if feed.description else ("", 0)
    parts = [f"# {_line(feed.title) or file_name(base) or host_of(base) or base}"]
    if description:
        parts.append(description[:_SUMMARY])
    for entry in feed.entries[:_ENTRIES]:
        written, found = _entry(entry, base)
        hidden += found
        parts.append(written)
    if len(feed.entries) > _ENTRIES:
        notes = (*notes, f"The feed has {len(feed.entries)} entries; the first {_ENTRIES} are shown.")
    home = absolute(base, feed.link)
    metadata = Metadata(description[:500] or None, modified=read_date(feed.updated), canonical_url=home)
    text, title = "\n\n".join(parts), _line(feed.title)
    return assemble(page, "feed", text, title=title, kind="listing", metadata=metadata, notes=notes, hidden=hidden)


def _entry(entry: Entry, base: str) -> tuple[str, int]:
    """The Markdown of an entry, its links resolved with `base`, and how many hidden elements were left out."""
    link = absolute(base, entry.link)
    html = entry.summary or (entry.content if isinstance(entry.content, str) else "")
    body, hidden = snippet_markdown(html[:200_000], link or base) if html else ("", 0)
    # Headings inside an entry would disturb the outline, which lists the entries.
    body = "\n".join(line.lstrip("# ") if line.startswith("#") else line for line in body.split("\n"))
    title = _line(entry.title) or _line(body)[:80] or link or "Untitled"
    heading = f"## {web_link(title, link or '')}"
    date = read_date(entry.published) or read_date(entry.updated)
    facts = " · ".join(part for part in (date, _line(entry.author)) if part)
    return "\n\n".join(part for part in (heading, facts, shortened_at_word(body, _SUMMARY)) if part), hidden


def _html(plain: Any) -> str:
    """A plain text of a JSON Feed as HTML; "" if it is not a string."""
    return escape(text(plain), quote=False).replace("\n", "<br>")


def _authors(entry: dict[str, Any]) -> list[str]:
    """The names of the authors of a JSON Feed entry."""
    found = entry.get("authors") or [entry.get("author")]
    return [text(each.get("name")) for each in found if isinstance(each, dict) and each.get("name")]


def _line(text: str | None) -> str:
    """The text on one line, with HTML entities replaced; "" for None."""
    return " ".join(unescape(text or "").split())
