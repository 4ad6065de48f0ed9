"""Reading everything kept again: what changed, what was never read, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from embed.embedding_server import EmbeddingServer
from mcp_web.app import App
from mcp_web.archive.answer import ArchiveQuery
from mcp_web.services.reindex_archive import reindex_archive
from mcp_web.services.search_archive import search_archive
from mcp_web.settings import load
from miniweb import MiniWeb

from contracts.store_samples import snapshot  # isort: skip

pytestmark = pytest.mark.anyio

OLD, NEW = "Glaciers move slowly.\n\nGlaciers melt.", "Volcanoes erupt.\n\nVolcanoes cool."


@pytest.fixture
def server(miniweb: MiniWeb) -> EmbeddingServer:
    return EmbeddingServer(miniweb)


def app(folder: Path, server: EmbeddingServer | None, model: str = "m") -> App:
    environ = {"MCP_WEB_DB_PATH": str(folder / "s.sqlite"), "MCP_WEB_EMBEDDINGS": "none"}
    if server is not None:
        environ |= {"MCP_WEB_EMBEDDINGS": "", "EMBEDDING_SERVER_URL": server.url, "EMBEDDING_MODEL_NAME": model}
    return App(load(environ={name: value for name, value in environ.items() if value}))


async def test_pages_whose_text_changed_are_read_again_and_others_not(tmp_path: Path, server: EmbeddingServer) -> None:
    async with app(tmp_path, server) as running:
        store = await running.store()
        await store.keep(snapshot("https://a.example/", text=OLD))
        await store.keep(snapshot("https://b.example/", text="Sonnets rhyme."))
        assert await reindex_archive(running) == 2
        assert await reindex_archive(running) == 0
        await store.keep(snapshot("https://a.example/", text=NEW, at=2000.0))
        server.requests.clear()
        assert await reindex_archive(running) == 1
        assert [text for text in server.texts if "Sonnets" in text] == []
        assert any("Volcanoes" in text for text in server.texts)


async def test_a_search_embeds_its_question_once_and_nothing_else(tmp_path: Path, server: EmbeddingServer) -> None:
    async with app(tmp_path, server) as running:
        store = await running.store()
        page = snapshot("https://a.example/", text=OLD)
        await store.keep(page)
        server.requests.clear()
        for mode in ("hybrid", "semantic", "hybrid"):
            await search_archive(running, ArchiveQuery("volcanoes", mode=mode))
        assert server.texts == ["volcanoes"]
        assert await store.vectors(page.key, (await running.reader()).model) is None


async def test_another_model_takes_over_whole_and_no_model_takes_nothing(
    tmp_path: Path, server: EmbeddingServer
) -> None:
    page = snapshot("https://a.example/", text=OLD)
    async with app(tmp_path, server) as running:
        await (await running.store()).keep(page)
        await reindex_archive(running)
    async with app(tmp_path, None) as running:
        assert await reindex_archive(running) == 0
        assert await (await running.store()).vectors(page.key, "m@remote") is not None
    async with app(tmp_path, server, "other") as running:
        assert await reindex_archive(running) == 1
        assert await (await running.store()).vectors(page.key, "m@remote") is None
        assert await (await running.store()).vectors(page.key, "other@remote") is not None
