"""The same work is done once."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Callable, Iterator

import anyio
import pytest

from limit.redis_process import running_redis
from mcp_web.limit.flight import MemorySingleFlight, RedisSingleFlight, SingleFlight
from mcp_web.limit.limiter import RateExceeded
from mcp_web.limit.open import open_coordination
from mcp_web.limit.options import LimitOptions

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def redis_port() -> Iterator[int]:
    with running_redis() as port:
        yield port


@pytest.fixture(params=["memory", "redis"])
async def flights(request: pytest.FixtureRequest) -> AsyncIterator[Callable[[], SingleFlight]]:
    """Makes flights that share their keys as two replicas would (in memory: the very same one)."""
    if request.param == "memory":
        only = MemorySingleFlight()
        yield lambda: only
        return
    from redis.asyncio import Redis

    redis = Redis(port=request.getfixturevalue("redis_port"))
    prefix = f"test:{uuid.uuid4().hex}:"
    yield lambda: RedisSingleFlight(redis, prefix)
    await redis.aclose()


async def test_many_callers_share_one_run(flights: Callable[[], SingleFlight]) -> None:
    runs, kept = 0, {}
    started, go = anyio.Event(), anyio.Event()

    async def make() -> str:
        nonlocal runs
        runs += 1
        started.set()
        await go.wait()
        kept["k"] = "value"
        return "value"

    async def look() -> str | None:
        return kept.get("k")

    answers: list[str] = []

    async def one(flight: SingleFlight) -> None:
        answers.append(await flight.once("k", make, look))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(one, flights())
        await started.wait()
        for _ in range(4):
            tasks.start_soon(one, flights())
        go.set()
    assert answers == ["value"] * 5
    assert runs == 1


async def test_a_failure_is_shared_and_then_forgotten() -> None:
    flight = MemorySingleFlight()

    async def fail() -> str:
        raise ValueError("no")

    async def succeed() -> str:
        return "yes"

    with pytest.raises(ValueError, match="no"):
        await flight.once("k", fail)
    assert await flight.once("k", succeed) == "yes"


async def test_a_cancelled_leader_hands_over() -> None:
    flight, started, answers = MemorySingleFlight(), anyio.Event(), []

    async def stuck() -> str:
        started.set()
        await anyio.sleep_forever()
        return "never"

    async def quick() -> str:
        return "taken over"

    async def follower() -> None:
        answers.append(await flight.once("k", quick))

    async with anyio.create_task_group() as tasks:
        with anyio.CancelScope() as leader:
            async with anyio.create_task_group() as inner:
                inner.start_soon(flight.once, "k", stuck)
                await started.wait()
                tasks.start_soon(follower)
                await anyio.lowlevel.checkpoint()
                leader.cancel()
    assert answers == ["taken over"]


async def test_work_of_a_replica_that_died_is_taken_over(redis_port: int) -> None:
    from redis.asyncio import Redis

    async with Redis(port=redis_port) as redis:
        prefix = f"test:{uuid.uuid4().hex}:"
        flight = RedisSingleFlight(redis, prefix, lock_seconds=0.3)
        await redis.set(prefix + "k", "the dead one", px=300)

        async def make() -> str:
            return "done"

        with anyio.fail_after(60):
            assert await flight.once("k", make) == "done"


async def test_a_replica_keeps_its_lock_while_it_works_and_its_error_is_its_own(redis_port: int) -> None:
    from redis.asyncio import Redis

    async with Redis(port=redis_port) as redis:
        prefix = f"test:{uuid.uuid4().hex}:"
        flight = RedisSingleFlight(redis, prefix, lock_seconds=0.6)

        async def make() -> str:
            before = await redis.pttl(prefix + "k")
            while (left := await redis.pttl(prefix + "k")) <= before:  # it is renewed
                before = left
            raise ValueError("no")

        with anyio.fail_after(60), pytest.raises(ValueError, match="no"):
            await flight.once("k", make)
        assert not await redis.exists(prefix + "k")


async def test_without_redis_each_process_keeps_its_own_limits() -> None:
    shared = open_coordination(LimitOptions(redis_url="redis://127.0.0.1:1/0"), None)
    await shared.limiter.acquire("k", 1000.0, deadline=anyio.current_time() + 60)
    with pytest.raises(RateExceeded):
        await shared.limiter.acquire("k", 1000.0, deadline=anyio.current_time() + 60)

    async def make() -> str:
        return "done"

    assert await shared.flight.once("k", make) == "done"
    await shared.close()
