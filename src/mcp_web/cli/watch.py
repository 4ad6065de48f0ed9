"""`mcp-web watch`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mcp_web.cli.output import json_option, print_json

if TYPE_CHECKING:
    from mcp_web.app import App
    from mcp_web.services.watch_pages import Watched


@click.command("watch")
@click.argument("urls", nargs=-1, metavar="[URL...]")
@click.option("--remove", multiple=True, metavar="URL", help="Stop watching a page; repeatable.")
@click.option("--list", "only_list", is_flag=True, help="Only list what is watched.")
@click.option("--every", type=float, metavar="SECONDS", help="Look again after so long, until interrupted.")
@click.option("--times", type=int, default=0, help="With --every: look this often, then end.")
@click.option("--feed", type=click.Path(path_type=Path, dir_okay=False), help="Write the changes as an Atom feed.")
@json_option
def command(
    urls: tuple[str, ...],
    remove: tuple[str, ...],
    only_list: bool,
    every: float | None,
    times: int,
    feed: Path | None,
    as_json: bool,
) -> None:
    """Watch pages: ask the origin again and report by section what changed. New URLs are remembered."""
    import anyio

    async def work() -> bool:
        from mcp_web.app import App
        from mcp_web.services.watch_pages import change_watch
        from mcp_web.settings import load

        async with App(load()) as app:
            watched = await change_watch(app, urls, remove)
            if only_list or remove:
                if as_json:
                    print_json(watched)
                else:
                    click.echo("\n".join(watched) or "Nothing is watched.", err=not watched)
                return True
            return await _rounds(app, watched, every, times, feed, as_json)

    if not anyio.run(work):
        raise SystemExit(1)


async def _rounds(app: App, urls: list[str], every: float | None, times: int, feed: Path | None, as_json: bool) -> bool:
    import anyio

    from mcp_web.services.watch_pages import as_object, atom, look

    entries: list[tuple[float, Watched]] = []
    good, round_ = True, 0
    while True:
        round_ += 1
        for url in urls:
            one = await look(app, url)
            good = good and one.state != "failed"
            print_json(as_object(one)) if as_json else _show(as_object(one))
            if one.state in ("new", "changed"):
                entries.append((time.time(), one))
        if feed is not None:
            await anyio.Path(feed).write_text(atom(entries), encoding="utf-8")
        if every is None or (times and round_ >= times):
            return good
        await anyio.sleep(every)


def _show(one: dict[str, Any]) -> None:
    colours = {"new": "cyan", "same": None, "changed": "yellow", "failed": "red"}
    click.secho(f"{one['state']:8} {one['url']} {one['title']}", fg=colours[one["state"]])
    for change in one["changes"]:
        click.secho(f"  {change['change']}: {change['section']}", bold=True)
        for line in change["hunk"].splitlines():
            click.echo(f"  {line}")
    if one["error"]:
        click.echo(f"  {one['error']}", err=True)
