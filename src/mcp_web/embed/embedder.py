"""The interface of embedding models, and the validation of their output."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

from anyio import to_thread

from mcp_web import trace
from mcp_web.errors import EmbeddingError
from mcp_web.lru import LruDict

if TYPE_CHECKING:
    import anyio
    import numpy as np
    from numpy.typing import NDArray

    Rows = NDArray[np.float32]

TextKind = Literal["passage", "query"]


class Embedder(Protocol):
    """Turns texts into unit vectors, in the order of the texts."""

    @property
    def name(self) -> str:
        """ "model@version": kept with every vector, so that two models are never compared."""
        ...

    @property
    def dim(self) -> int | None:
        """The length of its vectors; None while it is unknown, until first used; 0 if embeddings are switched off."""
        ...

    @property
    def languages(self) -> frozenset[str] | None:
        """The languages that the model supports, as ISO 639-1 codes; None if it is not limited to certain languages."""
        ...

    async def embed(self, texts: Sequence[str], kind: TextKind | Sequence[TextKind] = "passage") -> Rows:
        """One vector of length one per text; `kind` is that of all texts or of each. Raises EmbeddingError."""
        ...


@dataclass(frozen=True, slots=True)
class Calibration:
    """What a model's cosines mean: how near unrelated and related texts typically are to a question."""

    unrelated: float  # the cosine of a question and a text that does not answer it
    related: float  # and of one that does

    def nearness(self, cosine: float) -> float:
        """A cosine on another scale: about 0 for an unrelated text, about 1 for a text that typically answers."""
        return (cosine - self.unrelated) / max(0.02, self.related - self.unrelated)


def supports_language(embedder: Embedder, language: str) -> bool:
    """Whether a model supports a language (ISO 639-1 code); True for "", an unknown language."""
    return embedder.languages is None or not language or language in embedder.languages


def unit_vectors(rows: Sequence[Sequence[float]] | Rows, count: int, dim: int | None, model: str) -> Rows:
    """The rows scaled to length one; raises EmbeddingError when they are not `count` rows of `dim` finite numbers (of
    any one length with `dim` None), or one is zero. `model` is named in errors."""
    import numpy as np

    if len(rows) != count:
        raise EmbeddingError(f"The embedding model {model} returned {len(rows)} vectors for {count} texts.")
    widths = {len(row) for row in rows}
    if len(widths) > 1 or 0 in widths:
        raise EmbeddingError(f"The embedding model {model} returned vectors of different lengths: {sorted(widths)}.")
    if dim is not None and widths and widths != {dim}:
        raise EmbeddingError(
            f"The embedding model {model} returned vectors of {widths.pop()} dimensions where {dim} were expected.",
            suggestion="If the model was changed on purpose, run `mcp-web archive reindex`.",
            mismatch=True,
        )
    try:
        found = np.asarray(rows, dtype=np.float32).reshape(count, -1)
    except (TypeError, ValueError, OverflowError) as error:
        raise EmbeddingError(f"The embedding model {model} returned something that is not a number.") from error
    lengths = np.linalg.norm(found, axis=1, keepdims=True)
    if count and not (math.isfinite(float(lengths.sum())) and float(lengths.min()) > 0):
        raise EmbeddingError(f"The embedding model {model} returned a vector that is empty or not a number.")
    return found / lengths if count else found


def check_hash(file: str, found: str, expected: str, suggestion: str) -> None:
    """Raise EmbeddingError when `found`, the SHA-256 hash of a file of weights, is not the expected one."""
    if found != expected:
        raise EmbeddingError(
            f"{file} has the hash {found[:12]}…, not {expected[:12]}…, and was not loaded.", suggestion=suggestion
        )


def with_prefixes(texts: Sequence[str], kind: TextKind | Sequence[TextKind], prefixes: Mapping[str, str]) -> list[str]:
    """The texts, each with the prefix that `prefixes` has for its kind ("passage" or "query"), if any."""
    kinds = [kind] * len(texts) if isinstance(kind, str) else kind
    before = {name: prefix.rstrip() + " " for name, prefix in prefixes.items() if prefix.strip()}
    return [before.get(one, "") + text for text, one in zip(texts, kinds, strict=True)]


async def embed_in_parts(
    encode: Callable[[list[str]], Rows],
    texts: Sequence[str],
    size: int,
    dim: int | None,
    model: str,
    limiter: anyio.CapacityLimiter | None = None,
) -> Rows:
    """Embed texts with `encode` in a worker thread, `size` of them at a time; one row of the result per text. Without
    texts, no rows of `dim` columns. A running thread can be neither cancelled nor interrupted; between two parts the
    call can be cancelled, and another call that waits for the limiter gets its turn. `model` is named in the trace."""
    import numpy as np

    rows: list[Rows] = []
    with trace.step("embed", model=model, texts=len(texts)):
        for begin in range(0, len(texts), size):
            rows.append(await to_thread.run_sync(encode, list(texts[begin : begin + size]), limiter=limiter))
    return np.concatenate(rows) if rows else np.zeros((0, dim or 0), np.float32)


_MOST = 512  # questions kept: 1.5 kB each


class QuestionVectors:
    """A cache of question vectors, shared by everything in the process that compares questions with texts."""

    def __init__(self, embedder: Embedder) -> None:
        self.model = embedder.name
        self.known: LruDict[str, Any] = LruDict(_MOST)  # vectors by question
        self._embedder = embedder

    async def vector(self, text: str) -> list[float]:
        """The vector of a question, from the cache or from the model; raises EmbeddingError."""
        row = self.known.get(text)
        if row is None:
            row = self.known[text] = (await self._embedder.embed([text], "query"))[0]
        found: list[float] = row.tolist()
        return found

    async def cosines(self, question: str, passages: Sequence[str]) -> list[float]:
        """The cosine of a question with each passage; the model embeds the passages. Raises EmbeddingError."""
        vector = await self.vector(question)
        found: list[float] = (await self._embedder.embed(passages, "passage") @ vector).tolist()
        return found


# Tokens of one run of a model, padding included. Attention's memory grows with length squared times batch: 2,048 keeps
# a run of full-length texts below 60 MB and costs no speed (measured: 80 texts/s at 4, 73 at 16).
BATCH_TOKENS = 2048


def batches(lengths: Sequence[int]) -> list[list[int]]:
    """Batches of texts of similar length, each as their indexes in `lengths`, the numbers of tokens of the texts. A
    batch has at most BATCH_TOKENS tokens, padding included, or one text."""
    found: list[list[int]] = []
    for at in sorted(range(len(lengths)), key=lambda n: lengths[n]):
        if found and (len(found[-1]) + 1) * lengths[at] <= BATCH_TOKENS:
            found[-1].append(at)
        else:
            found.append([at])
    return found
