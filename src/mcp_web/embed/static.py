"""The static signal: a fixed vector for each piece of a word, in about a hundred languages.

No model runs: text is split into pieces whose vectors are looked up, which takes milliseconds for a page. Two uses:
`similarities` compares each piece of a question with its nearest piece of a passage (late interaction), which finds the
right passage almost as well as words do, also where the words differ; `StaticEmbedder` gives one vector per text, for
comparing whole documents. The weights are minishlab/potion-multilingual-128M (MIT), made small by
scripts/static_vectors.py; docs/concepts/embeddings.md has the figures.
"""

from __future__ import annotations

import functools
import hashlib
import io
import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING

from mcp_web import trace
from mcp_web.embed.embedder import TextKind, check_hash, embed_in_parts
from mcp_web.errors import EmbeddingError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Rows = NDArray[np.float32]
    Numbers = NDArray[np.int64]

NAME = "static-multilingual@1"
DIM = 128
SHA256 = "03c2cc0312d2528fb5b692e2bfc68b5e64a7fe05d77d1a968b7ff518d79ac093"

# Combining marks belong to their word; Python's \w leaves some of them out.
_WORD = re.compile(r"[\w\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0900-\u0dff\u0e31-\u0e4e\u0eb1-\u0ece]+")
_WORD_START = "▁"
# How many words have their pieces cached, and the longest of these words: 200,000 took 45 MB.
_MOST_KNOWN_WORDS, _LONGEST_KNOWN = 20_000, 40


class StaticVectors:
    """Splits texts into word pieces, and holds a vector for each piece; `raw` is the content of `static.npz`."""

    def __init__(self, raw: bytes) -> None:
        import numpy as np

        with np.load(io.BytesIO(raw)) as stored:
            pieces = stored["pieces"].tobytes().decode().split("\n")
            self._codes = stored["codes"]
            self._centroids = stored["centroids"].astype(np.float32)
            self._lengths = stored["lengths"].astype(np.float32)
        self._numbers = {piece: number for number, piece in enumerate(pieces) if piece}
        self._longest = max(map(len, pieces))
        self._split_cached = functools.lru_cache(_MOST_KNOWN_WORDS)(self._split)

    def pieces(self, text: str) -> list[int]:
        """The word pieces of a text, in order, each as its number."""
        found: list[int] = []
        for word in _WORD.findall(text.lower()):
            found += self._split_cached(word) if len(word) <= _LONGEST_KNOWN else self._split(word)
        return found

    def directions(self, numbers: Sequence[int] | Numbers) -> Rows:
        """The vectors of these pieces, scaled to length one: one row for each number."""
        import numpy as np

        groups = self._centroids[np.arange(self._centroids.shape[0]), self._codes[np.asarray(numbers, np.int64)]]
        rows = groups.reshape(len(groups), -1)
        return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9), np.float32)

    def weights(self, numbers: Sequence[int] | Numbers) -> Rows:
        """The weight of each piece: rare pieces have more than common ones."""
        import numpy as np

        lengths: Rows = self._lengths[np.asarray(numbers, np.int64)]
        return lengths

    def mean(self, text: str) -> Rows:
        """The weighted mean of the vectors of a text's pieces, scaled to length one; a text without any gets that of
        the padding piece."""
        import numpy as np

        numbers = self.pieces(text) or [0]
        row = self.weights(numbers) @ self.directions(numbers)
        return np.asarray(row / max(1e-9, float(np.linalg.norm(row))), np.float32)

    def _split(self, word: str) -> tuple[int, ...]:
        """The numbers of a word's pieces: from left to right, the longest known ones; other characters are skipped."""
        found: list[int] = []
        at = 0
        while at < len(word):
            for end in range(min(len(word), at + self._longest), at, -1):
                number = self._numbers.get(word[at:end] if at else _WORD_START + word[:end])
                if number is not None:
                    found.append(number)
                    at = end
                    break
            else:
                at += 1
        return tuple(found)


@dataclass(frozen=True, slots=True)
class PassagePieces:
    """The distinct word pieces of each of several passages, to be compared with those of a question."""

    directions: Rows  # of every different piece
    members: Numbers  # which of them each passage has, passage after passage
    starts: Numbers  # where each passage begins in `members`

    @classmethod
    def of(cls, vectors: StaticVectors, texts: Sequence[str]) -> PassagePieces:
        """The word pieces of the passages with these texts, and their vectors."""
        import numpy as np

        places: dict[int, int] = {}  # of each different piece
        members: list[int] = []
        starts: list[int] = []
        for text in texts:
            starts.append(len(members))
            # A passage without a known piece gets the padding piece, which is similar to no other.
            members += [places.setdefault(piece, len(places)) for piece in set(vectors.pieces(text) or (0,))]
        return cls(vectors.directions(list(places)), np.array(members, np.int64), np.array(starts, np.int64))

    def similarities(self, vectors: StaticVectors, question: str) -> Rows | None:
        """For each passage, how well its pieces match a question's, at most 1; None if the question has no pieces."""
        import numpy as np

        numbers = list(dict.fromkeys(vectors.pieces(question)))
        if not numbers:
            return None
        # Not a product of matrices: its threads would wait for each other longer than they compute.
        near = np.vecdot(vectors.directions(numbers)[:, None], self.directions)
        best = np.maximum.reduceat(near.take(self.members, axis=1), self.starts, axis=1)
        weights = vectors.weights(numbers)
        return np.asarray(weights @ best / max(1e-9, float(weights.sum())), np.float32)


_PART = 32  # texts embedded by one call of the thread


class StaticEmbedder:
    """The static vectors as an embedding model: one vector per text, the weighted mean of those of its word pieces."""

    name = NAME
    dim: int | None = DIM
    languages: frozenset[str] | None = None

    async def embed(self, texts: Sequence[str], kind: TextKind | Sequence[TextKind] = "passage") -> Rows:
        return await embed_in_parts(_means, texts, _PART, DIM, self.name)


_loading = threading.Lock()


def static_vectors() -> StaticVectors:
    """The packaged vectors, loaded when first used; raises EmbeddingError if missing or of another hash."""
    with _loading:
        return _load()


@functools.cache
def _load() -> StaticVectors:
    try:
        raw = resources.files("mcp_web.embed").joinpath("static.npz").read_bytes()
    except OSError as error:
        raise EmbeddingError("The file embed/static.npz is missing.", suggestion="Reinstall mcp-web.") from error
    check_hash("embed/static.npz", hashlib.sha256(raw).hexdigest(), SHA256, "Reinstall mcp-web.")
    with trace.step("embed_load", model=NAME):
        return StaticVectors(raw)


def _means(texts: Sequence[str]) -> Rows:
    """One vector per text, from the packaged vectors."""
    import numpy as np

    vectors = static_vectors()
    return np.stack([vectors.mean(text) for text in texts])
