"""`mcp-web cache`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mcp_web.cli.calling import answer_of
from mcp_web.cli.exit_codes import NOTHING_FOUND
from mcp_web.cli.output import echo, empty, json_option, paged, print_json, print_list
from mcp_web.cli.pages import is_empty, page_object, part_options, print_page, view_options
from mcp_web.cli.screenshot import save_screenshot, screenshot_option
from mcp_web.cli.session import with_app
from mcp_web.cli.wording import for_person

if TYPE_CHECKING:
    from mcp_web.app import App
    from mcp_web.model.snapshot import SnapshotInfo
    from mcp_web.tools.page_view import PageView


@click.group("cache")
def command() -> None:
    """Show kept pages, compare versions, delete pages."""


@command.command("get")
@click.argument("page")
@part_options
@screenshot_option
@json_option
def get(page: str, screenshot: str | None, as_json: bool, **part: Any) -> None:
    """Show a kept page by its id or hash (8 digits are enough), or its URL; no network. Exits 3 when it is empty."""
    if screenshot is not None:
        save_screenshot(page, screenshot)
    view, facts = with_app(lambda app: _kept(app, page))
    options = view_options(**part, as_json=as_json)
    print_json(page_object(view, options) | facts) if as_json else print_page(view, options)
    if is_empty(view):
        raise SystemExit(NOTHING_FOUND)


async def _kept(app: App, name: str) -> tuple[PageView, dict[str, Any]]:
    """A kept page, named by its id, hash or URL, and what is known of it besides its text; raises NotFound."""
    from mcp_web.services.find_snapshot import find_document
    from mcp_web.services.open_page import Opened
    from mcp_web.tools.cache_get import kept_facts
    from mcp_web.tools.page_view import PageView

    found = await find_document(app, name)
    kept = found.snapshot
    view = PageView.of(Opened(kept, "hit", (await app.keeper()).age(kept)))
    return view, kept_facts(kept, await found.store.versions(kept.key))


@command.command("diff")
@click.argument("newer")
@click.argument("older", default="previous")
@json_option
def diff(newer: str, older: str, as_json: bool) -> None:
    """Show by section what changed between two versions; OLDER is a hash or `previous`."""
    data, _ = answer_of("cache_get", {"snapshot": newer, "diff": older})
    if as_json:
        print_json(data)
        return
    if not data["changes"]:
        empty("The two versions do not differ.")
    colours = {"+": "green", "-": "red"}
    with paged():
        for change in data["changes"]:
            echo(f"{change['change']}: {change['section']}", bold=True)
            for line in change["hunk"].splitlines():
                echo(line, fg=colours.get(line[:1]))


@command.command("list")
@click.option("--limit", type=click.IntRange(1, 10_000), default=30, show_default=True)
@click.option("--source", type=click.Choice(["research", "web"]), help="Only this source.")
@click.option("--collection", help="Only documents with this tag, or of this synced folder.")
@json_option
def list_kept(limit: int, source: Any, collection: str | None, as_json: bool) -> None:
    """List kept pages and documents, the most recently used first."""
    from mcp_web.services.list_documents import list_documents

    found, _ = with_app(lambda app: list_documents(app, limit=limit, source=source, collection=collection))
    rows = [_facts(one) for one in found]
    columns = ("id", "read", "source", "title", "address")
    cells = [(row["id"], row["fetched_at"][:10], row["source"], row["title"], row["url"]) for row in rows]
    nothing = "Nothing kept matches." if collection or source else "Nothing is kept yet."
    print_list(rows, columns, cells, nothing, as_json=as_json, wide=("title", "address"))
    if collection and not rows:
        raise SystemExit(NOTHING_FOUND)


def _facts(kept: SnapshotInfo) -> dict[str, Any]:
    from mcp_web.model.snapshot import document_id
    from mcp_web.text.dates import iso

    return {
        "id": document_id(kept.key),
        "snapshot": kept.hash,
        "url": kept.url,
        "title": kept.title,
        "variant": kept.variant,
        "source": kept.source,
        "fetched_at": iso(kept.fetched_at),
        "chars": kept.chars,
    }


@command.command("purge")
@click.option("--older-than-days", type=click.FloatRange(0), help="Pages not used for this many days.")
@click.option("--domain", help="Pages of this host and its subdomains.")
@click.option("--keep-newest", type=click.IntRange(0), help="Keep this many most recently used pages.")
@click.option("--max-bytes", type=click.IntRange(0), help="Shrink the kept text to this size.")
@click.option("--url", help="One page.")
@click.option("--yes", is_flag=True, help="Delete them; without it the result is only shown.")
@json_option
def purge(yes: bool, as_json: bool, **given: Any) -> None:
    """Delete the kept web pages that match the options. Saved research stays: `mcp-web archive remove` deletes it."""
    if all(value is None for value in given.values()):
        raise click.UsageError(
            "Say what to delete: --older-than-days, --domain, --keep-newest, --max-bytes or --url. "
            "--keep-newest 0 empties the cache."
        )
    data, text = answer_of("cache_purge", given | {"dry_run": not yes})
    print_json(data) if as_json else echo(for_person(text))
