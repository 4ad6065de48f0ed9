"""A process that opens pages and keeps them.  python -m bench.archive.opener FOLDER SITE COUNT SEED [DATABASE_URL]

Every page of the site is opened once, in an order of its own; for each, one line: the hash that was kept.
"""

from __future__ import annotations

import random
import sys

import anyio

from mcp_web.app import App
from mcp_web.services.open_page import OpenRequest, open_page
from mcp_web.settings import load

_AT_ONCE = 4


def main() -> None:
    folder, site, count, seed, *server = sys.argv[1:]
    place = {"MCP_WEB_DATABASE_URL": server[0]} if server else {"MCP_WEB_DB_PATH": f"{folder}/archive.sqlite"}
    order = list(range(int(count)))
    random.Random(int(seed)).shuffle(order)
    environ = {"MCP_WEB_ALLOW_PRIVATE": "127.0.0.1", "MCP_WEB_RENDER_ENABLED": "false", "DATA_DIR": folder, **place}
    anyio.run(_open_all, environ, [f"{site}/page/{number}" for number in order])


async def _open_all(environ: dict[str, str], urls: list[str]) -> None:
    async with App(load(environ=environ)) as app, anyio.create_task_group() as tasks:
        for part in range(_AT_ONCE):
            tasks.start_soon(_open_some, app, urls[part::_AT_ONCE])


async def _open_some(app: App, urls: list[str]) -> None:
    for url in urls:
        opened = await open_page(app, OpenRequest(url))
        print(opened.snapshot.hash, flush=True)


if __name__ == "__main__":
    main()
