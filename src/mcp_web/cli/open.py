"""`mcp-web open`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from mcp_web.cli.calling import DEADLINE, shown_progress
from mcp_web.cli.output import empty, failure, json_option, note, print_json, print_markdown
from mcp_web.cli.screenshot import screenshot_option, take_screenshot
from mcp_web.cli.session import with_app
from mcp_web.cli.wording import error_sentence
from mcp_web.errors import WebError

if TYPE_CHECKING:
    from mcp_web.app import App
    from mcp_web.model.page import Document
    from mcp_web.services.open_page import Opened
    from mcp_web.tools.page_view import ViewOptions

MAX_URLS = 1000
NOTHING_FOUND = 3
WHOLE_PAGE = sys.maxsize


@click.command("open")
@click.argument("urls", nargs=-1, required=True, metavar="URL...")
@click.option("--mode", type=click.Choice(["auto", "readable", "raw", "rendered"]), default="auto", show_default=True)
@click.option("--selector", help="CSS selector of the part to show.")
@click.option("--section", help="Heading: only that section.")
@click.option("--format", "form", type=click.Choice(["markdown", "text", "html"]), default="markdown")
@click.option("--max-chars", type=click.IntRange(1), help="Maximum characters of each page; default: the whole page.")
@click.option("--start", type=click.IntRange(0), default=0, help="Offset to begin at.")
@click.option("--links/--no-links", default=True, help="Keep the links.")
@click.option("--images", is_flag=True, help="Keep images.")
@click.option("--siteconfig", help="Site config to use.")
@click.option("--max-age", type=int, help="Maximum age of a kept copy in seconds; 0 fetches again.")
@click.option("--at", help="Day of an archived copy, such as 2024-05-01, or latest.")
@click.option("--explain", is_flag=True, help="Show how the content was chosen.")
@screenshot_option
@json_option
def command(
    urls: tuple[str, ...], form: str, links: bool, images: bool, screenshot: str | None, as_json: bool, **given: Any
) -> None:
    """Open web pages as clean Markdown; what was opened is kept. With - the addresses come from standard input.

    Several pages are printed one after the other, each below its title and address. Exits 1 when a page could not be
    opened, 3 when a page is empty.
    """
    from mcp_web.tools.page_view import ViewOptions

    addresses = _addresses(urls)
    if screenshot is not None:
        if len(addresses) > 1 or given["mode"] not in ("auto", "rendered"):
            raise click.UsageError("--screenshot needs exactly one URL and --mode rendered.")
        given["mode"] = "rendered"
        take_screenshot(addresses[0], screenshot)
    asked = {name: given[name] for name in ("mode", "selector", "siteconfig", "max_age", "explain", "at")}
    with shown_progress() as progress:
        pages = with_app(lambda app: _opened(app, addresses, asked | {"include_images": images}, progress))
    size, shown_links = given["max_chars"] or WHOLE_PAGE, "none" if not links else "numbered" if as_json else "inline"
    options = ViewOptions(form, size, given["start"], given["section"], shown_links, tokens=WHOLE_PAGE)  # type: ignore[arg-type]  # click checks the format
    if len(pages) == 1 and isinstance(pages[0], WebError):
        raise pages[0]
    if as_json:
        _print_objects(addresses, pages, options)
    else:
        _show_all(addresses, pages, options)
    if any(isinstance(page, WebError) for page in pages):
        raise SystemExit(1)
    if any(is_empty(page.snapshot.document) for page in pages if not isinstance(page, WebError)):
        raise SystemExit(NOTHING_FOUND)


def _addresses(urls: tuple[str, ...]) -> list[str]:
    """The addresses given, with those on standard input in place of `-`."""
    found: list[str] = []
    for url in urls:
        found += [line.strip() for line in sys.stdin if line.strip()] if url == "-" else [url]
    if not found:
        raise click.UsageError("There is no address to open: standard input was empty.")
    if len(found) > MAX_URLS:
        raise click.UsageError(f"{len(found)} addresses were given; at most {MAX_URLS} are opened at once.")
    return list(dict.fromkeys(found))


async def _opened(app: App, urls: list[str], asked: dict[str, Any], progress: Any) -> list[Opened | WebError]:
    import anyio

    from mcp_web.services.open_many import open_many
    from mcp_web.services.open_page import OpenRequest

    requests = [OpenRequest(url, **asked) for url in urls]
    return await open_many(app, requests, deadline=anyio.current_time() + DEADLINE, on_progress=progress)


def _print_objects(urls: list[str], pages: list[Opened | WebError], options: ViewOptions) -> None:
    """The answer object of web_open, or for several pages that of web_batch_open, with whole pages."""
    from mcp_web.tools.clean_output import clean_error, clean_value
    from mcp_web.tools.page_view import PageView, as_data, show

    rows: list[dict[str, Any]] = []
    for url, page in zip(urls, pages, strict=True):
        if isinstance(page, WebError):
            rows.append({"url": url, "error": clean_error(page).as_dict()})
        else:
            view = PageView.of(page)
            rows.append(clean_value(as_data(view, options, show(view.document, options), [])))
    failed = sum("error" in row for row in rows)
    several = {"pages": rows, "opened": len(rows) - failed, "failed": failed, "notes": []}
    print_json(several if len(rows) > 1 else rows[0])


def is_empty(document: Document) -> bool:
    return not document.markdown.strip()


def _show_all(urls: list[str], pages: list[Opened | WebError], options: ViewOptions) -> None:
    """Every page in the order asked for; failures on stderr."""
    for url, page in zip(urls, pages, strict=True):
        if isinstance(page, WebError):
            failure(url, error_sentence(page))
        else:
            _show(url, page, options, separated=len(pages) > 1)


def _show(url: str, page: Opened, options: ViewOptions, *, separated: bool) -> None:
    document = page.snapshot.document
    for line in (*page.notes, *document.notes):
        note(line)
    if is_empty(document):
        empty(f"{url} has no text.")
    text = part_of(document, options)
    if separated:
        click.echo(f"---\ntitle: {' '.join(document.title.split())}\nsource: {page.snapshot.final_url}\n---\n")
    print_markdown(text) if options.format == "markdown" else click.echo(text)
    if separated:
        click.echo()
    if document.explain is not None:
        print_json(document.explain)


def part_of(document: Document, options: ViewOptions) -> str:
    """The requested part of a page, in the requested format."""
    from mcp_web.tools.page_view import show

    shown = show(document, options)
    if shown.next_start is not None:
        note(f"{shown.end:,} of {len(document.markdown):,} characters shown; --start {shown.next_start} continues.")
    return shown.text


def show_kept(name: str, *, section: str | None = None, start: int = 0, max_chars: int | None = None) -> None:
    """Print a kept page, or the requested part of it."""
    from mcp_web.services.find_snapshot import find_snapshot
    from mcp_web.tools.page_view import ViewOptions

    document = with_app(lambda app: find_snapshot(app, name)).document
    for line in document.notes:
        note(line)
    size = max_chars or WHOLE_PAGE
    options = ViewOptions(max_chars=size, start=start, section=section, links="inline", tokens=WHOLE_PAGE)
    print_markdown(part_of(document, options))
