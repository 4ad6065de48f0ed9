"""Limits of a tenant: by the minute and the day, the same over replicas, with the time to wait."""

from __future__ import annotations

from pathlib import Path

import pytest

from limit.redis_process import running_redis
from miniweb import MiniWeb

from .lab import lab

pytestmark = pytest.mark.anyio


async def test_a_tenant_s_calls_of_a_day_end_with_the_time_to_wait(miniweb: MiniWeb, tmp_path: Path) -> None:
    async with lab(miniweb, tmp_path, MCP_WEB_TENANT_LIMITS="calls_per_day=3") as team:
        ann, second, bob = await team.token("ann"), await team.token("ann2", tenant="ann"), await team.token("bob")
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
        answers = [await team.post(body, token) for token in (ann, second, ann, second, ann, ann, second)]
        assert 429 in [answer.status_code for answer in answers]
        refused = next(answer for answer in answers if answer.status_code == 429)
        assert 1 <= int(refused.headers["retry-after"]) <= 86_400
        assert "3 calls a day" in refused.json()["error"]["message"]
        assert (await team.post(body, bob)).status_code == 200
        assert (await team.get("/", ann)).status_code == 200, "the page is no call"


async def test_pages_are_limited_and_kept_ones_cost_nothing(miniweb: MiniWeb, tmp_path: Path) -> None:
    site = miniweb.site("docs.example")
    urls = [site.page(f"/{n}", f"<main><h1>Page {n}</h1><p>Text of page {n}.</p></main>") for n in range(5)]
    async with lab(miniweb, tmp_path, MCP_WEB_TENANT_LIMITS="pages_per_day=2") as team:
        token = await team.token("ann")
        texts = [await team.text("web_open", token, url=url) for url in urls]
        assert any("QUOTA_EXCEEDED" in text for text in texts)
        assert "Retry after" in texts[-1] or "possible in" in texts[-1]
        assert "Text of page 0" in await team.text("web_open", token, url=urls[0])


async def test_replicas_count_together_and_alone_while_redis_is_away(miniweb: MiniWeb, tmp_path: Path) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    with running_redis() as port:
        env = {"MCP_WEB_REDIS_URL": f"redis://127.0.0.1:{port}/0", "MCP_WEB_TENANT_LIMITS": "calls_per_day=4"}
        async with lab(miniweb, tmp_path, **env) as one, lab(miniweb, tmp_path, **env) as two:
            token = await one.token("ann")
            statuses = [(await replica.post(body, token)).status_code for replica in (one, two) * 6]
            assert 4 <= statuses.count(200) <= 8, "midnight may fall into the test; each alone would allow 8 on one day"
            assert (await one.get("/readyz")).text == "ready\n"
    away = {"MCP_WEB_REDIS_URL": f"redis://127.0.0.1:{port}/0", "MCP_WEB_TENANT_LIMITS": "calls_per_day=2"}
    async with lab(miniweb, tmp_path / "away", **away) as alone:
        token = await alone.token("ann")
        statuses = [(await alone.post(body, token)).status_code for _ in range(6)]
        assert 200 in statuses
        assert 429 in statuses
        ready = await alone.get("/readyz")
        assert ready.status_code == 200
        assert "Redis cannot be reached" in ready.text
