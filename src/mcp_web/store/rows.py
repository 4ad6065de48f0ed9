"""Converts rows of pages and versions to objects, the same for every store."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from datetime import date
from typing import Any

from mcp_web.errors import InvalidInput
from mcp_web.model.snapshot import ReadingRecord, Snapshot, SnapshotInfo
from mcp_web.model.wire import document_from_json
from mcp_web.store.pack import unpack_json, unpack_text
from mcp_web.store.prepare import Prepared
from mcp_web.store.protocol import DocumentFilter, DocumentRow
from mcp_web.text.urls import host_of

# The columns that `snapshot_of` and `info_of` read, of pages p and snapshots s.
FULL = """
SELECT p.key, s.hash, p.url, p.final_url, p.variant, s.facts, s.text, s.fetched_at, s.checked_at, s.fresh_until,
  s.status, s.etag, s.last_modified, s.media_type, s.answer, p.source, p.path, p.tags, s.authenticated
FROM pages p JOIN snapshots s ON """
INFO = """
SELECT p.key, s.hash, p.url, s.title, p.variant, s.fetched_at, s.checked_at, s.chars, p.source, s.since,
  p.used_at
FROM pages p JOIN snapshots s ON """
# The columns that `document_row` reads.
DOCUMENT = (
    "SELECT p.key, s.hash, p.url, s.title, p.source, d.day, p.path, p.tags, p.variant, d.language, s.text FROM pages p"
    " JOIN snapshots s ON s.id = p.newest LEFT JOIN documents d ON d.page = p.id WHERE "
)

Row = tuple[Any, ...]
MOST_READINGS = 50  # kept of one page; the oldest are deleted
READINGS_KEPT = 90 * 86400.0  # seconds after which a reading is deleted


def storable(text: str) -> str:
    """The text with lone surrogates and NUL replaced, which a text column cannot hold."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\x00", "\ufffd")


def as_json(value: Any) -> str:
    """A value as canonical JSON: equal values give equal text."""
    return storable(json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")))


def key_bytes(key: str) -> bytes | None:
    """A page key or snapshot hash as its 32 bytes; None if it is not 64 hex digits."""
    try:
        raw = bytes.fromhex(key)
    except ValueError:
        return None
    return raw if len(raw) == 32 else None


def all_key_bytes(keys: Iterable[str]) -> list[bytes]:
    """The keys or hashes as bytes; invalid ones are left out."""
    return [raw for key in keys if (raw := key_bytes(key)) is not None]


def hex_range(prefix: str) -> tuple[bytes, bytes] | None:
    """The least and the greatest 32-byte value whose hex begins with a prefix; None when it is not lower-case hex."""
    if len(prefix) > 64 or any(char not in "0123456789abcdef" for char in prefix):
        return None
    return bytes.fromhex(prefix.ljust(64, "0")), bytes.fromhex(prefix.ljust(64, "f"))


def bare_domain(domain: str) -> str:
    """A domain that a user wrote, in the form of stored hosts: lower case, without `*.` and dots at its ends."""
    return storable(domain.strip().lower().lstrip("*").strip("."))


def filter_values(filter: DocumentFilter) -> dict[str, str | float]:
    """The conditions of a filter that are set, by name, with values as the columns hold them; raises ValueError for a
    date that is not ISO."""
    given: dict[str, str | float | None] = {
        "source": filter.source,
        "since": date.fromisoformat(filter.since).toordinal() if filter.since else None,
        "until": date.fromisoformat(filter.until).toordinal() if filter.until else None,
        "collection": storable(filter.collection) if filter.collection else None,
        "domain": bare_domain(filter.domain) if filter.domain else None,
        "language": filter.language or None,
        "used_since": filter.used_since,
        "used_before": filter.used_before,
    }
    return {name: value for name, value in given.items() if value is not None}


def cursor_of(used_at: float, key: bytes) -> str:
    """The cursor (a text that marks a place in the list of documents, the last used first) that stands after the
    document with this key and Unix time of last use."""
    return f"{used_at!r} {key.hex()}"


def parse_cursor(cursor: str) -> tuple[float, bytes]:
    """The Unix time of last use and the key in a cursor of `cursor_of`; an empty cursor is before all documents. Raises
    InvalidInput for other text."""
    if not cursor:
        return math.inf, b"\xff" * 33
    used_at, _, key = cursor.partition(" ")
    try:
        return float(used_at), bytes.fromhex(key)
    except ValueError as error:
        raise InvalidInput(f"The cursor {cursor[:80]!r} is not one that an earlier page returned.") from error


def page_values(snapshot: Snapshot, used_at: float) -> dict[str, Any]:
    """The values of a page's columns, by name; `used_at` is the Unix time of its last use."""
    url = storable(snapshot.url)
    return {
        "key": key_bytes(snapshot.key),
        "url": url,
        "final_url": storable(snapshot.final_url),
        "host": host_of(url),
        "variant": storable(snapshot.variant),
        "source": snapshot.source,
        "path": _storable(snapshot.path),
        "tags": json.dumps(snapshot.tags),
        "used_at": used_at,
    }


def version_values(prepared: Prepared, since: float) -> dict[str, Any]:
    """The values of a version's columns, by name, except `page`. `since` is the Unix time at which it became the newest
    version of the page."""
    snapshot, document = prepared.snapshot, prepared.snapshot.document
    return {
        "hash": key_bytes(snapshot.hash),
        "title": storable(document.title),
        "chars": len(document.markdown),
        "fetched_at": snapshot.fetched_at,
        "checked_at": snapshot.checked_at,
        "fresh_until": snapshot.fresh_until,
        "status": snapshot.status,
        "etag": _storable(snapshot.etag),
        "last_modified": _storable(snapshot.last_modified),
        "media_type": storable(snapshot.media_type),
        "authenticated": snapshot.authenticated,
        "answer": prepared.answer,
        "facts": prepared.facts,
        "text": prepared.text,
        "since": since,
    }


def _storable(text: str | None) -> str | None:
    return None if text is None else storable(text)


def snapshot_of(row: Row) -> Snapshot:
    """The version of a page, with its text, in a row of a query that begins with `FULL`."""
    key, hash_, url, final_url, variant, facts, text, *read, answer, source, path, tags, authenticated = row
    headers, timings = unpack_json(answer)
    fields: list[Any] = [key.hex(), hash_.hex(), url, final_url, variant]
    fields += [document_from_json(unpack_json(facts), unpack_text(text)), *read]  # times, status, validators, type
    fields += [tuple(map(tuple, headers)), timings, source, path, tuple(json.loads(tags)), bool(authenticated)]
    return Snapshot(*fields)


def document_row(row: Row) -> DocumentRow:
    """The document in a row of a query that begins with `DOCUMENT`."""
    key, hash_, url, title, source, day, path, tags, variant, language, text = row
    iso = date.fromordinal(day).isoformat() if day else ""
    labels = tuple(json.loads(tags)) if tags != "[]" else ()
    fields = (key.hex(), hash_.hex(), url, title, source, iso, path, labels, variant, language or "")
    return DocumentRow(*fields, unpack_text(text))


def info_of(row: Row) -> SnapshotInfo:
    """The version of a page, without its text, in a row of a query that begins with `INFO`."""
    key, hash_, *rest = row
    return SnapshotInfo(key.hex(), hash_.hex(), *rest)


def reading_of(row: Row) -> ReadingRecord:
    """The reading (what a caller was shown of a page) in a row: its columns from `at` to `outcome`."""
    at, tool, question, client, snapshot, spans, outcome = row
    pairs = tuple((start, end) for start, end in json.loads(spans))
    return ReadingRecord(at, tool, question, client, snapshot.hex(), pairs, outcome)
