"""A snapshot made ready for its rows, before a transaction opens: packing and counting take milliseconds."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, date, datetime

from mcp_web.model.snapshot import Snapshot
from mcp_web.store.pack import document_facts, pack_json, pack_text
from mcp_web.store.protocol import Derived
from mcp_web.text.languages import language_of
from mcp_web.text.markdown import prose
from mcp_web.text.words import counted

# A word in the title says more about a page than one in its text; headings count once more than the text they are in.
TITLE_WEIGHT, HEADING_WEIGHT, TAG_WEIGHT = 3, 1, 3


@dataclass(frozen=True, slots=True)
class Prepared:
    snapshot: Snapshot
    answer: bytes
    facts: bytes
    text: bytes
    words: bytes
    length: int
    day: int
    names: tuple[int, ...]
    mentions: tuple[tuple[int, str, str, int, int, float], ...]


def prepare(snapshot: Snapshot, derived: Derived | None) -> Prepared:
    """Everything that the rows of a snapshot hold."""
    document = snapshot.document
    derived = derived or Derived(names=(snapshot.url, snapshot.final_url))
    language, counts = word_counts(snapshot)
    mentions = {
        name_number(item.name): (item.url, item.kind, item.start, item.end, item.confidence)
        for item in reversed(derived.mentions)
    }
    return Prepared(
        snapshot=snapshot,
        answer=pack_json([snapshot.headers, dict(snapshot.timings)]),
        facts=pack_json(document_facts(document)),
        text=pack_text(document.markdown),
        words=pack_json([language, counts]),
        length=sum(counts.values()),
        day=_day(derived.date, snapshot.fetched_at),
        names=tuple({name_number(name) for name in derived.names}),
        mentions=tuple((name, *rest) for name, rest in mentions.items()),
    )


def word_counts(snapshot: Snapshot) -> tuple[str, dict[str, int]]:
    """The language of a page, and how much each of its words counts."""
    total: Counter[str] = Counter()
    for text, weight in _fields(snapshot):
        for word, count in counted(text).items():
            total[word] += count * weight
    return language_of(snapshot.document.markdown), dict(total)


def name_number(name: str) -> int:
    """A name as 64 bits: an index of numbers is a fifth of one of URLs."""
    digest = hashlib.blake2b(name.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)


def _fields(snapshot: Snapshot) -> list[tuple[str, int]]:
    document = snapshot.document
    return [
        (prose(document.markdown), 1),
        (document.title, TITLE_WEIGHT),
        ("\n".join(heading.text for heading in document.headings), HEADING_WEIGHT),
        (snapshot.path or snapshot.url.partition("://")[2], 1),
        ("\n".join(snapshot.tags), TAG_WEIGHT),
    ]


def _day(text: str | None, fetched_at: float) -> int:
    if text:
        try:
            return date.fromisoformat(text[:10]).toordinal()
        except ValueError:
            pass
    return datetime.fromtimestamp(fetched_at, UTC).date().toordinal()
