"""Reads a question and a passage together and scores how likely the passage answers it: English.

It is the packaged encoder with small changes to its weights (rank 32), trained on questions with the passages that
answer them: docs/concepts/embeddings.md says on which, and how good it is. A vector of a passage is made without
knowing the question; this reads both, so it tells an answer from a text about the same subject.
"""

from __future__ import annotations

import hashlib
import io
import os
import threading
from collections.abc import Sequence
from importlib import resources
from typing import TYPE_CHECKING, Any

import anyio
from anyio import to_thread

from mcp_web import trace
from mcp_web.embed import granite
from mcp_web.embed.embedder import check_hash
from mcp_web.embed.local import packaged_weights
from mcp_web.errors import EmbeddingError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mcp_web.embed.granite import Floats

NAME = "reading-judge"
SHA256 = "0c542a7e905b95778207bf296a41e3a3544770146e907429ca3f9f37b778bc8a"
LANGUAGES = granite.LANGUAGES
# Tokens that are read of a question and of a passage; as in training.
QUESTION_TOKENS, PASSAGE_TOKENS = 48, 230
# Pairs scored by one call of the thread, which cannot be cancelled: a tenth of a second. Eight at once are 3 % faster.
_PART = 2
_BETWEEN = (2, 2)  # two end tokens separate question and passage


class Judge:
    """A model that scores how likely a passage answers a question; loaded when first used, in a worker thread."""

    languages: frozenset[str] | None = LANGUAGES

    def __init__(self, threads: int | None = None) -> None:
        self._threads = threads or min(4, max(1, (os.cpu_count() or 2) // 2))
        self._scorer: PairScorer | None = None
        self._loading = threading.Lock()
        # Calls are answered one after the other, not pair by pair in turns: all would then end with the last.
        self._turn, self._limiter = anyio.Lock(), anyio.CapacityLimiter(1)

    async def scores(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """The log-odds that the passage answers the question, for each pair (question, passage). Raises EmbeddingError.
        The call can be cancelled after every second pair."""
        found: list[float] = []
        if not pairs:
            return found
        with trace.step("judge", pairs=len(pairs)):
            async with self._turn:
                for begin in range(0, len(pairs), _PART):
                    part = pairs[begin : begin + _PART]
                    found += (await to_thread.run_sync(self._score, part, limiter=self._limiter)).tolist()
        return found

    def _score(self, pairs: Sequence[tuple[str, str]]) -> Floats:
        try:
            with self._loading:
                if self._scorer is None:
                    with trace.step("embed_load", model=NAME):
                        self._scorer = PairScorer(granite.read(packaged_weights()), _changes(), self._threads)
            return self._scorer.score(pairs)
        except EmbeddingError:
            raise
        except Exception as error:  # numpy and a broken file of weights raise many types of errors
            raise EmbeddingError(f"The packaged judge failed: {error}.") from error


class PairScorer:
    """The network of the judge: question and passage are encoded as one text, and the score is a linear function of the
    state of its first token. Blocking. `changes`, the content of `judge.npz`, are applied to the weights in `pack`."""

    def __init__(self, pack: granite.Pack, changes: dict[str, NDArray[Any]], threads: int = 1) -> None:
        import numpy as np

        parts = {name: np.asarray(values, np.float32) for name, values in changes.items()}
        self._weight, self._bias = parts.pop("head.w"), float(parts.pop("head.b")[0])
        for name in [name for name in parts if name.endswith(".up")]:
            matrix = name.removesuffix(".up") + ".w"
            parts[matrix] = parts.pop(name) @ parts.pop(matrix.removesuffix(".w") + ".down")
        self._network = granite.Transformer(pack, threads, parts)

    def score(self, pairs: Sequence[tuple[str, str]]) -> Floats:
        """The log-odds that the passage answers the question, for each pair (question, passage)."""
        states = self._network.first_states([self._coded(question, passage) for question, passage in pairs])
        found: Floats = states @ self._weight + self._bias
        return found

    def _coded(self, question: str, passage: str) -> list[int]:
        encode = self._network.tokenizer.encode
        asked, read = encode(question, QUESTION_TOKENS + 2)[:-1], encode(passage, PASSAGE_TOKENS + 2)[1:]
        return [*asked, *_BETWEEN, *read]


def _changes() -> dict[str, NDArray[Any]]:
    """The packaged changes to the weights, by name; raises EmbeddingError if they are missing or of another hash."""
    import numpy as np

    try:
        raw = resources.files("mcp_web.embed").joinpath("judge.npz").read_bytes()
    except OSError as error:
        raise EmbeddingError("The file embed/judge.npz is missing.", suggestion="Reinstall mcp-web.") from error
    check_hash("embed/judge.npz", hashlib.sha256(raw).hexdigest(), SHA256, "Reinstall mcp-web.")
    with np.load(io.BytesIO(raw)) as found:
        return dict(found)
