"""Chooses where rate limits and single flights are kept."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mcp_web.errors import ConfigError
from mcp_web.file_lock import can_lock_files
from mcp_web.limit.files import FileLimiter
from mcp_web.limit.flight import MemorySingleFlight, RedisSingleFlight, SingleFlight
from mcp_web.limit.limiter import Limiter, MemoryLimiter
from mcp_web.limit.options import LimitOptions
from mcp_web.limit.redis import RedisLimiter

if TYPE_CHECKING:
    from redis.asyncio import Redis


@dataclass(frozen=True, slots=True)
class Coordination:
    """The rate limiter, and the single flight by which callers of the same work share one run."""

    limiter: Limiter
    flight: SingleFlight

    async def close(self) -> None:
        await self.limiter.close()  # the flight uses the same connection


def open_coordination(options: LimitOptions, folder: Path | None) -> Coordination:
    """Choose where rate limits and single flights are kept: both in Redis if it is configured, else single flights in
    this process, and the limits in files under `folder`, for all local processes, or in memory if it is None, cannot be
    written or has no file locks. Raises ConfigError if the Redis client is not installed or the URL is invalid;
    connects when first used."""
    if options.redis_url:
        redis = _connect(options.redis_url)
        return Coordination(RedisLimiter(redis), RedisSingleFlight(redis))
    limiter: Limiter = MemoryLimiter()
    if folder is not None and can_lock_files():
        with suppress(OSError):  # a read-only data folder must not stop a search
            limiter = FileLimiter(folder / "pace")  # the name of earlier versions, so that the month's count is kept
    return Coordination(limiter, MemorySingleFlight())


def _connect(url: str) -> Redis:
    """A Redis client that connects when first used; raises ConfigError if its package is missing or the URL invalid."""
    try:
        from redis.asyncio import Redis as Client
    except ImportError as error:
        raise ConfigError(
            "MCP_WEB_REDIS_URL is set, but the Redis client is not installed.",
            suggestion="Install it with: pip install 'mcp-web[team]'.",
        ) from error
    try:
        return Client.from_url(url, socket_connect_timeout=2, socket_timeout=5)
    except ValueError as error:
        raise ConfigError(
            f"MCP_WEB_REDIS_URL is not a Redis address: {error}.",
            suggestion="Use redis://host:6379/0, rediss://… for TLS, or unix:///path.",
        ) from error
