"""The audit log: every call is in it, nothing that was asked or read is, and a change is found."""

from __future__ import annotations

import json
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest

from mcp_web.audit.log import AuditLog, contains, verify
from miniweb import MiniWeb, Reply, Request

from .lab import lab

pytestmark = pytest.mark.anyio


def files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.jsonl"))


def lines(folder: Path) -> list[dict[str, object]]:
    return [json.loads(line) for file in files(folder) for line in file.read_text().splitlines()]


async def test_every_call_is_logged_without_what_was_asked(miniweb: MiniWeb, tmp_path: Path) -> None:
    url = miniweb.site("secret-site.example").page("/a", "<main><h1>Heading</h1><p>Confidential words.</p></main>")
    async with lab(miniweb, tmp_path) as team:
        token = await team.token("ann")
        await team.call("web_open", token, url=url)
        await team.call("archive_search", token, query="confidential question")
        await team.call("cache_get", token, snapshot="0" * 64)
    folder = tmp_path / "audit"
    found = lines(folder)
    assert [line["event"] for line in found] == ["token_added", "call", "call", "call"]
    assert [line["tool"] for line in found[1:]] == ["web_open", "archive_search", "cache_get"]
    assert [line["outcome"] for line in found[1:]] == ["ok", "ok", "NOT_FOUND"]
    assert {line["tenant"] for line in found} == {"ann"}
    text = "".join(file.read_text() for file in folder.glob("*.jsonl"))
    for private in ("secret-site", "onfidential", "Heading", token, "0" * 63 + '0"'):
        assert private not in text.replace(found[0]["before"], "")  # type: ignore[arg-type]
    assert verify(folder).fault == ""


async def test_a_client_that_closes_its_connection_cancels_its_call(miniweb: MiniWeb, tmp_path: Path) -> None:
    asked = anyio.Event()

    async def never(request: Request) -> Reply:
        asked.set()
        await anyio.sleep_forever()
        raise AssertionError

    url = miniweb.site("slow.example").route("/a", never)
    async with lab(miniweb, tmp_path) as team:
        token = await team.token("ann")
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(lambda: team.call("web_open", token, url=url))
            await asked.wait()
            tasks.cancel_scope.cancel()
        with anyio.fail_after(60):
            while "cancelled" not in [line.get("outcome") for line in lines(tmp_path / "audit")]:
                await anyio.lowlevel.checkpoint()


async def test_writers_side_by_side_make_one_chain_over_several_files(tmp_path: Path) -> None:
    logs = [AuditLog(tmp_path, max_bytes=2_000) for _ in range(4)]

    async def write(log: AuditLog) -> None:
        for _ in range(10):
            await log.write("call", tool="web_open")

    async with anyio.create_task_group() as tasks:
        for log in logs:
            tasks.start_soon(write, log)
    assert verify(tmp_path).lines == 40
    assert verify(tmp_path).fault == ""
    assert len(files(tmp_path)) > 2


async def test_a_line_that_was_changed_moved_or_taken_out_is_found(tmp_path: Path) -> None:
    log = AuditLog(tmp_path)
    for tool in ("web_open", "web_read", "web_search", "cache_get"):
        await log.write("call", tool=tool)
    (file,) = files(tmp_path)
    whole = file.read_text().splitlines()
    head = verify(tmp_path).head
    for changed in (
        [*whole[:1], whole[1].replace("web_read", "web_open"), *whole[2:]],
        [whole[0], *whole[2:]],
        [whole[1], whole[0], *whole[2:]],
        [*whole[:3], "{}"],
        whole[1:],
    ):
        file.write_text("\n".join(changed) + "\n")
        assert verify(tmp_path).fault
    file.write_text("\n".join(whole[:2]) + "\n")
    assert verify(tmp_path).fault == ""
    assert not contains(tmp_path, head), "a cut end is found with the hash that was written down"


async def test_what_a_crash_left_of_a_line_does_not_break_the_chain(tmp_path: Path) -> None:
    log = AuditLog(tmp_path)
    await log.write("call", tool="web_open")
    (file,) = files(tmp_path)
    with file.open("a") as half:
        half.write('{"n": 2, "ts": "2026')
    await log.write("call", tool="web_read")
    assert verify(tmp_path).lines == 2
    assert verify(tmp_path).fault == ""


async def test_calls_go_on_when_the_log_cannot_be_written(miniweb: MiniWeb, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    async with lab(miniweb, tmp_path, MCP_WEB_AUDIT=str(tmp_path / "file")) as team:
        token = await team.token("ann")
        assert "x" in await team.text("web_extract", token, html="<p>x</p>")


async def test_after_old_files_are_removed_the_next_one_has_a_new_name(tmp_path: Path) -> None:
    log = AuditLog(tmp_path, max_bytes=1)  # a file for each line
    for _ in range(3):
        await log.write("call")
    files(tmp_path)[0].unlink()
    await log.write("call")
    assert [file.name for file in files(tmp_path)] == [f"audit-{number:06d}.jsonl" for number in (2, 3, 4)]


async def test_a_copy_of_a_file_beside_it_is_no_part_of_the_log(tmp_path: Path) -> None:
    log = AuditLog(tmp_path)
    await log.write("call")
    [file] = files(tmp_path)
    file.with_suffix(".old.jsonl").write_bytes(file.read_bytes())
    await log.write("call")
    assert verify(tmp_path).lines == 2
    assert not verify(tmp_path).fault


@pytest.mark.parametrize("tampered", ['{"hash": "x"}', "[" * 100_000], ids=["no number", "deeply nested"])
async def test_a_last_line_that_makes_no_sense_is_a_fault_and_calls_go_on(tmp_path: Path, tampered: str) -> None:
    log = AuditLog(tmp_path)
    await log.write("one")
    (file,) = files(tmp_path)
    file.write_text(f"{file.read_text()}{tampered}\n")
    await log.write("two")
    assert len(file.read_text().splitlines()) == 3
    assert "line 2: it is not a line of the log" in verify(tmp_path).fault
