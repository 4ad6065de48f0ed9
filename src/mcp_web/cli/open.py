"""`mcp-web open`."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import anyio
import click

from mcp_web.cli.arguments import stdin_text
from mcp_web.cli.calling import DEADLINE, shown_progress
from mcp_web.cli.exit_codes import FAILED, NOTHING_FOUND
from mcp_web.cli.output import empty, json_option, paged, print_json
from mcp_web.cli.pages import failing_alone, is_empty, page_object, part_options, print_page, view_options
from mcp_web.cli.screenshot import save_screenshot, screenshot_option
from mcp_web.cli.session import with_app
from mcp_web.errors import WebError

if TYPE_CHECKING:
    from mcp_web.app import App
    from mcp_web.tools.page_view import PageView, ViewOptions

MAX_URLS = 1000


@click.command("open")
@click.argument("urls", nargs=-1, required=True, metavar="URL...")
@click.option("--mode", type=click.Choice(["auto", "readable", "raw", "rendered"]), default="auto", show_default=True)
@click.option("--selector", help="CSS selector of the part to show.")
@click.option("--format", "form", type=click.Choice(["markdown", "text", "html"]), default="markdown")
@part_options
@click.option("--links/--no-links", default=True, help="Keep the links.")
@click.option("--images", "include_images", is_flag=True, help="Keep images.")
@click.option("--siteconfig", help="Site config to use.")
@click.option("--max-age", type=click.IntRange(0), help="Maximum age of a kept copy in seconds; 0 fetches again.")
@click.option("--at", help="Day of an archived copy, such as 2024-05-01, or latest.")
@click.option("--explain", is_flag=True, help="Show how the content was chosen.")
@screenshot_option
@json_option
def command(urls: tuple[str, ...], form: str, links: bool, screenshot: str | None, as_json: bool, **given: Any) -> None:
    """Open web pages as clean Markdown; what was opened is kept. With - the addresses come from standard input.

    Several pages are printed one after the other, each below its title and address. Exits 1 when a page could not be
    opened, 3 when a page is empty.
    """
    addresses = _addresses(urls)
    if screenshot is not None:
        if len(addresses) > 1 or given["mode"] not in ("auto", "rendered"):
            raise click.UsageError("--screenshot needs exactly one URL and --mode rendered.")
        given["mode"] = "rendered"
        save_screenshot(addresses[0], screenshot, take=True)
    part = {name: given.pop(name) for name in ("section", "start", "max_chars")}
    with shown_progress() as progress:
        pages = with_app(lambda app: _opened(app, addresses, given, progress))
    options = view_options(**part, form=form, links=links, as_json=as_json)
    with paged():
        failed = _print(addresses, pages, options, as_json=as_json)
    if failed:
        raise SystemExit(FAILED)
    if any(is_empty(page) for page in pages if not isinstance(page, WebError)):
        raise SystemExit(NOTHING_FOUND)


def _addresses(urls: tuple[str, ...]) -> list[str]:
    """The addresses, each once; `-` is the lines of standard input. UsageError for a file, none, or too many."""
    found: list[str] = []
    for url in urls:
        if url == "-" and sys.stdin.isatty():
            empty("Addresses, one a line; Ctrl-D ends the list.")
        found += filter(None, map(str.strip, stdin_text().split("\n"))) if url == "-" else [url]
    for url in found:
        if "://" not in url and os.path.isfile(url):
            raise click.UsageError(f"{url} is a file. `mcp-web extract {url}` reads files.")
    if not found:
        raise click.UsageError("There is no address to open: standard input was empty.")
    if len(found) > MAX_URLS:
        raise click.UsageError(f"{len(found)} addresses were given; at most {MAX_URLS} are opened at once.")
    return list(dict.fromkeys(found))


async def _opened(app: App, urls: list[str], asked: dict[str, Any], progress: Any) -> list[PageView | WebError]:
    from mcp_web.services.open_many import open_many
    from mcp_web.services.open_page import OpenRequest
    from mcp_web.tools.page_view import PageView

    requests = [OpenRequest(url, **asked) for url in urls]
    pages = await open_many(app, requests, deadline=anyio.current_time() + DEADLINE, on_progress=progress)
    return [page if isinstance(page, WebError) else PageView.of(page) for page in pages]


def _print(urls: list[str], pages: list[PageView | WebError], options: ViewOptions, *, as_json: bool) -> int:
    """Print the pages in the order of the URLs; returns how many failed. If there is only one, its error is raised."""
    rows: list[dict[str, Any]] = []
    for url, page in zip(urls, pages, strict=True):
        with failing_alone("url", url, rows, is_only=len(pages) == 1, as_json=as_json):
            if isinstance(page, WebError):
                raise page
            if as_json:
                rows.append(page_object(page, options))
            else:
                print_page(page, options, with_facts=len(pages) > 1)
    failed = sum("error" in row for row in rows)
    if as_json:  # the answer object of web_open, or of web_batch_open
        several = {"pages": rows, "opened": len(rows) - failed, "failed": failed, "notes": []}
        print_json(several if len(rows) > 1 else rows[0])
    return failed
