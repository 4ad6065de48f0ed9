"""Searches the word index, the same for every store: BM25 over whole posting lists at a time.

A process keeps a few bytes per document in memory, updated before each search; posting lists are read when first needed
(store/posting_blobs.py describes their form) and cached within a size limit.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import date

import numpy as np
from numpy.typing import NDArray

from mcp_web.store.pack import unpack_json
from mcp_web.store.posting_blobs import BLOCK, MOST_WEIGHT, Blobs, definition, term_weights
from mcp_web.store.protocol import Candidate, DocumentFilter, WordMatches, WordQuery
from mcp_web.store.scoring import (
    EMPTY,
    POSTING,
    Floats,
    Numbers,
    PostingList,
    Weighted,
    best,
    grown,
    merge,
    norms_of,
    union_max,
    union_sum,
)
from mcp_web.store.sql.index_rows import IndexRows
from mcp_web.text.bm25 import DOCUMENTS
from mcp_web.text.names import Name
from mcp_web.text.words import fold, query_terms

_PREFIX_TERMS = 200  # words that are searched for one prefix, at most
_CACHED_POSTINGS = 8_000_000  # postings kept ready between questions, 8 bytes each
_DRIFT = 0.05  # share of the average length by which it may be outdated: BM25 would not notice it
_SOURCES = {"web": 1, "research": 2}


class WordIndex:
    """Searches the words of all documents. What it needs of every document, and recently used posting lists, are in the
    memory of this process. Used by one thread at a time."""

    def __init__(self, *, visible_only: bool = False) -> None:
        """`visible_only`: the `rows` given to the methods have only a part of the documents. The others are ignored,
        and since a document may become visible without a new number, everything is read again after a write."""
        self._version: int | None = None  # of the index in memory; None while that is not complete
        self._visible_only = visible_only
        self._reset()

    def find(self, rows: IndexRows, query: WordQuery, limit: int) -> WordMatches:
        """At most `limit` documents for a query, best first, and what the index knows of its words."""
        self._update(rows)
        wanted: dict[tuple[str, ...], str] = {}  # the terms of a word → one of the words that have them
        for word in (*query.words, *query.required):
            wanted.setdefault(query_terms(word, self._languages), word)
        self._load(rows, wanted)
        found = {terms: self._list(terms) for terms in wanted}
        unknown = tuple(word for terms, word in wanted.items() if not found[terms].top)
        rarities = {word: self._rarity(found[terms]) for terms, word in wanted.items()}
        defining = {name: docs for name in query.names if (docs := self._defining(rows, name.key)).top}
        lists = self._with_definitions(found, defining)
        for prefix in query.prefixes:
            lists.append(self._prefix(rows, prefix))
        numbers, scores = best(lists, len(self._norms), self._count, limit, self._mask_for(rows, query), self._keys)
        self._shrink_cache()
        ideal = sum(map(self._rarity, lists))
        shares = np.minimum(scores / np.float32(ideal or 1), 1.0)
        keys = (key.tobytes().hex() for key in self._keys[numbers])
        candidates = tuple(map(Candidate, keys, shares.tolist()))
        return WordMatches(candidates, unknown, rarities, frozenset(name.key for name in defining))

    def _rarity(self, found: PostingList) -> float:
        """The most that a word can add to a score if `found` are the documents that contain it: the fewer, the more."""
        return DOCUMENTS.rarity(len(found.numbers), self._count)

    def allowed(self, rows: IndexRows, filter: DocumentFilter) -> NDArray[np.bool_] | None:
        """Which pages match a filter: an array of booleans by the page's row number, whose last one stands for all
        higher numbers. None if all pages match."""
        if filter == DocumentFilter():
            return None
        self._update(rows)
        found = np.zeros(int(self._pages.max()) + 2, np.bool_)  # the last stands for pages that are not known yet
        found[self._pages[self._mask(rows, filter) & (self._sources > 0)]] = True
        return found

    def count(self, rows: IndexRows, words: Sequence[str]) -> dict[str, int]:
        """About how many documents contain each word, which are also those of other words with its stem; words that
        none contains are left out."""
        self._update(rows)
        found = {word: self._waiting_words[word] for word in words if word in self._waiting_words}
        for word, total in rows.counts(words):
            found[word] = found.get(word, 0) + total
        # These numbers include deleted documents and earlier versions; the posting lists know which are left.
        wanted = {word: query_terms(word, self._languages) for word in found}
        self._load(rows, set(wanted.values()))
        left = {word: int(np.count_nonzero(self._sources[self._list(wanted[word]).numbers])) for word in found}
        return {word: min(found[word], left[word]) for word in found if left[word]}

    # the question
    def _with_definitions(
        self, lists: dict[tuple[str, ...], PostingList], defining: dict[Name, PostingList]
    ) -> list[PostingList]:
        """The posting lists of the words of a query, from `lists`, where they are found by their terms. The documents
        that define one of the query's names (`defining`) are added to the list of each word of that name."""
        for name, documents in defining.items():
            for word in name.words:
                terms = query_terms(word, self._languages)
                if terms in lists:
                    lists[terms] = merge(lists[terms], documents)
        return list(lists.values())

    def _defining(self, rows: IndexRows, key: str) -> PostingList:
        """The documents that define the name with this key, each with the highest weight."""
        numbers = self._list_of(rows, definition(key)).numbers.astype(np.int64)
        return PostingList.of(numbers, np.full(len(numbers), MOST_WEIGHT, np.float32), self._norms)

    def _mask_for(self, rows: IndexRows, query: WordQuery) -> NDArray[np.bool_] | None:
        """Which documents, by number, pass the filter and have all required and no excluded words; None for all."""
        if query.filter == DocumentFilter() and not query.required and not query.excluded:
            return None
        mask = self._mask(rows, query.filter)
        for word in query.required:
            holds = np.zeros(len(mask), np.bool_)
            holds[self._list_of(rows, word).numbers] = True
            mask &= holds
        for word in query.excluded:
            mask[self._list_of(rows, word).numbers] = False
        return mask

    def _mask(self, rows: IndexRows, filter: DocumentFilter) -> NDArray[np.bool_]:
        """Which documents pass a filter, as a new array of booleans by number."""
        mask = np.ones(len(self._lengths), np.bool_)
        if filter.collection is not None:
            mask &= self._members(rows.in_collection, filter.collection)
        if filter.domain is not None:
            mask &= self._members(rows.in_domain, filter.domain)
        if filter.language is not None:
            mask &= self._members(rows.in_language, filter.language)
        if filter.source is not None:
            mask &= self._sources == _SOURCES[filter.source]
        if filter.since is not None:
            mask &= self._days >= date.fromisoformat(filter.since).toordinal()
        if filter.until is not None:
            mask &= self._days <= date.fromisoformat(filter.until).toordinal()
        return mask

    def _members(self, find: Callable[[str], list[int]], value: str) -> NDArray[np.bool_]:
        """Which documents `find`, a method that reads document numbers, returns for a value: booleans by number, cached
        until the next write."""
        name = find.__name__, value
        if name not in self._conditions:
            mask = np.zeros(len(self._lengths), np.bool_)
            mask[find(value)] = True
            self._conditions[name] = mask
        return self._conditions[name]

    # the posting lists
    def _load(self, rows: IndexRows, wanted: Iterable[tuple[str, ...]]) -> None:
        """Read the posting lists of these words (each given as its terms) into the cache if they are not in it."""
        missing = [terms for terms in wanted if terms not in self._cache]
        blobs = rows.postings([term for terms in missing for term in terms]) if missing else {}
        for terms in missing:
            found = PostingList.of(*union_max([self._decoded(blobs.get(term, ())) for term in terms]), self._norms)
            self._cache[terms] = found
            self._cached += len(found.numbers)

    def _list_of(self, rows: IndexRows, word: str) -> PostingList:
        """The posting list of a word: the documents that contain it, including deleted ones, which score 0."""
        terms = query_terms(word, self._languages)
        self._load(rows, [terms])
        return self._list(terms)

    def _list(self, terms: tuple[str, ...]) -> PostingList:
        """The documents that contain any of the terms of a word, including deleted ones and those that wait to be
        merged. The posting list must have been loaded (`_load`)."""
        merged = self._cache.pop(terms)
        self._cache[terms] = merged  # now the most recently used
        waiting = [self._waiting(term) for term in terms if term in self._waiting_postings]
        if not waiting:
            return merged
        waiting_list = PostingList.of(*union_max(waiting), self._norms)
        return PostingList(
            np.concatenate([merged.numbers, waiting_list.numbers]),
            np.concatenate([merged.impacts, waiting_list.impacts]),
            max(merged.top, waiting_list.top),
        )

    def _shrink_cache(self) -> None:
        """Drop the least recently used posting lists beyond the limit."""
        while self._cached > _CACHED_POSTINGS and len(self._cache) > 1:
            self._cached -= len(self._cache.pop(next(iter(self._cache))).numbers)

    def _prefix(self, rows: IndexRows, prefix: str) -> PostingList:
        """The posting list of the words with this prefix (the most common ones): documents that contain any of them."""
        terms = self._expand(rows, prefix)
        blobs = rows.postings(terms)
        both = ((self._decoded(blobs.get(term, ())), self._waiting(term)) for term in terms)
        lists = [found for pair in both for found in pair if len(found[0])]
        return PostingList.of(*union_sum(lists), self._norms) if lists else EMPTY

    def _decoded(self, blobs: Blobs) -> Weighted:
        """The document numbers and weights in blobs of postings; in a shared store only those of visible documents."""
        numbers, weights = _decoded(blobs)
        if not self._visible_only:
            return numbers, weights
        visible = self._sources[numbers] > 0
        return numbers[visible], weights[visible]

    def _waiting(self, term: str) -> Weighted:
        """The document numbers and weights for a term in the documents that wait to be merged into the posting lists;
        the numbers are higher than all those in the lists."""
        found = self._waiting_postings.get(term, ())
        return (
            np.array([number for number, _ in found], np.int64),
            np.array([weight for _, weight in found], np.float32),
        )

    def _expand(self, rows: IndexRows, prefix: str) -> list[str]:
        """The terms of words that begin with a prefix: the most common words, and some in waiting documents."""
        waiting = [word for word in self._waiting_words if word.startswith(prefix)][:_PREFIX_TERMS]
        words = (*rows.words_from(prefix, _PREFIX_TERMS), *waiting)
        return list(dict.fromkeys(term for word in words for term in query_terms(word, self._languages)))

    # what is in memory
    def _reset(self) -> None:
        # Of the index rows that were read: how often rewritten, and the last document merged, added, deleted.
        self._epoch = self._merged = self._last = self._deleted = 0
        self._lengths: Floats = np.zeros(1, np.float32)
        self._pages: NDArray[np.int64] = np.zeros(1, np.int64)
        self._keys: NDArray[np.uint8] = np.zeros((1, 32), np.uint8)
        self._days: NDArray[np.int32] = np.zeros(1, np.int32)
        self._sources: NDArray[np.uint8] = np.zeros(1, np.uint8)  # 0 for deleted documents
        self._norms: Floats = np.full(1, np.inf, np.float32)
        self._count = 0
        self._average = 1.0
        self._reset_lists()

    def _reset_lists(self) -> None:
        """Forget the documents that wait to be merged, and the cached posting lists."""
        self._waiting_postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        self._waiting_words: dict[str, int] = defaultdict(int)
        self._waiting_languages: set[str] = set()
        self._languages: tuple[str, ...] = ()
        self._last_waiting = 0
        self._clear_cache()

    def _clear_cache(self) -> None:
        self._cache: dict[tuple[str, ...], PostingList] = {}
        self._cached = 0

    def _update(self, rows: IndexRows) -> None:
        """Read what was written to the index since the last call, if anything, so that what is in memory is current."""
        version, known = rows.version(), self._version
        if version == known:
            return
        self._version = None  # until everything is read: a statement may fail
        self._conditions: dict[tuple[str, str], NDArray[np.bool_]] = {}
        epoch, merged, last = rows.state()
        if epoch != self._epoch or self._visible_only or known is None:
            self._reset()
            self._epoch = epoch
        if merged != self._merged:
            self._merged = merged
            self._reset_lists()
        added, deleted = self._read_documents(rows, last), self._read_deleted(rows)
        self._read_waiting(rows)
        self._read_languages(rows)
        if added or deleted:
            self._update_norms(deleted)
        self._version = version

    def _read_documents(self, rows: IndexRows, last: int) -> bool:
        """Read the facts of the documents up to the number `last`; returns whether that has changed. Posting lists
        may still contain a deleted document, so the arrays include the last number ever used."""
        if last == self._last:
            return False
        found = rows.documents(self._last)
        self._lengths, self._pages = grown(self._lengths, last + 1), grown(self._pages, last + 1)
        self._days, self._sources = grown(self._days, last + 1), grown(self._sources, last + 1)
        self._keys = grown(self._keys, last + 1)
        if found:
            numbers, pages, lengths, days, sources, keys = zip(*found, strict=True)
            at = np.array(numbers)
            self._pages[at], self._lengths[at], self._days[at] = pages, lengths, days
            self._sources[at] = [_SOURCES.get(source, 0) for source in sources]
            self._keys[at] = np.frombuffer(b"".join(keys), np.uint8).reshape(-1, 32)
        self._last = last
        return True

    def _read_deleted(self, rows: IndexRows) -> bool:
        """Mark the documents that were deleted since the last call; returns whether there are any."""
        found = rows.deleted(self._deleted)
        if found:
            self._deleted = found[-1][0]
            self._sources[[number for _, number in found if number < len(self._sources)]] = 0
        return bool(found)

    def _read_waiting(self, rows: IndexRows) -> None:
        """Index the new documents that are not in the posting lists yet."""
        for number, blob in rows.waiting(self._last_waiting):
            language, counts = unpack_json(blob)
            self._waiting_languages.add(language)
            for term, weight in term_weights(language, counts).items():
                self._waiting_postings[term].append((number, min(weight, MOST_WEIGHT)))
            for word in set(map(fold, counts)):
                self._waiting_words[word] += 1
            self._last_waiting = number

    def _read_languages(self, rows: IndexRows) -> None:
        """Note the languages of all documents: a word of a query is looked up under its stem in each."""
        self._languages = tuple(sorted({*rows.languages(), *self._waiting_languages}))

    def _update_norms(self, deleted: bool) -> None:
        """Compute the length norms, and clear the cached lists if they are outdated. The average length changes only
        when it drifts, or when documents were `deleted`, so that cached lists stay valid."""
        alive = self._sources > 0
        self._count = int(alive.sum())
        average = float(self._lengths[alive].mean()) if self._count else 1.0
        if deleted or abs(average - self._average) > _DRIFT * self._average:
            self._average = average
            self._clear_cache()
        self._norms = norms_of(self._lengths, alive, self._average)


def _decoded(blobs: Blobs) -> Weighted:
    """The document numbers and the weights in the blobs of a term, in the order of the blobs."""
    numbers: list[Numbers] = [np.empty(0, np.int64)]
    weights: list[Floats] = [np.empty(0, np.float32)]
    for block, docs in blobs:
        postings = np.frombuffer(docs, POSTING)
        numbers.append(postings["at"].astype(np.int64) + block * BLOCK)
        weights.append(postings["weight"].astype(np.float32))
    return np.concatenate(numbers), np.concatenate(weights)
