"""Two replicas over one Redis and one store fetch a page once."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest

from limit.redis_process import running_redis
from mcp_web.app import App
from mcp_web.services.open_page import Opened, OpenRequest, open_page
from mcp_web.settings import load
from miniweb import MiniWeb, Reply, Request

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def redis_port() -> Iterator[int]:
    with running_redis() as port:
        yield port


def replica(web: MiniWeb, folder: Path, port: int) -> App:
    environ = {
        "DATA_DIR": str(folder),
        "XDG_CONFIG_HOME": str(folder),
        "MCP_WEB_REDIS_URL": f"redis://127.0.0.1:{port}",
    }
    return App(load(environ=environ), dialer=web.dialer())


async def test_a_page_asked_for_on_two_replicas_is_fetched_once(
    miniweb: MiniWeb, tmp_path: Path, redis_port: int
) -> None:
    from redis.asyncio import Redis

    site = miniweb.site("docs.example")
    released = threading.Event()

    async def slow(request: Request) -> Reply:
        await asyncio.to_thread(released.wait)
        return Reply("<title>Guide</title><p>Words of the guide, enough of them to be read as a page.</p>")

    url = site.route("/guide", slow)
    opened: list[Opened] = []

    async def one(app: App) -> None:
        # Nothing that was kept before the call may answer it.
        opened.append(await open_page(app, OpenRequest(url, max_age=0), deadline=anyio.current_time() + 50))

    async with (
        replica(miniweb, tmp_path, redis_port) as first,
        replica(miniweb, tmp_path, redis_port) as second,
        Redis(port=redis_port) as redis,
    ):
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(one, first)
                while not site.asked("/guide"):
                    await anyio.lowlevel.checkpoint()
                held = await _times_tried(redis)
                tasks.start_soon(one, second)
                while await _times_tried(redis) == held:  # until the second replica finds the page being fetched
                    await anyio.lowlevel.checkpoint()
                released.set()
        finally:
            released.set()
    assert len(site.asked("/guide")) == 1
    assert opened[0].snapshot.hash == opened[1].snapshot.hash


async def _times_tried(redis: object) -> int:
    stats = await redis.info("commandstats")  # type: ignore[attr-defined]  # the client's class is imported when used
    return int(stats.get("cmdstat_set", {}).get("calls", 0))


async def test_an_app_closes_its_redis_connections(miniweb: MiniWeb, tmp_path: Path, redis_port: int) -> None:
    from redis.asyncio import Redis

    async with Redis(port=redis_port) as redis:
        before = len(await redis.client_list())
        async with replica(miniweb, tmp_path, redis_port) as app:
            await app.process.coordination.limiter.acquire("k", 0.001, deadline=anyio.current_time() + 5)
            assert len(await redis.client_list()) == before + 1
        while len(await redis.client_list()) > before:
            await anyio.lowlevel.checkpoint()
