"""Opens the configured embedder, or a placeholder if there is none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mcp_web.embed.embedder import Embedder, TextKind
from mcp_web.embed.options import EmbedOptions
from mcp_web.embed.remote import Api, RemoteEmbedder
from mcp_web.errors import EmbeddingError

if TYPE_CHECKING:
    from mcp_web.embed.embedder import Rows


class NoEmbedder:
    """The embedder when embeddings are switched off; `dim` is 0, and `embed` raises EmbeddingError."""

    name = "none@0"
    dim = 0
    languages: frozenset[str] | None = frozenset()

    async def embed(self, texts: Sequence[str], kind: TextKind | Sequence[TextKind] = "passage") -> Rows:
        raise EmbeddingError(
            "Embeddings are switched off (MCP_WEB_EMBEDDINGS=none).",
            suggestion="Set MCP_WEB_EMBEDDINGS to local or remote.",
        )


def open_embedder(options: EmbedOptions, api: Api | None = None) -> Embedder:
    """The configured embedder, which loads nothing before it is used; `api` is for a remote one. Raises ConfigError."""
    provider = options.provider
    if provider == "auto":
        provider = "remote" if options.server_url else "local"
    if provider == "none":
        return NoEmbedder()
    if provider == "remote":
        assert api is not None
        return RemoteEmbedder(options, api)

    from mcp_web.embed.local import LocalEmbedder

    return LocalEmbedder(options)
