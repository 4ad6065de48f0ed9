"""What every store can do. Small, and without policy: it answers rows and candidates; ranking, freshness and
retention are decided by the rooms. Everything is async; a driver that blocks runs in its own thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from mcp_web.model.passage import PackedVectors
from mcp_web.model.snapshot import Snapshot, SnapshotInfo, Source


@dataclass(frozen=True, slots=True)
class PurgeRule:
    """Which web pages go. All given conditions must hold; research is never purged."""

    older_than: float | None = None  # seconds since last use
    domain: str | None = None  # host or its subdomains
    keep_newest: int | None = None  # leave this many pages, the least recently used go first
    max_bytes: int | None = None  # shrink the stored text to this
    key: str | None = None  # one page


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

    async def keep(self, snapshot: Snapshot) -> None:
        """Add a version (or refresh the same one), in one transaction with everything derived from it."""
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

    async def purge(self, rule: PurgeRule, *, dry_run: bool) -> Purged:
        """Remove what the rule names, or only say what it would remove."""
        ...

    async def trim_versions(self, most: int) -> int:
        """Leave each page at most this many versions, the newest; answers how many went."""
        ...

    # vectors: one packed blob per page and model
    async def vectors(self, key: str, model: str) -> PackedVectors | None: ...

    async def keep_vectors(self, key: str, packed: PackedVectors) -> None: ...

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
