"""What every store can do. Small, and without policy: it answers rows and candidates; ranking, freshness and
retention are decided by the rooms. Everything is async; a driver that blocks runs in its own thread.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, TypeVar

from mcp_web.model.citation import CitationKind, Mention
from mcp_web.model.passage import PackedVectors
from mcp_web.model.snapshot import Snapshot, SnapshotInfo, Source

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PurgeRule:
    """Which web pages go. All given conditions must hold; research is never purged."""

    older_than: float | None = None  # seconds since last use
    domain: str | None = None  # host or its subdomains
    keep_newest: int | None = None  # leave this many pages, the least recently used go first
    max_bytes: int | None = None  # shrink the stored text to this
    key: str | None = None  # one page in one variant
    url: str | None = None  # one page in all variants


@dataclass(frozen=True, slots=True)
class Purged:
    pages: int
    snapshots: int
    bytes: int
    examples: tuple[str, ...]  # URLs, at most ten


@dataclass(frozen=True, slots=True)
class StoreFigures:
    pages: int
    snapshots: int
    text_bytes: int
    file_bytes: int
    oldest: float | None
    newest: float | None


@dataclass(frozen=True, slots=True)
class Derived:
    """What the archive read out of a document, kept in one transaction with it."""

    date: str | None = None  # ISO date; None takes the day it was fetched
    names: tuple[str, ...] = ()  # by which others cite it: URLs, "doi:…", "arxiv:…", "path:…", "wiki:…"
    mentions: tuple[Mention, ...] = ()  # what it cites


@dataclass(frozen=True, slots=True)
class DocumentFilter:
    """Which documents a search may answer with."""

    source: Source | None = None
    since: str | None = None  # ISO date, inclusive
    until: str | None = None
    collection: str | None = None  # a tag, or the name of a synced folder; case does not matter


@dataclass(frozen=True, slots=True)
class WordQuery:
    """Words as folded by `store.words`; more of the wanted words, and rarer ones, count more."""

    words: tuple[str, ...] = ()  # any of them
    prefixes: tuple[str, ...] = ()  # any word that begins so
    required: tuple[str, ...] = ()  # all of them, counted like `words`
    excluded: tuple[str, ...] = ()
    filter: DocumentFilter = DocumentFilter()


class Candidate(NamedTuple):
    """A document that may answer; scores compare within one call only."""

    key: str
    score: float


@dataclass(frozen=True, slots=True)
class Card:
    """What a list of results shows of a document, and its text to quote from."""

    key: str
    hash: str
    url: str
    title: str
    source: Source
    date: str
    path: str | None
    tags: tuple[str, ...]
    variant: str
    markdown: str


@dataclass(frozen=True, slots=True)
class WordAnswer:
    candidates: tuple[Candidate, ...]  # best first
    unknown: tuple[str, ...] = ()  # wanted words that stand in no document
    cards: Mapping[str, Card] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Edge:
    """One document cites another thing; `target` is a page key when that thing is kept."""

    source: str
    target: str | None
    url: str
    kind: CitationKind
    start: int  # of the sentence, in the newest text of `source`
    end: int
    confidence: float


class Finder(Protocol):
    """The questions of one search. They are asked in a thread, over one state of the store, without waiting."""

    def by_words(self, query: WordQuery, limit: int, *, cards: int = 0) -> WordAnswer:
        """The best documents by BM25 over their newest versions, with the cards of the first few. Scores lie in 0…1:
        the share of what a document full of the wanted words would get."""
        ...

    def by_vector(
        self,
        model: str,
        vector: Sequence[float],
        limit: int,
        filter: DocumentFilter | None = None,
        *,
        also: Sequence[str] = (),
        quick: bool = False,
    ) -> list[Candidate]:
        """The documents with the passages nearest to a vector, by cosine, among those with kept vectors; beyond the
        limit those of `also` that have vectors too. `quick`: in a large collection `also` may be all, if not few."""
        ...

    def word_counts(self, words: Sequence[str]) -> dict[str, int]:
        """How many documents hold each of these words; unknown words are left out."""
        ...

    def cards(self, keys: Sequence[str]) -> dict[str, Card]: ...


class Store(Protocol):
    """Pages and their snapshots, vectors, short-lived notes, figures."""

    # pages and snapshots
    async def latest(self, key: str) -> Snapshot | None:
        """The newest version of a page; marks it as used."""
        ...

    async def snapshot(self, hash_or_prefix: str) -> Snapshot | None:
        """One version by its hash, by a unique prefix of it (≥ 8 hex digits), or the newest by page key."""
        ...

    async def versions(self, key: str) -> list[SnapshotInfo]:
        """All kept versions of a page, newest first."""
        ...

    async def keep(self, snapshot: Snapshot, derived: Derived | None = None) -> None:
        """Add a version (or refresh the same one), in one transaction with everything derived from it.

        Without `derived` the document can be found by its words and cited by its URLs, and cites nothing.
        """
        ...

    async def keep_many(self, kept: Sequence[tuple[Snapshot, Derived | None]]) -> None:
        """Keep several at once, all of them or none: a transaction for each would cost more than the rows."""
        ...

    async def confirm(self, key: str, checked_at: float, fresh_until: float) -> None:
        """The origin said that the newest version is still right."""
        ...

    async def recent(self, limit: int, source: Source | None = None) -> list[SnapshotInfo]:
        """The newest versions, most recently used pages first."""
        ...

    async def complete(self, prefix: str, limit: int) -> list[str]:
        """Snapshot hashes that begin with a prefix."""
        ...

    async def seen(self, urls: Sequence[str]) -> dict[str, SnapshotInfo]:
        """Which of these canonical URLs are kept (any variant), newest version each."""
        ...

    async def keep_picture(self, hash_: str, png: bytes) -> None:
        """Put a picture beside a kept version; it goes with it, and takes the place of the page's earlier one."""
        ...

    async def picture(self, hash_: str) -> bytes | None:
        """The picture of one version, by its whole hash."""
        ...

    async def purge(self, rule: PurgeRule, *, dry_run: bool) -> Purged:
        """Remove what the rule names, or only say what it would remove."""
        ...

    async def trim_versions(self, most: int) -> int:
        """Leave each page at most this many versions, the newest; answers how many went."""
        ...

    # vectors: one packed blob per page and model
    async def vectors(self, key: str, model: str) -> PackedVectors | None: ...

    async def keep_vectors(self, key: str, packed: PackedVectors) -> None: ...

    async def drop_vectors(self, but: str) -> int:
        """Forget the vectors of every model but one; answers how many pages had such."""
        ...

    # finding: candidates and rows, no policy
    async def finding(self, work: Callable[[Finder], T]) -> T:
        """Run a function that asks for candidates and rows, several times if it likes, and computes with them."""
        ...

    async def cards(self, keys: Sequence[str]) -> dict[str, Card]: ...

    async def titles(self, keys: Sequence[str]) -> dict[str, str]:
        """The titles of documents, their URLs where they have none."""
        ...

    async def lacking_vectors(self, model: str, limit: int) -> list[str]:
        """Keys of documents of whose newest text this model has not read everything."""
        ...

    async def cites(self, keys: Sequence[str], limit: int) -> list[Edge]:
        """What these documents cite."""
        ...

    async def cited_by(self, keys: Sequence[str], limit: int) -> list[Edge]:
        """What cites these documents."""
        ...

    async def listing(self, source: Source, path_prefix: str = "") -> list[tuple[str, str, str, str | None]]:
        """(path, key, newest hash, etag) of every document of a source whose path begins so, by path."""
        ...

    async def keys(
        self, after: str = "", limit: int = 1000, source: Source | None = None, collection: str | None = None
    ) -> list[str]:
        """Page keys in their own order, from after one on: for walking through everything."""
        ...

    async def collections(self) -> dict[str, int]:
        """How many documents each tag and each synced folder has, by name."""
        ...

    async def remove(self, keys: Sequence[str]) -> int:
        """Remove documents of any source, with their versions."""
        ...

    async def tidy(self) -> None:
        """Finish what waits: merge the index, sweep the dead, give space back."""
        ...

    # notes: small JSON values that expire (search answers, robots files, failures, per-site memory)
    async def note(self, kind: str, key: str) -> Any | None:
        """The value kept under (kind, key), or None when absent or expired."""
        ...

    async def keep_note(self, kind: str, key: str, value: Any, expires_at: float) -> None: ...

    async def drop_notes(self, kind: str) -> int: ...

    # figures
    async def add_figures(self, drained: dict[str, Any]) -> None:
        """Add what `trace.figures.drain()` gave to the kept totals."""
        ...

    async def figures(self) -> dict[str, Any]:
        """The kept totals, in the shape of `drain()`."""
        ...

    async def size(self) -> StoreFigures: ...

    async def close(self) -> None: ...
