"""Doing the same work once, however many ask for it at the same time."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

import anyio

from mcp_web import trace

if TYPE_CHECKING:
    from redis.asyncio import Redis

T = TypeVar("T")
Make = Callable[[], Awaitable[T]]
Look = Callable[[], Awaitable[T | None]]


class SingleFlight(Protocol):
    async def once(self, key: str, make: Make[T], look: Look[T] | None = None) -> T:
        """Run `make`, or share what a running one with the same key brings.

        `look` finds a finished answer in a place that replicas share (the store); without it, another
        machine's answer cannot be seen and `make` runs here as well.
        """
        ...


@dataclass(slots=True)
class _Flight:
    landed: anyio.Event = field(default_factory=anyio.Event)
    value: Any = None
    error: Exception | None = None
    abandoned: bool = False


class MemorySingleFlight:
    """Within one process. A cancelled leader hands over to one of those who wait, so nobody inherits its fate."""

    def __init__(self) -> None:
        self._flights: dict[str, _Flight] = {}

    async def once(self, key: str, make: Make[T], look: Look[T] | None = None) -> T:
        while (running := self._flights.get(key)) is not None:
            await running.landed.wait()
            if running.error is not None:
                raise running.error
            if not running.abandoned:
                return cast(T, running.value)
        flight = self._flights[key] = _Flight()
        try:
            value = flight.value = await make()
        except Exception as error:
            flight.error = error
            raise
        except BaseException:
            flight.abandoned = True
            raise
        finally:
            del self._flights[key]
            flight.landed.set()
            del flight  # this frame and the error would hold each other, and the error all that its work had in hand
        return value


class RedisSingleFlight:
    """Across replicas: one holds the key for as long as it works, the others look for its answer."""

    _HOLD_MS = 60_000  # longer than any call's deadline: a dead holder frees the key by itself
    _GLANCE = 0.1  # seconds between two looks at a key that another replica holds

    def __init__(self, redis: Redis, prefix: str = "mcp-web:flight:") -> None:
        self._redis = redis
        self._prefix = prefix
        self._here = MemorySingleFlight()

    async def once(self, key: str, make: Make[T], look: Look[T] | None = None) -> T:
        return await self._here.once(key, lambda: self._across(self._prefix + key, make, look))

    async def _across(self, name: str, make: Make[T], look: Look[T] | None) -> T:
        mark = secrets.token_hex(8)
        while not await self._hold(name, mark):
            await anyio.sleep(self._GLANCE)
            found = await look() if look is not None else None
            if found is not None:
                return found
        try:
            # Between two glances the holder may have finished and let go: its answer is there by now.
            found = await look() if look is not None else None
            return found if found is not None else await make()
        finally:
            with anyio.CancelScope(shield=True), anyio.move_on_after(2):
                await self._let_go(name, mark)

    async def _hold(self, name: str, mark: str) -> bool:
        from redis.exceptions import RedisError

        try:
            # Waited for even when cancelled: a request under way is still carried out, and nobody would let go.
            with anyio.CancelScope(shield=True), anyio.fail_after(2):
                held = await self._redis.set(name, mark, nx=True, px=self._HOLD_MS)
            return bool(held)
        except (RedisError, OSError) as error:
            trace.log("error", "flight_redis_away", reason=type(error).__name__)
            return True  # without Redis each replica works for itself

    async def _let_go(self, name: str, mark: str) -> None:
        from redis.exceptions import RedisError

        script = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0"
        try:
            await cast(Any, self._redis.eval(script, 1, name, mark))
        except (RedisError, OSError) as error:
            trace.log("error", "flight_redis_away", reason=type(error).__name__)
