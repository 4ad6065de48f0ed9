"""Agents call in bursts; a plan of one request a second must never see one.

Nothing here judges by the clock of the mini web: on a busy machine requests arrive late and together although they
left apart. What is counted is how many arrive in all, and a slot is never granted before its time (tests/limit).
"""

from __future__ import annotations

import anyio
import pytest

from mcp_web.errors import SearchRateLimited
from mcp_web.limit.limiter import MemoryLimiter
from mcp_web.model.search import SearchQuery
from mcp_web.search.searcher import Searcher
from miniweb import MiniWeb, Reply, Request
from search.lookalike import brave_page, reply, searcher, soon

pytestmark = pytest.mark.anyio

# Long beside anything a loaded machine does to a request on loopback.
PATIENCE = 120.0


class Queue(MemoryLimiter):
    """The production limiter for callers who queue for a while only, however long they would wait for an answer."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._seconds = seconds
        self._ends: float | None = None  # counted from the first caller, who never waits
        self.intervals: list[float] = []

    async def acquire(self, key: str, interval: float, *, deadline: float) -> None:
        self.intervals.append(interval)
        self._ends = self._ends or anyio.current_time() + self._seconds
        await super().acquire(key, interval, deadline=min(deadline, self._ends))


class Plan:
    """A Brave look-alike that tells its pace and counts who came; `refusing` answers 429 to everyone."""

    def __init__(self, rate: int, *, refusing: bool = False) -> None:
        self.asked = 0
        self._refusing = refusing
        self._headers = {
            "X-RateLimit-Limit": f"{rate}, 15000",
            "X-RateLimit-Remaining": "0, 14000",
            "X-RateLimit-Reset": "1, 1000",
        }

    def answer(self, request: Request) -> Reply:
        self.asked += 1
        if self._refusing:
            body = {"type": "ErrorResponse", "error": {"code": "RATE_LIMITED", "status": 429, "meta": {}}}
            return Reply(reply(body).body, 429, self._headers)
        return Reply(reply(brave_page("https://a.example/")).body, 200, self._headers)


async def burst(made: Searcher, calls: int) -> tuple[int, list[SearchRateLimited]]:
    answered, limited = 0, []

    async def one(number: int) -> None:
        nonlocal answered
        try:
            found = await made.search(SearchQuery(f"question {number}"), "brave", deadline=soon(PATIENCE))
            answered += bool(found.hits)
        except SearchRateLimited as error:
            limited.append(error)

    async with anyio.create_task_group() as tasks:
        for number in range(calls):
            tasks.start_soon(one, number)
    return answered, limited


def on_plan(web: MiniWeb, plan: Plan, queue: Queue) -> Searcher:
    brave = web.site("brave.example")
    brave.route("/res/v1/web/search", plan.answer)
    return searcher(queue, keys={"brave": "k"}, urls={"brave": brave.loopback_url("")})


async def test_fifty_calls_on_one_request_a_second_are_answered_or_honestly_queued(miniweb: MiniWeb) -> None:
    plan, queue = Plan(1), Queue(4.0)
    answered, limited = await burst(on_plan(miniweb, plan, queue), 50)
    assert answered + len(limited) == 50
    assert plan.asked == answered  # nobody asked in vain, nobody twice
    assert 1 <= answered <= 4  # as many seconds as there was a queue
    assert all(error.retry_after and error.retry_after > 0 for error in limited)


async def test_a_plan_that_refuses_is_not_stormed(miniweb: MiniWeb) -> None:
    plan, queue = Plan(1, refusing=True), Queue(4.0)
    answered, limited = await burst(on_plan(miniweb, plan, queue), 50)
    assert (answered, len(limited)) == (0, 50)
    assert 1 <= plan.asked <= 4


async def test_a_faster_plan_is_learned_from_its_first_answer(miniweb: MiniWeb) -> None:
    plan, queue = Plan(25), Queue(PATIENCE)
    assert await burst(on_plan(miniweb, plan, queue), 50) == (50, [])
    assert plan.asked == 50
    first, *others = queue.intervals
    assert len(others) == 49
    assert first == pytest.approx(1.15)
    assert others == pytest.approx([1.15 / 25] * 49)
