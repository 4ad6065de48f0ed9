"""Vectors for the made documents: real ones would take hours, and a search takes as long wherever they come from.

The model reads one sentence in ten of the real texts (some 8,000). A sentence it did not read takes the vector of the
nearest one of the same text that it did, turned towards that of any other sentence until both stand as far apart as
neighbouring sentences do; a passage's vector is the mean of its sentences'. So documents about one subject lie
together, each in its own place, and all lie where the model puts texts. (Means lie nearer to each other than passages
do: they are moved apart, so that the mean cosine of two is .56 as with real ones.) Questions are embedded by the model.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import numpy as np
from numpy.typing import NDArray

from bench.archive.corpus import Made, sentences
from mcp_web.model.passage import PackedVectors
from mcp_web.store.quantized import quantize
from mcp_web.store.sqlite.connect import connect
from mcp_web.store.sqlite.database import SqliteDatabase
from mcp_web.store.sqlite.vectors import keep as keep_rows

if TYPE_CHECKING:
    from mcp_web.embed.embedder import Embedder

Rows = NDArray[np.float32]

EVERY = 10
CENTRE = 0.65  # of the mean of all sentences, taken from every passage
ALIKE = 0.7  # the cosine of neighbouring sentences of one text, by the packaged model
WORDS = 110  # of a passage
AT_ONCE = 2000  # pages of one transaction


async def sentence_vectors(embedder: Embedder, file: Path) -> dict[str, Rows]:
    """One vector per sentence, kept in a file for the next run."""
    groups = sentences()
    read = [group[at] for group in groups for at in range(0, len(group), EVERY)]
    if await anyio.Path(file).exists():
        rows = np.load(file)
    else:
        begun = time.perf_counter()
        rows = await embedder.embed(read, "passage")
        np.save(file, rows)
        print(f"embedded at {len(read) / (time.perf_counter() - begun):.0f} sentences a second", flush=True)
    chance = np.random.default_rng(11)
    centre: Rows = (CENTRE * rows.mean(axis=0)).astype(np.float32)
    found: dict[str, Rows] = {}
    at = 0
    for group in groups:
        for place, sentence in enumerate(group):
            row = rows[at + place // EVERY]
            found[sentence] = (row if place % EVERY == 0 else _turned(row, rows[chance.integers(len(rows))])) - centre
        at += -(-len(group) // EVERY)
    return found


def _turned(row: Rows, other: Rows) -> Rows:
    aside = other - (other @ row) * row
    length = max(float(np.linalg.norm(aside)), 1e-6)
    turned: Rows = ALIKE * row + (1 - ALIKE**2) ** 0.5 / length * aside
    return turned


def passage_rows(one: Made, by_sentence: dict[str, Rows]) -> Rows:
    """One row for every hundred words or so."""
    found: list[Rows] = []
    held: list[Rows] = []
    words = 0
    for sentence in one.markdown.split("\n\n")[1:-1]:
        if sentence not in by_sentence:  # a piece of one with an empty line in it
            continue
        held.append(by_sentence[sentence])
        words += sentence.count(" ") + 1
        if words >= WORDS:
            found.append(np.mean(held, axis=0))
            held, words = [], 0
    if held or not found:
        found.append(np.mean(held or [next(iter(by_sentence.values()))], axis=0))
    rows: Rows = np.stack(found)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows


def keep_vectors(file: Path, model: str, pages: Iterator[tuple[str, str, Rows]]) -> None:
    """Write the rows of pages, given with their keys and hashes, as the store would."""
    db = SqliteDatabase(connect(file, 60.0))
    db.execute("BEGIN")
    for number, (key, version, rows) in enumerate(pages):
        packed = PackedVectors(model, rows.shape[1], (), rows.astype("<f4").tobytes(), version)
        keep_rows(db, {key: quantize(packed)})
        if number % AT_ONCE == AT_ONCE - 1:
            db.execute("COMMIT")
            db.execute("BEGIN")
    db.execute("COMMIT")
    db.connection.close()
