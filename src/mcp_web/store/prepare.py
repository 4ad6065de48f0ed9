"""Prepares the rows of a snapshot before a transaction begins, because packing takes milliseconds."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from mcp_web.model.snapshot import Snapshot
from mcp_web.model.wire import facts_to_json
from mcp_web.store.pack import pack_json, pack_text
from mcp_web.store.posting_blobs import definition
from mcp_web.store.protocol import Derived
from mcp_web.text.dates import day_of


@dataclass(frozen=True, slots=True)
class Prepared:
    """A snapshot and the values of its columns, ready to be written; what is packed is bytes (pack.py)."""

    snapshot: Snapshot
    answer: bytes  # the headers and timings of the response
    facts: bytes  # the document without its text
    text: bytes
    language: str
    words: bytes  # the language and the weight of each word, for the word index
    length: int  # the sum of these weights
    day: int  # the document's date as an ordinal; 0 if it has none
    labels: tuple[str, ...]
    names: tuple[int, ...]  # hashes of the names by which others cite the document
    mentions: tuple[tuple[int, str, str, int, int, float], ...]  # name hash, URL, kind, start, end, confidence


def prepare(snapshot: Snapshot, derived: Derived) -> Prepared:
    """Pack a snapshot, and what the archive derived from it, into the values of their columns."""
    document = snapshot.document
    mentions = {
        name_hash(item.name): (item.url, item.kind, item.start, item.end, item.confidence)
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
        day=day.toordinal() if (day := day_of(derived.date)) else 0,
        labels=derived.labels,
        names=tuple({name_hash(name) for name in derived.names}),
        mentions=tuple((name, *rest) for name, rest in mentions.items()),
    )


def name_hash(name: str) -> int:
    """A 64-bit hash of a name: an index of numbers takes a fifth of the space of one of URLs."""
    digest = hashlib.blake2b(name.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)
