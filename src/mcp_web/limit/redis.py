"""Rate limits that several machines share: the same times, kept in Redis and changed by one script."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, cast

import anyio

from mcp_web import trace
from mcp_web.limit.limiter import BudgetSpent, Limiter, MemoryLimiter, SharedPause
from mcp_web.limit.schedule import Period, Step, period_of, until_next

if TYPE_CHECKING:
    from redis.asyncio import Redis

# `apply_step`. The clock is that of Redis, so the clocks of replicas may differ. Times are whole microseconds:
# a Lua number represents them exactly, and a reply would truncate a fraction.
_APPLY = """
local now = redis.call('TIME'); now = now[1] * 1000000 + now[2]
local open_at, seconds = tonumber(redis.call('GET', KEYS[1]) or '0'), tonumber(ARGV[2])
local wait = math.max(0, open_at - now)
if ARGV[1] == 'pause' then open_at = math.max(open_at, now + seconds)
elseif wait == 0 then open_at = now + seconds end
redis.call('SET', KEYS[1], string.format('%.0f', open_at), 'PX', math.ceil((open_at - now) / 1000) + 60000)
return string.format('%.0f', wait)
"""
_SPEND = """
local used = tonumber(redis.call('GET', KEYS[1]) or '0')
if used >= tonumber(ARGV[1]) then return -1 end
used = redis.call('INCR', KEYS[1])
redis.call('EXPIRE', KEYS[1], ARGV[2])
return tonumber(ARGV[1]) - used
"""
_KEEP_PAUSE = "return redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])"
_PAUSE = """
local why = redis.call('GET', KEYS[1])
return why and {why, redis.call('PTTL', KEYS[1])}
"""

_SCRIPT_SECONDS = 2.0  # for one script; they take microseconds


class RedisLimiter(Limiter):
    """Rate limits, budgets and pauses that several machines share, in Redis; while it cannot be reached, each process
    has its own limits and no pause is shared."""

    def __init__(self, redis: Redis, prefix: str = "mcp-web:pace:") -> None:
        super().__init__()
        self._redis = redis
        self._prefix = prefix
        self._fallback = MemoryLimiter()

    async def step(self, key: str, step: Step, seconds: float) -> float:
        wait = await self._run(_APPLY, self._name(key, "open_at"), [step, round(seconds * 1e6)])
        return await self._fallback.step(key, step, seconds) if wait is None else int(wait) / 1e6

    async def spend(self, key: str, budget: int, period: Period = "month") -> int:
        now = time.time()
        rest = until_next(now, period)
        # The key is kept longer than its period, for replicas whose clocks differ a little.
        left = await self._run(_SPEND, self._name(key, period_of(now, period)), [budget, int(2 * rest) + 120])
        if left is None:
            return await self._fallback.spend(key, budget, period)
        if int(left) < 0:
            raise BudgetSpent(key, budget, rest)
        return int(left)

    async def share_pause(self, key: str, seconds: float, reason: str) -> None:
        await self._run(_KEEP_PAUSE, self._name(key, "pause"), [reason, max(1, int(seconds * 1000))])

    async def shared_pause(self, key: str) -> SharedPause | None:
        found = await self._run(_PAUSE, self._name(key, "pause"), [])
        return SharedPause(int(found[1]) / 1000, found[0].decode()) if found else None

    async def close(self) -> None:
        await self._redis.aclose()

    def _name(self, key: str, part: str) -> str:
        """The name in Redis of a value (`part`) of a key. The braces keep a key's values on one server of a cluster."""
        return f"{self._prefix}{{{key}}}:{part}"

    async def ping(self) -> bool:
        """Whether Redis answers now."""
        return await self._run("return 1", self._name("ping", "ping"), []) is not None

    async def _run(self, script: str, name: str, values: list[Any]) -> Any | None:
        return await run_script(self._redis, "rate_limit_redis", script, name, *values)


async def run_script(redis: Redis, event: str, script: str, name: str, *values: Any) -> Any | None:
    """Run a Lua script in Redis over one key (`name`) with `values` as its arguments (ARGV), and return its reply. None
    where Redis cannot be reached in time or fails, which is logged as `event`, and where the script returns nothing."""
    from redis.exceptions import RedisError

    try:
        # Shielded from cancellation: the script may already have run, and what it took would be lost.
        with anyio.CancelScope(shield=True), anyio.fail_after(_SCRIPT_SECONDS):
            reply: Any = await cast(Any, redis.eval(script, 1, name, *values))
    except (RedisError, OSError) as error:  # TimeoutError is an OSError
        trace.log("error", event, reason=type(error).__name__)
        return None
    return reply
