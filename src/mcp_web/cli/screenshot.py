"""Screenshots of rendered pages, written to files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import click

from mcp_web.cli.output import echo
from mcp_web.cli.session import with_app
from mcp_web.errors import NotFound

if TYPE_CHECKING:
    from mcp_web.app import App

screenshot_option = click.option(
    "--screenshot", type=click.Path(dir_okay=False), help="Write a screenshot of the rendered page to this PNG file."
)


def save_screenshot(name: str, file: str, *, take: bool = False) -> None:
    """Write the kept screenshot of a page (a hash or URL) to a file; with `take`, open the URL in the browser first.

    Raises NotFound if none is kept.
    """

    async def work(app: App) -> None:
        from mcp_web.services.find_snapshot import find_snapshot
        from mcp_web.services.open_page import OpenRequest, open_page

        if take:
            opened = await open_page(app, OpenRequest(name, mode="rendered", screenshot=True))
            snapshot = opened.snapshot.hash
        else:
            snapshot = (await find_snapshot(app, name)).hash
        png = await (await app.store()).screenshot(snapshot)
        if png is None:
            raise NotFound(
                f"No screenshot of {snapshot[:16]} is kept.",
                suggestion="Take one: `mcp-web open URL --mode rendered --screenshot FILE`.",
            )
        await anyio.to_thread.run_sync(Path(file).write_bytes, png)
        echo(f"screenshot: {file} ({len(png):,} bytes)", fg="cyan", err=True)

    with_app(work)
