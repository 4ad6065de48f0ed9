"""Agents call in bursts; a plan of one request a second must never see one."""

from __future__ import annotations

import time

import anyio
import pytest

from mcp_web.errors import SearchRateLimited
from mcp_web.model.search import SearchQuery
from mcp_web.search.searcher import Searcher
from miniweb import MiniWeb, Reply, Request
from search.lookalike import brave_page, reply, searcher, soon

pytestmark = pytest.mark.anyio

# Requests may be held up on their way by a busy machine, and then two arrive in one second. That is no storm.
STRAY = 2


class Plan:
    """A Brave look-alike that counts like Brave: at most `rate` requests in any second, 429 beyond."""

    def __init__(self, rate: int) -> None:
        self.rate = rate
        self.served: list[float] = []
        self.refused = 0

    def answer(self, request: Request) -> Reply:
        now = time.monotonic()
        headers = {
            "X-RateLimit-Limit": f"{self.rate}, 15000",
            "X-RateLimit-Remaining": "0, 14000",
            "X-RateLimit-Reset": "1, 1000",
        }
        if len([moment for moment in self.served if now - moment < 1.0]) >= self.rate:
            self.refused += 1
            body = {"type": "ErrorResponse", "error": {"code": "RATE_LIMITED", "status": 429, "meta": {}}}
            return Reply(reply(body).body, 429, headers)
        self.served.append(now)
        return Reply(reply(brave_page("https://a.example/")).body, 200, headers)


async def burst(made: Searcher, calls: int, seconds: float) -> tuple[int, list[SearchRateLimited]]:
    answered, limited = 0, []

    async def one(number: int) -> None:
        nonlocal answered
        try:
            found = await made.search(SearchQuery(f"question {number}"), "brave", deadline=soon(seconds))
            answered += bool(found.hits)
        except SearchRateLimited as error:
            limited.append(error)

    async with anyio.create_task_group() as tasks:
        for number in range(calls):
            tasks.start_soon(one, number)
    return answered, limited


async def test_fifty_calls_on_one_request_a_second_are_answered_or_honestly_queued(miniweb: MiniWeb) -> None:
    plan, brave = Plan(1), miniweb.site("brave.example")
    brave.route("/res/v1/web/search", plan.answer)
    made = searcher(brave_api_key="k", brave_url=brave.loopback_url(""))
    answered, limited = await burst(made, 50, seconds=5.0)
    assert answered + len(limited) == 50
    assert answered >= 3
    assert plan.refused <= STRAY
    assert len(plan.served) == answered
    assert all(error.retry_after and error.retry_after > 0 for error in limited)


async def test_a_faster_plan_is_learned_from_its_first_answer(miniweb: MiniWeb) -> None:
    plan, brave = Plan(25), miniweb.site("brave.example")
    brave.route("/res/v1/web/search", plan.answer)
    made = searcher(brave_api_key="k", brave_url=brave.loopback_url(""))
    answered, limited = await burst(made, 50, seconds=20.0)
    assert (answered, limited) == (50, [])
    assert plan.refused <= STRAY
