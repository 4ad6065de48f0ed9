"""Rate limits that the processes of one machine share: small locked files in the data folder.

A client often starts one stdio server per window; to a provider, five servers with one key are one client.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from anyio import to_thread

from mcp_web import trace
from mcp_web.file_lock import locked
from mcp_web.limit.limiter import Limiter, MemoryLimiter, spend_one
from mcp_web.limit.schedule import Period, Step, apply_step, stored_time

T = TypeVar("T")

# Bytes that are written at least: within a disk sector, a write is done whole or not at all, and never needs new space.
_SECTOR = 512


class FileLimiter(Limiter):
    """Rate limits and budgets that the processes of one machine share: one small JSON file per key in `folder`, which a
    worker thread changes under a file lock. When the folder fails (full disk, lost permission), each process keeps
    limits of its own, in memory."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder
        self._fallback = MemoryLimiter()
        folder.mkdir(parents=True, exist_ok=True)

    async def step(self, key: str, step: Step, seconds: float) -> float:
        def apply(kept: dict[str, Any]) -> float:
            now = time.time()
            kept["open_at"], wait = apply_step(stored_time(kept.get("open_at"), now), step, now, seconds)
            return wait

        try:
            return await self._change(key, apply)
        except OSError as error:
            _log_failure(error)
            return await self._fallback.step(key, step, seconds)

    async def spend(self, key: str, budget: int, period: Period = "month") -> int:
        try:
            name = key if period == "month" else f"{key} by {period}"
            return await self._change(name, lambda kept: spend_one(kept, key, budget, period))
        except OSError as error:
            _log_failure(error)
            return await self._fallback.spend(key, budget, period)

    async def _change(self, key: str, decide: Callable[[dict[str, Any]], T]) -> T:
        """Call `decide` with the JSON object in the file of a key, then write the object back, as `decide` changed it.
        Returns the result of `decide`; raises OSError."""
        name = hashlib.sha256(key.encode()).hexdigest()[:32] + ".json"
        return await to_thread.run_sync(_change_file, self._folder / name, decide)


def _change_file(path: Path, decide: Callable[[dict[str, Any]], T]) -> T:
    """As `FileLimiter._change`, for the file at `path`, which is locked meanwhile and created if missing. Blocking. If
    `decide` raises an error, nothing is written."""
    with locked(path) as descriptor:
        before = os.read(descriptor, 1 << 20)
        kept = _parsed(before)
        result = decide(kept)
        os.lseek(descriptor, 0, os.SEEK_SET)
        # Spaces overwrite what is left of longer content: if the file were truncated first, a crash or a full disk
        # would lose what is kept.
        os.write(descriptor, json.dumps(kept).encode().ljust(max(_SECTOR, len(before))))
        return result


def _log_failure(error: OSError) -> None:
    trace.log("error", "rate_limit_folder", reason=error.strerror or type(error).__name__)


def _parsed(content: bytes) -> dict[str, Any]:
    """The JSON object in the content of a file; an empty one if the file is empty or damaged."""
    try:
        kept = json.loads(content or b"{}")
    except ValueError:
        return {}
    return kept if isinstance(kept, dict) else {}
