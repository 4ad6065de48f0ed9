"""The word index as rows: posting lists in blobs, the same in every store.

A store's own full-text index scores row by row: FTS5 needs a tenth of a second and more for a long question about
100,000 documents. Here the postings of a term are in blobs, three bytes each (place in the block, weight), so that a
whole list is scored in one numpy step (word_index.py). They are in ordinary tables, written in one transaction with the
page.

A new document is first one row of word counts; a few hundred at once are merged into the blobs. Document numbers are
never reused: a deleted document is only marked, and its postings are deleted later, many at once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from mcp_web.store.pack import unpack_json
from mcp_web.text.words import fold, terms

MOST_WEIGHT = 255  # the largest weight, because it is one byte in the index; BM25 saturates long before
_WEIGHTS = [bytes((weight,)) for weight in range(MOST_WEIGHT + 1)]
BLOCK = 1 << 14  # documents in one blob: below 65,536, so that a place fits two bytes

# A merge rewrites the blobs of common terms: larger merges are cheaper overall, smaller ones lock the store more
# briefly.
MERGE_AT = 256
# The share of deleted documents at which their postings are deleted.
DELETED_SHARE = 0.3

Blobs = Sequence[tuple[int, bytes]]  # the number of a block and the postings in it


@dataclass(frozen=True, slots=True)
class Additions:
    """What a merge adds to the word index: the postings, words and languages of the documents that waited for it."""

    last: int = 0  # the highest document number
    lists: Mapping[tuple[str, int], bytes] = field(default_factory=dict)  # postings by term and block
    words: Mapping[str, int] = field(default_factory=dict)  # how many documents contain each
    languages: tuple[str, ...] = ()


def definition(key: str) -> str:
    """The index word of the documents that define the name with this key; no text and no question contains it."""
    return f"={key}"


def term_weights(language: str, counts: Mapping[str, int]) -> dict[str, int]:
    """The weight of each term (word stem) in a document: the sum of the counts of its words with this stem."""
    weights: dict[str, int] = {}
    for word, count in counts.items():
        for term in terms(word, language):
            weights[term] = weights[term] + count if term in weights else count
    return weights


def additions(waiting: Iterable[tuple[int, bytes]]) -> Additions:
    """What documents that wait to be merged add to the posting lists. `waiting` has their numbers, ascending, each with
    the document's packed words (`Prepared.words`)."""
    lists: dict[tuple[str, int], bytearray] = defaultdict(bytearray)
    words: dict[str, int] = defaultdict(int)
    languages: set[str] = set()
    last = 0
    for number, packed in waiting:
        language, counts = unpack_json(packed)
        languages.add(language)
        block, at = divmod(number, BLOCK)
        place = at.to_bytes(2, "little")
        for term, weight in term_weights(language, counts).items():
            lists[term, block] += place + _WEIGHTS[min(weight, MOST_WEIGHT)]
        for word in set(map(fold, counts)):
            words[word] += 1
        last = number
    return Additions(last, {place: bytes(docs) for place, docs in lists.items()}, words, tuple(sorted(languages)))


def without_documents(docs: bytes, places: list[int]) -> bytes | None:
    """A blob of postings without the documents at these places in its block; None when it contains none of them."""
    import numpy as np

    from mcp_web.store.scoring import POSTING

    postings = np.frombuffer(docs, POSTING)
    left = postings[~np.isin(postings["at"], places)]
    return left.tobytes() if len(left) < len(postings) else None


def places_by_block(numbers: Iterable[int]) -> dict[int, list[int]]:
    """The documents with these numbers, as their places in blocks, by block: a block is BLOCK successive numbers."""
    found: dict[int, list[int]] = defaultdict(list)
    for number in numbers:
        found[number // BLOCK].append(number % BLOCK)
    return found
