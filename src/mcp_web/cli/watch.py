"""`mcp-web watch`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import click

from mcp_web.cli.arguments import Number
from mcp_web.cli.exit_codes import FAILED, NOTHING_FOUND
from mcp_web.cli.output import echo, empty, print_json
from mcp_web.cli.session import with_app

if TYPE_CHECKING:
    from mcp_web.app import App
    from mcp_web.services.watch_pages import Watched


@click.command("watch")
@click.argument("urls", nargs=-1, metavar="[URL...]")
@click.option("--remove", multiple=True, metavar="URL", help="Stop watching a page; repeatable.")
@click.option("--list", "only_list", is_flag=True, help="Only list what is watched.")
@click.option("--every", type=Number(0), metavar="SECONDS", help="Check again after this interval, until interrupted.")
@click.option("--times", type=click.IntRange(0), default=0, help="With --every: stop after this many checks.")
@click.option("--feed", type=click.Path(path_type=Path, dir_okay=False), help="Write the changes as an Atom feed.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON: a list, or one object a line for each page checked.")
def command(
    urls: tuple[str, ...],
    remove: tuple[str, ...],
    only_list: bool,
    every: float | None,
    times: int,
    feed: Path | None,
    as_json: bool,
) -> None:
    """Watch pages: fetch them again and report by section what changed. New URLs are added to the list."""
    if feed is not None and not feed.parent.is_dir():
        raise click.UsageError(f"No such file or directory: {feed.parent}.")

    async def work(app: App) -> int:
        from mcp_web.services.watch_pages import change_watch, watched_urls
        from mcp_web.text.urls import parse_url

        before = await watched_urls(app)
        unknown = [url for url in remove if parse_url(url).href not in before]
        watched = await change_watch(app, urls, remove)
        if only_list or remove:
            for url in unknown:
                empty(f"{url} was not watched.")
            print_json(watched) if as_json else echo("\n".join(watched) or "Nothing is watched.", err=not watched)
            return NOTHING_FOUND if unknown else 0
        if not watched:
            empty("Nothing is watched. `mcp-web watch URL` adds a page.")
        return 0 if await _rounds(app, watched, every, times, feed, as_json) else FAILED

    if code := with_app(work):
        raise SystemExit(code)


async def _rounds(app: App, urls: list[str], every: float | None, times: int, feed: Path | None, as_json: bool) -> bool:
    """Check the pages, print what changed and add it to the Atom feed `feed`; False if a page could not be checked.

    With `every`, again after so many seconds, `times` times in all (0: no limit).
    """
    from mcp_web.services.watch_pages import as_object, atom, check_page

    entries: list[tuple[float, Watched]] = []
    written = anyio.Path(feed) if feed is not None else None
    earlier = await written.read_text("utf-8", "replace") if written is not None and await written.exists() else ""
    good, round_ = True, 0
    while True:
        round_ += 1
        for url in urls:
            one = await check_page(app, url)
            good = good and one.state != "failed"
            shown = as_object(one)
            print_json(shown, indent=None) if as_json else _show(shown)
            if one.state in ("new", "changed"):
                entries.append((time.time(), one))
        if written is not None:
            await written.write_text(atom(entries, earlier=earlier), encoding="utf-8")
        if every is None or (times and round_ >= times):
            return good
        await anyio.sleep(every)


def _show(one: dict[str, Any]) -> None:
    colours = {"new": "cyan", "same": None, "changed": "yellow", "failed": "red"}
    echo(f"{one['state']:8} {one['url']} {one['title']}", fg=colours[one["state"]])
    for change in one["changes"]:
        echo(f"  {change['change']}: {change['section']}", bold=True)
        for line in change["hunk"].splitlines():
            echo(f"  {line}")
    if one["error"]:
        echo(f"  {one['error']}", err=True)
