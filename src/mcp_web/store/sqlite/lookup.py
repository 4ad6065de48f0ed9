"""Asking the words index: BM25 over whole posting lists at a time (postings.py tells how they lie on disk)."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from mcp_web.store.pack import unpack_json
from mcp_web.store.protocol import DocumentFilter, WordQuery
from mcp_web.store.sqlite.postings import BLOCK, BLOCKS, LANGUAGE, MOST_TF, term_weights
from mcp_web.store.sqlite.score import (
    EMPTY,
    POSTING,
    Floats,
    Numbers,
    PostingList,
    Weighted,
    best,
    either,
    joined,
    norms_of,
    worth,
)
from mcp_web.text.words import fold, query_terms

_PREFIX_TERMS = 200  # words that one prefix may stand for
_CACHED_POSTINGS = 8_000_000  # postings kept ready between questions, 8 bytes each
_DRIFT = 0.05  # of the average length: far less than what BM25 would notice
_ASKED_AT_ONCE = 500  # one statement for many words is three times faster than one each
_SOURCES = {"web": 1, "research": 2}

Number = TypeVar("Number", bound=np.generic)


@dataclass(frozen=True, slots=True)
class Matches:
    """Pages by row number and key with their scores, best first, and the wanted words that stand in no document."""

    pages: list[int]
    keys: list[str]
    scores: list[float]
    unknown: tuple[str, ...]


class WordIndex:
    """What a process holds in memory of the index: a few bytes per document, brought up to date before each question.

    It belongs to one connection and is only used by one thread at a time.
    """

    def __init__(self) -> None:
        self._version = -1
        self._forget()

    def find(self, db: sqlite3.Connection, query: WordQuery, limit: int) -> Matches:
        """The best documents, and which of the wanted words stand in none."""
        self._catch_up(db)
        wanted: dict[tuple[str, ...], str] = {}  # the terms of a word → one of the words that have them
        for word in (*query.words, *query.required):
            wanted.setdefault(query_terms(word, self._languages), word)
        lists = [self._postings(db, terms) for terms in wanted]
        unknown = tuple(word for word, found in zip(wanted.values(), lists, strict=True) if not len(found.numbers))
        for prefix in query.prefixes:
            lists.append(self._prefix(db, prefix))
        numbers, scores = best(lists, len(self._norms), self._living, limit, self._mask_for(db, query))
        ideal = sum(worth(len(item.numbers), self._living) for item in lists)
        shares = np.minimum(scores / np.float32(ideal or 1), 1.0)
        return Matches(self._pages[numbers].tolist(), self._hex(numbers), shares.tolist(), unknown)

    def keys(self, db: sqlite3.Connection, pages: Sequence[int]) -> dict[int, str]:
        """The keys of pages by row number; those that are gone are left out."""
        self._catch_up(db)
        known = np.array([page for page in pages if page < len(self._documents)], np.int64)
        numbers = self._documents[known]
        alive = self._sources[numbers] > 0
        return dict(zip(known[alive].tolist(), self._hex(numbers[alive]), strict=True))

    def _hex(self, numbers: Numbers) -> list[str]:
        whole = self._keys[numbers].tobytes().hex()
        return [whole[at : at + 64] for at in range(0, len(whole), 64)]

    def allowed(self, db: sqlite3.Connection, filter: DocumentFilter) -> NDArray[np.bool_] | None:
        """Which pages a filter lets through, by row number; None when it lets all through."""
        if filter == DocumentFilter():
            return None
        self._catch_up(db)
        found = np.zeros(int(self._pages.max()) + 2, np.bool_)  # the last stands for pages that are not known yet
        found[self._pages[self._mask(db, filter) & (self._sources > 0)]] = True
        return found

    def count(self, db: sqlite3.Connection, words: Sequence[str]) -> dict[str, int]:
        """In how many documents each word stands."""
        self._catch_up(db)
        found = {word: self._fresh_words[word] for word in words if word in self._fresh_words}
        for at in range(0, len(words), _ASKED_AT_ONCE):
            asked = words[at : at + _ASKED_AT_ONCE]
            marks = ",".join("?" * len(asked))
            for word, total in db.execute(f"SELECT word, count FROM words WHERE word IN ({marks})", asked):  # noqa: S608
                found[word] = found.get(word, 0) + total
        return found

    # the question
    def _mask_for(self, db: sqlite3.Connection, query: WordQuery) -> NDArray[np.bool_] | None:
        """Which documents the question lets through; None for all."""
        if query.filter == DocumentFilter() and not query.required and not query.excluded:
            return None
        mask = self._mask(db, query.filter)
        for word in query.required:
            holds = np.zeros(len(mask), np.bool_)
            holds[self._postings(db, query_terms(word, self._languages)).numbers] = True
            mask &= holds
        for word in query.excluded:
            mask[self._postings(db, query_terms(word, self._languages)).numbers] = False
        return mask

    def _mask(self, db: sqlite3.Connection, filter: DocumentFilter) -> NDArray[np.bool_]:
        mask = np.ones(len(self._lengths), np.bool_)
        if filter.collection is not None:
            mask &= self._members(db, filter.collection)
        if filter.source is not None:
            mask &= self._sources == _SOURCES[filter.source]
        if filter.since is not None:
            mask &= self._days >= date.fromisoformat(filter.since).toordinal()
        if filter.until is not None:
            mask &= self._days <= date.fromisoformat(filter.until).toordinal()
        return mask

    def _members(self, db: sqlite3.Connection, collection: str) -> NDArray[np.bool_]:
        """Which documents are in a collection."""
        name = collection.lower()
        if name not in self._collections:
            rows = db.execute(
                "SELECT d.number FROM labels l JOIN documents d ON d.page = l.page WHERE l.label = ?", (collection,)
            )
            mask = np.zeros(len(self._lengths), np.bool_)
            mask[[number for (number,) in rows]] = True
            self._collections[name] = mask
        return self._collections[name]

    # the lists
    def _postings(self, db: sqlite3.Connection, terms: tuple[str, ...]) -> PostingList:
        """The documents that hold any of the terms of a word, deleted ones among them."""
        merged = self._cache.pop(terms, None)
        if merged is None:
            merged = PostingList.of(*either([_merged(db, term) for term in terms]), self._norms)
            self._cached += len(merged.numbers)
        self._cache[terms] = merged  # now the last to go
        while self._cached > _CACHED_POSTINGS and len(self._cache) > 1:
            self._cached -= len(self._cache.pop(next(iter(self._cache))).numbers)
        waiting = [self._waiting(term) for term in terms if term in self._fresh]
        if not waiting:
            return merged
        young = PostingList.of(*either(waiting), self._norms)
        return PostingList(
            np.concatenate([merged.numbers, young.numbers]),
            np.concatenate([merged.impacts, young.impacts]),
            max(merged.top, young.top),
        )

    def _prefix(self, db: sqlite3.Connection, prefix: str) -> PostingList:
        """The documents that hold any word with this beginning."""
        terms = self._expand(db, prefix)
        lists = [found for term in terms for found in (_merged(db, term), self._waiting(term)) if len(found[0])]
        return PostingList.of(*joined(lists), self._norms) if lists else EMPTY

    def _waiting(self, term: str) -> Weighted:
        # Numbers rise: what waits is younger than everything merged.
        fresh = self._fresh.get(term, ())
        return (
            np.array([number for number, _ in fresh], np.int64),
            np.array([weight for _, weight in fresh], np.float32),
        )

    def _expand(self, db: sqlite3.Connection, prefix: str) -> list[str]:
        """The terms of the words that begin with a prefix, the most common words first."""
        rows = db.execute(
            "SELECT word, count FROM words WHERE word >= ? AND word < ? ORDER BY count DESC LIMIT ?",
            (prefix, prefix + "\U0010ffff", _PREFIX_TERMS),
        ).fetchall()
        fresh = [word for word in self._fresh_words if word.startswith(prefix)][:_PREFIX_TERMS]
        words = (*(row[0] for row in rows), *fresh)
        return list(dict.fromkeys(term for word in words for term in query_terms(word, self._languages)))

    # what is in memory
    def _forget(self) -> None:
        self._epoch = self._merged = self._last = self._dead = 0
        self._lengths: Floats = np.zeros(1, np.float32)
        self._pages: NDArray[np.int64] = np.zeros(1, np.int64)
        self._keys: NDArray[np.uint8] = np.zeros((1, 32), np.uint8)
        self._documents: NDArray[np.int64] = np.zeros(1, np.int64)  # by page: the other way round
        self._days: NDArray[np.int32] = np.zeros(1, np.int32)
        self._sources: NDArray[np.uint8] = np.zeros(1, np.uint8)  # 0 for the dead
        self._norms: Floats = np.full(1, np.inf, np.float32)
        self._living = 0
        self._average = 1.0
        self._drop_merged()

    def _drop_merged(self) -> None:
        self._fresh: dict[str, list[tuple[int, int]]] = defaultdict(list)
        self._fresh_words: dict[str, int] = defaultdict(int)
        self._fresh_languages: set[str] = set()
        self._languages: tuple[str, ...] = ()
        self._fresh_last = 0
        self._drop_cache()

    def _drop_cache(self) -> None:
        self._cache: dict[tuple[str, ...], PostingList] = {}
        self._cached = 0

    def _catch_up(self, db: sqlite3.Connection) -> None:
        # Changes whenever another connection wrote; this one only reads.
        version = db.execute("PRAGMA data_version").fetchone()[0]
        if version == self._version:
            return
        self._version = version
        self._collections: dict[str, NDArray[np.bool_]] = {}
        epoch, merged = db.execute("SELECT epoch, merged FROM index_state").fetchone()
        if epoch != self._epoch:
            self._forget()
            self._epoch = epoch
        if merged != self._merged:
            self._merged = merged
            self._drop_merged()
        added, died = self._take_documents(db), self._take_dead(db)
        self._take_waiting(db)
        self._take_languages(db)
        if added or died:
            self._measure(died)

    def _take_documents(self, db: sqlite3.Connection) -> bool:
        # The lists may still name a document that came and went since: arrays reach to the last number ever given.
        row = db.execute("SELECT seq FROM sqlite_sequence WHERE name = 'documents'").fetchone()
        last = row[0] if row else 0
        if last == self._last:
            return False
        rows = db.execute(
            "SELECT d.number, d.page, d.length, d.day, d.source, p.key FROM documents d JOIN pages p ON p.id = d.page"
            " WHERE d.number > ? ORDER BY d.number",
            (self._last,),
        ).fetchall()
        self._lengths, self._pages = _grown(self._lengths, last + 1), _grown(self._pages, last + 1)
        self._days, self._sources = _grown(self._days, last + 1), _grown(self._sources, last + 1)
        self._keys = _grown(self._keys, last + 1)
        if rows:
            numbers, pages, lengths, days, sources, keys = zip(*rows, strict=True)
            self._documents = _grown(self._documents, max(pages) + 1)
            self._documents[list(pages)] = numbers
            at = np.array(numbers)
            self._pages[at], self._lengths[at], self._days[at] = pages, lengths, days
            self._sources[at] = [_SOURCES.get(source, 0) for source in sources]
            self._keys[at] = np.frombuffer(b"".join(keys), np.uint8).reshape(-1, 32)
        self._last = last
        return True

    def _take_dead(self, db: sqlite3.Connection) -> bool:
        rows = db.execute("SELECT seq, number FROM dead WHERE seq > ?", (self._dead,)).fetchall()
        if rows:
            self._dead = rows[-1][0]
            self._sources[[number for _, number in rows]] = 0
        return bool(rows)

    def _take_waiting(self, db: sqlite3.Connection) -> None:
        for number, blob in db.execute("SELECT number, words FROM waiting WHERE number > ?", (self._fresh_last,)):
            language, counts = unpack_json(blob)
            self._fresh_languages.add(language)
            for term, weight in term_weights(language, counts).items():
                self._fresh[term].append((number, min(weight, MOST_TF)))
            for word in set(map(fold, counts)):
                self._fresh_words[word] += 1
            self._fresh_last = number

    def _take_languages(self, db: sqlite3.Connection) -> None:
        """The languages of the documents: a word of a query is looked up under its stem in each."""
        rows = db.execute("SELECT term FROM terms WHERE term >= ? AND term < '0'", (LANGUAGE,))
        self._languages = tuple(sorted({*(term.removeprefix(LANGUAGE) for (term,) in rows), *self._fresh_languages}))

    def _measure(self, died: bool) -> None:
        """What BM25 needs of lengths. The average is let drift a little, so that a new document spoils no list."""
        alive = self._sources > 0
        self._living = int(alive.sum())
        average = float(self._lengths[alive].mean()) if self._living else 1.0
        if died or abs(average - self._average) > _DRIFT * self._average:
            self._average = average
            self._drop_cache()
        self._norms = norms_of(self._lengths, alive, self._average)


def _merged(db: sqlite3.Connection, term: str) -> Weighted:
    """The postings of a term in the blobs."""
    numbers: list[Numbers] = [np.empty(0, np.int64)]
    weights: list[Floats] = [np.empty(0, np.float32)]
    row = db.execute("SELECT id FROM terms WHERE term = ?", (term,)).fetchone()
    if row is not None:
        first = row[0] * BLOCKS
        rows = db.execute("SELECT place, docs FROM postings WHERE place BETWEEN ? AND ?", (first, first + BLOCKS - 1))
        for place, docs in rows:
            postings = np.frombuffer(docs, POSTING)
            numbers.append(postings["at"].astype(np.int64) + (place - first) * BLOCK)
            weights.append(postings["weight"].astype(np.float32))
    return np.concatenate(numbers), np.concatenate(weights)


def _grown(array: NDArray[Number], size: int) -> NDArray[Number]:
    larger = np.zeros((max(size, len(array)), *array.shape[1:]), array.dtype)
    larger[: len(array)] = array
    return larger
