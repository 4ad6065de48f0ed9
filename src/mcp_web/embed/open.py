"""Opens the embedder that the options name."""

from __future__ import annotations

from mcp_web.embed.embedder import Embedder
from mcp_web.embed.none import NoEmbedder
from mcp_web.embed.options import EmbedOptions
from mcp_web.embed.remote import Api, RemoteEmbedder


def open_embedder(options: EmbedOptions, api: Api | None = None) -> Embedder:
    """The configured embedder; nothing is loaded and nobody asked before it is used."""
    provider = options.provider
    if provider == "auto":
        provider = "remote" if options.server_url else "local"
    if provider == "none":
        return NoEmbedder()
    if provider == "remote":
        if api is None:
            raise ValueError("a remote embedder needs the API client")
        return RemoteEmbedder(options, api)

    from mcp_web.embed.local import LocalEmbedder

    return LocalEmbedder(options)
