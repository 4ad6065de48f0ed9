"""A small archive for the pictures in the docs: pages that cite each other, versions, questions, days of figures.

python scripts/sample_archive.py FOLDER     writes it into a data folder
"""

from __future__ import annotations

import random
import struct
import sys
import time
import zlib
from dataclasses import dataclass
from pathlib import Path

import anyio

from mcp_web.archive.derive import derive
from mcp_web.archive.usage import add_sample
from mcp_web.model.page import Document, Metadata
from mcp_web.model.snapshot import ReadingRecord, Snapshot, page_key, snapshot_hash
from mcp_web.store.open import open_store
from mcp_web.store.options import StoreOptions
from mcp_web.store.protocol import PageRecord, Store
from mcp_web.text.headings import read_headings

FOLDER = Path(__file__).parent / "sample_pages"
DAY, HOUR = 86400.0, 3600.0
ENGINE = "https://museum.example/engine"
# Hours since each page was last read; the rest was read on earlier days.
_READ = {
    "engine": 0.2,
    "analytical": 1,
    "lovelace-notes": 3,
    "jacquard": 20,
    "method-of-differences": 26,
    "babbage": 27,
}
_SITES = {
    "engine": "museum.example",
    "jacquard": "museum.example",
    "lovelace-notes": "letters.example",
    "method-of-differences": "journal.example",
    "tables": "journal.example",
    "scheutz": "journal.example",
}
_QUESTIONS = (
    ("How many wheels did the first engine need?", "Claude Code", "The drawings call for 25,000 parts"),
    ("Why was it never finished?", "research-bot · team", "The government had spent £17,470"),
)
_QUOTES = ("It was the first successful automatic calculator", "Cursor")


@dataclass(frozen=True)
class Page:
    name: str
    title: str
    text: str

    @property
    def url(self) -> str:
        return f"https://{_SITES.get(self.name, 'encyclopedia.example')}/{self.name}"


async def write(folder: Path) -> None:
    store = await open_store(StoreOptions(data_dir=str(folder)))
    await fill(store, time.time())
    await store.close()


async def fill(store: Store, now: float) -> None:
    """Write the pages as they would have been kept over the last days."""
    pages = [_page(file) for file in sorted(FOLDER.glob("*.md"))]
    for place, page in enumerate(pages):
        read_at = now - _READ.get(page.name, 30 + 19 * place) * HOUR
        versions = [_snapshot(page, page.text, read_at)]
        if page.name == "engine":
            earlier = page.text.replace("In 1991", "In the 1990s").replace("25,000 parts", "about 20,000 parts")
            oldest = earlier.replace("## Rebuilt", "## Later").replace("Seven of them", "Some of them")
            versions = [
                _snapshot(page, oldest, read_at - 9 * DAY),
                _snapshot(page, earlier, read_at - 2 * DAY),
                *versions,
            ]
        newest = versions[-1]
        record = PageRecord(
            versions=tuple(versions),
            since={one.hash: one.fetched_at for one in versions},
            used_at=read_at,
            screenshots={newest.hash: _picture()} if page.name == "engine" else {},
            readings=_readings(newest, now) if page.name == "engine" else (),
        )
        await store.keep_page_records([(record, derive(newest))])
    await store.add_records("watch", {ENGINE: {}, "https://journal.example/tables": {}})
    await _figures(store, now)


def _page(file: Path) -> Page:
    text = file.read_text("utf-8")
    return Page(file.stem, text.partition("\n")[0].removeprefix("# "), text)


def _snapshot(page: Page, text: str, at: float) -> Snapshot:
    key = page_key(page.url, "readable")
    saved = page.name in ("lovelace-notes", "method-of-differences", "tables")
    return Snapshot(
        key=key,
        hash=snapshot_hash(key, text),
        url=page.url,
        final_url=page.url,
        variant="readable",
        document=Document(
            page.title,
            text,
            "sample@1",
            headings=read_headings(text),
            metadata=Metadata(author="The curators" if page.name == "engine" else None, published="2025-03-01"),
        ),
        fetched_at=at,
        checked_at=at,
        fresh_until=at + DAY,
        source="research" if saved else "web",
        tags=("thesis",) if saved else (),
    )


def _readings(kept: Snapshot, now: float) -> tuple[ReadingRecord, ...]:
    found = [
        _reading(kept, "web_read", question, client, words, now - (0.3 + place) * HOUR)
        for place, (question, client, words) in enumerate(_QUESTIONS)
    ]
    return (*found, _reading(kept, "verify_quotes", _QUOTES[0], _QUOTES[1], _QUOTES[0], now - 26 * HOUR))


def _reading(kept: Snapshot, tool: str, question: str, client: str, words: str, at: float) -> ReadingRecord:
    text = kept.document.markdown
    start = text.index(words)
    end = start + len(words) if tool == "verify_quotes" else text.index("\n", start)
    outcome = "exact" if tool == "verify_quotes" else "answered"
    return ReadingRecord(at, tool, question, client, kept.hash, ((start, end),), outcome)


async def _figures(store: Store, now: float) -> None:
    """Two days of calls, busier by day than by night."""
    chance = random.Random(5)
    for hour in range(48):
        busy = 3 + int(30 * max(0.0, 1 - abs((hour % 24) - 13) / 9)) + chance.randrange(4)
        opened = busy // 2
        sample = {
            "counters": [
                ["tool_total", {"tool": "web_read", "outcome": "ok"}, busy - busy // 15],
                ["tool_total", {"tool": "web_open", "outcome": "FETCH_TIMEOUT"}, busy // 15],
                ["tool_errors_total", {"tool": "web_open", "code": "FETCH_TIMEOUT"}, busy // 15],
                ["cache_total", {"state": "hit"}, opened * 2 // 3],
                ["cache_total", {"state": "fetched"}, opened - opened * 2 // 3],
                ["search_outcomes", {"provider": "searxng", "outcome": "ok"}, busy // 3],
                ["search_outcomes", {"provider": "brave", "outcome": "ok"}, busy // 6],
                ["search_outcomes", {"provider": "brave", "outcome": "rate_limited"}, busy // 14],
                ["tokens_saved", {}, busy * 4_100.0],
            ],
            "histograms": [["tool_ms", {"tool": "web_read"}, [busy, busy * (180 + 9 * hour % 140), *[busy] * 15]]],
        }
        await store.add_metrics(sample)
        await add_sample(store, sample, now - (47 - hour) * HOUR)


def _picture(width: int = 800, height: int = 520) -> bytes:
    """A PNG that stands for a screenshot: a page with a header, a column of text and a picture."""

    def shade(x: int, y: int) -> bytes:
        if y < 60:
            return b"\x2b\x3a\x55"
        if 520 < x < 740 and 110 < y < 300:
            return b"\xc9\xb4\x8a"
        in_line = 60 < x < (470 if y < 310 else 740) and y > 100 and y % 26 < 9 and (y // 26) % 6 != 5
        return b"\x9a\xa3\xb0" if in_line else b"\xfb\xfa\xf6"

    rows = b"".join(b"\0" + b"".join(shade(x, y) for x in range(width)) for y in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*one) for one in chunks)


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


if __name__ == "__main__":
    anyio.run(write, Path(sys.argv[1]))
