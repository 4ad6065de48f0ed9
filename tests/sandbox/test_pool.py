"""Work on hostile bytes can be ended without harm."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

from mcp_web.errors import ExtractFailed, SelectorNotFound
from mcp_web.sandbox.options import SandboxOptions
from mcp_web.sandbox.pool import Sandbox
from mcp_web.settings import worker_environment

from . import jobs

pytestmark = pytest.mark.anyio


@pytest.fixture
async def sandbox() -> object:
    made = Sandbox(SandboxOptions(workers=2, wall_seconds=120, memory_mb=512))
    yield made
    await made.close()


async def test_a_function_runs_in_another_process(sandbox: Sandbox) -> None:
    assert await sandbox.run(jobs.double, 21) == 42
    assert await sandbox.run(jobs.own_pid) != os.getpid()


async def test_a_worker_is_used_again(sandbox: Sandbox) -> None:
    assert await sandbox.run(jobs.own_pid) == await sandbox.run(jobs.own_pid)


async def test_an_endless_page_is_stopped_and_the_next_one_is_read(sandbox: Sandbox) -> None:
    with pytest.raises(ExtractFailed, match=r"longer than 0\.2 s"):
        await sandbox.run(jobs.hang, wall=0.2)
    assert await sandbox.run(jobs.double, 1) == 2


@pytest.mark.parametrize("job", [jobs.eat, jobs.eat_in_small_pieces])
async def test_a_page_that_wants_all_memory_is_refused(sandbox: Sandbox, job: Callable[[], int]) -> None:
    with pytest.raises(ExtractFailed, match="more memory"):
        await sandbox.run(job)
    assert await sandbox.run(jobs.double, 2) == 4


async def test_a_small_page_that_needs_more_than_its_share_is_given_it(sandbox: Sandbox) -> None:
    assert await sandbox.run(jobs.hold, 420) == 420


async def test_a_crashed_worker_costs_one_answer_only(sandbox: Sandbox) -> None:
    with pytest.raises(ExtractFailed, match="ended unexpectedly"):
        await sandbox.run(jobs.die)
    assert await sandbox.run(jobs.double, 3) == 6


async def test_a_worker_that_was_killed_while_idle_costs_no_answer(sandbox: Sandbox) -> None:
    await sandbox.run(jobs.double, 3)
    (idle,) = sandbox._idle
    idle.process.kill()
    await idle.process.wait()
    assert await sandbox.run(jobs.double, 3) == 6


async def test_our_own_errors_come_through_with_their_details(sandbox: Sandbox) -> None:
    with pytest.raises(SelectorNotFound) as caught:
        await sandbox.run(jobs.refuse)
    assert caught.value.details == {"selector": ".x"}


async def test_a_defect_is_a_clean_error(sandbox: Sandbox) -> None:
    with pytest.raises(ExtractFailed, match="KeyError"):
        await sandbox.run(jobs.trip)


async def test_prints_of_a_library_do_not_tear_the_answer(sandbox: Sandbox) -> None:
    assert await sandbox.run(jobs.chatter) == "done"


async def test_others_are_served_while_one_hangs(sandbox: Sandbox) -> None:
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_ignore_failure, sandbox)
        for number in range(5):
            assert await sandbox.run(jobs.double, number) == number * 2
        tasks.cancel_scope.cancel()


async def _ignore_failure(sandbox: Sandbox) -> None:
    await sandbox.run(jobs.hang)


async def test_a_cancelled_job_leaves_no_process_behind(sandbox: Sandbox) -> None:
    others = set(_workers())  # other tests share theirs
    with anyio.move_on_after(0.3):
        await sandbox.run(jobs.hang)
    await sandbox.close()
    assert set(_workers()) <= others


async def test_a_worker_ends_when_its_server_was_killed_in_the_middle_of_a_page() -> None:
    server = """
import anyio
from mcp_web.sandbox.options import SandboxOptions
from mcp_web.sandbox.pool import Sandbox
from sandbox import jobs
anyio.run(Sandbox(SandboxOptions(wall_seconds=1)).run, jobs.hang_and_say_so)
"""
    environment = {"PYTHONPATH": str(Path(__file__).parents[1])}
    async with await anyio.open_process([sys.executable, "-c", server], env=environment) as process:
        assert process.stderr is not None
        worker = int(await process.stderr.receive())
        process.kill()
    with anyio.fail_after(60):
        while _runs(worker):  # noqa: ASYNC110 - it is no child of ours
            await anyio.sleep(0.02)


def _runs(process: int) -> bool:
    try:
        return bool(Path(f"/proc/{process}/cmdline").read_bytes())  # empty once it has ended
    except FileNotFoundError:
        return False


async def test_a_worker_that_starts_while_the_pool_is_closed_is_killed(sandbox: Sandbox) -> None:
    others = set(_workers())
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(sandbox.warm)
        await anyio.lowlevel.checkpoint()  # the worker is being started
        await sandbox.close()
    assert set(_workers()) <= others


@pytest.mark.parametrize("reply", [b"[]", b"[" * 100_000, b"no JSON"])
async def test_an_answer_that_a_page_forged_is_a_clean_error(sandbox: Sandbox, reply: bytes) -> None:
    with pytest.raises(ExtractFailed, match="ended unexpectedly"):
        await sandbox.run(jobs.forge, reply)
    assert await sandbox.run(jobs.double, 3) == 6


async def test_a_small_page_whose_answer_needs_more_than_its_share_is_given_it() -> None:
    made = Sandbox(SandboxOptions(workers=1, wall_seconds=120, memory_mb=270))
    assert len(await made.run(jobs.long_text, 62)) == 62 << 20
    await made.close()


def _workers() -> list[int]:
    """The worker processes that this process has started and that still run."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            command = (folder / "cmdline").read_bytes()
        except OSError:
            continue  # it ended meanwhile
        if parent == os.getpid() and b"mcp_web.sandbox.child" in command:
            found.append(int(folder.name))
    return found


async def test_a_worker_is_not_blamed_for_the_memory_of_the_server(sandbox: Sandbox) -> None:
    ballast = bytearray(400 << 20)
    ballast[::4096] = b"\1" * len(ballast[::4096])
    assert await sandbox.run(jobs.own_pid) == await sandbox.run(jobs.own_pid)
    del ballast


async def test_a_worker_has_no_key_in_its_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAVE_API_KEY", "sk-live-0123456789")
    made = Sandbox(SandboxOptions(workers=1), worker_environment())
    assert await made.run(os.getenv, "BRAVE_API_KEY") is None
    assert await made.run(os.getenv, "PATH") == os.environ["PATH"]
    await made.close()


def test_workers_get_more_memory_for_larger_bodies() -> None:
    options = SandboxOptions()
    assert options.for_bodies(5_000_000) == options
    assert options.for_bodies(1_000_000) == options
    assert options.for_bodies(20_000_000).memory_mb == options.memory_mb + 16 * 15
