"""A remote embedding server: asked politely, never trusted blindly."""

from __future__ import annotations

import json

import anyio
import pytest

from mcp_web.embed.open import open_embedder
from mcp_web.embed.options import EmbedOptions
from mcp_web.embed.remote import RemoteEmbedder
from mcp_web.errors import ConfigError, EmbeddingError
from mcp_web.net.client import ApiClient
from mcp_web.net.dial import OperatorDialer
from miniweb import MiniWeb, Reply

from .embedding_server import DIM, EmbeddingServer

pytestmark = pytest.mark.anyio


@pytest.fixture
def server(miniweb: MiniWeb) -> EmbeddingServer:
    return EmbeddingServer(miniweb)


def remote(server: EmbeddingServer, **options: object) -> RemoteEmbedder:
    given = EmbedOptions(server_url=server.url, server_api_key="sk-test", model_name="m", **options)  # type: ignore[arg-type]
    return RemoteEmbedder(given, ApiClient(OperatorDialer()), retry_delay=0)


async def test_texts_go_out_in_batches_of_at_most_32_with_the_key(server: EmbeddingServer) -> None:
    rows = await remote(server).embed([f"t{n}" for n in range(70)])
    assert rows.shape == (70, DIM)
    assert sorted(len(request["input"]) for request in server.requests) == [6, 32, 32]
    assert set(server.keys) == {"Bearer sk-test"}


async def test_one_server_error_is_retried_once(server: EmbeddingServer) -> None:
    server.statuses = [503]
    assert len(await remote(server).embed(["a"])) == 1
    assert len(server.requests) == 2
    server.statuses = [500, 502]
    with pytest.raises(EmbeddingError, match="502"):
        await remote(server).embed(["a"])
    assert len(server.requests) == 4


@pytest.mark.parametrize(("status", "hint"), [(429, "later"), (401, "API_KEY"), (404, "MODEL_NAME"), (302, "doctor")])
async def test_refusals_are_not_retried_and_say_what_to_do(server: EmbeddingServer, status: int, hint: str) -> None:
    server.statuses = [status]
    with pytest.raises(EmbeddingError) as caught:
        await remote(server).embed(["a"])
    assert len(server.requests) == 1
    assert hint in caught.value.suggestion
    assert "sk-test" not in str(caught.value.as_dict())


@pytest.mark.parametrize(
    ("spoiled", "said"),
    [
        (lambda a: a | {"data": a["data"][:-1]}, "1 vectors for 2"),
        (lambda a: a | {"data": [d | {"embedding": d["embedding"][: 5 + d["index"]]} for d in a["data"]]}, "different"),
        (lambda a: json.dumps(a).replace("0.01", "NaN", 1), "not a number"),
        (lambda a: a | {"data": [d | {"embedding": [0.0] * DIM} for d in a["data"]]}, "empty"),
        (lambda a: a | {"data": [d | {"embedding": ["x"] * DIM} for d in a["data"]]}, "not a number"),
        (lambda a: a | {"data": [d | {"embedding": [10**400] * DIM} for d in a["data"]]}, "not a number"),
        (lambda a: json.dumps(a).replace('"index": 0', '"index": 1e999'), "returned an invalid response"),
        (lambda a: {"error": "no"}, "returned an invalid response"),
        (lambda a: "<html>", "returned an invalid response"),
    ],
)
async def test_wrong_answers_are_refused_whole(server: EmbeddingServer, spoiled: object, said: str) -> None:
    server.spoil = spoiled  # type: ignore[assignment]
    with pytest.raises(EmbeddingError, match=said):
        await remote(server).embed(["one two", "three"])


async def test_dimension_that_changes_between_calls_names_the_way_out(server: EmbeddingServer) -> None:
    embedder = remote(server)
    await embedder.embed(["a"])
    server.spoil = lambda a: a | {"data": [{"index": 0, "embedding": [1.0] * 8}]}
    with pytest.raises(EmbeddingError, match=f"8 dimensions where {DIM}") as caught:
        await embedder.embed(["b"])
    assert "archive reindex" in caught.value.suggestion


async def test_vectors_are_put_in_the_order_of_their_index(server: EmbeddingServer) -> None:
    straight = await remote(server).embed(["a b", "c d", "e f"])
    server.spoil = lambda a: a | {"data": a["data"][::-1]}
    assert (await remote(server).embed(["a b", "c d", "e f"]) == straight).all()


async def test_dimensions_and_prefixes_are_sent_when_set(server: EmbeddingServer) -> None:
    embedder = remote(server, dimensions=8, prefixes={"query": "query: ", "passage": "passage:"})
    assert (await embedder.embed(["x"], kind="query")).shape == (1, 8)
    await embedder.embed(["y"])
    assert server.texts == ["query: x", "passage: y"]
    assert embedder.name == "m@8"


async def test_no_more_requests_at_once_than_allowed(miniweb: MiniWeb) -> None:
    server = EmbeddingServer(miniweb)
    busy, most = 0, 0
    answer = server._answer

    async def counted(request: object) -> Reply:
        nonlocal busy, most
        busy += 1
        most = max(most, busy)
        await anyio.lowlevel.checkpoint()
        try:
            return answer(request)
        finally:
            busy -= 1

    server.site.route("/v1/embeddings", counted)
    await remote(server, concurrency=2).embed([f"t{n}" for n in range(320)])
    assert most <= 2
    assert len(server.requests) == 10


async def test_slow_server_is_given_up_with_the_limit_named(miniweb: MiniWeb) -> None:
    server = EmbeddingServer(miniweb)

    async def never(request: object) -> Reply:
        await anyio.sleep_forever()
        return Reply()

    server.site.route("/v1/embeddings", never)
    with pytest.raises(EmbeddingError, match=r"REQUEST_TIMEOUT_MS|within") as caught:
        await remote(server, timeout=0.2).embed(["a"])
    assert caught.value.retryable


async def test_unreachable_server_is_an_embedding_error() -> None:
    options = EmbedOptions(server_url="http://127.0.0.1:1/v1", model_name="m")
    with pytest.raises(EmbeddingError, match="The request to the embedding server failed"):
        await RemoteEmbedder(options, ApiClient(OperatorDialer())).embed(["a"])


def test_missing_model_name_is_named() -> None:
    with pytest.raises(ConfigError, match="EMBEDDING_MODEL_NAME"):
        open_embedder(EmbedOptions(server_url="http://h.example"), ApiClient(OperatorDialer()))


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        ("https://h.example", "https://h.example/v1/embeddings"),
        ("https://h.example/v1/", "https://h.example/v1/embeddings"),
        ("https://h.example/m/embeddings?api-version=1", "https://h.example/m/embeddings?api-version=1"),
        ("https://h.example/openai/v1", "https://h.example/openai/v1/embeddings"),
        ("https://h.example/x/embeddings", "https://h.example/x/embeddings"),
    ],
)
def test_base_and_whole_address_both_work(given: str, asked: str) -> None:
    embedder = RemoteEmbedder(EmbedOptions(server_url=given, model_name="m"), ApiClient(OperatorDialer()))
    assert embedder._url == asked
