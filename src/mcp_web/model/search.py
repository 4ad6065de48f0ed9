"""A search query, and what providers returned for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

Category = Literal["general", "images", "videos", "news", "map", "music", "it", "science", "files"]
SafeSearch = Literal["off", "moderate", "strict"]
CATEGORIES: tuple[Category, ...] = get_args(Category)
Outcome = Literal[
    "ok",
    "empty",
    "blocked",
    "rate_limited",
    "auth",  # wrong configuration: a key, an address, a missing format
    "quota",
    "timeout",
    "unreachable",
    "rejected",  # this query was refused, for its words or filters; another one may succeed
    "error",
    "skipped",
]


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """One search query with its filters."""

    text: str
    count: int = 10
    page: int = 0  # from 0, of `count` results each
    category: Category = "general"
    language: str | None = None  # "en" or "en-US"
    country: str | None = None  # "US"
    freshness: str | None = None  # day week month year or "YYYY-MM-DD..YYYY-MM-DD"
    safe_search: SafeSearch = "moderate"
    include_domains: tuple[str, ...] = ()
    exclude_domains: tuple[str, ...] = ()
    extra_snippets: bool = False
    goggles: tuple[str, ...] = ()
    ui_language: str | None = None  # "en-US": of the words around the results, where a provider has some
    snippet_chars: int = 200
    rich: bool = False  # ask Brave for the key of its rich results


@dataclass(frozen=True, slots=True)
class Hit:
    """One search result. Its texts are one line each, without tags and entities."""

    title: str
    url: str
    snippet: str = ""
    domain: str = ""
    extra_snippets: tuple[str, ...] = ()
    published: str | None = None  # ISO 8601 date or date-time
    engines: tuple[str, ...] = ()  # who found it, as named by the provider
    score: float = 0.0
    thumbnail: str | None = None
    image: str | None = None  # of an image result: the image file itself; `url` is the page that shows it
    source_name: str | None = None
    duplicates: tuple[str, ...] = ()  # URLs of near-duplicates folded into this one


@dataclass(frozen=True, slots=True)
class Attempt:
    """One provider or instance that was asked, and how that ended."""

    name: str
    outcome: Outcome
    ms: float
    detail: str = ""  # why it failed, a sentence
    retry_after: float | None = None  # seconds


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """The merged answer to one query."""

    query: SearchQuery
    provider: str
    hits: tuple[Hit, ...]
    attempted: tuple[Attempt, ...]
    total: int | None = None  # the provider's estimate of all results
    more_results: bool = False
    suggestion: str | None = None  # another spelling of the query
    notes: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()  # short answers of the provider itself
    raw: Mapping[str, Any] = field(default_factory=dict)  # by provider, untouched
    cache: Literal["hit", "fetched"] = "fetched"
    elapsed_ms: float = 0.0
