"""Bodies that wait to be read take little memory, however many they are."""

from __future__ import annotations

from contextlib import AsyncExitStack

import anyio
import pytest

from mcp_web.model.page import Fetched
from mcp_web.sandbox import bodies as bodies_module
from mcp_web.sandbox.bodies import LARGE, BodyBuffer

pytestmark = pytest.mark.anyio


def page(size: int, mark: bytes = b"x") -> Fetched:
    return Fetched("https://a.example/", "https://a.example/", 200, (), mark * size, "text/html", None, 0.0)


async def test_large_pages_have_their_turn_one_after_the_other_and_come_back_whole() -> None:
    buffer = BodyBuffer()
    waiting = [await buffer.put(page(LARGE + 1, b"0"))]
    under_way, seen = 0, []

    async def read(number: int) -> None:
        nonlocal under_way
        async with waiting[number] as mine:
            under_way += 1
            assert under_way == 1
            if number == 0:
                waiting.extend([await buffer.put(page(LARGE + n, b"%d" % n)) for n in range(1, 20)])
                for other in range(1, 20):
                    tasks.start_soon(read, other)
                await anyio.wait_all_tasks_blocked()
                assert buffer.in_memory <= bodies_module._IN_MEMORY, "the rest lies on the disk"
            seen.append((len(mine.body), set(mine.body)))
            under_way -= 1

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(read, 0)
    assert sorted(seen[1:]) == [(LARGE + n, set(b"%d" % n)) for n in range(1, 10)] + [
        ((LARGE + n) * 2, set(b"%d" % n)) for n in range(10, 20)
    ]
    assert buffer.in_memory == 0


async def test_small_pages_do_not_wait_for_a_large_one() -> None:
    buffer = BodyBuffer()
    async with await buffer.put(page(LARGE + 1)), await buffer.put(page(10)) as small:
        assert len(small.body) == 10


async def test_a_cancelled_reader_leaves_the_buffer_and_nobody_stuck() -> None:
    buffer = BodyBuffer()
    async with await buffer.put(page(LARGE * 4)):
        for _ in range(3):
            late = await buffer.put(page(LARGE * 4))
            with anyio.CancelScope() as scope:
                scope.cancel()
                async with late:
                    raise AssertionError("it was not its turn")
        assert buffer.in_memory == 0
    async with await buffer.put(page(LARGE * 4)) as next_one:
        assert len(next_one.body) == LARGE * 4


async def test_without_a_disk_bodies_wait_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies_module, "_FOLDERS", ("/nowhere/at/all",))
    buffer = BodyBuffer()
    async with AsyncExitStack() as turn:
        await turn.enter_async_context(await buffer.put(page(LARGE * 5)))
        waiting = [await buffer.put(page(LARGE * 5)) for _ in range(3)]
        await turn.aclose()
        for one in waiting:
            async with one as mine:
                assert len(mine.body) == LARGE * 5
    assert buffer.in_memory == 0
