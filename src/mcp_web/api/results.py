"""What the Python API returns: frozen dataclasses with a short repr and a view for notebooks."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeVar, overload

from mcp_web.model.page import Heading, Link, Metadata
from mcp_web.text.amounts import amount
from mcp_web.text.shorten import shortened

if TYPE_CHECKING:
    from mcp_web.read.quote import QuoteVerdict

T = TypeVar("T")
_REPR_CHARS = 60


def _short(text: str) -> str:
    return shortened(" ".join(text.split()), _REPR_CHARS)


def _link(url: str, text: str) -> str:
    """An HTML link, or only its text if the URL is not http(s): titles and URLs of pages are untrusted."""
    shown = html.escape(text or url)
    if not url.startswith(("http://", "https://")):
        return shown
    return f'<a href="{html.escape(url, quote=True)}">{shown}</a>'


def _table(rows: list[tuple[str, str]]) -> str:
    cells = "".join(f"<tr><td>{left}</td><td style='text-align:left'>{right}</td></tr>" for left, right in rows)
    return f"<table>{cells}</table>"


class _Items(Sequence[T]):
    """Base class of results that can be iterated over, counted, indexed and sliced; they are in `_items`."""

    __slots__ = ()

    @property
    def _items(self) -> tuple[T, ...]:
        raise NotImplementedError

    def __len__(self) -> int:
        return len(self._items)

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[T, ...]: ...
    def __getitem__(self, index: int | slice) -> T | tuple[T, ...]:
        return self._items[index]


@dataclass(frozen=True, slots=True, repr=False)
class Page:
    """A page as Markdown, with what is known about it."""

    url: str
    title: str
    markdown: str
    snapshot: str  # the hash of this version, a source for `Web.verify` and `Web.cite`; "" for extracted HTML
    cache: Literal["hit", "revalidated", "fetched", "stale", "none"] = "none"
    metadata: Metadata = field(default_factory=Metadata)
    headings: tuple[Heading, ...] = ()
    links: tuple[Link, ...] = ()
    complete: bool = True  # False behind a paywall or login
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        facts = (repr(_short(self.title)), amount(len(self.markdown), "character"), self.url)
        return f"Page({', '.join(filter(None, facts))})"

    def __str__(self) -> str:
        return self.markdown

    def _repr_html_(self) -> str:
        text = f"<pre style='white-space:pre-wrap'>{html.escape(self.markdown)}</pre>"
        return f"<h3>{_link(self.url, self.title)}</h3>{text}"


@dataclass(frozen=True, slots=True, repr=False)
class SearchHit:
    """One search result."""

    rank: int
    title: str
    url: str
    snippet: str
    published: str | None = None  # ISO 8601
    engines: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"SearchHit({self.rank}, {_short(self.title)!r}, {self.url})"


@dataclass(frozen=True, slots=True, repr=False)
class SearchResults(_Items[SearchHit]):
    """The results of one query, best first; iterate over it, or index it."""

    query: str
    provider: str
    hits: tuple[SearchHit, ...]
    answers: tuple[str, ...] = ()  # instant answers, such as a calculation
    notes: tuple[str, ...] = ()

    @property
    def _items(self) -> tuple[SearchHit, ...]:
        return self.hits

    def __repr__(self) -> str:
        return f"SearchResults({_short(self.query)!r}, {amount(len(self.hits), 'hit')} from {self.provider})"

    def _repr_html_(self) -> str:
        return _table([(str(hit.rank), f"{_link(hit.url, hit.title)}<br>{html.escape(hit.snippet)}") for hit in self])


@dataclass(frozen=True, slots=True, repr=False)
class Passage:
    """A part of a page that answers a question, with what is needed to cite it."""

    id: str
    text: str
    score: float  # 0 to 1, comparable between pages
    section: tuple[str, ...]  # headings above it
    start: int  # offsets into the page's Markdown
    end: int
    quote_url: str  # opens the page at these words

    def __repr__(self) -> str:
        return f"Passage({self.score:.2f}, {_short(self.text)!r})"

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True, repr=False)
class Reading(_Items[Passage]):
    """The passages of one page for one question; iterate over it, or index it."""

    question: str
    url: str
    title: str
    answered: bool
    passages: tuple[Passage, ...]
    notes: tuple[str, ...] = ()

    @property
    def _items(self) -> tuple[Passage, ...]:
        return self.passages

    def __repr__(self) -> str:
        state = "answered" if self.answered else "not answered"
        found = amount(len(self.passages), "passage") if self.passages or not self.notes else _short(self.notes[0])
        return f"Reading({_short(self.question)!r}, {state}, {found}, {self.url})"

    def _repr_html_(self) -> str:
        head = f"<p><b>{html.escape(self.question)}</b> — {_link(self.url, self.title)}</p>"
        return head + _table([(f"{one.score:.2f}", _link(one.quote_url, one.text)) for one in self])


@dataclass(frozen=True, slots=True, repr=False)
class QuoteCheck:
    """Whether a quote appears in the source."""

    quote: str
    verdict: QuoteVerdict
    found: str = ""  # what the source says there
    section: tuple[str, ...] = ()
    quote_url: str = ""
    differences: tuple[tuple[str, str], ...] = ()  # (quoted, found)

    def __bool__(self) -> bool:
        """True when the quote is in the source: exactly, or apart from spacing, quotation marks, dashes and case."""
        return self.verdict in ("exact", "normalised")

    def __repr__(self) -> str:
        return f"QuoteCheck({self.verdict}, {_short(self.quote)!r})"


@dataclass(frozen=True, slots=True, repr=False)
class ArchiveHit:
    """One kept document that matches a search in the archive."""

    id: str
    title: str
    url: str
    date: str
    score: float
    source: Literal["web", "research"]
    snapshot: str
    snippets: tuple[str, ...] = ()
    path: str | None = None
    tags: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"ArchiveHit({self.score:.2f}, {_short(self.title)!r}, {self.date}, {self.path or self.url})"


@dataclass(frozen=True, slots=True, repr=False)
class ArchiveResults(_Items[ArchiveHit]):
    """The kept documents that match a search, best first; iterate over it, or index it."""

    query: str
    hits: tuple[ArchiveHit, ...]
    corrected_query: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def _items(self) -> tuple[ArchiveHit, ...]:
        return self.hits

    def __repr__(self) -> str:
        return f"ArchiveResults({_short(self.query)!r}, {amount(len(self.hits), 'document')})"

    def _repr_html_(self) -> str:
        return _table([
            (html.escape(hit.date), f"{_link(hit.url, hit.title)}<br>{html.escape(' … '.join(hit.snippets))}")
            for hit in self
        ])  # fmt: skip
