"""Reading everything kept again: what changed, what was never read, and nothing else."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from functools import partial
from pathlib import Path

import anyio
import pytest

from embed.embedding_server import EmbeddingServer
from mcp_web.app import App
from mcp_web.archive.answer import ArchiveQuery
from mcp_web.errors import EmbeddingError
from mcp_web.index.documents import STATIC_MODEL
from mcp_web.services.embed_documents import coverage, embed_documents, reindex_archive
from mcp_web.services.search_archive import search_archive
from mcp_web.services.sync_folder import sync_folder
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
        assert await reindex_archive(running) == 4  # two documents, each with two models
        assert await reindex_archive(running) == 0
        await store.keep(snapshot("https://a.example/", text=NEW, at=2000.0))
        server.requests.clear()
        assert await reindex_archive(running) == 2
        assert [text for text in server.texts if "Sonnets" in text] == []
        assert any("Volcanoes" in text for text in server.texts)


async def test_a_search_embeds_its_question_once_and_nothing_else(tmp_path: Path, server: EmbeddingServer) -> None:
    async with app(tmp_path, server) as running:
        store = await running.store()
        await store.keep(snapshot("https://a.example/", text=OLD))
        server.requests.clear()
        for mode in ("hybrid", "semantic", "hybrid"):
            answer = await search_archive(running, ArchiveQuery("volcanoes", mode=mode))
            noted = any("Not yet embedded" in note and "1 document." in note for note in answer.notes)
            assert noted == (mode == "semantic")  # words need no vectors
        assert server.texts == ["volcanoes"]
        assert [one.lacking for one in await coverage(running)] == [1, 1]


async def test_documents_that_a_search_by_meaning_compares_less_well_are_not_called_missed(
    tmp_path: Path, server: EmbeddingServer
) -> None:
    (tmp_path / "notes").mkdir()
    for number in range(30):
        (tmp_path / "notes" / f"{number}.md").write_text(OLD)
    how = "A running server or `mcp-web archive reindex` embeds them."
    static = f"Not yet embedded by the model, and compared by static word vectors alone: 30 documents. {how}"
    async with app(tmp_path, server) as running:
        assert (await sync_folder(running, tmp_path / "notes")).notes == (static,)
        query = ArchiveQuery("glaciers", mode="semantic")
        found = await search_archive(running, query)
        assert found.results
        assert found.notes == (static,)
        await (await running.store()).keep(snapshot("https://a.example/", text=NEW))
        missed = f"Not yet embedded, and missed by meaning: 1 document. {how}"
        assert (await search_archive(running, query)).notes == (missed, static)
        await reindex_archive(running)
        assert (await search_archive(running, query)).notes == ()


async def test_another_model_takes_over_while_earlier_vectors_serve(tmp_path: Path, server: EmbeddingServer) -> None:
    page = snapshot("https://a.example/", text=OLD)
    async with app(tmp_path, server) as running:
        await (await running.store()).keep(page)
        await reindex_archive(running)
    async with app(tmp_path, None) as running:
        assert await reindex_archive(running) == 0
        assert await (await running.store()).vectors(page.key, "m@remote;summary") is not None
    async with app(tmp_path, server, "other") as running:
        found = await search_archive(running, ArchiveQuery("glaciers", mode="semantic"))
        assert [one.document.url for one in found.results] == ["https://a.example/"]  # by the static signal
        assert await reindex_archive(running) == 1
        assert await (await running.store()).vectors(page.key, "m@remote;summary") is None
        assert await (await running.store()).vectors(page.key, "other@remote;summary") is not None


async def test_two_processes_share_the_work(tmp_path: Path, server: EmbeddingServer) -> None:
    async with app(tmp_path, server) as one, app(tmp_path, server) as two:
        store = await one.store()
        for number in range(20):
            await store.keep(snapshot(f"https://a.example/{number}", text=f"Page number {number} about glaciers."))
        done: list[int] = []

        async def work(running: App) -> None:
            done.append(await embed_documents(running))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(work, one)
            tasks.start_soon(work, two)
        await embed_documents(one)  # what was claimed by the other when this one looked
        sent = [text for text in server.texts if "glaciers" in text]
        assert len(sent) == len(set(sent)) == 20
        assert [found.lacking for found in await coverage(one)] == [0, 0]


async def test_documents_whose_vectors_cannot_be_kept_do_not_keep_the_others_waiting(
    tmp_path: Path, server: EmbeddingServer
) -> None:
    async with app(tmp_path, server) as running:
        store = await running.store()
        for number in range(5):  # the last ones are embedded first, two at a time
            await store.keep(snapshot(f"https://a.example/{number}", text=f"Page number {number} about glaciers."))
        with closing(sqlite3.connect(tmp_path / "s.sqlite")) as db, db:  # the index is of another text
            db.execute("UPDATE documents SET snapshot = 1 WHERE number > 3")
        await embed_documents(running)
        assert [found.lacking for found in await coverage(running)] == [2, 2]


async def test_a_document_that_the_model_refuses_does_not_keep_the_others_waiting(
    tmp_path: Path, server: EmbeddingServer
) -> None:
    server.spoil = lambda answer: {} if "refused" in str(server.requests[-1]["input"]) else answer
    async with app(tmp_path, server) as running:
        store = await running.store()
        for number in range(6):
            await store.keep(
                snapshot(f"https://a.example/{number}", text=f"Page {number} is {'refused' * (number == 4)}")
            )
        with pytest.raises(EmbeddingError):
            await embed_documents(running)
        assert [found.lacking for found in await coverage(running)] == [0, 1]
        server.requests.clear()
        server.statuses = [400, 500, 500, 400]  # refuses everything
        await store.keep(snapshot("https://b.example/", text="New."))
        with pytest.raises(EmbeddingError):
            await embed_documents(running)
        assert len(server.requests) == 4  # the two documents together, then each, of which one is tried again


async def test_background_work_waits_while_a_call_runs(tmp_path: Path, server: EmbeddingServer) -> None:
    async with app(tmp_path, server) as running:
        await (await running.store()).keep(snapshot("https://a.example/", text=OLD))
        async with anyio.create_task_group() as tasks:
            with running.process.calls.running():
                tasks.start_soon(partial(embed_documents, running, background=True))
                await anyio.wait_all_tasks_blocked()
                assert [found.lacking for found in await coverage(running)] == [1, 1]
        assert [found.lacking for found in await coverage(running)] == [0, 0]


async def test_document_in_a_language_that_the_model_does_not_know_is_done_without_it(tmp_path: Path) -> None:
    environ = {"MCP_WEB_DB_PATH": str(tmp_path / "s.sqlite")}
    page = snapshot("https://a.example/", text="Der Turm ist 324 Meter hoch und wurde im Jahr 1889 gebaut.")
    async with App(load(environ=environ)) as running:
        store = await running.store()
        await store.keep(page)
        await embed_documents(running)
        assert [found.lacking for found in await coverage(running)] == [0, 0]
        for question in ("Wie hoch ist der Turm?", "how high is the tower?"):
            found = await search_archive(running, ArchiveQuery(question, mode="semantic"))
            assert [one.document.url for one in found.results] == ["https://a.example/"]


async def test_a_sync_reports_the_embedding_after_the_files(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "one.md").write_text(NEW)
    steps: list[tuple[str, float, float]] = []
    async with app(tmp_path, None) as running:
        await sync_folder(running, tmp_path / "notes", on_progress=lambda *step: steps.append(step))
    assert steps == [("notes/one.md", 1, 1), (f"embedding with {STATIC_MODEL}", 1, 1)]
