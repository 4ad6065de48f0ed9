"""What only a server can do wrong: refuse, restart, be shared."""

from __future__ import annotations

import shutil
import struct
import tempfile
from dataclasses import replace
from pathlib import Path

import anyio
import anyio.lowlevel
import psycopg
import pytest

from mcp_web.archive.derive import reindex_outdated
from mcp_web.errors import CacheError, ConfigError
from mcp_web.model.passage import PackedVectors
from mcp_web.model.snapshot import Snapshot
from mcp_web.store.open import open_store
from mcp_web.store.options import StoreOptions
from mcp_web.store.postgres import nearest, schema
from mcp_web.store.postgres.store import PostgresStore
from mcp_web.store.protocol import NOTHING, VectorQuery, WordQuery

from .postgres_server import PostgresServer

from contracts.store_samples import keep, snapshot  # isort: skip
from render.processes import eventually  # isort: skip

pytestmark = pytest.mark.anyio


async def test_the_address_alone_opens_a_store(postgres: PostgresServer) -> None:
    url = postgres.database()
    store = await open_store(StoreOptions(database_url=url))
    await keep(store, snapshot(text="a lantern"))
    await store.close()
    again = await open_store(StoreOptions(database_url=url))
    assert len((await again.find_by_words(WordQuery(("lantern",)), 5)).candidates) == 1
    await again.close()


async def test_a_wrong_password_says_so_without_the_password(postgres: PostgresServer) -> None:
    url = postgres.url("postgres", password="guess")
    with pytest.raises(ConfigError, match="wrong name or password") as raised:
        await PostgresStore.open(url)
    assert "guess" not in str(raised.value)


async def test_a_missing_database_says_how_to_create_it(postgres: PostgresServer) -> None:
    with pytest.raises(ConfigError, match="no database of that name"):
        await PostgresStore.open(postgres.url("nowhere"))


async def test_an_unreadable_address_is_a_sentence() -> None:
    with pytest.raises(ConfigError, match="is not a PostgreSQL address"):
        await PostgresStore.open("postgresql://[h/x")


async def test_a_missing_extension_names_the_command_of_an_administrator(postgres: PostgresServer) -> None:
    url = postgres.database()
    with postgres.superuser(psycopg.conninfo.conninfo_to_dict(url)["dbname"]) as db:
        db.execute("DROP EXTENSION vector")
    with pytest.raises(ConfigError, match="pgvector") as raised:
        await PostgresStore.open(url)
    assert "CREATE EXTENSION vector" in (raised.value.suggestion)


async def test_a_server_that_is_down_is_a_retryable_error_within_the_deadline() -> None:
    with pytest.raises(CacheError, match="cannot be reached") as raised, anyio.fail_after(30):
        await PostgresStore.open("postgresql://u:p@127.0.0.1:1/x", wait_seconds=1.0)
    assert raised.value.retryable


async def test_processes_that_start_at_once_migrate_once(postgres: PostgresServer) -> None:
    url = postgres.database()
    opened: list[PostgresStore] = []

    async def open_one() -> None:
        opened.append(await PostgresStore.open(url, connections=2))

    async with anyio.create_task_group() as tasks:
        for _ in range(6):
            tasks.start_soon(open_one)
    assert len({store.tenant for store in opened}) == 1
    for store in opened:
        await store.close()


async def test_a_database_of_a_newer_version_is_refused(postgres: PostgresServer) -> None:
    url = postgres.database()
    await (await PostgresStore.open(url)).close()
    with psycopg.connect(url, autocommit=True) as db:
        db.execute("INSERT INTO mcp_web.schema_version (version) VALUES (99)")
    with pytest.raises(CacheError, match="newer mcp-web"):
        await PostgresStore.open(url)


async def test_a_database_of_an_older_version_is_refused(postgres: PostgresServer) -> None:
    url = postgres.database()
    await (await PostgresStore.open(url)).close()
    with psycopg.connect(url, autocommit=True) as db:
        db.execute("UPDATE mcp_web.schema_version SET version = 5")
    with pytest.raises(CacheError, match="older mcp-web"):
        await PostgresStore.open(url)


async def test_steps_that_index_again_reach_the_documents_of_every_tenant(
    postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = postgres.database()
    page = snapshot(text="`exception KeyError`\n\nRaised for a missing key.")
    vectors = PackedVectors("m@1;summary", 2, ("d",), struct.pack("<2f", 1, 0), page.hash)
    for tenant in ("mine", "yours"):
        store = await PostgresStore.open(url, tenant=tenant)
        await keep(store, page)
        await store.keep_vectors({page.key: vectors})
        assert await store.unindexed(5) == await store.lacking_vectors(vectors.model, 5) == []
        await store.close()
    step = """
        ALTER TABLE documents NO FORCE ROW LEVEL SECURITY;
        UPDATE documents SET mark = 0;
        ALTER TABLE documents FORCE ROW LEVEL SECURITY;
        ALTER TABLE vectors NO FORCE ROW LEVEL SECURITY;
        UPDATE vectors SET version = 0;
        ALTER TABLE vectors FORCE ROW LEVEL SECURITY;
    """
    monkeypatch.setattr(schema, "LAYOUT", replace(schema.LAYOUT, steps=(*schema.LAYOUT.steps, step)))
    for tenant in ("mine", "yours"):
        store = await PostgresStore.open(url, tenant=tenant)
        assert await store.unindexed(5) == await store.lacking_vectors(vectors.model, 5) == [page.key]
        assert [one.key for one in await store.find_by_vector(VectorQuery(vectors.model, (1.0, 0.0), 5))] == [page.key]
        await reindex_outdated(store)
        assert await store.unindexed(5) == []
        assert len((await store.find_by_words(WordQuery(("missing",)), 5)).candidates) == 1
        await store.close()


async def test_a_connection_sees_only_the_rows_of_its_tenant(postgres: PostgresServer) -> None:
    url = postgres.database()
    mine, yours = await PostgresStore.open(url, tenant="mine"), await PostgresStore.open(url, tenant="yours")
    page = snapshot(text="a secret lantern")
    await keep(mine, page)
    await mine.add_records("watch", {"https://a.example/": {}})
    assert await yours.latest(page.key) is None
    assert await yours.snapshot(page.hash) is None
    assert (await yours.find_by_words(WordQuery(("lantern",)), 5)).candidates == ()
    assert await yours.records("watch") == []
    await keep(yours, page)  # the same page of two tenants is two pages
    assert await mine.remove([page.key]) == 1
    assert await yours.latest(page.key) == page
    # The server itself refuses, whatever is asked: no condition on the tenant in this query.
    tables = ("pages", "snapshots", "documents", "records", "names", "waiting")
    with psycopg.connect(url, autocommit=True) as db:
        for table in tables:
            assert db.execute(f"SELECT count(*) FROM mcp_web.{table}").fetchone() == (0,)
        db.execute("SELECT set_config('mcp_web.tenant', %s, false)", (str(mine.tenant),))
        assert db.execute("SELECT count(*) FROM mcp_web.pages").fetchone() == (0,)
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            db.execute(
                "INSERT INTO mcp_web.figures (tenant, kind, name, labels, amounts) VALUES (%s, '', '', '', '')",
                (yours.tenant,),
            )
    for store in (mine, yours):
        await store.close()


async def test_calls_survive_connections_that_the_server_ended(postgres: PostgresServer) -> None:
    url = postgres.database()
    store = await PostgresStore.open(url, connections=3)
    page = snapshot()
    await keep(store, page)
    with postgres.superuser() as db:
        db.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'mcp-web'")
    assert await store.latest(page.key) == page
    with postgres.superuser() as db:
        db.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'mcp-web'")
    await keep(store, snapshot("https://later.example/"))
    assert len((await store.browse(9))[0]) == 2
    await store.close()


async def test_a_writer_that_hangs_is_a_retryable_sentence(postgres: PostgresServer) -> None:
    url = postgres.database()
    store = await PostgresStore.open(url, wait_seconds=1.0)
    await keep(store, snapshot())
    with psycopg.connect(url) as db:
        db.execute("SELECT set_config('mcp_web.tenant', %s, false)", (str(store.tenant),))
        db.execute("UPDATE mcp_web.index_state SET version = version")
        with pytest.raises(CacheError, match="took too long") as raised:
            await keep(store, snapshot("https://second.example/"))
        assert raised.value.retryable
        assert await store.latest(snapshot().key) is not None  # readers do not wait
    await keep(store, snapshot("https://second.example/"))
    await store.close()


async def test_urls_longer_than_an_index_row_are_kept_and_found(postgres: PostgresServer) -> None:
    store = await PostgresStore.open(postgres.database())
    long = "https://long.example/" + "x" * 7000
    await keep(store, snapshot(long))
    await store.add_records("watch", {long: {}})
    await store.keep_note("robots", long, 1, 4e9)
    assert set(await store.seen([long])) == {long}
    assert await store.add_records("watch", {long: {}}) == []
    assert await store.note("robots", long) == 1
    await store.close()


async def test_searches_go_to_the_read_replica_and_to_the_server_while_it_is_away(postgres: PostgresServer) -> None:
    folder = Path(tempfile.mkdtemp(prefix="mcp-web-replica-"))
    url = postgres.database()
    first = await PostgresStore.open(url)
    await keep(first, snapshot("https://a.example/1", text="A lantern."))
    await first.close()
    replica = postgres.make_replica(folder)
    query = WordQuery(("lantern",))
    try:
        read_url = url.replace(f":{postgres.port}/", f":{replica.port}/")
        store = await PostgresStore.open(url, read_url=read_url)
        with replica.superuser() as db:
            db.execute("SELECT pg_wal_replay_pause()")
            second = snapshot("https://a.example/2", text="Another lantern.")
            await keep(store, second)
            # What was just kept is read from the server; the search is still that of the replica.
            assert await store.latest(second.key) is not None
            assert len((await store.find_by_words(query, 5)).candidates) == 1
            db.execute("SELECT pg_wal_replay_resume()")
        with anyio.fail_after(30):
            while len((await store.find_by_words(query, 5)).candidates) != 2:
                await anyio.lowlevel.checkpoint()
        replica.kill()
        await keep(store, snapshot("https://a.example/3", text="A third lantern."))
        with anyio.fail_after(30):
            assert len((await store.find_by_words(query, 5)).candidates) == 3
        other = await store.for_tenant("other")
        assert (await other.find_by_words(query, 5)).candidates == ()
        await store.close()
    finally:
        replica.stop()
        shutil.rmtree(folder, ignore_errors=True)


async def test_many_passages_are_found_by_the_hnsw_index_and_new_ones_too(postgres: PostgresServer) -> None:
    import numpy as np

    url = postgres.database()
    store = await PostgresStore.open(url)
    chance = np.random.default_rng(5)
    pages, passages, dim = 105, 200, 8
    made = [snapshot(f"https://a.example/{number}", text=f"page {number}") for number in range(pages)]
    await store.keep_many([(one, NOTHING) for one in made])
    rows = chance.normal(size=(pages, passages, dim)).astype("<f4")
    assert pages * passages > nearest.EXACT

    async def keep_vectors(one: Snapshot, vectors: object) -> None:
        digests = tuple(f"{number:x}" for number in range(passages))
        await store.keep_vectors({one.key: PackedVectors("m@1", dim, digests, np.asarray(vectors).tobytes(), one.hash)})

    for one, vectors in zip(made, rows, strict=True):
        await keep_vectors(one, vectors)
    await store.maintain()
    unit = rows / np.linalg.norm(rows, axis=2, keepdims=True)
    hits = 0
    for question in chance.normal(size=(20, dim)):
        exact = np.argsort(-(unit @ (question / np.linalg.norm(question))).max(axis=1))[:10]
        found = await store.find_by_vector(VectorQuery("m@1", question.tolist(), 10))
        hits += len({made[number].key for number in exact} & {one.key for one in found})
    assert hits >= 180  # of 200: the index is approximate
    fresh = snapshot("https://a.example/fresh", text="fresh")
    await keep(store, fresh)
    direction = np.full(dim, 1.0)
    await keep_vectors(fresh, np.tile(direction, (passages, 1)).astype("<f4"))
    found = await store.find_by_vector(VectorQuery("m@1", direction.tolist(), 5))
    assert found[0].key == fresh.key
    await store.close()
    with postgres.superuser(psycopg.conninfo.conninfo_to_dict(url)["dbname"]) as db:
        others = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        # A connection is counted in the statistics when its process on the server has ended.
        await eventually(lambda: db.execute(others).fetchall() == [(0,)])
        used = db.execute("SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname LIKE 'passages_near_%'")
        assert [row[0] >= 21 for row in used] == [True]


async def test_an_hnsw_index_whose_build_failed_is_not_counted_on_and_is_built_again(postgres: PostgresServer) -> None:
    import numpy as np

    url = postgres.database()
    store = await PostgresStore.open(url, wait_seconds=2.0)
    one, others = snapshot("https://a.example/long"), [f"{number:064x}" for number in range(20)]
    await keep(store, one)
    passages = nearest.EXACT + 1
    rows = np.random.default_rng(5).normal(size=(passages, 2)).astype("<f4")
    digests = tuple(f"{number:x}" for number in range(passages))
    await store.keep_vectors({one.key: PackedVectors("m@1", 2, digests, rows.tobytes(), one.hash)})
    query = VectorQuery("m@1", [1.0, 0.0], 5, also=others, quick=True)  # searches `also` alone if there is an index

    def indexes() -> list[object]:
        found = "SELECT indisvalid FROM pg_index WHERE indexrelid::regclass::text LIKE '%passages_near_%'"
        with psycopg.connect(url) as db:
            return [valid for (valid,) in db.execute(found)]

    with psycopg.connect(url) as writer:
        writer.execute("DELETE FROM mcp_web.passages WHERE false")
        with pytest.raises(CacheError, match="lock timeout"):
            await store.maintain()  # the build waits for the writer's transaction
    assert indexes() == [False]
    assert [found.key for found in await store.find_by_vector(query)] == [one.key]
    with psycopg.connect(url) as builder:
        builder.execute(f"SELECT pg_advisory_lock({nearest._LOCK})")
        await store.maintain()
        assert indexes() == [False]  # left to the process that builds it
        builder.execute("SELECT pg_advisory_unlock_all()")
    await store.maintain()
    assert indexes() == [True]
    assert await store.find_by_vector(query) == []
    await store.close()


async def test_statements_that_the_server_forgot_are_prepared_again(postgres: PostgresServer) -> None:
    store = await PostgresStore.open(postgres.database(), connections=1)

    def ask(db: psycopg.Connection[tuple[object, ...]]) -> list[object]:
        return [db.execute("SELECT %s::int + 1", (number,)).fetchall() for number in range(5)]

    before = await store._worker.select(ask)
    await store._worker.select(lambda db: db.execute("DO $$ BEGIN EXECUTE 'DEALLOCATE ALL'; END $$"))
    assert await store._worker.select(ask) == before
    await store.close()
