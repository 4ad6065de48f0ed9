"""Gets one answer from several endpoints: the next one is used when one fails or is slow."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Sequence

import anyio

from mcp_web.model.search import Attempt, Outcome
from mcp_web.search.provider import Capabilities
from mcp_web.search.reply import Reply

Ask = Callable[[], Awaitable[Reply]]


async def first_answer(
    asks: Sequence[tuple[str, Ask]], *, stagger: float, deadline: float, accept_empty: bool, patience: float = math.inf
) -> tuple[Reply | None, tuple[Reply, ...]]:
    """Ask one after the other; the next starts when one fails, or has not answered for `stagger` seconds.

    A slow one is not cancelled while others have not been asked yet. `patience` seconds after the last was asked (its
    own timeout and a little more), the search ends. An empty reply wins only if it is accepted and complete: where
    engines behind it did not answer, another endpoint may have results.
    """
    race = _Race(list(asks), stagger, deadline, accept_empty, patience)
    return await race.run()


class _Race:
    def __init__(
        self, asks: list[tuple[str, Ask]], stagger: float, deadline: float, accept_empty: bool, patience: float
    ) -> None:
        self._waiting = asks
        self._stagger = stagger
        self._deadline = deadline
        self._accept_empty = accept_empty
        self._patience = patience
        self._running: dict[str, float] = {}
        self._replies: list[Reply] = []
        self._winner: Reply | None = None
        self._changed = anyio.Event()

    async def run(self) -> tuple[Reply | None, tuple[Reply, ...]]:
        async with anyio.create_task_group() as tasks:
            while self._winner is None and (self._waiting or self._running):
                now = anyio.current_time()
                if now >= self._deadline:
                    break
                if self._waiting:
                    name, ask = self._waiting.pop(0)
                    self._running[name] = now
                    tasks.start_soon(self._one, name, ask)
                    if not self._waiting:
                        self._deadline = min(self._deadline, now + self._patience)
                pause = min(self._stagger, self._deadline - now) if self._waiting else self._deadline - now
                with anyio.move_on_after(max(0.0, pause)):
                    await self._changed.wait()
                self._changed = anyio.Event()
            tasks.cancel_scope.cancel()
        return self._winner, (*self._replies, *self._unfinished())

    async def _one(self, name: str, ask: Ask) -> None:
        reply = await ask()
        self._running.pop(name)
        self._replies.append(reply)
        if self._winner is None and self._accepts(reply):
            self._winner = reply
        self._changed.set()

    def _accepts(self, reply: Reply) -> bool:
        empty_is_enough = self._accept_empty and not reply.incomplete
        return reply.answered and bool(reply.hits or reply.answers or empty_is_enough)

    def _unfinished(self) -> list[Reply]:
        now = anyio.current_time()
        late = [(name, (now - since) * 1000) for name, since in self._running.items()]
        if not late and not self._replies:  # the deadline was over before anyone could be asked
            late = [(name, 0.0) for name, _ in self._waiting]
        outcome: Outcome = "skipped" if self._winner else "timeout"
        why = "another answered first" if self._winner else "no answer before the deadline"
        return [Reply(_NO_PROVIDER, (Attempt(name, outcome, round(ms, 1), why),)) for name, ms in late]


_NO_PROVIDER = Capabilities("", "mixed", frozenset())
