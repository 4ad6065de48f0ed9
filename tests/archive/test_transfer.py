"""A copy from store to store is complete, resumable and verified, in both directions."""

from __future__ import annotations

import dataclasses
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from mcp_web.archive.answer import ArchiveQuery
from mcp_web.archive.archive import Archive
from mcp_web.archive.derive import derive
from mcp_web.archive.transfer import copy_store
from mcp_web.errors import CacheError
from mcp_web.model.passage import PackedVectors
from mcp_web.store.postgres.store import PostgresStore
from mcp_web.store.protocol import Store, VectorQuery
from mcp_web.store.sqlite.store import SqliteStore
from store.postgres_server import PostgresServer

from contracts.store_samples import DOCUMENT, keep, snapshot  # isort: skip

pytestmark = pytest.mark.anyio

PAGES = 250  # more than two batches


async def _filled(folder: Path) -> SqliteStore:
    """Pages with versions, pictures, vectors, citations and labels; records and notes of several kinds."""
    store = await SqliteStore.open(folder / "from.sqlite")
    made = [
        snapshot(f"https://site{number % 7}.example/{number}", text=f"word{number} [next](https://site{number % 7}"
                 f".example/{number + 7}) shared", tags=(f"t{number % 3}",), at=1000.0 + number)
        for number in range(PAGES)
    ]  # fmt: skip
    await store.keep_many([(one, derive(one)) for one in made])
    changed = snapshot(made[0].url, text="changed", at=5000.0)
    back = dataclasses.replace(made[0], checked_at=6000.0)
    for version in (changed, back, snapshot("https://odd.example/", document=DOCUMENT, source="research", path="a/b")):
        await keep(store, version)
    await store.keep_screenshot(changed.hash, b"\x89PNG picture")
    for number, one in enumerate(made[:20]):
        data = struct.pack("<4f", 0.1 * number, 1.0, -0.3, 0.77)
        for model in ("m@1", "n@2"):
            await store.keep_vectors({one.key: PackedVectors(model, 4, (f"d{number}",), data, one.hash)})
    await store.add_records("watch", {f"https://w.example/{number}": {"n": number} for number in (3, 1, 2)})
    await store.add_records("claim", {"one": [1]}, expires_at=4e9)
    await store.keep_note("robots", "https://a.example", {"text": "x"}, 4e9)
    await store.add_metrics({"counters": [["hits", {}, 2.0]], "histograms": []})
    return store


async def _contents(store: Store) -> list[Any]:
    keys = await store.keys(limit=10_000)
    kinds = await store.record_kinds()
    return [
        await store.page_records(keys),
        await store.cites(keys, 100),
        sorted(await store.cited_by(keys, 100), key=repr),
        await store.collections(),
        {kind: await store.records(kind) for kind in kinds},
        await store.notes(),
        await store.metrics(),
    ]


class Interrupted:
    """A store that fails in the middle of a copy, once."""

    def __init__(self, store: Store, writes: int) -> None:
        self._store = store
        self._left = writes

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def keep_page_records(self, records: Sequence[Any]) -> None:
        self._left -= 1
        if self._left < 0:
            raise CacheError("The power failed.")
        await self._store.keep_page_records(records)


async def test_a_copy_there_and_back_is_identical_though_interrupted(tmp_path: Path, postgres: PostgresServer) -> None:
    source = await _filled(tmp_path)
    server = await PostgresStore.open(postgres.database())
    back = await SqliteStore.open(tmp_path / "back.sqlite")
    before = await _contents(source)
    with pytest.raises(CacheError, match="power"):
        await copy_store(source, Interrupted(server, 1))  # type: ignore[arg-type]
    there = await copy_store(source, server)
    assert (there.pages, there.unchanged, there.copied) == (PAGES + 1, 100, PAGES - 99)
    home = await copy_store(server, back)
    assert home.digest == there.digest
    assert await _contents(server) == before
    assert await _contents(back) == before
    for store in (server, back):
        assert await store.check() == []
    again = await copy_store(source, server)
    assert (again.copied, again.unchanged) == (0, PAGES + 1)
    for store in (source, server, back):
        await store.close()


async def test_the_same_question_finds_the_same_documents_in_the_same_order(
    tmp_path: Path, postgres: PostgresServer
) -> None:
    source = await _filled(tmp_path)
    server = await PostgresStore.open(postgres.database())
    await copy_store(source, server)
    await source.maintain()
    for text in ("shared word17", "changed", "shrd word3*", '"next"', "shared -word5 site3", "surrogate more text"):
        answers = [await Archive(store).search(ArchiveQuery(text, mode="text")) for store in (source, server)]
        assert [one.document for one in answers[0].results] == [one.document for one in answers[1].results]
        assert answers[0].corrected_query == answers[1].corrected_query
    vector = [0.3, 0.9, -0.2, 0.5]
    near = [await store.find_by_vector(VectorQuery("m@1", vector, 10)) for store in (source, server)]
    assert [one.key for one in near[0]] == [one.key for one in near[1]]
    assert [one.score for one in near[0]] == pytest.approx([one.score for one in near[1]], abs=1e-6)
    for store in (source, server):
        await store.close()


async def test_a_backup_by_the_servers_own_tools_restores_everything(tmp_path: Path, postgres: PostgresServer) -> None:
    source = await _filled(tmp_path)
    url, other = postgres.database(), postgres.database()
    server = await PostgresStore.open(url)
    await copy_store(source, server)
    before = await _contents(server)
    await server.close()
    dump = Path(postgres.folder, "backup.dump")
    # A superuser: row-level security would hide the rows of other tenants from the dump.
    admin = {place: place.replace("archivist:open%20sesame@", "postgres@") for place in (url, other)}
    postgres.program("pg_dump", "--format=custom", "--schema=mcp_web", f"--file={dump}", admin[url])
    postgres.program("pg_restore", f"--dbname={admin[other]}", str(dump))
    restored = await PostgresStore.open(other)
    assert await _contents(restored) == before
    assert await restored.check() == []
    for store in (source, restored):
        await store.close()


async def test_a_copy_has_all_records_of_a_kind(tmp_path: Path) -> None:
    source, target = [await SqliteStore.open(tmp_path / name) for name in ("from.sqlite", "to.sqlite")]
    many = {str(number): number for number in range(100_001)}
    await source.add_records("crawl", many)
    await target.add_records("crawl", {"3": "other"})
    assert (await copy_store(source, target)).records == len(many)
    assert {one.key: one.value for one in await target.records("crawl", limit=200_000)} == many
    for one in (source, target):
        await one.close()


async def test_a_text_that_cannot_be_unpacked_is_found_by_a_check_and_is_an_error_when_read(tmp_path: Path) -> None:
    import sqlite3

    store = await SqliteStore.open(tmp_path / "s.sqlite")
    kept = snapshot(text="Long enough to be compressed. " * 100)
    await keep(store, kept)
    with sqlite3.connect(tmp_path / "s.sqlite") as db:
        db.execute("UPDATE snapshots SET text = substr(text, 1, 20)")
    assert await store.check() == [f"The text of {kept.hash[:16]} does not match its hash."]
    with pytest.raises(CacheError, match="damaged"):
        await store.latest(kept.key)
    await store.close()


async def test_a_damaged_text_is_found_by_a_check_and_stops_a_copy(tmp_path: Path) -> None:
    import sqlite3

    from mcp_web.store.pack import pack_text

    store = await _filled(tmp_path)
    with sqlite3.connect(tmp_path / "from.sqlite") as db:
        db.execute("UPDATE snapshots SET text = ? WHERE id = 5", (pack_text("forged"),))
    faults = await store.check()
    assert len(faults) == 1
    assert "does not match its hash" in faults[0]
    target = await SqliteStore.open(tmp_path / "to.sqlite")
    with pytest.raises(CacheError, match="does not match its hash"):
        await copy_store(store, target)
    for one in (store, target):
        await one.close()
