"""How fast one host is asked: so many at once, so much time in between, and a ceiling over all hosts."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import anyio

from mcp_web.errors import FetchTimeout

_REMEMBERED = 2048  # hosts; the least recently asked are forgotten first


@dataclass(slots=True)
class _Host:
    slots: anyio.CapacityLimiter
    next_start: float = 0.0
    users: int = 0


class Pace:
    def __init__(self, *, total: int, per_host: int, delay: float) -> None:
        self._total_size = total
        self._per_host = per_host
        self._delay = delay
        self._hosts: OrderedDict[str, _Host] = OrderedDict()
        self._all: anyio.CapacityLimiter | None = None

    @asynccontextmanager
    async def turn(self, host: str, *, delay: float | None, deadline: float) -> AsyncIterator[None]:
        """Wait for this host's turn; `delay` is what its robots.txt asks for."""
        self._all = self._all or anyio.CapacityLimiter(self._total_size)
        place = self._host(host)
        place.users += 1
        try:
            async with place.slots:
                await self._wait(place, host, max(self._delay, delay or 0.0), deadline)
                async with self._all:
                    yield
        finally:
            place.users -= 1

    async def _wait(self, place: _Host, host: str, delay: float, deadline: float) -> None:
        now = anyio.current_time()
        start = max(now, place.next_start)
        if start >= deadline:
            raise FetchTimeout(
                f"{host} asks for {delay:g} seconds between requests, and its next turn comes too late.",
                suggestion="Call again after the time in retry_after, or read another site meanwhile.",
                retry_after=round(start - now, 1),
            )
        place.next_start = start + delay if delay else place.next_start
        if start > now:
            await anyio.sleep(start - now)

    def _host(self, host: str) -> _Host:
        place = self._hosts.get(host)
        if place is None:
            place = self._hosts[host] = _Host(anyio.CapacityLimiter(self._per_host))
            self._forget()
        self._hosts.move_to_end(host)
        return place

    def _forget(self) -> None:
        if len(self._hosts) <= _REMEMBERED:
            return
        now = anyio.current_time()
        for name, place in list(self._hosts.items())[: len(self._hosts) - _REMEMBERED]:
            if not place.users and place.next_start <= now:
                del self._hosts[name]
