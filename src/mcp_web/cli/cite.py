"""`mcp-web cite`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import anyio
import click

from mcp_web.cli.calling import DEADLINE, shown_progress
from mcp_web.cli.exit_codes import FAILED
from mcp_web.cli.output import echo, failure, wrapped
from mcp_web.cli.session import with_app
from mcp_web.cli.wording import error_sentence
from mcp_web.errors import WebError

if TYPE_CHECKING:
    from mcp_web.app import App
    from mcp_web.archive.exchange.references import Reference


@click.command("cite")
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option("--bibtex", is_flag=True, help="Print BibTeX entries.")
@click.option("--json", "as_json", is_flag=True, help="Print CSL-JSON, which Zotero and pandoc read.")
def command(sources: tuple[str, ...], bibtex: bool, as_json: bool) -> None:
    """Cite pages: authors, date, title, address and the day on which the page was read.

    SOURCE is a URL, a snapshot hash or an archive id. The kept copy is cited; a page that is not kept is opened first.
    Exits 1 when one of several sources could not be cited.
    """
    from mcp_web.archive.exchange.cite import cite

    if bibtex and as_json:
        raise click.UsageError("Choose one of --bibtex and --json.")
    with shown_progress():
        found, failed = with_app(lambda app: _references(app, sources))
    for source, error in failed:
        if len(failed) == 1 and not found:
            raise error
        failure(source, error_sentence(error))
    if found or as_json:
        cited = cite(found, "csl" if as_json else "bibtex" if bibtex else "text")
        echo(
            cited if as_json or bibtex else "\n".join(wrapped(line, 2, stream=sys.stdout) for line in cited.split("\n"))
        )
    if failed:
        raise SystemExit(FAILED)


async def _references(app: App, sources: tuple[str, ...]) -> tuple[list[Reference], list[tuple[str, WebError]]]:
    """The references of the sources, and each source that could not be found or opened, with the error."""
    from mcp_web.archive.exchange.references import reference_of
    from mcp_web.services.find_snapshot import find_or_open

    deadline = anyio.current_time() + DEADLINE
    found: list[Reference] = []
    failed: list[tuple[str, WebError]] = []
    for source in dict.fromkeys(sources):
        try:
            found.append(reference_of(await find_or_open(app, source, deadline)))
        except WebError as error:
            failed.append((source, error))
    return found, failed
