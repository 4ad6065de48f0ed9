"""`mcp-web open`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from mcp_web.cli.calling import DEADLINE, answer_of, shown_progress
from mcp_web.cli.output import empty, json_option, note, print_json, print_markdown
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
    addresses = _addresses(urls)
    if screenshot is not None:
        if len(addresses) > 1 or given["mode"] not in ("auto", "rendered"):
            raise click.UsageError("--screenshot needs exactly one URL and --mode rendered.")
        given["mode"] = "rendered"
        take_screenshot(addresses[0], screenshot)
    if as_json:
        _as_json(addresses, given | {"format": form, "include_links": links, "include_images": images})
        return
    asked = {name: given[name] for name in ("mode", "selector", "siteconfig", "max_age", "explain", "at")}
    with shown_progress() as progress:
        pages = with_app(lambda app: _opened(app, addresses, asked | {"include_images": images}, progress))
    from mcp_web.tools.page_view import ViewOptions

    size, shown_links = given["max_chars"] or WHOLE_PAGE, "inline" if links else "none"
    _show_all(
        addresses,
        pages,
        ViewOptions(form, size, given["start"], given["section"], shown_links, tokens=WHOLE_PAGE),  # type: ignore[arg-type]  # click checks the format
    )


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


def _as_json(urls: list[str], given: dict[str, Any]) -> None:
    """The tool's own answer object."""
    size = {} if given["max_chars"] is None else {"max_chars": given["max_chars"]}
    given = {name: value for name, value in given.items() if name != "max_chars"} | size
    if len(urls) == 1:
        print_json(answer_of("web_open", {"max_chars": 100_000} | given | {"url": urls[0]})[0])
        return
    wanted = {name: value for name, value in given.items() if name not in ("start", "explain", "at")}
    data, _ = answer_of("web_batch_open", wanted | {"urls": urls, "max_tokens": 16_000})
    print_json(data)
    if any("error" in page for page in data["pages"]):
        raise SystemExit(1)


def _show_all(urls: list[str], pages: list[Opened | WebError], options: ViewOptions) -> None:
    """Every page in the order asked for; failures on stderr."""
    if len(pages) == 1 and isinstance(pages[0], WebError):
        raise pages[0]
    failed = nothing = False
    for url, page in zip(urls, pages, strict=True):
        if isinstance(page, WebError):
            failed = True
            click.secho(f"{url}: {error_sentence(page)}", fg="red", err=True)
            continue
        nothing |= not page.snapshot.document.markdown.strip()
        _show(url, page, options, separated=len(pages) > 1)
    if failed or nothing:
        raise SystemExit(1 if failed else NOTHING_FOUND)


def _show(url: str, page: Opened, options: ViewOptions, *, separated: bool) -> None:
    document = page.snapshot.document
    for line in (*page.notes, *document.notes):
        note(line)
    if not document.markdown.strip():
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


def show_page(page: dict[str, Any]) -> None:
    """Print a tool's page object: notes, text, links, and the option that shows the next part."""
    for line in page["notes"]:
        note(line)
    links = "".join(f"[{number}]: {link['url']}\n" for number, link in enumerate(page["links"], start=1))
    print_markdown(page["content"] + (f"\n\n{links}" if links else ""))
    if "explain" in page:
        print_json(page["explain"])
    if page["next_start"] is not None:
        note(f"{page['content_length']:,} characters in all; --start {page['next_start']} continues.")
