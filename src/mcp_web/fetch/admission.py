"""Decides when a page may be fetched: limits for each caller, for all callers together, and for each host.

This is the one place where a page waits before it is fetched. A caller is one tool call: however many pages it asks
for, and however long their servers keep it waiting, another caller's first page finds a reserved slot.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

import anyio

from mcp_web.errors import FetchTimeout

# As multiples of one caller's limit: the slots of all callers together, and those of them that are reserved for callers
# without a page under way. A slot costs a socket and at most a megabyte, so 4 x 16 stay far below the memory limit.
_TOTAL_SHARES = 4
_RESERVED_SHARES = 1
_REMEMBERED_HOSTS = 2048  # the least recently used are dropped first


@dataclass(eq=False, slots=True)
class PageCaller:
    """One tool call: at most `limit` pages (None: as configured) are fetched for it at once; `active` are now."""

    limit: int | None = None
    active: int = 0


_current: ContextVar[PageCaller | None] = ContextVar("caller", default=None)


@contextmanager
def as_one_caller(limit: int | None) -> Iterator[None]:
    """Context manager: count everything that is fetched in the block, also by tasks started in it, as one caller's.

    `limit` is the most pages at the same time, if fewer than the configured number. Outside such a block each page is
    a caller of its own.
    """
    token = _current.set(PageCaller(limit))
    try:
        yield
    finally:
        _current.reset(token)


@dataclass(eq=False, slots=True)
class _Waiting:
    """A page of a caller that waits for a slot; `granted` is set when it gets one."""

    caller: PageCaller
    granted: anyio.Event = field(default_factory=anyio.Event)


@dataclass(slots=True)
class _Host:
    """The limits of one host: requests at the same time, and the earliest time of the next one, on anyio's clock."""

    slots: anyio.CapacityLimiter
    next_start: float = 0.0

    def idle(self) -> bool:
        """Whether the host can be forgotten: no request holds a slot or waits for one, and no delay is running."""
        used = self.slots.statistics()
        return not (used.borrowed_tokens or used.tasks_waiting) and self.next_start <= anyio.current_time()


class Admission:
    """Limits what is fetched at once: grants slots for pages (`page`), and inside for requests to a host (`host`)."""

    def __init__(self, *, per_caller: int, per_host: int) -> None:
        """At the same time, at most `per_caller` pages of one caller and `per_host` requests to one host."""
        self._per_caller = per_caller
        self._per_host = per_host
        self._active = 0
        self._waiting: list[_Waiting] = []
        self._hosts: OrderedDict[str, _Host] = OrderedDict()

    @asynccontextmanager
    async def page(self, deadline: float | None) -> AsyncIterator[None]:
        """Context manager: hold a slot for one page; raises FetchTimeout if none becomes free before the deadline.

        `deadline` is a time of `anyio.current_time()`; with None it waits without limit.
        """
        caller = _current.get() or PageCaller()
        seconds = None if deadline is None else deadline - anyio.current_time()
        try:
            with anyio.fail_after(seconds):
                await self._take(caller)
        except TimeoutError:
            raise FetchTimeout(
                f"Too many pages are being fetched: this one got no slot within {max(0.0, seconds or 0):.3g} seconds.",
                suggestion="Call again in a moment, with fewer pages at once.",
            ) from None
        try:
            yield
        finally:
            self._release(caller)

    async def _take(self, caller: PageCaller) -> None:
        """Wait until the caller may start one more page, and take the slot."""
        if self._may_start(caller):
            self._start(caller)
            return
        waiting = _Waiting(caller)
        self._waiting.append(waiting)
        try:
            await waiting.granted.wait()
        except BaseException:
            if waiting.granted.is_set():
                self._release(caller)
            else:
                self._waiting.remove(waiting)
            raise

    def _may_start(self, caller: PageCaller) -> bool:
        """Whether there is a slot for one more page of the caller; some are kept for callers with no page under way."""
        share = min(self._per_caller, caller.limit or self._per_caller)
        reserved = self._per_caller * _RESERVED_SHARES if caller.active else 0
        return caller.active < share and self._active < self._per_caller * _TOTAL_SHARES - reserved

    def _start(self, caller: PageCaller) -> None:
        caller.active += 1
        self._active += 1

    def _release(self, caller: PageCaller) -> None:
        """Free the slot of a page of this caller, and grant free slots to the pages that wait."""
        caller.active -= 1
        self._active -= 1
        # The caller with the fewest pages under way first; the sort keeps the order of arrival among equals.
        for waiting in sorted(self._waiting, key=lambda one: one.caller.active):
            if self._may_start(waiting.caller):
                self._waiting.remove(waiting)
                self._start(waiting.caller)
                waiting.granted.set()

    @asynccontextmanager
    async def host(self, name: str, *, delay: float | None, deadline: float) -> AsyncIterator[None]:
        """Context manager: hold a slot of a host; waits for one, and for the Crawl-delay of its robots.txt (`delay`
        seconds).

        Raises FetchTimeout at once if that delay ends after the deadline (a time of `anyio.current_time()`).
        """
        host = self._host(name)
        async with host.slots:
            await self._wait(host, name, delay or 0.0, deadline)
            yield

    async def _wait(self, host: _Host, name: str, delay: float, deadline: float) -> None:
        """Sleep until the host's next allowed time, and set the one after it; FetchTimeout if that is too late."""
        now = anyio.current_time()
        start = max(now, host.next_start)
        if start >= deadline:
            raise FetchTimeout(
                f"{name} requires {delay:g} seconds between requests, so the next request would be too late.",
                suggestion="Call again after the time in retry_after, or read another site meanwhile.",
                retry_after=round(start - now, 1),
            )
        host.next_start = start + delay if delay else host.next_start
        if start > now:
            await anyio.sleep(start - now)

    def _host(self, name: str) -> _Host:
        """The limits of a host, which becomes the most recently used one; beyond 2048 hosts, idle ones are dropped."""
        host = self._hosts.setdefault(name, _Host(anyio.CapacityLimiter(self._per_host)))
        self._hosts.move_to_end(name)
        beyond = len(self._hosts) - _REMEMBERED_HOSTS
        for other in list(self._hosts)[:beyond] if beyond > 0 else ():
            if self._hosts[other].idle():
                del self._hosts[other]
        return host
