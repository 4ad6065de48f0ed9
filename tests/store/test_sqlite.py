"""The SQLite file itself: ceilings, full disks, damage, strangers."""

from __future__ import annotations

import os
import sqlite3
import stat
import struct
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from mcp_web.archive.derive import derive, reindex_outdated
from mcp_web.errors import CacheError, ConfigError
from mcp_web.model.passage import PackedVectors
from mcp_web.store.open import open_store
from mcp_web.store.options import StoreOptions, database_file
from mcp_web.store.posting_blobs import MERGE_AT
from mcp_web.store.protocol import VectorQuery, WordQuery
from mcp_web.store.sqlite import schema
from mcp_web.store.sqlite.store import SqliteStore
from mcp_web.text.names import Name, asked_title

from contracts.store_samples import keep, snapshot  # isort: skip

pytestmark = pytest.mark.anyio


def _noise(number: int, size: int) -> str:
    """Text that does not compress, the same every time."""
    import random

    return random.Random(number).randbytes(size // 2).hex()


async def test_the_ceiling_holds_and_the_least_recently_used_go(tmp_path: Path) -> None:
    clock = [0.0]
    ceiling = 2_000_000
    store = await SqliteStore.open(tmp_path / "s.sqlite", size_limit=ceiling, clock=lambda: clock[0])
    mine = snapshot("https://mine.example/", text=_noise(-1, 20_000), source="research")
    await store.keep(mine)
    for number in range(300):
        clock[0] += 1
        await store.keep(snapshot(f"https://web.example/{number}", text=_noise(number, 20_000)))
    kept = {item.url for item in (await store.browse(1000))[0]}
    assert "https://mine.example/" in kept
    assert "https://web.example/299" in kept
    assert "https://web.example/0" not in kept
    await store.close()
    assert (tmp_path / "s.sqlite").stat().st_size <= ceiling * 1.1


async def test_a_purge_gives_the_disk_its_space_back(tmp_path: Path) -> None:
    from mcp_web.store.protocol import PurgeRule

    store = await SqliteStore.open(tmp_path / "s.sqlite")
    for number in range(50):
        await store.keep(snapshot(f"https://web.example/{number}", text=_noise(number, 40_000)))
    await store.purge(PurgeRule(keep_newest=1), dry_run=False)
    await store.close()
    assert (tmp_path / "s.sqlite").stat().st_size < 400_000


_FILL = """
import resource, signal, sys
from pathlib import Path
import anyio
sys.path.insert(0, sys.argv[2])
from contracts.store_samples import snapshot
from mcp_web.errors import CacheError
from mcp_web.store.sqlite.store import SqliteStore

async def main():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    if sys.argv[3] == "limit":
        resource.setrlimit(resource.RLIMIT_FSIZE, (800_000, 800_000))
    store = await SqliteStore.open(Path(sys.argv[1]))
    kept = []
    for number in range(2000):
        page = snapshot(f"https://e.example/{number}", text=__import__("random").Random(number).randbytes(5000).hex())
        try:
            await store.keep(page)
        except CacheError as error:
            print("refused:", error.message, "|", error.suggestion)
            break
        kept.append(page)
    assert len(kept) > 5, len(kept)
    for page in kept:
        assert await store.latest(page.key) == page
    await store.close()
    print("kept", len(kept), *(page.hash for page in kept))

anyio.run(main)
"""


def _fill(file: Path, how: str) -> list[str]:
    tests = str(Path(__file__).resolve().parents[1])
    done = subprocess.run(
        [sys.executable, "-c", _FILL, str(file), tests, how], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("refused: The ")
    assert "what was kept before is safe" in lines[0] or how == "limit"
    return lines[1].split()[2:]


async def _check_kept(file: Path, hashes: list[str]) -> None:
    store = await SqliteStore.open(file)
    for hash_ in hashes:
        assert await store.snapshot(hash_) is not None
    await store.keep(snapshot("https://later.example/"))
    await store.close()


@pytest.mark.skipif(sys.platform == "win32", reason="needs RLIMIT_FSIZE")
async def test_a_file_that_may_not_grow_is_a_clean_error_and_loses_nothing(tmp_path: Path) -> None:
    file = tmp_path / "store.sqlite"
    await _check_kept(file, _fill(file, "limit"))


@pytest.fixture
def small_disk(tmp_path: Path) -> Path:
    disk = tmp_path / "disk"
    disk.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(disk)], capture_output=True)
    if done.returncode:
        pytest.skip("mounting a small disk needs privileges this run does not have")
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=False)


def _enlarge(disk: Path) -> None:
    subprocess.run(["mount", "-o", "remount,size=8m", str(disk)], check=True)


async def test_a_full_disk_is_a_clean_error_and_loses_nothing(small_disk: Path) -> None:
    file = small_disk / "store.sqlite"
    hashes = _fill(file, "disk")
    _enlarge(small_disk)
    await _check_kept(file, hashes)


async def test_a_damaged_file_is_moved_aside_never_deleted(tmp_path: Path) -> None:
    file = tmp_path / "store.sqlite"
    file.write_bytes(b"this is no database at all" * 100)
    store = await SqliteStore.open(file)
    await store.keep(snapshot())
    await store.close()
    aside = _set_aside(tmp_path)
    assert len(aside) == 1
    assert aside[0].read_bytes().startswith(b"this is no database")


async def _keep_many(file: Path) -> None:
    store = await SqliteStore.open(file)
    for number in range(60):
        await store.keep(snapshot(f"https://e.example/{number}", text=_noise(number, 8000)))
    await store.close()


async def _read_many(store: SqliteStore) -> None:
    for number in range(60):
        await store.latest(snapshot(f"https://e.example/{number}").key)


def _damage(file: Path, first: int) -> None:
    with open(file, "r+b") as raw:
        for at in range(first, file.stat().st_size - 4096, 4096):
            raw.seek(at)
            raw.write(b"\xff" * 4096)


def _set_aside(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if ".damaged-" in path.name]


async def test_damage_in_the_tables_is_healed_at_once(tmp_path: Path) -> None:
    file = tmp_path / "store.sqlite"
    await _keep_many(file)
    _damage(file, 8192)
    store = await SqliteStore.open(file)
    await store.keep(snapshot())
    await store.close()
    assert _set_aside(tmp_path)


async def test_damage_met_while_running_is_told_and_healed_at_the_next_start(tmp_path: Path) -> None:
    file = tmp_path / "store.sqlite"
    await _keep_many(file)
    _damage(file, 200_000)
    store = await SqliteStore.open(file)
    with pytest.raises(CacheError, match="damaged"):
        await _read_many(store)
    await store.close()
    again = await SqliteStore.open(file)
    await again.keep(snapshot())
    assert (await again.size()).pages == 1
    await again.close()
    assert _set_aside(tmp_path)


@pytest.mark.parametrize("table", ["theirs (x)", "schema_version (version INTEGER, at TEXT)"])
async def test_another_programs_database_is_refused_and_untouched(tmp_path: Path, table: str) -> None:
    file = tmp_path / "theirs.sqlite"
    with sqlite3.connect(file) as db:
        db.execute(f"CREATE TABLE {table}")
    with pytest.raises(ConfigError, match="another program"):
        await SqliteStore.open(file)
    with sqlite3.connect(file) as db:
        assert [row[0] for row in db.execute("SELECT name FROM sqlite_master")] == [table.partition(" ")[0]]


async def test_a_file_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "store.sqlite"
    await (await SqliteStore.open(file)).close()
    with sqlite3.connect(file) as db:
        db.execute("INSERT INTO schema_version VALUES (?, '')", (schema.LAYOUT.newest + 1,))
    with pytest.raises(CacheError, match="newer mcp-web"):
        await SqliteStore.open(file)


async def test_a_file_of_an_older_version_is_refused_and_untouched(tmp_path: Path) -> None:
    file = tmp_path / "store.sqlite"
    with sqlite3.connect(file) as db:
        db.execute("CREATE TABLE schema_version (version INTEGER NOT NULL, at TEXT NOT NULL)")
        db.execute("INSERT INTO schema_version VALUES (13, '')")
    with pytest.raises(CacheError, match="older mcp-web") as raised:
        await SqliteStore.open(file)
    assert "archive export" in raised.value.suggestion
    with sqlite3.connect(file) as db:
        assert [row[0] for row in db.execute("SELECT name FROM sqlite_master")] == ["schema_version"]


async def test_documents_of_layout_14_are_indexed_again_and_then_found_by_their_titles(tmp_path: Path) -> None:
    file = tmp_path / "store.sqlite"
    store = await SqliteStore.open(file)
    page = snapshot(title="Kettle Care")
    await store.keep(page, replace(derive(page), defines=frozenset()))
    await store.close()
    with sqlite3.connect(file) as db:
        db.execute("DELETE FROM schema_version WHERE version > 14")
        db.execute("INSERT INTO schema_version VALUES (14, '')")
    store = await SqliteStore.open(file)
    assert await store.unindexed(5) == [page.key]
    await reindex_outdated(store)
    found = await store.find_by_words(WordQuery(("kettle", "care"), names=asked_title(("kettle", "care"))), 5)
    assert (found.defined, await store.unindexed(5)) == ({"kettlecare"}, [])
    await store.close()


async def test_a_step_changes_the_files_of_before_once_and_those_that_are_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, after = tmp_path / "before.sqlite", tmp_path / "after.sqlite"
    store = await SqliteStore.open(before)
    await store.keep(snapshot())
    await store.close()
    step = "ALTER TABLE pages ADD COLUMN visits INTEGER NOT NULL DEFAULT 0;\nUPDATE pages SET visits = visits + 1;\n"
    monkeypatch.setattr(schema, "LAYOUT", replace(schema.LAYOUT, steps=(*schema.LAYOUT.steps, step)))
    for file, visits in ((before, [(1,)]), (before, [(1,)]), (after, [])):
        await (await SqliteStore.open(file)).close()
        with sqlite3.connect(file) as db:
            assert db.execute("SELECT visits FROM pages").fetchall() == visits
            assert db.execute("SELECT max(version) FROM schema_version").fetchone() == (schema.LAYOUT.newest,)


async def test_a_writer_that_hangs_is_a_sentence_not_a_hang(tmp_path: Path) -> None:
    file = tmp_path / "store.sqlite"
    store = await SqliteStore.open(file, wait_seconds=0.05)
    await store.keep(snapshot())
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(CacheError, match="too long") as caught:
        await store.keep(snapshot("https://second.example/"))
    assert caught.value.retryable
    assert await store.latest(snapshot().key) is not None
    other.execute("ROLLBACK")
    other.close()
    await store.close()


@pytest.mark.skipif(os.name == "nt", reason="POSIX permissions")
async def test_the_file_is_readable_by_its_owner_only(tmp_path: Path) -> None:
    file = tmp_path / "folder" / "store.sqlite"
    await (await SqliteStore.open(file)).close()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


async def test_a_folder_that_cannot_be_made_is_a_cache_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CacheError):
        await SqliteStore.open(tmp_path / "file" / "store.sqlite")


async def test_a_closed_store_says_so(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "s.sqlite")
    await store.close()
    with pytest.raises(CacheError, match="closed"):
        await store.latest("00" * 32)


async def test_options_choose_the_file(tmp_path: Path) -> None:
    assert database_file(StoreOptions(path=str(tmp_path / "x.db"))) == tmp_path / "x.db"
    assert database_file(StoreOptions(data_dir=str(tmp_path))) == tmp_path / "mcp-web.sqlite"
    assert database_file(StoreOptions()).name == "mcp-web.sqlite"
    store = await open_store(StoreOptions(data_dir=str(tmp_path)))
    await store.close()
    assert (tmp_path / "mcp-web.sqlite").exists()


async def test_a_wrong_database_url_is_a_config_error() -> None:
    with pytest.raises(ConfigError, match="mysql"):
        await open_store(StoreOptions(database_url="mysql://h/x"))


async def test_many_short_sessions_leave_no_long_queue_for_the_index(tmp_path: Path) -> None:
    file = tmp_path / "store.sqlite"
    for session in range(4):
        store = await SqliteStore.open(file)
        for number in range(MERGE_AT // 2):
            await keep(store, snapshot(f"https://s{session}.example/{number}", text=f"word{number}"))
        await store.close()
    with sqlite3.connect(file) as db:
        assert db.execute("SELECT count(*) FROM waiting").fetchone()[0] < MERGE_AT


async def test_a_folder_deleted_while_running_is_made_again_and_what_is_kept_then_is_found(tmp_path: Path) -> None:
    import shutil

    folder = tmp_path / "data"
    store = await SqliteStore.open(folder / "s.sqlite")
    query = WordQuery(("lantern",))
    await keep(store, snapshot("https://a.example/old", text="A lantern in the old house."))
    assert (await store.find_by_words(query, 5)).candidates
    shutil.rmtree(folder)
    await keep(store, snapshot("https://a.example/new", text="A lantern in the new house."))
    assert [one.url for one in (await store.browse(5))[0]] == ["https://a.example/new"]
    assert len((await store.find_by_words(query, 5)).candidates) == 1
    again = await SqliteStore.open(folder / "s.sqlite")
    assert [one.url for one in (await again.browse(5))[0]] == ["https://a.example/new"]
    await store.close()
    assert [one.url for one in (await again.browse(5))[0]] == ["https://a.example/new"]
    await again.close()


async def test_documents_kept_before_are_found_as_before_and_then_by_the_names_they_define(tmp_path: Path) -> None:
    file = tmp_path / "s.sqlite"
    store = await SqliteStore.open(file)
    kept = snapshot("https://a.example/", text="`exception KeyError`\n\nRaised for a missing key.")
    await store.keep(kept, replace(derive(kept), defines=frozenset()))
    await store.close()
    with sqlite3.connect(file) as db:
        db.execute("UPDATE documents SET mark = 0")
    store = await SqliteStore.open(file)
    query = WordQuery(("missing",), names=(Name("keyerror", ("missing",)),))
    before = await store.find_by_words(query, 5)
    assert ([one.key for one in before.candidates], before.defined) == ([kept.key], frozenset())
    await reindex_outdated(store, 0)
    assert await store.unindexed(5) == [kept.key]
    await reindex_outdated(store)
    after = await store.find_by_words(query, 5)
    assert ([one.key for one in after.candidates], after.defined) == ([kept.key], {"keyerror"})
    with sqlite3.connect(file) as db:
        assert db.execute("SELECT count(*) FROM deleted").fetchone()[0] == 0
    await store.close()


async def test_a_file_whose_words_an_older_version_indexed_is_indexed_again(tmp_path: Path) -> None:
    file = tmp_path / "s.sqlite"
    store = await SqliteStore.open(file)
    kept = snapshot("https://a.example/", text="Die Häuser in der Stadt sind alt und werden nicht mehr gebaut.")
    await keep(store, kept)
    await store.close()
    with sqlite3.connect(file) as db:
        for table in ("waiting", "deleted", "terms", "postings", "words"):
            db.execute(f"DELETE FROM {table}")
        db.execute("UPDATE documents SET mark = 0")
        db.execute("UPDATE index_state SET epoch = epoch + 1, merged = 0")
    store = await SqliteStore.open(file)
    assert await store.unindexed(5) == [kept.key]
    await reindex_outdated(store)
    assert await store.unindexed(5) == []
    assert [one.key for one in (await store.find_by_words(WordQuery(("haus",)), 5)).candidates] == [kept.key]
    await store.close()


async def test_vectors_of_an_older_version_are_compared_until_they_are_made_again(tmp_path: Path) -> None:
    file = tmp_path / "s.sqlite"
    store = await SqliteStore.open(file)
    kept = snapshot("https://a.example/")
    await keep(store, kept)
    for model in ("m@1;summary", "static@1"):
        await store.keep_vectors({kept.key: PackedVectors(model, 2, ("d",), struct.pack("<2f", 1, 0), kept.hash)})
    await store.close()
    with sqlite3.connect(file) as db:
        db.execute("UPDATE vectors SET version = 0 WHERE model LIKE '%;summary'")
    store = await SqliteStore.open(file)
    assert await store.lacking_vectors("m@1;summary", 5) == [kept.key]
    assert await store.lacking_vectors("static@1", 5) == []
    assert [one.key for one in await store.find_by_vector(VectorQuery("m@1;summary", (1.0, 0.0), 5))] == [kept.key]
    await store.close()


@pytest.mark.anyio
async def test_a_search_that_failed_half_way_does_not_spoil_the_next(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "s.sqlite")
    query = WordQuery(("shared",))

    def set_words(words: bytes) -> None:
        with sqlite3.connect(tmp_path / "s.sqlite") as db:
            db.execute("UPDATE waiting SET words = ? WHERE number = 2", (words,))

    await keep(store, snapshot("https://a.example/", text="shared"))
    assert len((await store.find_by_words(query, 10)).candidates) == 1
    await keep(store, snapshot("https://b.example/", text="shared"))
    with sqlite3.connect(tmp_path / "s.sqlite") as db:
        ((words,),) = db.execute("SELECT words FROM waiting WHERE number = 2")
    set_words(b"\x01damaged")
    for _ in range(2):
        with pytest.raises(CacheError, match="damaged"):
            await store.find_by_words(query, 10)
    set_words(words)
    assert len((await store.find_by_words(query, 10)).candidates) == 2
    await store.close()


async def test_after_maintenance_the_write_ahead_log_takes_no_space(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "s.sqlite")
    await keep(store, snapshot(text="Some text. " * 1000))
    written = (await store.size()).disk_bytes
    await store.maintain()
    left = (await store.size()).disk_bytes
    await store.close()
    assert left == (tmp_path / "s.sqlite").stat().st_size < written


@pytest.mark.anyio
async def test_maintenance_leaves_the_log_to_a_connection_that_reads_it(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "s.sqlite")
    kept = snapshot(text="Some text.")
    await keep(store, kept)
    reader = sqlite3.connect(tmp_path / "s.sqlite", isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM pages").fetchall()
    await keep(store, snapshot("https://a.example/2", text="Another text."))
    await store.maintain()
    assert reader.execute("SELECT count(*) FROM pages").fetchall() == [(1,)]
    reader.close()
    await store.close()
