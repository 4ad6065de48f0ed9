"""A page as kept: one version of one page in one variant."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from mcp_web.model.page import Document
from mcp_web.model.passage import Span

Source = Literal["web", "research"]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One version (`hash`) of a page (`key`: a digest of its URL and variant). Times are in seconds since the epoch."""

    key: str  # page_key(url, variant)
    hash: str  # snapshot_hash(key, markdown): what agents cite
    url: str
    final_url: str
    variant: str  # "readable", "rendered", "readable;selector=.infobox" …
    document: Document
    fetched_at: float  # when this version was first read
    checked_at: float  # when the origin last confirmed it
    fresh_until: float  # until then it is served without asking the origin
    status: int = 200
    etag: str | None = None
    last_modified: str | None = None
    media_type: str = "text/html"
    headers: tuple[tuple[str, str], ...] = ()
    timings: Mapping[str, float] = field(default_factory=dict)
    source: Source = "web"
    path: str | None = None  # of a research document, relative to the synced folder
    tags: tuple[str, ...] = ()
    authenticated: bool = False

    @classmethod
    def of(cls, url: str, variant: str, document: Document, at: float, **facts: Any) -> Snapshot:
        """The version of a page that was read at the time `at`, with its key and hash computed.

        `facts` are further fields; without them, `final_url` is `url`, and `checked_at` and `fresh_until` are `at`.
        """
        key = page_key(url, variant)
        hash_ = snapshot_hash(key, document.markdown)
        others: dict[str, Any] = {"final_url": url, "checked_at": at, "fresh_until": at} | facts
        return cls(key, hash_, url, variant=variant, document=document, fetched_at=at, **others)


@dataclass(frozen=True, slots=True)
class SnapshotInfo:
    """A snapshot without its text: for lists of versions and pages, and for results that were opened before."""

    key: str
    hash: str
    url: str
    title: str
    variant: str
    fetched_at: float
    checked_at: float
    chars: int
    source: Source = "web"
    since: float = 0.0  # when this version last became the newest: later than fetched_at if the page changed back
    used_at: float = 0.0  # when the page was last used


def page_key(url: str, variant: str) -> str:
    """The key of a page: the SHA-256 of its canonical URL and variant, as 64 hex digits."""
    return hashlib.sha256(f"{url}\n\n{variant}".encode()).hexdigest()


def document_id(key: str) -> str:
    """The short id of a page for people and agents: the first 12 hex digits of its key."""
    return key[:12]  # among a hundred thousand pages, the chance that two have the same id is 1 in 50,000


def snapshot_hash(key: str, markdown: str) -> str:
    """The hash of a version, 64 hex digits: the same page with the same text has the same one on every machine."""
    return hashlib.sha256(f"{key}\n".encode() + markdown.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class ReadingRecord:
    """Passages of one version that were returned for one question, or quotes that were checked against it."""

    at: float  # seconds since the epoch
    tool: str
    question: str  # of quotes: the quote
    client: str  # the name of the program that asked, and of its token; empty when neither is known
    snapshot: str  # the hash of the version
    spans: tuple[Span, ...]
    outcome: str = ""  # the verdict on the question or the quote; empty when it was not recorded
