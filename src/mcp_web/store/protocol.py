"""The interface of stores. It has no policy: it returns rows, ranked keys and counts; callers decide field weights,
labels, fusion, freshness and retention. Everything is async; a driver that blocks runs in a thread.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from mcp_web.model.citation import CitationKind, Mention
from mcp_web.model.passage import PackedVectors
from mcp_web.model.snapshot import ReadingRecord, Snapshot, SnapshotInfo, Source

if TYPE_CHECKING:
    from mcp_web.text.names import Name  # imported only for its type: the list of tools must not load the stemmer


@dataclass(frozen=True, slots=True)
class PurgeRule:
    """Which web pages to delete: those that match all given conditions. A user's own documents are never purged."""

    older_than: float | None = None  # seconds since last use
    domain: str | None = None  # host or its subdomains
    keep_newest: int | None = None  # leave this many pages, delete the least recently used first
    max_bytes: int | None = None  # shrink the kept text to this
    key: str | None = None  # one page in one variant
    url: str | None = None  # one page in all variants


@dataclass(frozen=True, slots=True)
class Purged:
    """What a purge deleted, or with `dry_run` would delete: how many pages, versions and bytes, and some URLs."""

    pages: int
    snapshots: int
    bytes: int
    examples: tuple[str, ...]  # URLs, at most ten


@dataclass(frozen=True, slots=True)
class StoreSize:
    """How many pages and versions a store keeps, how many bytes they take, and when the first and last were fetched."""

    pages: int
    snapshots: int
    text_bytes: int  # of the kept versions, compressed, with their screenshots
    disk_bytes: int  # everything that the store takes on its disk, indexes included
    oldest: float | None  # when the oldest and the newest version were fetched; None if there is none
    newest: float | None


@dataclass(frozen=True, slots=True)
class Derived:
    """What the archive derives from the newest version of a document, kept in one transaction with it."""

    date: str = ""  # ISO date
    language: str = ""  # its code, by which words are stemmed
    words: Mapping[str, int] = field(default_factory=dict)  # the weight of each word in the document
    defines: frozenset[str] = frozenset()  # the keys of its title and of the names that it defines (text/names.py)
    labels: tuple[str, ...] = ()  # the collections that the document is in
    names: tuple[str, ...] = ()  # under which others cite the document: URLs, "doi:…", "arxiv:…", "path:…", "wiki:…"
    mentions: tuple[Mention, ...] = ()  # what it cites


NOTHING = Derived()  # a document that is neither found by words nor linked by citations


@dataclass(frozen=True, slots=True)
class DocumentFilter:
    """Which documents a search may return: those that match all conditions that are set."""

    source: Source | None = None
    since: str | None = None  # ISO date, inclusive
    until: str | None = None
    collection: str | None = None  # a tag, or the name of a synced folder; case does not matter
    domain: str | None = None  # host or its subdomains
    language: str | None = None  # code, as "de"
    # Seconds since the epoch, of the last use; only `Store.browse` applies them.
    used_since: float | None = None
    used_before: float | None = None


@dataclass(frozen=True, slots=True)
class WordQuery:
    """A search by words, as `text.words` splits them: documents with more, and rarer, wanted ones rank higher."""

    words: tuple[str, ...] = ()  # any of them
    prefixes: tuple[str, ...] = ()  # any word with one of these prefixes
    required: tuple[str, ...] = ()  # all of them, counted like `words`
    excluded: tuple[str, ...] = ()
    names: tuple[Name, ...] = ()  # a document that defines one has the highest weight for its words
    filter: DocumentFilter = DocumentFilter()


@dataclass(frozen=True, slots=True)
class VectorQuery:
    """A search for the documents with the passages nearest to a vector of a model."""

    model: str
    vector: Sequence[float]
    limit: int
    filter: DocumentFilter = DocumentFilter()
    also: Sequence[str] = ()  # keys of documents to return too if they have vectors, whatever their rank
    quick: bool = False  # in a large collection: return only those of `also`, if they are twice `limit` or more


class Candidate(NamedTuple):
    """A document that a search found, with its key and score; scores are comparable only within one call."""

    key: str
    score: float


class Headline(NamedTuple):
    """The title, the place (URL, path) and the language of a document."""

    title: str
    url: str
    path: str | None
    language: str = ""  # as in DocumentRow


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """The fields of a document for a list of results, and its text for snippets."""

    key: str
    hash: str
    url: str
    title: str
    source: Source
    date: str
    path: str | None
    tags: tuple[str, ...]
    variant: str
    language: str  # the code of the language of its text; empty if it is uncertain
    markdown: str


@dataclass(frozen=True, slots=True)
class WordMatches:
    """The result of a search by words: the documents, best first, and what the index knows of the words."""

    candidates: tuple[Candidate, ...]  # best first
    unknown: tuple[str, ...] = ()  # wanted words that no document contains
    rarities: Mapping[str, float] = field(default_factory=dict)  # by wanted word: what it can add to a score
    defined: frozenset[str] = frozenset()  # the keys of the wanted names that some document defines


class Share(NamedTuple):
    """A collection (a tag or a synced folder) of one tenant that another tenant may read."""

    owner: str
    collection: str
    reader: str  # empty: every tenant


class Record(NamedTuple):
    """A small JSON value of one kind under its key, which several processes may change; it may expire."""

    key: str
    value: Any
    expires_at: float | None = None  # Unix time; None: never


@dataclass(frozen=True, slots=True)
class StoredVectors:
    """The vectors of a page and a model in the compact form of store/quantized.py."""

    model: str
    dim: int
    digests: bytes
    data: bytes
    snapshot: str = ""  # as in PackedVectors


@dataclass(frozen=True, slots=True)
class PageRecord:
    """Everything that is kept of one page, for copying it to another store."""

    versions: tuple[Snapshot, ...]  # the newest last
    since: Mapping[str, float]  # by hash of the version: the Unix time at which it last became the newest
    used_at: float  # the Unix time of its last use
    screenshots: Mapping[str, bytes] = field(default_factory=dict)  # by hash of the version
    vectors: tuple[StoredVectors, ...] = ()  # one for each model
    readings: tuple[ReadingRecord, ...] = ()  # the newest first


@dataclass(frozen=True, slots=True)
class Edge:
    """A citation: one document cites another, or something that is not kept."""

    source: str  # the key of the citing document
    target: str | None  # the key of the cited document, if it is kept
    url: str  # of what is cited
    kind: CitationKind
    start: int  # of the sentence, in the newest text of `source`
    end: int
    confidence: float


class Store(Protocol):
    """What is kept: pages with their snapshots (versions), readings and vectors, records, short-lived notes, metrics.

    Reading: a record of what a caller was shown of a page (`ReadingRecord`). Every method raises CacheError when the
    store fails, and ConfigError where the operator has to act.
    """

    # pages and snapshots
    async def latest(self, key: str) -> Snapshot | None:
        """The newest version of a page, which is then marked as used now; None if the page is not kept."""

    async def snapshot(self, hash_or_prefix: str) -> Snapshot | None:
        """One version by its hash or a prefix of it (≥ 8 hex digits). If no version has that hash: the newest version
        of the page whose key begins with it. None if nothing, or more than one, matches."""

    async def versions(self, key: str) -> list[SnapshotInfo]:
        """All kept versions of a page, the one that last became current first; empty for an unknown page."""

    async def keep(self, snapshot: Snapshot, derived: Derived = NOTHING) -> None:
        """Make this version the newest of its page: add it, or update its times and facts if it is already kept.
        `derived` replaces what was derived from the page before, in the same transaction."""

    async def keep_many(self, kept: Sequence[tuple[Snapshot, Derived]]) -> None:
        """Keep several versions as `keep` does, in one transaction, which is much faster than one for each."""

    async def page_records(self, keys: Sequence[str]) -> dict[str, PageRecord]:
        """Everything that is kept of the pages with these keys, by key; unknown keys are left out."""

    async def keep_page_records(self, records: Sequence[tuple[PageRecord, Derived]]) -> None:
        """Write pages as `page_records` returned them, in place of what is kept of these pages, in one transaction."""

    async def confirm(self, key: str, checked_at: float, fresh_until: float) -> None:
        """Set these Unix times of the newest version of a page, because its server confirmed that it is current."""

    async def browse(
        self, limit: int, *, after: str = "", filter: DocumentFilter | None = None
    ) -> tuple[list[SnapshotInfo], str]:
        """The newest versions of at most `limit` documents that match the filter, most recently used first, and the
        value of `after` for the next call: empty at the end. Raises InvalidInput for another `after`."""

    async def complete(self, prefix: str, limit: int) -> list[str]:
        """At most `limit` snapshot hashes that begin with a prefix, ascending, to complete what a user types."""

    async def seen(self, urls: Sequence[str]) -> dict[str, SnapshotInfo]:
        """The newest version of each of these URLs (canonical) that is kept, also as a redirect target, by URL."""

    async def keep_screenshot(self, hash_: str, png: bytes) -> None:
        """Keep the PNG screenshot of the version with this hash, in place of an earlier one of the page; it is deleted
        with the version. Does nothing for an unknown version."""

    async def screenshot(self, hash_: str) -> bytes | None:
        """The PNG screenshot of the version with this (whole) hash; None if there is none."""

    async def purge(self, rule: PurgeRule, *, dry_run: bool) -> Purged:
        """Delete the pages that match the rule, and report them; with `dry_run`, only report them. Raises InvalidInput
        for a rule without a condition."""

    async def trim_versions(self, most: int) -> int:
        """Delete all but the newest `most` versions of each page; returns how many versions were deleted."""

    # readings: what callers were shown of a page, kept as long as the page, at most three months
    async def add_readings(self, key: str, readings: Sequence[ReadingRecord]) -> None:
        """Add readings of a page, oldest first; does nothing for an unknown page, or while another process writes."""

    async def readings(self, key: str) -> list[ReadingRecord]:
        """The last readings of a page (records of what callers were shown), newest first; none in a shared store."""

    async def remove_readings(self, key: str) -> int:
        """Delete the readings of a page (records of what callers were shown); returns how many there were."""

    # vectors: one packed blob per page and model
    async def vectors(self, key: str, model: str) -> PackedVectors | None:
        """The vectors of a page by one model; None if there are none."""

    async def keep_vectors(self, packed: Mapping[str, PackedVectors]) -> None:
        """Replace the vectors of pages, by key; those of other models stay. Skips pages that are no longer kept."""

    async def drop_vectors(self, keep: Sequence[str]) -> int:
        """Delete the vectors of every model not in `keep`; returns how many there were, one for each page and model."""

    # search: ranked keys, rows and counts
    async def find_by_words(self, query: WordQuery, limit: int) -> WordMatches:
        """At most `limit` documents that contain words of the query, best first, ranked by BM25 over their newest
        versions; scores are shares (0…1) of the highest possible. Also returns what the index knows of the words."""

    async def find_by_vector(self, query: VectorQuery) -> list[Candidate]:
        """The documents nearest to the vector, best first; a score is the cosine of the document's nearest passage."""

    async def word_counts(self, words: Sequence[str]) -> dict[str, int]:
        """About how many documents contain each of these words; those that none contains are left out."""

    async def unindexed(self, limit: int) -> list[str]:
        """At most `limit` keys of documents whose index format is out of date: keeping them again indexes them anew."""

    async def documents(self, keys: Sequence[str]) -> dict[str, DocumentRow]:
        """The rows of documents by key; unknown keys are left out."""

    async def headlines(self, keys: Sequence[str]) -> dict[str, Headline]:
        """The titles, places and languages of documents by key, without their text; unknown keys are left out."""

    async def lacking_vectors(self, model: str, limit: int) -> list[str]:
        """At most `limit` keys of documents for whose newest text this model's vectors are missing or incomplete."""

    async def count_lacking_vectors(self, model: str) -> int:
        """The number of documents that `lacking_vectors` would return without a limit."""

    async def cites(self, keys: Sequence[str], limit: int) -> list[Edge]:
        """What these documents cite, at most `limit` citations of each, kept documents first."""

    async def cited_by(self, keys: Sequence[str], limit: int) -> list[Edge]:
        """What cites these documents, at most `limit` citations of each, the most certain first."""

    async def listing(self, source: Source, path_prefix: str = "") -> list[tuple[str, str, str, str | None]]:
        """(path, key, newest hash, etag) of every document of a source whose path begins with the prefix, by path."""

    async def keys(
        self, after: str = "", limit: int = 1000, source: Source | None = None, collection: str | None = None
    ) -> list[str]:
        """At most `limit` page keys after the key `after`, ascending: all, or those of a source or in a collection."""

    async def hosts(self, limit: int) -> list[tuple[str, int]]:
        """The `limit` hosts with the most documents, and how many each has."""

    async def collections(self) -> dict[str, int]:
        """The names of all tags and synced folders, each with the number of its documents."""

    async def remove(self, keys: Sequence[str]) -> int:
        """Delete documents of any source, by key, with their versions; returns how many documents there were."""

    async def maintain(self) -> None:
        """Finish pending work: merge new documents into the index, delete expired rows, release free space."""

    # records: JSON values that several processes change (watch list, crawl frontier, model in use, search history)
    async def record(self, kind: str, key: str) -> Any | None:
        """The value of the record under (kind, key); None when there is none or it has expired."""

    async def records(self, kind: str, *, limit: int = 100_000, newest_first: bool = False) -> list[Record]:
        """At most `limit` records of a kind that have not expired, the first added or the last added first."""

    async def record_kinds(self) -> list[str]:
        """The kinds that have records."""

    async def add_records(self, kind: str, items: Mapping[str, Any], expires_at: float | None = None) -> list[str]:
        """Add records of a kind (values by key). Those that exist and have not expired stay as they are. Returns the
        keys of those that were added. `expires_at` is a Unix time; None: never."""

    async def keep_record(self, kind: str, key: str, value: Any, expires_at: float | None = None) -> None:
        """Add or overwrite one record; it expires at the Unix time `expires_at` (None: never)."""

    async def replace_record(
        self, kind: str, key: str, value: Any, *, expected: Any, expires_at: float | None = None
    ) -> bool:
        """Overwrite a record only if it exists and its value still is `expected`; returns whether it did.
        `expires_at` is a Unix time; None: never."""

    async def remove_records(self, kind: str, keys: Sequence[str] | None = None) -> list[str]:
        """Delete the records with these keys, or (None) all of the kind; returns the keys of those that there were."""

    # notes: small JSON values that expire, a cache (search answers, robots files, failures, per-site memory)
    async def note(self, kind: str, key: str) -> Any | None:
        """The value of the note under (kind, key); None when there is none or it has expired."""

    async def keep_note(self, kind: str, key: str, value: Any, expires_at: float) -> None:
        """Keep a value until `expires_at` (seconds since the epoch), in place of an earlier one under (kind, key)."""

    async def notes(self, after: tuple[str, str] = ("", ""), limit: int = 1000) -> list[tuple[str, Record]]:
        """At most `limit` notes after the pair `after` that have not expired, as (kind, note), by kind and key."""

    # metrics
    async def add_metrics(self, drained: dict[str, Any]) -> None:
        """Add what `trace.metrics.drain()` returned to the kept totals."""

    async def metrics(self) -> dict[str, Any]:
        """The kept totals, in the form that `trace.metrics.drain()` returns."""

    # collections that tenants share; asked of the store of the default tenant
    async def shares(self, tenant: str) -> list[Share]:
        """The shares (collections that one tenant lets another read) that a tenant gives, and that it may read."""

    async def add_share(self, share: Share) -> None:
        """Share a collection; does nothing if it is already shared with this reader."""

    async def remove_shares(self, owner: str, collection: str, reader: str | None = None) -> int:
        """Withdraw a collection of the tenant `owner` from one reader ("" for a share with all tenants), or from all
        (None); returns how many shares there were."""

    async def size(self) -> StoreSize:
        """How many pages and versions are kept, and how much space they take."""

    async def check(self) -> list[str]:
        """Check the whole store, also every text against its hash; returns a sentence for each fault found."""

    async def close(self) -> None:
        """Write what is pending, and close all connections; later calls raise CacheError."""
