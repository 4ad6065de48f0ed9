"""One pace for several processes on this machine: small locked files in the data folder.

An agent host often starts one stdio server per window; five of them with one key are still one customer
to the provider. The lock is the kernel's (`flock`), so a killed process never leaves it behind.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import anyio
from anyio import to_thread

from mcp_web import trace
from mcp_web.limit.limiter import BudgetSpent, PaceExceeded
from mcp_web.limit.memory import MemoryLimiter
from mcp_web.limit.window import Window, month_of, until_next_month

T = TypeVar("T")


class FolderLimiter:
    """One file per key; read, decided and written under its lock, in a thread.

    A folder that fails (full disk, lost permission) leaves each process its own pace instead of none.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._alone = MemoryLimiter()
        folder.mkdir(parents=True, exist_ok=True)

    async def acquire(self, key: str, rate: int, per: float, *, deadline: float) -> float:
        try:
            return await self._acquire(key, rate, per, deadline - anyio.current_time())
        except OSError as error:
            _log_trouble(error)
            return await self._alone.acquire(key, rate, per, deadline=deadline)

    async def _acquire(self, key: str, rate: int, per: float, patience: float) -> float:
        def reserve(window: Window) -> float:
            now = time.time()
            slot = window.next_slot(now, rate, per)
            if slot - now > patience:
                raise PaceExceeded(key, slot - now)
            window.take(slot, now)
            return slot if slot > now else 0.0

        begun = time.time()
        slot = await self._move(key, reserve)
        while slot:
            await self._sleep_until(key, slot)
            slot = await self._move(key, partial(_confirm, slot=slot, rate=rate, per=per))
            if slot - begun > patience:
                await self._release(key, slot)
                raise PaceExceeded(key, slot - time.time())
        return time.time() - begun

    async def _sleep_until(self, key: str, slot: float) -> None:
        try:
            await anyio.sleep(max(0.0, slot - time.time()))
        except BaseException:
            await self._release(key, slot)  # a cancelled caller makes room
            raise

    async def _release(self, key: str, slot: float) -> None:
        with anyio.CancelScope(shield=True):
            await self._move(key, lambda window: window.release(slot))

    async def pause(self, key: str, seconds: float) -> None:
        await self._alone.pause(key, seconds)
        try:
            await self._move(key, lambda window: window.pause(time.time() + seconds))
        except OSError as error:
            _log_trouble(error)

    async def spend(self, key: str, budget: int) -> int:
        def take(kept: dict[str, Any]) -> int:
            now = time.time()
            used = _used(kept, month_of(now))
            if used >= budget:
                raise BudgetSpent(key, budget, until_next_month(now))
            kept["month"], kept["used"] = month_of(now), used + 1
            return budget - used - 1

        try:
            return await self._change(key, take)
        except OSError as error:
            _log_trouble(error)
            return await self._alone.spend(key, budget)

    async def spent(self, key: str) -> int:
        return await self._change(key, lambda kept: _used(kept, month_of(time.time())))

    async def close(self) -> None:
        return None

    async def _move(self, key: str, decide: Callable[[Window], T]) -> T:
        def on_window(kept: dict[str, Any]) -> T:
            window = Window.from_json(kept.get("window"))
            answer = decide(window)
            kept["window"] = window.as_json()
            return answer

        return await self._change(key, on_window)

    async def _change(self, key: str, decide: Callable[[dict[str, Any]], T]) -> T:
        name = hashlib.sha256(key.encode()).hexdigest()[:32] + ".json"
        return await to_thread.run_sync(self._change_file, self._folder / name, decide)

    def _change_file(self, path: Path, decide: Callable[[dict[str, Any]], T]) -> T:
        with _locked(path) as descriptor:
            kept = _read(descriptor)
            answer = decide(kept)
            body = json.dumps(kept).encode()
            os.lseek(descriptor, 0, os.SEEK_SET)
            os.truncate(descriptor, 0)
            os.write(descriptor, body)
            return answer


def _confirm(window: Window, slot: float, rate: int, per: float) -> float:
    return window.confirm(slot, time.time(), rate, per) or 0.0


def _log_trouble(error: OSError) -> None:
    trace.log("error", "pace_folder", reason=error.strerror or type(error).__name__)


def shareable() -> bool:
    """Whether this system can lock files the way this limiter needs."""
    try:
        import fcntl  # noqa: F401
    except ImportError:
        return False
    return True


@contextmanager
def _locked(path: Path) -> Iterator[int]:
    import fcntl

    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield descriptor
    finally:
        os.close(descriptor)


def _read(descriptor: int) -> dict[str, Any]:
    os.lseek(descriptor, 0, os.SEEK_SET)
    try:
        kept = json.loads(os.read(descriptor, 1 << 20) or b"{}")
    except ValueError:
        return {}
    return kept if isinstance(kept, dict) else {}


def _used(kept: dict[str, Any], month: str) -> int:
    used = kept.get("used", 0) if kept.get("month") == month else 0
    return used if isinstance(used, int) else 0
