"""What every limiter keeps, whoever shares it."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Iterator
from functools import partial
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest

from limit.redis_process import running_redis
from mcp_web.limit.files import FileLimiter
from mcp_web.limit.limiter import BudgetSpent, Limiter, MemoryLimiter, RateExceeded
from mcp_web.limit.redis import RedisLimiter

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def redis_port() -> Iterator[int]:
    with running_redis() as port:
        yield port


@pytest.fixture(params=["memory", "files", "redis"])
async def limiter(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Limiter]:
    made: Limiter
    if request.param == "memory":
        made = MemoryLimiter()
    elif request.param == "files":
        made = FileLimiter(tmp_path / "pace")
    else:
        from redis.asyncio import Redis

        port = request.getfixturevalue("redis_port")
        made = RedisLimiter(Redis(port=port), prefix=f"test:{uuid.uuid4().hex}:")
    yield made
    await made.close()


def soon(seconds: float = 5.0) -> float:
    return anyio.current_time() + seconds


async def test_of_a_burst_one_starts_and_the_rest_is_refused_at_once(limiter: Limiter) -> None:
    granted, refused = [], []

    async def one() -> None:
        try:
            await limiter.acquire("k", 1000.0, deadline=soon())
            granted.append(True)
        except RateExceeded as late:
            refused.append(late.retry_after)

    async with anyio.create_task_group() as tasks:
        for _ in range(10):
            tasks.start_soon(one)
    assert len(granted) == 1
    assert len(refused) == 9
    assert all(990 < wait <= 1000 for wait in refused)


async def test_a_slot_within_the_deadline_is_waited_for(limiter: Limiter) -> None:
    begun = anyio.current_time()
    await limiter.acquire("k", 0.2, deadline=soon())
    await limiter.acquire("k", 0.2, deadline=soon())
    assert anyio.current_time() - begun >= 0.19  # never sooner; how much later is the machine's affair


async def test_a_refused_caller_takes_no_slot(limiter: Limiter) -> None:
    await limiter.acquire("k", 1000.0, deadline=soon())
    for _ in range(5):
        with pytest.raises(RateExceeded) as late:
            await limiter.acquire("k", 1000.0, deadline=soon())
        assert late.value.retry_after <= 1000


async def test_many_waiters_all_get_their_turn(limiter: Limiter) -> None:
    started = []

    async def one() -> None:
        await limiter.acquire("k", 0.03, deadline=soon(30))
        started.append(anyio.current_time())

    async with anyio.create_task_group() as tasks:
        for _ in range(9):
            tasks.start_soon(one)
    assert len(started) == 9


async def next_slot(limiter: Limiter) -> float:
    """Seconds until the next slot; a refused caller takes none."""
    with pytest.raises(RateExceeded) as late:
        await limiter.acquire("k", 100.0, deadline=soon(0.0))
    return late.value.retry_after


async def test_cancelled_waiters_make_room(limiter: Limiter) -> None:
    await limiter.acquire("k", 100.0, deadline=soon())
    async with anyio.create_task_group() as tasks:
        for _ in range(5):
            tasks.start_soon(partial(limiter.acquire, "k", 100.0, deadline=soon(1000)))
        while await next_slot(limiter) < 550:  # until all five wait
            await anyio.lowlevel.checkpoint()
        tasks.cancel_scope.cancel()
    assert await next_slot(limiter) < 200  # five moments were given back


async def test_a_caller_cancelled_at_any_moment_makes_room(limiter: Limiter) -> None:
    await limiter.acquire("k", 100.0, deadline=soon())
    for moments in range(25):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(partial(limiter.acquire, "k", 100.0, deadline=soon(1000)))
            for _ in range(moments):
                await anyio.lowlevel.checkpoint()
            tasks.cancel_scope.cancel()
        assert await next_slot(limiter) < 150, f"kept by a caller cancelled after {moments} turns"


async def test_keys_do_not_disturb_each_other(limiter: Limiter) -> None:
    await limiter.acquire("a", 1000.0, deadline=soon())
    await limiter.acquire("b", 1000.0, deadline=soon())


async def test_a_pause_holds_for_everyone(limiter: Limiter) -> None:
    await limiter.pause("k", 500.0)
    await limiter.pause("k", 5.0)  # a shorter one does not end a longer one
    with pytest.raises(RateExceeded) as late:
        await limiter.acquire("k", 0.01, deadline=soon())
    assert 490 < late.value.retry_after <= 500


async def test_a_pause_of_hours_holds_for_an_hour(limiter: Limiter) -> None:
    await limiter.pause("k", 7200.0)
    assert 3500 < await next_slot(limiter) <= 3600


async def test_a_caller_whose_deadline_has_passed_takes_no_slot(limiter: Limiter) -> None:
    with pytest.raises(RateExceeded):
        await limiter.acquire("k", 1000.0, deadline=soon(-1.0))
    await limiter.acquire("k", 1000.0, deadline=soon(1.0))


async def test_a_month_is_spent_once_and_then_refused(limiter: Limiter) -> None:
    assert [await limiter.spend("k", 3) for _ in range(3)] == [2, 1, 0]
    with pytest.raises(BudgetSpent) as spent:
        await limiter.spend("k", 3)
    assert 0 < spent.value.retry_after <= 31 * 86400
    assert await limiter.spend("other", 1) == 0


async def test_nobody_starts_during_a_pause_that_began_while_they_waited(limiter: Limiter) -> None:
    await limiter.acquire("k", 0.5, deadline=soon())
    refused = []

    async def waits() -> None:
        with pytest.raises(RateExceeded) as late:
            await limiter.acquire("k", 0.5, deadline=soon(60))
        refused.append(late.value.retry_after)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(waits)
        await anyio.wait_all_tasks_blocked()
        await limiter.pause("k", 500.0)
    assert refused[0] > 400


async def test_a_pause_that_outlasts_the_first_caller_is_told_to_those_behind_it(limiter: Limiter) -> None:
    await limiter.acquire("k", 0.5, deadline=soon())
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(partial(limiter.acquire, "k", 0.5, deadline=soon(600)))
        while not limiter._lines["k"].first_starts:  # until it waits
            await anyio.lowlevel.checkpoint()
        await limiter.pause("k", 500.0)
        with pytest.raises(RateExceeded) as late:
            await limiter.acquire("k", 0.5, deadline=soon(5))
        tasks.cancel_scope.cancel()
    assert late.value.retry_after > 400


async def test_waiting_callers_start_in_the_order_in_which_they_came(limiter: Limiter) -> None:
    started = []

    async def one(number: int) -> None:
        await limiter.acquire("k", 0.01, deadline=soon(60))
        started.append(number)

    async with anyio.create_task_group() as tasks:
        for number in range(8):
            tasks.start_soon(one, number)
    assert started == list(range(8))


async def test_a_failure_met_by_one_replica_is_known_to_the_others_until_its_pause_ends(redis_port: int) -> None:
    from redis.asyncio import Redis

    prefix = f"test:{uuid.uuid4().hex}:"
    one, other = (RedisLimiter(Redis(port=redis_port), prefix=prefix) for _ in range(2))
    assert await other.shared_pause("search:brave") is None
    await one.share_pause("search:brave", 30.0, "brave could not be reached.")
    found = await other.shared_pause("search:brave")
    assert found is not None
    assert 0 < found.seconds <= 30
    assert found.reason == "brave could not be reached."
    assert await other.shared_pause("search:exa") is None
    await one.share_pause("search:brave", 0.001, "brief")
    with anyio.fail_after(60):
        while await other.shared_pause("search:brave") is not None:
            await anyio.lowlevel.checkpoint()
    for limiter in (one, other):
        await limiter.close()
