"""The options of embeddings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from mcp_web.model.option import option


@dataclass(frozen=True, slots=True)
class EmbedOptions:
    provider: Literal["auto", "local", "remote", "none"] = option(
        "auto",
        "Where vectors come from; auto is remote when EMBEDDING_SERVER_URL is set, else the local model. none ranks "
        "by words only and saves the memory of the model.",
        env="MCP_WEB_EMBEDDINGS",
        choices=("auto", "local", "remote", "none"),
    )
    server_url: str | None = option(
        None,
        "An OpenAI-compatible server: its base (https://host/v1) or the whole address of its embeddings endpoint.",
        env="EMBEDDING_SERVER_URL",
    )
    server_api_key: str | None = option(
        None,
        "The API key of the embedding server, sent as a bearer token.",
        env="EMBEDDING_SERVER_API_KEY",
        secret=True,
    )
    model_name: str | None = option(
        None,
        "The model to request from the embedding server.",
        env="EMBEDDING_MODEL_NAME",
    )
    tokens_size: int | None = option(
        None,
        "Passages are at most this many tokens, where a model reads fewer than the usual 100 to 130 words.",
        env="EMBEDDING_TOKENS_SIZE",
        least=16,
        most=8192,
    )
    threshold: float | None = option(
        None,
        "Passages with a lower calibrated score (0 to 1) are left out, where a program needs a fixed bound; unset "
        "lets the verdict decide.",
        env="SIMILARITY_THRESHOLD",
        least=0,
        most=1,
    )
    model_folder: str | None = option(
        None,
        "A folder with model.onnx and tokenizer.json of another sentence encoder, for a language or field that it "
        "knows better.",
        env="MCP_WEB_EMBEDDING_MODEL_FOLDER",
    )
    prefixes: Mapping[str, str] = option(
        {},
        "Prefixes of texts, for models that were trained with them: `query=query:, passage=passage:`.",
        env="MCP_WEB_EMBEDDING_PREFIXES",
        choices=("query", "passage"),
    )
    # The number of dimensions to request, where the model offers several.
    dimensions: int | None = None
    threads: int = 0  # processor threads of the local model; 0 takes half of the cores, four at most
    concurrency: int = 2  # requests to the embedding server at the same time; never more than pages
    timeout: float = 20.0  # seconds to wait for the embedding server; the time of a page, where that is set
