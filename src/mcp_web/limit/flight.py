"""Single flight: callers that ask for the same work at the same time share one run of it."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

import anyio

from mcp_web.limit.redis import run_script

if TYPE_CHECKING:
    from redis.asyncio import Redis

T = TypeVar("T")
Make = Callable[[], Awaitable[T]]
Look = Callable[[], Awaitable[T | None]]


class SingleFlight(Protocol):
    """Runs work that several callers ask for at the same time only once: all get the result of the one run."""

    async def once(self, key: str, make: Make[T], look: Look[T] | None = None) -> T:
        """Run `make` and return its result. If a run with the same key is under way, wait for it instead, and return
        its result or raise its error. `look` returns the result that another replica (server process) has put into the
        store, or None while there is none; without `look` that cannot be found, and `make` runs here too."""
        ...


@dataclass(slots=True)
class _Run:
    """A run of the work; when done, it has a `value` or an `error`, or is `abandoned`: its caller was cancelled."""

    done: anyio.Event = field(default_factory=anyio.Event)
    value: Any = None
    error: Exception | None = None
    abandoned: bool = False


class MemorySingleFlight:
    """Single flight in one process: callers with the same key share one run of the work. When the caller that runs it
    is cancelled, one of those that wait runs it instead."""

    def __init__(self) -> None:
        self._running: dict[str, _Run] = {}

    async def once(self, key: str, make: Make[T], look: Look[T] | None = None) -> T:
        while (running := self._running.get(key)) is not None:
            await running.done.wait()
            if running.error is not None:
                raise running.error
            if not running.abandoned:
                return cast(T, running.value)
        run = self._running[key] = _Run()
        try:
            value = run.value = await make()
        except Exception as error:
            run.error = error
            raise
        except BaseException:
            run.abandoned = True
            raise
        finally:
            del self._running[key]
            run.done.set()
            del run  # this frame and the error refer to each other, and the error keeps the work's data in memory
        return value


_LOCK = "return redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) and 1 or 0"
_RENEW = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end"
_UNLOCK = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end"


class RedisSingleFlight:
    """Single flight over several replicas (server processes with a common Redis): one locks the key in Redis and runs
    the work, the others poll for its result. While Redis fails, each replica runs the work itself."""

    _POLL_SECONDS = 0.1  # between two checks of a key that another replica has locked

    def __init__(self, redis: Redis, prefix: str = "mcp-web:flight:", *, lock_seconds: float = 6.0) -> None:
        """A replica renews its lock while it runs; `lock_seconds` after its last renewal, such as when the replica
        died, another takes over. `prefix` begins the names of all locks."""
        self._run = partial(run_script, redis, "single_flight_redis")
        self._prefix = prefix
        self._lock_seconds = lock_seconds
        self._local = MemorySingleFlight()

    async def once(self, key: str, make: Make[T], look: Look[T] | None = None) -> T:
        return await self._local.once(key, lambda: self._run_in_one_replica(self._prefix + key, make, look))

    async def _run_in_one_replica(self, name: str, make: Make[T], look: Look[T] | None) -> T:
        """Wait for the Redis lock `name`, then run `make`; or return what `look` finds meanwhile: the result of the
        replica that had the lock. Without Redis, run `make` at once."""
        token = secrets.token_hex(8)
        # If Redis cannot be reached, each replica does the work.
        while await self._run(_LOCK, name, token, int(self._lock_seconds * 1000)) == 0:
            await anyio.sleep(self._POLL_SECONDS)
            if look is not None and (found := await look()) is not None:
                return found
        try:
            # The other replica may have finished and unlocked the key since the last look.
            found = await look() if look is not None else None
            return found if found is not None else await self._run_with_lock(name, token, make)
        finally:
            await self._run(_UNLOCK, name, token)  # shielded from cancellation

    async def _run_with_lock(self, name: str, token: str, make: Make[T]) -> T:
        """Run `make`, renewing its lock meanwhile: the Redis key `name`, whose value `token` marks it as ours."""
        failed: Exception | None = None
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._renew, name, token)
            try:
                value = await make()
            except Exception as error:  # noqa: BLE001 — raised below: the task group would wrap it
                failed = error
            tasks.cancel_scope.cancel()
        if failed is not None:
            raise failed
        return value

    async def _renew(self, name: str, token: str) -> None:
        """Prolong the lock `name` at intervals until cancelled; has no effect on a lock whose value is not `token`."""
        while True:
            await anyio.sleep(self._lock_seconds / 3)
            await self._run(_RENEW, name, token, int(self._lock_seconds * 1000))
