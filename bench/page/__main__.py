"""The views of the page for people over a large archive.  python -m bench.page [DOCUMENTS [FOLDER]]

For every view the time of the server, the part of it in which the store works, and what the page's own code takes
beside it: the 95th percentile of many requests to the real application, without a network between. CPU time is given
too, because a busy machine slows the rest. Then the bytes that the first view needs. With a FOLDER the archive is left
there and used again.
"""

from __future__ import annotations

import re
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio

from bench.page.archive import address, open_archive
from mcp_web.app import App
from mcp_web.model.snapshot import ReadingRecord, page_key
from mcp_web.settings import load
from mcp_web.store.sqlite.store import SqliteStore

REQUESTS = 40
BAR_MS, BAR_BYTES = 100, 60_000
FIRST_PAINT = ("/", "/static/page.css", "/static/page.js", "/static/icon.svg")
_MOST_WATCHED = 50


def main() -> None:
    given = sys.argv[1:] if Path(sys.argv[0]).parent.name == "page" else []
    count = int(given[0]) if given else 10_000
    if len(given) > 1:
        anyio.run(_measure, count, Path(given[1]))
        return
    with tempfile.TemporaryDirectory() as folder:
        anyio.run(_measure, count, Path(folder))


class TimedStore:
    """A store that adds up the time of its calls; calls that run at the same time count once."""

    def __init__(self, store: SqliteStore) -> None:
        self._store = store
        self._running = 0
        self._begun = (0.0, 0.0)
        self.spent = (0.0, 0.0)  # on the clock, and of CPU

    def __getattr__(self, name: str) -> Any:
        method: Callable[..., Awaitable[Any]] = getattr(self._store, name)

        async def timed(*args: Any, **options: Any) -> Any:
            if self._running == 0:
                self._begun = _now()
            self._running += 1
            try:
                return await method(*args, **options)
            finally:
                self._running -= 1
                if self._running == 0:
                    took = _since(self._begun)
                    self.spent = (self.spent[0] + took[0], self.spent[1] + took[1])

        return timed


def _now() -> tuple[float, float]:
    return time.perf_counter(), time.process_time()


def _since(begun: tuple[float, float]) -> tuple[float, float]:
    wall, cpu = _now()
    return wall - begun[0], cpu - begun[1]


async def _measure(count: int, folder: Path) -> None:
    store = await open_archive(folder / "mcp-web.sqlite", count)
    await _use(store, count)
    timed = TimedStore(store)
    settings = load(
        environ={"MCP_WEB_DATA_DIR": str(folder), "XDG_CONFIG_HOME": str(folder), "MCP_WEB_EMBEDDINGS": "none"}
    )
    async with App(settings) as app:
        app._store = timed  # the same store, measured
        get = _client(app)
        print(f"{count:,} documents; milliseconds, 95th percentile of {REQUESTS} requests:")
        print(f"  {'view':<30}{'server':>9}{'store':>9}{'page':>9}{'page CPU':>10}{'bytes':>10}")
        for name, paths in _views(count, await get("/archive")).items():
            await _view(name, paths, get, timed)
        size = sum([len(await get(path)) for path in FIRST_PAINT])
        print(f"  first view with its style, script and icon: {size:,} bytes (bar: {BAR_BYTES:,})")
    await store.close()


async def _use(store: SqliteStore, count: int) -> None:
    """Some pages are watched, and questions were asked of some."""
    step = max(1, count // _MOST_WATCHED)
    await store.add_records("watch", {address(number): {} for number in range(0, count, step)})
    for number in range(0, min(count, 200), 20):
        kept = await store.latest(page_key(address(number), "readable"))
        if kept is not None and not await store.readings(kept.key):
            one = ReadingRecord(time.time(), "web_read", "What is it?", "bench", kept.hash, ((20, 90),))
            await store.add_readings(kept.key, [one] * 50)


def _client(app: App) -> Callable[[str], Awaitable[str]]:
    from contextlib import asynccontextmanager

    import httpx2
    from starlette.applications import Starlette

    from mcp_web.web.routes import page_routes

    @asynccontextmanager
    async def app_for(_: Any) -> Any:
        yield app

    asgi = httpx2.ASGITransport(app=Starlette(routes=page_routes(app_for)))
    client = httpx2.AsyncClient(transport=asgi, base_url="http://127.0.0.1")

    async def get(path: str) -> str:
        answer = await client.get(path)
        assert answer.status_code == 200, (path, answer.text[:500])
        return answer.text

    return get


def _views(count: int, listed: str) -> dict[str, list[str]]:
    keys = [page_key(address(number), "readable") for number in range(0, min(count, 200), 20)]
    next_page = re.search(r'rel="next" href="([^"]+)"', listed)
    return {
        "home": ["/"],
        "archive": ["/archive"],
        "archive, next page": [next_page[1].replace("&amp;", "&") if next_page else "/archive"],
        "archive, one collection": [f"/archive?collection=topic+{number}" for number in range(1, 20, 2)],
        "archive, one site": [f"/archive?domain=site{number}.example" for number in range(10)],
        "archive, read today": ["/archive?read=today"],
        "archive, words": [f"/archive?q=ba{one}ba+da{one}de" for one in ("ba", "de", "fi", "go", "ku")],
        "search": [f"/search?q=ba{one}ba+da{one}de" for one in ("ba", "de", "fi", "go", "ku")],
        "reading view": [f"/archive/{key}" for key in keys],
        "what changed": [f"/archive/{key}/diff" for key in keys],
        "graph": ["/graph"],
        "graph, one collection": [f"/graph?collection=topic+{number}" for number in range(1, 20, 2)],
        "graph, around a document": [f"/graph?focus={key}" for key in keys],
        "watched": ["/watch"],
        "watched, feed": ["/watch/feed.atom"],
        "figures": ["/figures"],
        "state": ["/state"],
    }


async def _view(name: str, paths: list[str], get: Callable[[str], Awaitable[str]], store: TimedStore) -> None:
    await get(paths[0])
    rows = []
    for number in range(REQUESTS):
        store.spent, begun = (0.0, 0.0), _now()
        text = await get(paths[number % len(paths)])
        wall, cpu = _since(begun)
        rows.append((wall, store.spent[0], wall - store.spent[0], cpu - store.spent[1], len(text)))
    server, kept, own, cpu = (sorted(row[at] * 1000 for row in rows)[int(REQUESTS * 0.95)] for at in range(4))
    late = "" if own <= BAR_MS else f"   over the bar of {BAR_MS} ms"
    size = max(row[4] for row in rows)
    print(f"  {name:<30}{server:>9.1f}{kept:>9.1f}{own:>9.1f}{cpu:>10.1f}{size:>10,}{late}", flush=True)


if __name__ == "__main__":
    main()
