"""The local model: verified, lazy, off the event loop."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import anyio
import numpy as np
import pytest

from mcp_web.embed import granite
from mcp_web.embed.embedder import Embedder
from mcp_web.embed.local import LocalEmbedder
from mcp_web.embed.open import NoEmbedder, open_embedder
from mcp_web.embed.options import EmbedOptions
from mcp_web.errors import ConfigError, EmbeddingError


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    """One load of the model for all tests of this file."""
    return open_embedder(EmbedOptions(threads=1))


@pytest.mark.anyio
async def test_weights_with_another_hash_are_not_loaded(tmp_path: Path) -> None:
    path = granite.find()
    assert path
    raw = bytearray(path.read_bytes())
    raw[-1000] ^= 1
    (tmp_path / "pack").write_bytes(raw)
    with pytest.raises(EmbeddingError, match="hash"):
        await LocalEmbedder(EmbedOptions(), weights=tmp_path / "pack").embed(["a"])


@pytest.mark.anyio
async def test_vectors_are_the_ones_that_were_measured(embedder: Embedder) -> None:
    rows = await embedder.embed(["how do I install the package?", "The weather in Paris."])
    assert float(rows[0] @ rows[1]) == pytest.approx(GOLDEN_COSINE, abs=0.01)


@pytest.mark.anyio
async def test_event_loop_stays_free_while_a_page_is_embedded(embedder: Embedder) -> None:
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await anyio.sleep(0.001)

    async with anyio.create_task_group() as group:
        group.start_soon(count)
        await embedder.embed(["some words of a passage " * 20] * 24)
        group.cancel_scope.cancel()
    assert turns > 10


@pytest.mark.anyio
async def test_question_gets_its_turn_between_the_batches_of_a_page(embedder: Embedder) -> None:
    ended: list[str] = []

    async def run(name: str, texts: list[str]) -> None:
        await embedder.embed(texts)
        ended.append(name)

    async with anyio.create_task_group() as group:
        group.start_soon(run, "page", ["words of a passage"] * 200)
        group.start_soon(run, "question", ["a question"])
    assert ended == ["question", "page"]


def test_nothing_heavy_is_imported_before_the_first_use() -> None:
    code = (
        "import sys; from mcp_web.embed.open import open_embedder; from mcp_web.embed.options import EmbedOptions;"
        "open_embedder(EmbedOptions());"
        "print([name for name in ('numpy', 'onnxruntime', 'tokenizers') if name in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_folder_without_a_model_names_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"model\.onnx"):
        open_embedder(EmbedOptions(model_folder=str(tmp_path)))


@pytest.mark.anyio
async def test_broken_model_file_is_an_embedding_error(tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"not a model")
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(EmbeddingError, match="could not be loaded"):
        await open_embedder(EmbedOptions(model_folder=str(tmp_path))).embed(["a"])


@pytest.mark.anyio
async def test_no_embeddings_say_how_to_switch_them_on() -> None:
    embedder = open_embedder(EmbedOptions(provider="none"))
    assert isinstance(embedder, NoEmbedder)
    with pytest.raises(EmbeddingError) as caught:
        await embedder.embed(["a"])
    assert "MCP_WEB_EMBEDDINGS" in caught.value.suggestion


@pytest.mark.anyio
async def test_prefixes_reach_the_local_model(embedder: Embedder) -> None:
    plain = await embedder.embed(["query: x"])
    prefixed = await open_embedder(EmbedOptions(threads=1, prefixes={"query": "query:"})).embed(["x"], kind="query")
    assert np.allclose(plain, prefixed, atol=1e-3)


GOLDEN_COSINE = 0.549
