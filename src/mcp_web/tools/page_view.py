"""How every tool shows a page: one window of it, within the budget, and the call that shows the next window."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from mcp_web.lru import LruDict
from mcp_web.model.page import Document, Format, Heading, Link, Metadata
from mcp_web.text.dates import iso
from mcp_web.text.internet_archive import copy_day
from mcp_web.text.shorten import shortened
from mcp_web.text.untrusted import one_line
from mcp_web.tools import budget
from mcp_web.tools.call import Call
from mcp_web.tools.clean_output import URL_CHARS, note_lines
from mcp_web.tools.tool import Answer

if TYPE_CHECKING:
    from mcp_web.services.open_page import CacheState, Opened

# numbered: `[text][1]` with a list below · inline: as the page's Markdown has them · none: their text only
Links = Literal["numbered", "inline", "none"]
WHOLE_PAGE = sys.maxsize  # characters and tokens: for people and scripts, who have no budget
MAX_OUTLINE = 80  # headings shown; the rest is a section call away
MAX_LINKS = 200
PAGE_TOKENS = budget.AIM - 1_500  # of the text of a page: the rest is for header, outline and facts
_FACTS_TOKENS = 2_000  # of JSON-LD, microdata and OpenGraph
_EXPLAIN_TOKENS = 2_500
SHOWN_LINKS = 40  # numbered in a text: a manual has hundreds, and they would cost as much as a page


@dataclass(frozen=True, slots=True)
class PageView:
    """A page to be shown, with everything known about it: an opened page, or HTML that was never kept."""

    document: Document
    url: str | None
    final_url: str | None = None
    snapshot: str | None = None
    cache: CacheState | None = None
    age: float = 0.0
    fetched_at: float | None = None
    timings: dict[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    media_type: str | None = None
    authenticated: bool = False

    @classmethod
    def of(cls, opened: Opened) -> PageView:
        """The view of a page that was opened or kept."""
        kept = opened.snapshot
        return cls(
            document=kept.document,
            url=kept.url,
            final_url=kept.final_url,
            snapshot=kept.hash,
            cache=opened.cache,
            age=opened.age,
            fetched_at=kept.fetched_at,
            timings=dict(kept.timings),
            notes=opened.notes,
            media_type=kept.media_type,
            authenticated=kept.authenticated,
        )


@dataclass(frozen=True, slots=True)
class ViewOptions:
    """Which part of a page is shown, and in what form; offsets and lengths are in characters of its Markdown."""

    format: Format = "markdown"
    max_chars: int = 10_000
    start: int = 0
    section: str | None = None
    links: Links = "numbered"
    tokens: int = PAGE_TOKENS
    page: str = ""  # the page's own address: links to places on it are left out

    @property
    def is_whole(self) -> bool:
        """Whether all of the page is shown, however long it is."""
        return self.tokens == WHOLE_PAGE


@dataclass(frozen=True, slots=True)
class Shown:
    """One window of a page, ready to be shown: `start` and `end` are its offsets in the page's Markdown."""

    text: str
    start: int
    end: int
    next_start: int | None
    links: tuple[Link, ...]
    link_list: str = ""  # the numbered links, one a line
    outline: str = ""  # only for the beginning of a longer page


def present(call: Call, view: PageView, options: ViewOptions, next_call: str) -> Answer:
    """The answer that shows a window of one page; `next_call` is the call as text, to which the next start is added."""
    shown = show(view.document, options, view.snapshot)
    data = as_data(view, options, shown, call.notes) if call.wants_data else {}
    lines = [header(view, shown)]
    lines += note_lines((*call.notes, *view.notes, *view.document.notes))
    parts = []
    if shown.start == 0 and options.format == "markdown":
        parts.append(front_matter(view))
    if shown.outline:
        parts.append(f"outline (offset heading):\n{shown.outline}")
    if options.format == "data" and shown.start == 0 and (facts := view.document.metadata.structured_data):
        parts.append("facts: " + budget.cut(json.dumps(facts, ensure_ascii=False, default=str), _FACTS_TOKENS))
    parts.append(shown.text)
    if shown.link_list:
        parts.append(shown.link_list)
    if view.document.explain is not None:
        explained = json.dumps(view.document.explain, ensure_ascii=False, indent=1, default=str)
        parts.append("explain:\n```json\n" + budget.cut(explained, _EXPLAIN_TOKENS) + "\n```")
    lines.append(call.envelope.wrap("\n\n".join(parts)))
    if shown.next_start is not None:
        lines.append(f"more: {continued(next_call, start=shown.next_start)}")
    return Answer(data, "\n".join(lines), meta(view, shown))


def show(document: Document, options: ViewOptions, snapshot: str | None = None) -> Shown:
    """The requested window of a document, cached by its hash (`snapshot`) if that is given; raises InvalidInput for an
    unknown section or a start outside the text."""
    made = _recent.get((snapshot, options)) if snapshot else None
    if made is None:
        made = _show(document, options)
        if snapshot:
            _recent[snapshot, options] = made
    return made


_MOST_CHARS_PER_TOKEN = 6  # prose has four to five: more need not be looked at to fill a budget
# Laying out a window takes about a millisecond, a third of the time in which a kept page is shown.
_recent: LruDict[tuple[str, ViewOptions], Shown] = LruDict(64)


def _show(document: Document, options: ViewOptions) -> Shown:
    """The requested window of a document, shrunk until it fits `options.tokens`; raises InvalidInput as `show` does."""
    from mcp_web.read.links import reference_list
    from mcp_web.read.outline import section_range
    from mcp_web.read.window import cut

    start, stop = options.start, None
    if options.section:
        begin, stop = section_range(document.markdown, document.headings, options.section)
        start = max(start, begin)
    size = min(options.max_chars, options.tokens * _MOST_CHARS_PER_TOKEN)
    while True:
        window = cut(document.markdown, start, size, stop=stop)
        text, links = rendered(window.text, options)
        link_list = reference_list(links)
        cost = text + link_list
        if size <= 200 or budget.within(cost, options.tokens):
            is_beginning = window.next_start is not None and window.start == 0
            outline = outline_text(document.headings) if is_beginning else ""
            return Shown(text, window.start, window.end, window.next_start, links, link_list, outline)
        size = max(
            200, min(len(window.text) - 1, int(len(window.text) * options.tokens / budget.estimate(cost) * 0.95))
        )


def rendered(markdown: str, options: ViewOptions) -> tuple[str, tuple[Link, ...]]:
    """A window's Markdown in the requested format, and the links that are numbered in it (empty if none are)."""
    if options.format == "html":
        from mcp_web.read.html import to_html

        return to_html(markdown), ()
    if options.format == "data":
        from mcp_web.read.data import to_data

        return json.dumps(to_data(markdown), ensure_ascii=False), ()
    if options.format == "text":
        from mcp_web.read.plain import to_plain

        return to_plain(markdown), ()
    if options.links == "inline":
        return markdown, ()
    from mcp_web.read.links import numbered, text_only

    if options.links == "none":
        return text_only(markdown), ()
    return numbered(markdown, options.page.partition("#")[0], WHOLE_PAGE if options.is_whole else SHOWN_LINKS)


def header(view: PageView, shown: Shown) -> str:
    """The first line of the answer: status, cache state, size or offsets, snapshot, redirect."""
    document = view.document
    facts = [status_of(document)]
    if view.cache:
        facts.append(view.cache + (f" ({ago(view.age)} old)" if view.cache in ("hit", "stale") else ""))
    total = len(document.markdown)
    facts.append(
        f"{total:,} chars"
        if shown.next_start is None and shown.start == 0
        else f"chars {shown.start:,}–{shown.end:,} of {total:,}"
    )
    if view.snapshot:
        facts.append(f"snapshot {view.snapshot[:16]}")
    if view.authenticated:
        facts.append("authenticated: yes")
    if document.metadata.archived_url:
        facts.append(f"archived copy of {copy_day(document.metadata.archived_url)}")
    if view.final_url and view.final_url != view.url:
        facts.append(f"redirected to {shortened(view.final_url, URL_CHARS)}")
    return " · ".join(facts)


def status_of(document: Document) -> str:
    """`success`, or `partial` for a page without text or behind a wall (login, paywall, bot check, consent)."""
    return "partial" if document.wall or not document.markdown.strip() else "success"


def front_matter(view: PageView) -> str:
    """The front matter of a page (title, source, dates, author), as lines between two `---`."""
    meta = view.document.metadata
    rows = {
        "title": view.document.title,
        "source": view.final_url or view.url,
        "fetched_at": iso(view.fetched_at) if view.fetched_at else None,
        "siteconfig": view.document.siteconfig,
        "author": meta.author,
        "published": meta.published,
        "archived": meta.archived_url,
    }
    return "---\n" + "\n".join(f"{name}: {one_line(value)}" for name, value in rows.items() if value) + "\n---"


def as_data(view: PageView, options: ViewOptions, shown: Shown, notes: list[str]) -> dict[str, Any]:
    """The shown window and all facts about the page, for structured clients; `notes` come before the page's own."""
    document = view.document
    meta_facts = document.metadata
    data: dict[str, Any] = {
        "url": view.url,
        "final_url": view.final_url or view.url,
        "status": status_of(document),
        "title": document.title,
        "content": shown.text,
        "content_length": len(document.markdown),
        "start": shown.start,
        "truncated": shown.next_start is not None,
        "next_start": shown.next_start,
        "outline": [
            {"level": one.level, "text": one.text, "start": one.start}
            for one in document.headings[: None if options.is_whole else MAX_OUTLINE]
        ],
        "metadata": metadata_facts(meta_facts)
        | {
            "content_type": meta_facts.content_type or view.media_type,
            "archived_url": meta_facts.archived_url,
            "structured_data": list(meta_facts.structured_data),
        },
        "links": link_rows(shown.links),
        "snapshot": view.snapshot,
        "cache": {"state": view.cache, "age": round(view.age)} if view.cache else None,
        "fetched_at": iso(view.fetched_at) if view.fetched_at else None,
        "extractor": document.extractor,
        "siteconfig": document.siteconfig,
        "timings": {name: round(ms, 1) for name, ms in view.timings.items()},
        "notes": [*notes, *view.notes, *document.notes],
    }
    if document.wall:
        data["wall"] = document.wall
    if document.explain is not None:
        data["explain"] = document.explain
    return data


def metadata_facts(meta: Metadata) -> dict[str, str | None]:
    """The metadata of a page that every answer about it has, by name; None for what the page does not state."""
    names = ("description", "author", "published", "modified", "site_name", "language", "canonical_url")
    return {name: getattr(meta, name) for name in names}


def link_rows(links: Sequence[Link]) -> list[dict[str, str]]:
    return [{"text": link.text, "url": link.url} for link in links]


def meta(view: PageView, shown: Shown) -> dict[str, Any]:
    """The facts about a shown page for the field `_meta` of the result; unknown ones are left out."""
    facts = {
        "url": view.url,
        "final_url": view.final_url,
        "snapshot": view.snapshot,
        "cache": view.cache,
        "age": round(view.age) if view.cache else None,
        "status": status_of(view.document),
        "start": shown.start,
        "end": shown.end,
        "content_length": len(view.document.markdown),
        "next_start": shown.next_start,
        "fetched_at": iso(view.fetched_at) if view.fetched_at else None,
    }
    return {name: value for name, value in facts.items() if value is not None}


def outline_text(headings: tuple[Heading, ...]) -> str:
    """The first 80 headings, one a line after its offset in the Markdown, and how many more; "" for fewer than two."""
    if len(headings) < 2:
        return ""
    rows = [
        f"{heading.start} {'#' * heading.level} {one_line(heading.text)[:100]}" for heading in headings[:MAX_OUTLINE]
    ]
    if len(headings) > MAX_OUTLINE:
        rows.append(f"… {len(headings) - MAX_OUTLINE} more headings")
    return "\n".join(rows)


def continued(call_text: str, **more: Any) -> str:
    """A tool call as text, such as `web_open(url="…")`, with further arguments (`more`) added."""
    name, _, rest = call_text.partition("(")
    inside = [rest[:-1]] if rest[:-1] else []
    extra = (f"{key}={json.dumps(value, ensure_ascii=False)}" for key, value in more.items())
    return f"{name}({', '.join([*inside, *extra])})"


def ago(seconds: float) -> str:
    """A duration in its largest unit, such as `3 h`."""
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"
