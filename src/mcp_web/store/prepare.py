"""Prepares the rows of a snapshot before a transaction begins, because packing takes milliseconds."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import date

from mcp_web.model.snapshot import Snapshot
from mcp_web.model.wire import facts_to_json
from mcp_web.store.pack import pack_json, pack_text
from mcp_web.store.posting_blobs import definition
from mcp_web.store.protocol import Derived


@dataclass(frozen=True, slots=True)
class Prepared:
    snapshot: Snapshot
    answer: bytes
    facts: bytes
    text: bytes
    language: str
    words: bytes
    length: int
    day: int
    labels: tuple[str, ...]
    names: tuple[int, ...]
    mentions: tuple[tuple[int, str, str, int, int, float], ...]


def prepare(snapshot: Snapshot, derived: Derived) -> Prepared:
    """Everything that the rows of a snapshot hold."""
    document = snapshot.document
    mentions = {
        name_number(item.name): (item.url, item.kind, item.start, item.end, item.confidence)
        for item in reversed(derived.mentions)
    }
    defined = map(definition, sorted(derived.defines))
    return Prepared(
        snapshot=snapshot,
        answer=pack_json([snapshot.headers, dict(snapshot.timings)]),
        facts=pack_json(facts_to_json(document)),
        text=pack_text(document.markdown),
        language=derived.language,
        words=pack_json([derived.language, {**derived.words, **dict.fromkeys(defined, 1)}]),
        length=sum(derived.words.values()),
        day=_day(derived.date),
        labels=derived.labels,
        names=tuple({name_number(name) for name in derived.names}),
        mentions=tuple((name, *rest) for name, rest in mentions.items()),
    )


def name_number(name: str) -> int:
    """A 64-bit hash of a name: an index of numbers takes a fifth of the space of one of URLs."""
    digest = hashlib.blake2b(name.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)


def _day(text: str) -> int:
    """An ISO date as a number of days; 0 if it is invalid."""
    try:
        return date.fromisoformat(text[:10]).toordinal()
    except ValueError:
        return 0
