"""One pace for several machines: the same window, kept in Redis and moved by one script."""

from __future__ import annotations

import secrets
import time
from typing import TYPE_CHECKING, Any, cast

import anyio

from mcp_web import trace
from mcp_web.limit.limiter import BudgetSpent, PaceExceeded
from mcp_web.limit.memory import MemoryLimiter
from mcp_web.limit.window import month_of, until_next_month

if TYPE_CHECKING:
    from redis.asyncio import Redis

# Redis' own clock decides, so replicas need not agree on the time. Times are whole microseconds: a Lua number
# holds them exactly, and a reply would cut a fraction off.
_NOW = "local now = redis.call('TIME'); now = now[1] * 1000000 + now[2]\n"
# `Window.next_slot` and `take`. Keys: who went, who was promised a moment, until when nobody goes.
_RESERVE = (
    _NOW
    + """
local rate, per, patience = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - per)
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now - 60000000)
local slot, taken = math.max(now, tonumber(redis.call('GET', KEYS[3]) or '0')), {}
for at = 1, 2 do
  local found = redis.call('ZREVRANGE', KEYS[at], 0, rate - 1, 'WITHSCORES')
  for i = 2, #found, 2 do taken[#taken + 1] = tonumber(found[i]) end
  if at == 2 and found[2] then slot = math.max(slot, tonumber(found[2])) end
end
table.sort(taken)
if #taken >= rate then slot = math.max(slot, taken[#taken - rate + 1] + per) end
if slot - now > patience then return {0, string.format('%.0f', slot - now)} end
redis.call('ZADD', KEYS[slot > now and 2 or 1], slot, ARGV[4])
for at = 1, 2 do redis.call('PEXPIRE', KEYS[at], math.ceil((slot - now + per) / 1000) + 60000) end
return {1, string.format('%.0f', slot - now)}
"""
)
# `Window.confirm`.
_CONFIRM = (
    _NOW
    + """
local rate, per = tonumber(ARGV[1]), tonumber(ARGV[2])
redis.call('ZREM', KEYS[2], ARGV[3])
local later = math.max(now, tonumber(redis.call('GET', KEYS[3]) or '0'))
local oldest = redis.call('ZREVRANGE', KEYS[1], rate - 1, rate - 1, 'WITHSCORES')[2]
if oldest then later = math.max(later, tonumber(oldest) + per) end
redis.call('ZADD', KEYS[later > now and 2 or 1], later, ARGV[3])
for at = 1, 2 do redis.call('PEXPIRE', KEYS[at], math.ceil((later - now + per) / 1000) + 60000) end
return string.format('%.0f', later - now)
"""
)
_GIVE_BACK = "return redis.call('ZREM', KEYS[1], ARGV[1])"
_PAUSE = (
    _NOW
    + """
local till = now + tonumber(ARGV[1])
if till > tonumber(redis.call('GET', KEYS[1]) or '0') then
  redis.call('SET', KEYS[1], string.format('%.0f', till), 'PX', math.ceil(tonumber(ARGV[1]) / 1000) + 1000)
end
return 1
"""
)
_SPEND = """
local used = tonumber(redis.call('GET', KEYS[1]) or '0')
if used >= tonumber(ARGV[1]) then return -1 end
used = redis.call('INCR', KEYS[1])
redis.call('EXPIRE', KEYS[1], ARGV[2])
return tonumber(ARGV[1]) - used
"""

_PATIENCE = 2.0  # seconds for one script; they take microseconds


class RedisLimiter:
    """Falls back to this process's own pace while Redis is away: a slower search beats none."""

    def __init__(self, redis: Redis, prefix: str = "mcp-web:pace:") -> None:
        self._redis = redis
        self._prefix = prefix
        self._alone = MemoryLimiter()

    async def acquire(self, key: str, rate: int, per: float, *, deadline: float) -> float:
        patience = max(0.0, deadline - anyio.current_time())
        keys, who = [self._name(key, part) for part in ("went", "promised", "paused")], secrets.token_hex(8)
        reply = await self._run(_RESERVE, keys, [rate, _micro(per), _micro(patience), who])
        if reply is None:
            return await self._alone.acquire(key, rate, per, deadline=deadline)
        granted, wait = int(reply[0]), int(reply[1]) / 1e6
        if not granted:
            raise PaceExceeded(key, wait)
        waited = 0.0
        try:
            while wait > 0:
                await anyio.sleep(wait)
                waited += wait
                wait = int(await self._run(_CONFIRM, keys, [rate, _micro(per), who]) or 0) / 1e6
                if anyio.current_time() + wait > deadline:
                    raise PaceExceeded(key, wait)
        except BaseException:  # cancelled or too late: whoever does not go makes room
            await self._run(_GIVE_BACK, keys[1:2], [who])
            raise
        return waited

    async def pause(self, key: str, seconds: float) -> None:
        await self._alone.pause(key, seconds)
        await self._run(_PAUSE, [self._name(key, "paused")], [_micro(seconds)])

    async def spend(self, key: str, budget: int) -> int:
        now = time.time()
        left = await self._run(_SPEND, [self._name(key, month_of(now))], [budget, int(until_next_month(now)) + 86400])
        if left is None:
            return await self._alone.spend(key, budget)
        if int(left) < 0:
            raise BudgetSpent(key, budget, until_next_month(now))
        return int(left)

    async def spent(self, key: str) -> int:
        used = await self._run("return redis.call('GET', KEYS[1]) or '0'", [self._name(key, month_of(time.time()))], [])
        return await self._alone.spent(key) if used is None else int(used)

    async def close(self) -> None:
        await self._redis.aclose()

    def _name(self, key: str, part: str) -> str:
        return f"{self._prefix}{{{key}}}:{part}"  # braces keep a key's parts on one cluster node

    async def _run(self, script: str, keys: list[str], values: list[Any]) -> Any | None:
        from redis.exceptions import RedisError

        try:
            # A script once sent is waited for, within the limit: a cancelled request may still be carried out, and
            # the place it reserved would belong to nobody.
            with anyio.CancelScope(shield=True), anyio.fail_after(_PATIENCE):
                reply: Any = await cast(Any, self._redis.eval(script, len(keys), *keys, *values))
        except (RedisError, OSError) as error:  # TimeoutError is an OSError
            trace.log("error", "pace_redis_away", reason=type(error).__name__)
            return None
        return reply


def _micro(seconds: float) -> int:
    return int(seconds * 1e6)
