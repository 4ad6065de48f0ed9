"""An OpenAI-compatible embedding server."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import anyio

from mcp_web import trace
from mcp_web.embed.embedder import TextKind, unit_vectors, with_prefixes
from mcp_web.embed.options import EmbedOptions
from mcp_web.errors import ConfigError, EmbeddingError, WebError, ungrouped

if TYPE_CHECKING:
    from mcp_web.embed.embedder import Rows

BATCH = 32  # texts of one request
# A batch of 32 vectors of 4,096 dimensions in JSON is about 3 MB.
MAX_BYTES = 32_000_000
# What to do about a refusal, by its status.
_HINTS = {
    401: "The operator checks EMBEDDING_SERVER_API_KEY.",
    403: "The operator checks EMBEDDING_SERVER_API_KEY.",
    404: "The operator checks EMBEDDING_SERVER_URL and EMBEDDING_MODEL_NAME.",
    429: "Try again later; the operator can lower CONCURRENCY or raise the server's limit.",
}


class ApiAnswer(Protocol):
    """The part of an HTTP response that this module uses."""

    @property
    def status(self) -> int: ...

    def json(self) -> Any: ...


class Api(Protocol):
    """The part of the HTTP client `net.client.ApiClient` that this module uses."""

    async def request(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        json: Any = None,
        timeout: float = 20.0,
        max_bytes: int = MAX_BYTES,
    ) -> ApiAnswer: ...


class RemoteEmbedder:
    """Embeds with an OpenAI-compatible server, at most 32 texts per request: one retry on 5xx, none on 429, limited
    concurrent requests. `retry_delay` is in seconds. Raises ConfigError without a server's URL and a model's name."""

    def __init__(self, options: EmbedOptions, api: Api, retry_delay: float = 0.5) -> None:
        if not options.server_url or not options.model_name:
            missing = "EMBEDDING_MODEL_NAME" if options.server_url else "EMBEDDING_SERVER_URL"
            raise ConfigError(
                f"Remote embeddings need {missing}, which is not set.",
                suggestion=f"Set {missing}, or set MCP_WEB_EMBEDDINGS=local.",
            )
        self._options = options
        self._api = api
        self._url = _endpoint(options.server_url)
        self._model = options.model_name
        self._retry_delay = retry_delay
        self._slots = anyio.CapacityLimiter(options.concurrency)
        self.dim: int | None = options.dimensions
        self.languages: frozenset[str] | None = None

    @property
    def name(self) -> str:
        """The model's name; servers give no version, so the requested dimensions take its place."""
        return f"{self._model}@{self._options.dimensions or 'remote'}"

    async def embed(self, texts: Sequence[str], kind: TextKind | Sequence[TextKind] = "passage") -> Rows:
        import numpy as np

        given = with_prefixes(texts, kind, self._options.prefixes)
        batches = [given[at : at + BATCH] for at in range(0, len(given), BATCH)]
        found: dict[int, Rows] = {}

        async def one(number: int) -> None:
            async with self._slots:
                found[number] = await self._batch(batches[number])

        with trace.step("embed", model=self.name, texts=len(given)), ungrouped():
            async with anyio.create_task_group() as group:
                for number in range(len(batches)):
                    group.start_soon(one, number)
        if len({part.shape[1] for part in found.values()}) > 1:
            raise EmbeddingError(f"The embedding model {self.name} returned vectors of different lengths.")
        rows = [found[number] for number in range(len(batches))]
        return np.concatenate(rows) if rows else np.zeros((0, self.dim or 0), np.float32)

    async def _batch(self, texts: list[str]) -> Rows:
        """The vectors of one batch; a server error is retried once. Raises EmbeddingError."""
        answer = await self._ask(texts)
        if answer.status >= 500:
            # With jitter, so that replicas that failed together do not retry together.
            await anyio.sleep(self._retry_delay * random.uniform(0.5, 1.5))  # noqa: S311
            answer = await self._ask(texts)
        if answer.status != 200:
            raise EmbeddingError(
                f"The embedding server answered status {answer.status}.",
                suggestion=_HINTS.get(answer.status),
                retryable=answer.status == 429 or answer.status >= 500,
                status_code=answer.status,
            )
        rows = unit_vectors(_vectors(answer, self._model), len(texts), self.dim, self.name)
        self.dim = rows.shape[1]
        return rows

    async def _ask(self, texts: list[str]) -> ApiAnswer:
        """The server's answer, whatever its status; raises EmbeddingError if there is none."""
        body: dict[str, Any] = {"model": self._model, "input": texts, "encoding_format": "float"}
        if self._options.dimensions:
            body["dimensions"] = self._options.dimensions
        headers = {"accept": "application/json"}
        if self._options.server_api_key:
            headers["authorization"] = f"Bearer {self._options.server_api_key}"
        timeout = self._options.timeout
        try:
            with anyio.fail_after(timeout):
                return await self._api.request(
                    "POST", self._url, headers=headers, json=body, timeout=timeout, max_bytes=MAX_BYTES
                )
        except TimeoutError as error:
            raise EmbeddingError(
                f"The embedding server did not answer within {timeout:g} s (REQUEST_TIMEOUT_MS).", retryable=True
            ) from error
        except WebError as error:
            message = f"The request to the embedding server failed: {error.message}"
            raise EmbeddingError(message, retryable=True) from error


def _endpoint(url: str) -> str:
    """The URL of the embeddings endpoint, from a base (https://host or https://host/v1) or from that URL itself."""
    place, mark, query = url.partition("?")
    bare = place.rstrip("/")
    if not bare.endswith("/embeddings"):
        bare += "/embeddings" if "/" in bare.partition("://")[2] else "/v1/embeddings"
    return bare + mark + query


def _vectors(answer: ApiAnswer, model: str) -> list[list[float]]:
    """The vectors of a response, in the order of the texts (by `index` if it has that); EmbeddingError if invalid."""
    try:
        data = answer.json()["data"]
        ordered = sorted(enumerate(data), key=lambda pair: int(pair[1].get("index", pair[0])))
        return [list(item["embedding"]) for _, item in ordered]
    except (ValueError, OverflowError, KeyError, TypeError, AttributeError, WebError) as error:
        raise EmbeddingError(f"The embedding server returned an invalid response for {model}.") from error
