"""Folders of notes as research."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from mcp_web.archive import folder as folder_room
from mcp_web.archive.add import add_note
from mcp_web.archive.answer import ArchiveQuery
from mcp_web.archive.archive import Archive
from mcp_web.archive.folder import SyncReport, sync_folder
from mcp_web.errors import ExtractFailed, InvalidInput
from mcp_web.extract.document import extract_document
from mcp_web.extract.options import ExtractOptions
from mcp_web.model.page import Document, ExtractRequest, Fetched
from mcp_web.store.protocol import NOTHING, Store, WordQuery
from mcp_web.store.sqlite.store import SqliteStore

from contracts.store_samples import snapshot  # isort: skip

from .syncer import extract as extract_plain

pytestmark = pytest.mark.anyio


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    opened = await SqliteStore.open(tmp_path / "store" / "s.sqlite")
    yield opened
    await opened.close()


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    (folder / "2025-05-20").mkdir(parents=True)
    (folder / "2025-05-20" / "intro.md").write_text(
        "---\ntitle: 'The Intro'\ntags: [ml, \"deep, learning\"]\nauthor: A. Author\n"
        "source: https://orig.example/intro\n---\n# Intro\n\nSee [more](../more.md) and [[Third Note]].\n"
    )
    (folder / "more.md").write_text("---\ncreated: 2 Jan 2020\nkeywords:\n  - one\n  - two\n---\nMore about zebras.\n")
    (folder / "third_note.txt").write_text("Third, plain text.\n")
    (folder / "picture.png").write_bytes(b"\x89PNG")
    return folder


async def _extract(page: Fetched) -> Document:
    if b"unreadable" in page.body:
        raise ExtractFailed("This file cannot be read.")
    return extract_document(page, ExtractRequest(), ExtractOptions())


async def _sync(store: Store, folder: Path, name: str | None = None) -> SyncReport:
    return await sync_folder(store, folder, _extract, name=name)


async def _paths(store: Store) -> list[str]:
    return [row[0] for row in await store.listing("research")]


async def test_a_folder_becomes_research_with_its_facts(store: Store, notes: Path) -> None:
    report = await _sync(store, notes)
    assert report == SyncReport(added=3)
    assert await _paths(store) == ["notes/2025-05-20/intro.md", "notes/more.md", "notes/third_note.txt"]
    keys = {row[0]: row[1] for row in await store.listing("research")}
    cards = {card.path: card for card in (await store.documents(list(keys.values()))).values()}
    intro = cards["notes/2025-05-20/intro.md"]
    assert (intro.title, intro.date, intro.tags) == ("The Intro", "2025-05-20", ("ml", "deep, learning"))
    more = cards["notes/more.md"]
    assert (more.title, more.date, more.tags) == ("more.md", "2020-01-02", ("one", "two"))
    kept = await store.latest(keys["notes/2025-05-20/intro.md"])
    assert kept is not None
    assert (kept.document.metadata.author, kept.final_url) == ("A. Author", "https://orig.example/intro")


async def test_notes_cite_each_other_by_path_and_by_wiki_name(store: Store, notes: Path) -> None:
    await _sync(store, notes)
    answer = await Archive(store).search(ArchiveQuery("intro", include_citations=True, mode="text"))
    citations = answer.results[0].citations
    assert citations is not None
    assert {citation.kind for citation in citations.citing if citation.target_id} == {"link", "wiki"}


async def test_a_second_sync_reads_only_what_changed(store: Store, notes: Path) -> None:
    await _sync(store, notes)
    assert await _sync(store, notes) == SyncReport(unchanged=3)
    (notes / "more.md").write_text("Now about lions.\n")
    os.utime(notes / "more.md", (1, 1))
    (notes / "new.md").write_text("New.\n")
    (notes / "third_note.txt").unlink()
    assert await _sync(store, notes) == SyncReport(added=1, changed=1, unchanged=1, removed=1)
    assert await _paths(store) == ["notes/2025-05-20/intro.md", "notes/more.md", "notes/new.md"]
    found = await Archive(store).search(ArchiveQuery("zebras", fuzzy=False, mode="text"))
    assert found.results == ()


class Stopped(BaseException):
    pass


@pytest.mark.parametrize("together", [1, 3, 200])
async def test_a_sync_stopped_anywhere_ends_as_a_clean_one_when_run_again(
    tmp_path: Path, notes: Path, together: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder_room, "BATCH_FILES", together)
    for number in range(10):
        (notes / f"n{number}.md").write_text(f"Note {number} cites [x](more.md).\n")
    states = []
    for stop in (0, 1, 5, 12):
        store = await SqliteStore.open(tmp_path / f"{stop}.sqlite", clock=lambda: 5.0)

        def stop_at(path: str, done: float, total: float, stop: int = stop) -> None:
            if done == stop:
                raise Stopped

        with contextlib.suppress(BaseExceptionGroup):
            await sync_folder(store, notes, _extract, on_progress=stop_at, clock=lambda: 5.0)
        await sync_folder(store, notes, _extract, clock=lambda: 5.0)
        listed = await store.listing("research")
        states.append([listed, [await store.latest(row[1]) for row in listed]])
        await store.close()
    assert all(state == states[0] for state in states)
    assert len(states[0][0]) == 13


def _killed_sync(file: Path, folder: Path, lines: int) -> None:
    """A sync that is killed once it has read so many files; one that has fewer to read ends by itself."""
    command = [sys.executable, str(Path(__file__).with_name("syncer.py")), str(file), str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    for _ in range(lines):
        process.stdout.readline()
    process.kill()
    process.communicate(timeout=60)


async def test_a_killed_sync_ends_as_a_clean_one_when_run_again(tmp_path: Path) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(450):
        (folder / f"{number}.md").write_text(f"# Note {number}\n\nword{number} [next]({number + 1}.md)\n")
    states = []
    for name, lines in (("killed", (1, 201, 5)), ("clean", ())):
        file = tmp_path / f"{name}.sqlite"
        for count in lines:
            _killed_sync(file, folder, count)
        store = await SqliteStore.open(file, clock=lambda: 5.0)
        await sync_folder(store, folder, extract_plain, clock=lambda: 5.0)
        listed = await store.listing("research")
        found = [len((await store.find_by_words(WordQuery((f"word{at}",)), 5)).candidates) for at in range(0, 450, 30)]
        cited = await store.cites([row[1] for row in listed], 1000)
        edges = sorted((edge.source, edge.target or "", edge.url) for edge in cited)
        states.append([listed, [await store.latest(row[1]) for row in listed], found, edges])
        await store.close()
    assert states[0] == states[1]
    assert len(states[0][0]) == 450
    assert set(states[0][2]) == {1}


async def test_a_folder_can_be_put_into_a_collection_which_it_keeps(store: Store, notes: Path) -> None:
    await _sync(store, notes)
    report = await sync_folder(store, notes, _extract, tags=("Thesis",))
    assert (report.added, report.changed) == (0, 3)
    assert await store.collections() == {"Thesis": 3, "notes": 3, "deep, learning": 1, "ml": 1, "one": 1, "two": 1}
    (notes / "late.md").write_text("A late zebra.")
    report = await _sync(store, notes)
    assert (report.added, report.changed, report.unchanged) == (1, 0, 3)
    answer = await Archive(store).search(ArchiveQuery("zebras", mode="text", collection="thesis"))
    assert {one.document.path for one in answer.results} == {"notes/late.md", "notes/more.md"}
    answer = await Archive(store).search(ArchiveQuery("zebras", mode="text", collection="one"))
    assert [one.document.path for one in answer.results] == ["notes/more.md"]


async def test_a_file_that_cannot_be_read_is_named_and_the_rest_is_kept(store: Store, notes: Path) -> None:
    (notes / "bad.md").write_text("unreadable")
    report = await _sync(store, notes)
    assert report.added == 3
    assert report.failed == (("notes/bad.md", "This file cannot be read."),)


async def test_nothing_outside_the_folder_is_read_and_no_loop_is_followed(
    store: Store, notes: Path, tmp_path: Path
) -> None:
    (tmp_path / "secret.md").write_text("secret")
    (notes / "out.md").symlink_to(tmp_path / "secret.md")
    (notes / "outside").symlink_to(tmp_path)
    (notes / "loop").symlink_to(notes)
    (notes / "self.md").symlink_to(notes / "self.md")
    (notes / "inside.md").symlink_to(notes / "more.md")
    os.mkfifo(notes / "pipe.md")
    (notes / ".hidden").mkdir()
    (notes / ".hidden" / "x.md").write_text("hidden")
    await _sync(store, notes)
    assert await _paths(store) == [
        "notes/2025-05-20/intro.md",
        "notes/inside.md",
        "notes/more.md",
        "notes/third_note.txt",
    ]


async def test_broken_front_matter_is_text(store: Store, notes: Path) -> None:
    (notes / "broken.md").write_text("---\ntitle: [unclosed\n: : :\n  - stray\nno end")
    (notes / "odd.md").write_bytes(b'---\n\xff\xfe: x\ntitle: "bad \\q escape"\n---\ntext')
    assert (await _sync(store, notes)).added == 5


async def test_two_folders_of_one_name_do_not_remove_each_other(store: Store, notes: Path, tmp_path: Path) -> None:
    await _sync(store, notes)
    other = tmp_path / "elsewhere" / "notes"
    other.mkdir(parents=True)
    (other / "x.md").write_text("x")
    with pytest.raises(InvalidInput, match="come from the folder"):
        await _sync(store, other)
    await _sync(store, other, "notes-2")
    assert len(await _paths(store)) == 4


async def test_a_sync_leaves_notes_and_folders_of_other_names_alone(store: Store, notes: Path, tmp_path: Path) -> None:
    (tmp_path / "saved").mkdir()
    await _sync(store, tmp_path / "saved")
    await add_note(store, Document("A note", "Text.", "x"), 0.0, day="2024-02-03")
    (tmp_path / "jobs").mkdir()
    (tmp_path / "jobs" / "x.md").write_text("x")
    await _sync(store, tmp_path / "jobs", "notes/jobs")
    assert (await _sync(store, notes)).removed == (await _sync(store, tmp_path / "saved")).removed == 0
    assert {"notes/jobs/x.md", "saved/2024-02-03/a-note.md", "notes/more.md"} < set(await _paths(store))


async def test_a_file_whose_state_cannot_be_read_keeps_its_document(store: Store, notes: Path) -> None:
    await _sync(store, notes)
    (notes / "more.md").unlink()
    (notes / "more.md").symlink_to("n" * 300)  # too long a name
    assert await _sync(store, notes) == SyncReport(unchanged=2)
    assert "notes/more.md" in await _paths(store)


async def test_a_folder_that_is_not_there_is_invalid_input(store: Store, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput):
        await _sync(store, tmp_path / "absent")


async def test_the_time_of_a_sync_grows_with_the_number_of_files(tmp_path: Path) -> None:
    seconds = []
    for count in (500, 5000):
        store, folder = await SqliteStore.open(tmp_path / f"{count}.sqlite"), tmp_path / str(count)
        folder.mkdir()
        for number in range(count):
            (folder / f"{number}.md").touch()
        files = folder_room._files(folder.resolve(), str(count), (), [])
        pages = [snapshot(f"file:///{file.path}", path=file.path, etag=file.mark, source="research") for file in files]
        await store.keep_many([(page, NOTHING) for page in pages])
        begun = time.process_time()
        assert (await _sync(store, folder)).unchanged == count
        for file in files:
            file.place.unlink()
        assert (await _sync(store, folder)).removed == count
        seconds.append(time.process_time() - begun)
        await store.close()
    assert seconds[1] < 18 * seconds[0]
