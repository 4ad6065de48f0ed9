"""Choosing how the pace is shared."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mcp_web.errors import ConfigError
from mcp_web.limit.flight import MemorySingleFlight, RedisSingleFlight, SingleFlight
from mcp_web.limit.folder import FolderLimiter, shareable
from mcp_web.limit.limiter import Limiter
from mcp_web.limit.memory import MemoryLimiter
from mcp_web.limit.options import LimitOptions
from mcp_web.limit.shared import RedisLimiter

if TYPE_CHECKING:
    from redis.asyncio import Redis


@dataclass(frozen=True, slots=True)
class Pace:
    """The pace and the single-flight that belong together."""

    limiter: Limiter
    flight: SingleFlight


def open_pace(options: LimitOptions, folder: Path | None) -> Pace:
    """Redis when configured, else the folder that local processes share, else this process alone."""
    if options.redis_url:
        redis = _connect(options.redis_url)
        return Pace(RedisLimiter(redis), RedisSingleFlight(redis))
    if folder is not None and shareable():
        try:
            return Pace(FolderLimiter(folder / "pace"), MemorySingleFlight())
        except OSError:  # a read-only data folder must not stop a search
            return Pace(MemoryLimiter(), MemorySingleFlight())
    return Pace(MemoryLimiter(), MemorySingleFlight())


def _connect(url: str) -> Redis:
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
