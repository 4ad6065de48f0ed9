"""A web page: the response (`Fetched`) and the extracted document (`Document`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Mode = Literal["auto", "readable", "raw", "rendered"]
Format = Literal["markdown", "text", "html", "data"]
Wall = Literal["paywall", "login", "bot", "shell", "consent"]
PageKind = Literal[
    "article", "documentation", "forum", "product", "listing", "collection", "service", "data", "unknown"
]


def last_header(headers: Sequence[tuple[str, str]], name: str) -> str | None:
    """The last value of a header; names are in lower case. None if it is missing."""
    return next((value for key, value in reversed(headers) if key == name), None)


@dataclass(frozen=True, slots=True)
class Fetched:
    """A response from the web: its body is decompressed and otherwise unchanged."""

    url: str  # canonical, as asked for
    final_url: str  # after redirects
    status: int
    headers: tuple[tuple[str, str], ...]  # lower-case names, in order
    body: bytes
    media_type: str  # sniffed, lower case, without parameters: "text/html"
    charset: str | None  # label in the header; None leaves it to the text itself
    fetched_at: float  # seconds since the epoch
    redirects: tuple[str, ...] = ()
    timings: Mapping[str, float] = field(default_factory=dict)  # milliseconds by step
    notes: tuple[str, ...] = ()
    authenticated: bool = False
    archived_url: str | None = None  # the URL of the copy for people, when the bytes come from the Internet Archive
    not_modified: bool = False  # a 304 to our conditional request: body is empty

    def header(self, name: str) -> str | None:
        """The last value of a header, by lower-case name; None if it is missing."""
        return last_header(self.headers, name)


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of the outline; `start` is its offset in the document's Markdown."""

    level: int
    text: str
    start: int
    anchor: str | None = None


@dataclass(frozen=True, slots=True)
class Link:
    text: str
    url: str


@dataclass(frozen=True, slots=True)
class Metadata:
    description: str | None = None
    author: str | None = None
    published: str | None = None  # ISO 8601
    modified: str | None = None
    site_name: str | None = None
    page_title: str | None = None  # the <title> as written, where it differs from the cleaned title
    language: str | None = None
    canonical_url: str | None = None
    content_type: str | None = None
    archived_url: str | None = None  # of the copy in an archive that this text was read from
    structured_data: tuple[Mapping[str, Any], ...] = ()  # JSON-LD, OpenGraph, microdata: plain JSON values


@dataclass(frozen=True, slots=True)
class ExtractRequest:
    """How a page is to be extracted. Options that change the text are part of the variant under which it is kept."""

    mode: Literal["readable", "raw"] = "readable"
    selector: str | None = None
    include_images: bool = False
    siteconfig: str | None = None  # id of a packaged or user config, or the text of one
    explain: bool = False


@dataclass(frozen=True, slots=True)
class Document:
    """An extracted page: Markdown with absolute inline links, headings with offsets, metadata."""

    title: str
    markdown: str
    extractor: str  # "name@version"
    kind: PageKind = "unknown"
    metadata: Metadata = field(default_factory=Metadata)
    headings: tuple[Heading, ...] = ()
    links: tuple[Link, ...] = ()  # of the content, absolute, each URL once, in order
    images: tuple[Link, ...] = ()
    siteconfig: str | None = None  # "id@version" of the rules used
    summary: str = ""  # extractive, at most 500 characters; of an HTML page made when asked for (text/summary.py)
    wall: Wall | None = None  # why the text is only part of what a subscriber or a browser would see
    hidden: int = 0  # pieces of invisible text removed
    notes: tuple[str, ...] = ()
    explain: Mapping[str, Any] | None = None
    next_page: str | None = None
