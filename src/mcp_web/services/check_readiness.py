"""Whether this process can serve, and which parts are degraded: for health checks and the web interface."""

from __future__ import annotations

from dataclasses import dataclass

import anyio

from mcp_web.app import App
from mcp_web.errors import WebError
from mcp_web.limit.redis import RedisLimiter

_SECONDS = 5.0  # for the answer of a probe


@dataclass(frozen=True, slots=True)
class Readiness:
    """`problem` is why calls would fail; `notes` are parts without which calls still succeed."""

    problem: str = ""
    notes: tuple[str, ...] = ()


async def check_readiness(app: App) -> Readiness:
    """Check the store, whose failure is a problem, and Redis and the embedding model, whose failure is a note."""
    notes = []
    limiter = app.process.coordination.limiter
    if isinstance(limiter, RedisLimiter) and not await limiter.ping():
        notes.append("Redis cannot be reached: limits and single flight hold within this replica only.")
    try:
        _ = app.process.embedder.dim
    except WebError as error:
        notes.append(f"The model cannot be used: {error.message} Searches go by words.")
    return Readiness(await store_problem(app), tuple(notes))


async def store_problem(app: App) -> str:
    """Why the store cannot be used, or an empty string."""
    try:
        with anyio.fail_after(_SECONDS):
            await app.require_kept_store()
            await (await app.store()).record_kinds()
    except WebError as error:
        return error.message
    except TimeoutError:
        return f"The store did not answer within {_SECONDS:g} s."
    return ""
