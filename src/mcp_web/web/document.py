"""The reading view of one kept page, and what changed between two of its versions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import Any

import anyio
from starlette.requests import Request
from starlette.responses import Response

from mcp_web.app import App
from mcp_web.errors import NotFound
from mcp_web.model.page import Document, Heading
from mcp_web.model.snapshot import ReadingRecord, Snapshot
from mcp_web.read.quote import QuoteCheck
from mcp_web.services.compare_versions import compare_versions
from mcp_web.services.find_snapshot import Found, find_document
from mcp_web.services.verify_quotes import other_versions
from mcp_web.services.watch_pages import watched_urls
from mcp_web.web.catalogue import gettext as _
from mcp_web.web.changed_words import lines_of
from mcp_web.web.pages import page, web_address
from mcp_web.web.passages import OWN_QUOTE, Passage, merged
from mcp_web.web.times import moment

EXPORTS = {"md": "Markdown", "bib": "BibTeX", "json": "CSL-JSON", "warc": "WARC"}
MOST_LINKED = 100
_MOST_ADDRESSES = 1000


async def reading_view(app: App, request: Request) -> Response:
    from markupsafe import Markup

    from mcp_web.web.markdown import Parsed

    found = await found_document(app, request)
    kept, store = found.snapshot, found.store
    quote = request.query_params.get("quote", "")[:5000]
    check = await _checked(kept, quote) if quote.strip() else None
    elsewhere = await other_versions(store, kept, [check]) if check else {}
    readings = await store.readings(kept.key)
    text, passages = _marked_text(kept.document, _spans(kept, readings, check))
    places = _places(passages)
    parsed = await anyio.to_thread.run_sync(Parsed, text, passages)
    seen = await store.seen(parsed.addresses()[:_MOST_ADDRESSES])
    copies = {url: info.hash for url, info in seen.items()}
    shown = await anyio.to_thread.run_sync(parsed.html, copies)
    cites, cited = await _citations(found)
    versions = await _versions(found)
    return page(
        request,
        "document.html",
        kept=kept,
        title=_title(kept),
        body=Markup(shown.html),  # noqa: S704 — made by our Markdown renderer, which escapes all HTML of the page
        contents=shown.contents,
        versions=versions,
        read_at=next((one["when"] for one in versions if one["hash"] == kept.hash), ""),
        cites=cites,
        cited=cited,
        asked=_asked(kept, readings, places),
        quote_place=places.get(OWN_QUOTE),
        quote=quote,
        check=check,
        in_version=elsewhere.get(quote),
        verdict=verdict_text(check.verdict) if check else "",
        exports=EXPORTS,
        shared_by=found.shared_by,
        can_watch=not found.shared_by and bool(web_address(kept.url)),
        is_watched=kept.url in await watched_urls(app),
        has_screenshot=await store.screenshot(kept.hash) is not None,
    )


async def difference(app: App, request: Request) -> Response:
    found = await found_document(app, request)
    newer = found.snapshot
    older, changes = await compare_versions(app, newer, request.query_params.get("with", "previous"))
    versions = await _versions(found)
    # Not by the time it was fetched: the newest version of a page that changed back was first read before the others.
    if older.hash in takewhile(newer.hash.__ne__, (one["hash"] for one in versions)):
        older, newer = newer, older
        older, changes = await compare_versions(app, newer, older.hash)
    title = _title(newer)
    listed = [
        {"change": change_text(one.change), "path": section_name(one.path, title), "lines": lines_of(one.hunk)}
        for one in changes
    ]
    return page(request, "diff.html", title=title, newer=newer, older=older, versions=versions, changes=listed)


async def found_document(app: App, request: Request) -> Found:
    """The kept version in the URL, of a document of this tenant or shared with it; raises NotFound."""
    try:
        return await find_document(app, request.path_params["hash"])
    except NotFound as error:
        raise missing() from error


def missing() -> NotFound:
    """The error for a document that is not kept; it is returned, not raised."""
    return NotFound(_("Nothing is kept under this name."), suggestion=_("It may have been deleted; search for it."))


def verdict_text(verdict: str) -> str:
    """A verdict on a quote, such as "exact", in words for people."""
    return {
        "exact": _("Word for word in this page"),
        "normalised": _("In this page; only spacing, quotation marks or case differ"),
        "fuzzy": _("Similar, but not the same words"),
        "absent": _("Not in this page"),
    }[verdict]


def outcome_text(outcome: str) -> tuple[str, str]:
    """The outcome of a question or of a checked quote in words, and "good", "fair" or "poor"; both "" if unknown."""
    texts = {
        "answered": (_("answered"), "good"),
        "unsure": (_("unsure"), "fair"),
        "not answered": (_("not answered"), "poor"),
        "exact": (_("word for word"), "good"),
        "normalised": (_("the same words"), "good"),
        "fuzzy": (_("similar words"), "fair"),
        "absent": (_("not in this page"), "poor"),
    }
    return texts.get(outcome, ("", ""))


def change_text(change: str) -> str:
    names = {"added": _("added"), "removed": _("removed"), "changed": _("changed"), "renamed": _("renamed"),
             "moved": _("moved")}  # fmt: skip
    return names.get(change, change)


def section_name(path: Sequence[str], title: str) -> str:
    """The headings that lead to a section as one text, without the page's title if they begin with it."""
    return " › ".join(path[1:] if path and path[0] == title else path)


async def _versions(found: Found) -> list[dict[str, str]]:
    """The versions of a document for the template, the one that last became the newest first."""
    rows = await found.store.versions(found.snapshot.key)
    exact = len({moment(one.since) for one in rows}) < len(rows)  # two became the newest within a minute
    return [{"hash": one.hash, "when": moment(one.since, seconds=exact)} for one in rows]


def _spans(kept: Snapshot, readings: Sequence[ReadingRecord], check: QuoteCheck | None) -> list[tuple[int, int, int]]:
    """The spans to mark in this version: (start, end, number of the reading), OWN_QUOTE for the quote being checked.

    A reading is a question that an agent asked, with the passages it was shown.
    """
    found = [
        (start, end, number)
        for number, one in enumerate(readings, start=1)
        if one.snapshot == kept.hash and one.outcome != "not answered"
        for start, end in one.spans
    ]
    return found + [(start, end, OWN_QUOTE) for start, end in (check.spans if check else ())]


def _marked_text(document: Document, spans: list[tuple[int, int, int]]) -> tuple[str, list[Passage]]:
    """The text below the heading that the view shows as title, and the spans in it, merged to passages."""
    first, skipped = _title_heading(document), 0
    if first is not None:
        skipped = document.markdown.find("\n", first.start) + 1 or len(document.markdown)
    placed = [(max(0, start - skipped), end - skipped, number) for start, end, number in spans]
    return document.markdown[skipped:], merged(placed)


def _title(kept: Snapshot) -> str:
    """The title that the view shows: that of `_title_heading`, else of the metadata, else the URL."""
    first = _title_heading(kept.document)
    return first.text if first else kept.document.title or kept.url


def _title_heading(document: Document) -> Heading | None:
    """The heading with which the text begins, if it is of the first level or repeats the title; else None."""
    first = document.headings[0] if document.headings else None
    if first is None or document.markdown[: first.start].strip():
        return None
    return first if first.level == 1 or first.text.strip() == document.title.strip() else None


def _places(passages: Sequence[Passage]) -> dict[int, int]:
    """The position, from 1, of the first passage with each number (of a reading, or OWN_QUOTE), by number."""
    found: dict[int, int] = {}
    for place, passage in enumerate(passages, start=1):
        for number in passage.numbers:
            found.setdefault(number, place)
    return found


def _asked(kept: Snapshot, readings: Sequence[ReadingRecord], places: dict[int, int]) -> list[dict[str, Any]]:
    """The questions and quotes that agents sent about this page, for the template, with a link to the first passage."""
    return [
        {
            "number": number,
            "question": one.question,
            "is_quote": one.tool == "verify_quotes",
            "client": one.client or _("an agent"),
            "when": moment(one.at),
            "outcome": outcome_text(one.outcome),
            "href": _href(kept, one, places.get(number)),
            "is_here": one.snapshot == kept.hash,
        }
        for number, one in enumerate(readings, start=1)
    ]


def _href(kept: Snapshot, reading: ReadingRecord, place: int | None) -> str:
    """A link to passage `place`, or without one to the version that was read; "" if that is this version."""
    if place is not None:
        return f"#passage-{place}"
    return "" if reading.snapshot == kept.hash else f"/archive/{reading.snapshot}"


async def _citations(found: Found) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    """Links (address and title) to the kept documents that this one cites, and to those that cite it."""
    kept, store = found.snapshot, found.store
    out = await store.cites([kept.key], MOST_LINKED)
    back = await store.cited_by([kept.key], MOST_LINKED)
    keys = [edge.target for edge in out if edge.target] + [edge.source for edge in back]
    rows = await store.headlines(list(dict.fromkeys(keys)))
    link = {key: {"href": f"/archive/{key}", "title": row.title or row.url} for key, row in rows.items()}

    def linked(found: Iterable[str | None]) -> list[dict[str, str]]:
        return [link[key] for key in dict.fromkeys(found) if key in link and key != kept.key]

    return linked(edge.target for edge in out), linked(edge.source for edge in back)


async def _checked(kept: Snapshot, quote: str) -> QuoteCheck:
    from mcp_web.read.quote import verify

    checks = await anyio.to_thread.run_sync(verify, kept.document.markdown, [quote], kept.document.headings)
    return checks[0]
