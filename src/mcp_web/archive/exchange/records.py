"""Snapshots as complete plain records: read from a store, and imported into one."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import anyio.to_thread

from mcp_web import trace
from mcp_web.archive.derive import keep
from mcp_web.errors import InvalidInput
from mcp_web.model.snapshot import Snapshot, Source, snapshot_hash
from mcp_web.model.wire import document_from_json, facts_to_json
from mcp_web.store.protocol import Store
from mcp_web.text.untrusted import one_line

_FIELDS = (
    "key", "hash", "url", "final_url", "variant", "fetched_at", "checked_at", "fresh_until", "status", "etag",
    "last_modified", "media_type", "source", "path", "authenticated",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Exchanged:
    """How many documents and versions were exported or imported, and which could not be."""

    documents: int = 0
    versions: int = 0
    failed: tuple[tuple[str, str], ...] = ()  # what, and why


def record_of(snapshot: Snapshot) -> dict[str, Any]:
    """Everything about a snapshot except its text, as JSON values; times are Unix times. `snapshot_of` reverses it."""
    record: dict[str, Any] = {name: getattr(snapshot, name) for name in _FIELDS}
    return record | {
        "headers": [list(pair) for pair in snapshot.headers],
        "timings": dict(snapshot.timings),
        "tags": list(snapshot.tags),
        "document": facts_to_json(snapshot.document),
    }


def snapshot_of(record: Mapping[str, Any], text: str) -> Snapshot:
    """The snapshot from a record and its text; raises InvalidInput for a bad record, or if the hash does not match."""
    try:
        made = Snapshot(
            **{name: record[name] for name in _FIELDS},
            document=document_from_json(record["document"], text),
            headers=tuple((name, value) for name, value in record["headers"]),
            timings=dict(record["timings"]),
            tags=tuple(record["tags"]),
        )
        bytes.fromhex(made.key)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InvalidInput(f"The record was not written by mcp-web: {error!r}.") from error
    if made.source not in ("web", "research") or len(made.key) != 64:
        raise InvalidInput(f"The record of {made.url!r} has an unknown source or key.")
    if snapshot_hash(made.key, text) != made.hash:
        raise InvalidInput(f"The text of {made.url!r} does not match its hash: the record is damaged.")
    return made


class Exporter:
    """Reads the documents of a store, or only those of one source or collection, and counts what it has read."""

    def __init__(self, store: Store, source: Source | None = None, collection: str | None = None) -> None:
        self._store = store
        self._source: Source | None = source
        self._collection = collection
        self._documents = self._versions = 0

    async def versions(self) -> AsyncIterator[tuple[Snapshot, bool]]:
        """Each version of each document, with configured secrets masked, oldest first, and whether it is the newest."""
        async for key in self._keys():
            infos = await self._store.versions(key)
            for info in reversed(infos):
                if (version := await self._store.snapshot(info.hash)) is not None:
                    self._versions += 1
                    yield without_secrets(version), info is infos[0]

    async def newest(self) -> AsyncIterator[Snapshot]:
        """The newest version of each document, with configured secrets masked."""
        async for key in self._keys():
            if (version := await self._store.snapshot(key)) is not None:
                self._versions += 1
                yield without_secrets(version)

    async def _keys(self) -> AsyncIterator[str]:
        after = ""
        while keys := await self._store.keys(after, 200, self._source, self._collection):
            for key in keys:
                self._documents += 1
                yield key
            after = keys[-1]

    def done(self) -> Exchanged:
        """How many documents and versions were read so far."""
        return Exchanged(self._documents, self._versions)


def without_secrets(snapshot: Snapshot) -> Snapshot:
    """The version with configured secrets masked; if they were in its text, with a new hash, no headings or links."""
    masked = trace.redact_all(snapshot)
    if masked == snapshot:
        return snapshot
    text = masked.document.markdown
    if text == snapshot.document.markdown:
        return replace(masked, key=snapshot.key, hash=snapshot.hash)
    # The offsets of headings and links no longer match the text.
    document = replace(masked.document, headings=(), links=())
    return replace(masked, key=snapshot.key, document=document, hash=snapshot_hash(snapshot.key, text))


class Importer:
    """Stores imported versions, and counts successes and failures."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._keys: set[str] = set()
        self._versions = 0
        self._failed: list[tuple[str, str]] = []

    async def keep(self, snapshot: Snapshot) -> None:
        """Store an imported version; one that is in the store already and was checked later remains the newest. What is
        research in the store stays research, with its path and tags."""
        document = replace(snapshot.document, title=one_line(snapshot.document.title))  # in a file it may have more
        snapshot = replace(snapshot, document=document)
        present = await self._store.latest(snapshot.key)
        if present is not None and present.source == "research" and snapshot.source == "web":
            snapshot = replace(snapshot, source=present.source, path=present.path, tags=present.tags)
        await keep(self._store, snapshot)
        if present is not None and present.checked_at > snapshot.checked_at:
            await keep(self._store, present)
        self._keys.add(snapshot.key)
        self._versions += 1

    async def read(self, what: str, work: Callable[..., Snapshot], *given: Any) -> None:
        """Store the version that `work` returns, called in a thread with the values `given`; if it raises, record that
        the item `what`, such as "line 3", could not be imported."""
        try:
            snapshot = await anyio.to_thread.run_sync(work, *given)
        except (InvalidInput, OSError, ValueError, KeyError, AttributeError, TypeError) as error:
            self.fail(what, error)
        else:
            await self.keep(snapshot)

    def fail(self, what: str, error: Exception) -> None:
        """Record that the item `what`, such as "line 3", could not be imported."""
        why = str(error)
        if isinstance(error, json.JSONDecodeError):
            why = "It is not JSON."
        elif isinstance(error, UnicodeDecodeError):
            why = "It is not UTF-8 text."
        elif isinstance(error, KeyError | AttributeError | TypeError):
            why = f"The record was not written by mcp-web: {error!r}."
        self._failed.append((what, why))

    def done(self) -> Exchanged:
        """How many documents and versions were imported so far, and which items could not be."""
        return Exchanged(len(self._keys), self._versions, tuple(self._failed))
