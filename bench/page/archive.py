"""An archive for the page's views: documents of five hundred sites that cite each other, some of them in versions."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from mcp_web.archive.derive import derive
from mcp_web.model.page import Document, Heading, Metadata
from mcp_web.model.snapshot import Snapshot, page_key, snapshot_hash
from mcp_web.store.protocol import Derived
from mcp_web.store.sqlite.store import SqliteStore

SITES = 500
COLLECTIONS = 40
FIRST = 1_750_000_000.0  # seconds since the epoch: when the oldest document was read
BATCH = 500
_CHANGED = 20  # every so many documents have a second version
_WORDS = 30_000


async def open_archive(file: Path, count: int) -> SqliteStore:
    """The store with that many documents; it is filled when it has others."""
    store = await SqliteStore.open(file, size_limit=0)
    have = (await store.size()).pages
    if have < count:
        batch: list[tuple[Snapshot, Derived]] = []
        for one in _snapshots(have, count):
            batch.append((one, derive(one)))
            if len(batch) >= BATCH:
                await store.keep_many(batch)
                batch = []
        await store.keep_many(batch)
        await store.maintain()
    return store


def address(number: int) -> str:
    return f"https://site{number % SITES}.example/page/{number}"


def _snapshots(begin: int, end: int) -> Iterator[Snapshot]:
    words = [f"{a}{b}{c}" for a in _SYLLABLES for b in _SYLLABLES for c in _SYLLABLES][:_WORDS]
    for number in range(begin, end):
        chance = random.Random(number)
        yield _snapshot(number, chance, words, "")
        if number % _CHANGED == 0:
            yield _snapshot(number, chance, words, " It was changed later.")


def _snapshot(number: int, chance: random.Random, words: list[str], ending: str) -> Snapshot:
    # The lower a word's place the more often it is used, as in real text.
    def some(count: int) -> str:
        return " ".join(words[int(len(words) * chance.random() ** 3)] for _ in range(count))

    cited = [chance.randrange(max(1, number)) if number else 0 for _ in range(3)]
    title = f"{some(4).capitalize()} {number}"
    sources = ", ".join(f"[{words[one % len(words)]}]({address(one)})" for one in cited)
    markdown = f"# {title}\n\n{some(60)}.\n\n## Details\n\n{some(80)}.{ending}\n\nSources: {sources}.\n"
    url, key = address(number), page_key(address(number), "readable")
    at = FIRST + number * 60.0 + (1800.0 if ending else 0.0)
    second = markdown.index("## Details")
    headings = (Heading(1, title, 0, "title"), Heading(2, "Details", second, "details"))
    metadata = Metadata(published="2025-06-15", language="en")
    document = Document(title, markdown, "bench@1", headings=headings, metadata=metadata)
    tags = (f"topic {number % COLLECTIONS}",) if number % 2 else ()
    return Snapshot(
        key=key,
        hash=snapshot_hash(key, markdown),
        url=url,
        final_url=url,
        variant="readable",
        document=document,
        fetched_at=at,
        checked_at=at,
        fresh_until=at + 86400,
        source="research" if tags else "web",
        tags=tags,
    )


_SYLLABLES = tuple(a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u"))
