"""`mcp-web open`."""

from __future__ import annotations

from typing import Any

import click

from mcp_web.cli.calling import answer_of
from mcp_web.cli.output import json_option, print_json, print_markdown
from mcp_web.cli.picture import screenshot_option, take_picture


@click.command("open")
@click.argument("urls", nargs=-1, required=True, metavar="URL...")
@click.option("--mode", type=click.Choice(["auto", "readable", "raw", "rendered"]), default="auto", show_default=True)
@click.option("--selector", help="CSS selector of the part wanted.")
@click.option("--section", help="Heading: only that section.")
@click.option("--format", "form", type=click.Choice(["markdown", "text", "html"]), default="markdown")
@click.option("--max-chars", type=int, default=100_000, show_default=True, help="Characters at most.")
@click.option("--start", type=int, default=0, help="Offset to begin at.")
@click.option("--links/--no-links", default=True, help="Numbered links at the end.")
@click.option("--images", is_flag=True, help="Keep images.")
@click.option("--siteconfig", help="Site config to use.")
@click.option("--max-age", type=int, help="Seconds a kept copy may be old; 0 asks the origin.")
@click.option("--explain", is_flag=True, help="Show how the content was chosen.")
@screenshot_option
@json_option
def command(
    urls: tuple[str, ...],
    form: str,
    links: bool,
    images: bool,
    screenshot: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Open web pages as clean Markdown; what was opened is kept."""
    given |= {"format": form, "include_links": links, "include_images": images}
    if screenshot is not None:
        if len(urls) > 1 or given["mode"] not in ("auto", "rendered"):
            raise click.UsageError("--screenshot takes one URL and goes with --mode rendered.")
        given["mode"] = "rendered"
        take_picture(urls[0], screenshot)
    if len(urls) > 1:
        _many(urls, given, as_json)
        return
    data, _ = answer_of("web_open", given | {"url": urls[0]})
    if as_json:
        print_json(data)
        return
    show_page(data)


def _many(urls: tuple[str, ...], given: dict[str, Any], as_json: bool) -> None:
    wanted = {name: value for name, value in given.items() if name not in ("start", "explain")}
    data, _ = answer_of("web_batch_open", wanted | {"urls": list(urls), "max_tokens": 16_000})
    if as_json:
        print_json(data)
        return
    for page in data["pages"]:
        click.secho(f"── {page['url']}", fg="cyan", err=True)
        if "error" in page:
            click.echo(f"{page['error']['message']} {page['error']['suggestion']}", err=True)
        else:
            show_page(page)


def show_page(page: dict[str, Any]) -> None:
    """Notes, text, links and the way on."""
    for note in page["notes"]:
        click.secho(f"note: {note}", fg="yellow", err=True)
    print_markdown(page["content"])
    if page["links"]:
        print_markdown("\n" + "\n".join(f"[{number}]: {link['url']}" for number, link in enumerate(page["links"], 1)))
    if "explain" in page:
        print_json(page["explain"])
    if page["next_start"] is not None:
        click.secho(
            f"more: --start {page['next_start']} (of {page['content_length']:,} characters)", fg="cyan", err=True
        )
