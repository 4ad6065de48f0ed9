"""The reply of one endpoint, and how one is had from several: the next one is asked when one fails or is slow."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

import anyio

from mcp_web.model.search import Attempt, Outcome
from mcp_web.search.provider import Capabilities, ResultPage

_GOOD: tuple[Outcome, ...] = ("ok", "empty")
_NO_RESULTS = ResultPage(())
_NO_PROVIDER = Capabilities("", "mixed", frozenset())


@dataclass(frozen=True, slots=True)
class Reply:
    """The reply of one provider: its results and the attempts that led to them, or only the failed attempts."""

    capabilities: Capabilities
    attempts: tuple[Attempt, ...]
    page: ResultPage = _NO_RESULTS
    fixes: tuple[str, ...] = ()  # what the operator can do about failed attempts

    @property
    def answered(self) -> bool:
        """Whether one of the attempts got an answer, with or without results."""
        return any(attempt.outcome in _GOOD for attempt in self.attempts)


def best_of(winner: Reply | None, replies: Sequence[Reply], capabilities: Capabilities) -> Reply:
    """The winner, else the first answer without results, else an empty reply with `capabilities`; in each case with the
    attempts and fixes of all replies."""
    best = winner or next((reply for reply in replies if reply.answered), Reply(capabilities, ()))
    return replace(
        best,
        attempts=tuple(attempt for reply in replies for attempt in reply.attempts),
        fixes=tuple(dict.fromkeys(fix for reply in replies for fix in reply.fixes)),
    )


Ask = Callable[[], Awaitable[Reply]]


async def first_answer(
    asks: Sequence[tuple[str, Ask]], *, stagger: float, deadline: float, accept_empty: bool, patience: float = math.inf
) -> tuple[Reply | None, tuple[Reply, ...]]:
    """Ask endpoints (name, call) one after the other; returns the first answer with results or instant answers (None
    without one) and all replies: endpoints that did not reply in time have the outcome "timeout" or "skipped".

    Names must differ. `deadline` is a time of `anyio.current_time()`.
    The next endpoint is asked when one fails, or has not answered for `stagger` seconds; a slow one is not cancelled
    meanwhile. The search ends `patience` seconds after the last endpoint was asked. An empty answer ends it only with
    `accept_empty` and if it is complete: if engines behind it did not answer, another may have results.
    """
    waiting = list(asks)
    running: dict[str, float] = {}  # when each was asked
    replies: list[Reply] = []
    winners: list[Reply] = []
    changed = anyio.Event()

    async def run(name: str, ask: Ask) -> None:
        reply = await ask()
        running.pop(name)
        replies.append(reply)
        page = reply.page
        if reply.answered and (page.hits or page.answers or (accept_empty and not page.incomplete)):
            winners.append(reply)
        changed.set()

    async with anyio.create_task_group() as tasks:
        while not winners and (waiting or running) and (now := anyio.current_time()) < deadline:
            if waiting:
                name, ask = waiting.pop(0)
                running[name] = now
                tasks.start_soon(run, name, ask)
                if not waiting:
                    deadline = min(deadline, now + patience)
            with anyio.move_on_after(max(0.0, min(stagger if waiting else math.inf, deadline - now))):
                await changed.wait()
            changed = anyio.Event()
        tasks.cancel_scope.cancel()
    now = anyio.current_time()
    late = {name: (now - since) * 1000 for name, since in running.items()}
    if not late and not replies:  # the deadline was over before any endpoint could be asked
        late = {name: 0.0 for name, _ in waiting}
    outcome: Outcome = "skipped" if winners else "timeout"
    why = "another answered first" if winners else "no answer before the deadline"
    unfinished = [Reply(_NO_PROVIDER, (Attempt(name, outcome, round(ms, 1), why),)) for name, ms in late.items()]
    return (winners[0] if winners else None), (*replies, *unfinished)
