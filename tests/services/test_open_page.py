"""Opening pages: what callers share, and that none of them can keep another waiting."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest

from application import application
from mcp_web.app import App
from mcp_web.services.open_many import open_many
from mcp_web.services.open_page import OpenRequest, open_page
from mcp_web.settings import load
from miniweb import MiniWeb, Reply, Request
from miniweb.server import Wire

pytestmark = pytest.mark.anyio

PAGE = "<title>Guide</title><p>Words of the guide, enough of them to be read as a page.</p>"
SECONDS = 50.0


@pytest.fixture
async def app(miniweb: MiniWeb, tmp_path: Path) -> AsyncIterator[App]:
    settings = load(environ={"DATA_DIR": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)})
    async with application(settings, miniweb) as made:
        yield made


def held_back(released: threading.Event) -> Callable[[Request], Awaitable[Reply]]:
    async def page(request: Request) -> Reply:
        await asyncio.to_thread(released.wait)
        return Reply(PAGE)

    return page


async def markdown(app: App, url: str, **request: object) -> str:
    opened = await open_page(app, OpenRequest(url, **request), deadline=anyio.current_time() + SECONDS)  # type: ignore[arg-type]
    return opened.snapshot.document.markdown


async def test_callers_of_one_page_share_one_request(app: App, miniweb: MiniWeb) -> None:
    site, released, read = miniweb.site("docs.example"), threading.Event(), []
    url = site.route("/x", held_back(released))

    async def one() -> None:
        read.append(await markdown(app, url, max_age=0))

    async with anyio.create_task_group() as tasks:
        for _ in range(10):
            tasks.start_soon(one)
        while not site.asked("/x"):
            await anyio.lowlevel.checkpoint()
        released.set()
    assert len(read) == 10
    assert len(set(read)) == 1
    assert len(site.asked("/x")) == 1


async def test_a_caller_that_is_cancelled_does_not_cancel_the_others(app: App, miniweb: MiniWeb) -> None:
    site, released, read = miniweb.site("docs.example"), threading.Event(), []
    url = site.route("/x", held_back(released))
    leading = anyio.CancelScope()

    async def cancelled() -> None:
        with leading:
            await markdown(app, url)

    async def patient() -> None:
        read.append(await markdown(app, url))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(cancelled)
        while not site.asked("/x"):
            await anyio.lowlevel.checkpoint()
        tasks.start_soon(patient)
        for _ in range(100):
            await anyio.lowlevel.checkpoint()
        leading.cancel()
        released.set()
    assert leading.cancelled_caught
    assert "Words of the guide" in read[0]


@pytest.mark.parametrize("slow", ["hanging names", "dripping hosts"])
async def test_batches_that_wait_for_slow_hosts_do_not_delay_the_page_of_another_caller(
    miniweb: MiniWeb, tmp_path: Path, slow: str
) -> None:
    waiting, at_the_request = set[object](), list[int]()
    docs, dripping = miniweb.site("docs.example"), miniweb.site("drip.example")

    @contextmanager
    def counted() -> Iterator[None]:
        one = object()
        waiting.add(one)
        try:
            yield
        finally:
            waiting.remove(one)

    async def drip(request: Request, wire: Wire) -> None:
        with counted():
            await wire.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100000\r\n\r\n")
            while True:
                await wire.send(b"x" * 1000)
                await asyncio.sleep(1)

    async def resolve(host: str, port: int) -> Sequence[str]:
        if not host.startswith("slow"):
            return await miniweb.resolve(host, port)
        if slow == "hanging names":
            with counted():
                await anyio.sleep_forever()
        return [dripping.address]

    async def page(request: Request) -> Reply:
        at_the_request.append(len(waiting))
        return Reply(PAGE)

    dripping.behave("/drip", drip)
    docs.route("/x", page)
    settings = load(environ={"DATA_DIR": str(tmp_path), "MCP_WEB_RESPECT_ROBOTS": "false"})
    async with App(settings, dialer=miniweb.dialer(resolve=resolve)) as app, anyio.create_task_group() as tasks:
        for batch in range(4):
            requests = [OpenRequest(f"http://slow{batch}-{number}.example/drip") for number in range(50)]
            tasks.start_soon(_open_all, app, requests)
        while len(waiting) < 3 * 16:  # what is not reserved
            await anyio.lowlevel.checkpoint()
        assert "Words of the guide" in await markdown(app, docs.url("/x"))
        # On a busy machine some are given up in the meantime, and others take their places.
        assert at_the_request[0] > 2 * 16, "the page was fetched while the others waited"
        tasks.cancel_scope.cancel()


async def _open_all(app: App, requests: list[OpenRequest]) -> None:
    await open_many(app, requests, deadline=anyio.current_time() + SECONDS)


async def test_one_call_fetches_no_more_at_once_than_it_asks_for(miniweb: MiniWeb, app: App) -> None:
    site, running, most = miniweb.site("docs.example"), 0, 0

    async def count(request: Request) -> Reply:
        nonlocal running, most
        running += 1
        most = max(most, running)
        for _ in range(20):
            await asyncio.sleep(0)
        running -= 1
        return Reply(PAGE)

    site.route("/p*", count)
    requests = [OpenRequest(site.url(f"/p{number}")) for number in range(12)]
    opened = await open_many(app, requests, deadline=anyio.current_time() + SECONDS, at_once=2)
    assert not [one for one in opened if isinstance(one, Exception)]
    assert most <= 2
