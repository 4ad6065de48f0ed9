"""`mcp-web cite`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import anyio
import click

from mcp_web.cli.calling import DEADLINE
from mcp_web.cli.output import wrapped
from mcp_web.cli.session import with_app
from mcp_web.text.untrusted import printable

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
    """
    from mcp_web.archive.exchange.cite import cite

    if bibtex and as_json:
        raise click.UsageError("Choose one of --bibtex and --json.")
    found = with_app(lambda app: _references(app, sources))
    cited = cite(found, "csl" if as_json else "bibtex" if bibtex else "text")
    if as_json:
        click.echo(cited)
        return
    for line in map(printable, cited.split("\n")):  # the title of an imported document may have escape sequences
        click.echo(line if bibtex else wrapped(line, 2, stream=sys.stdout))


async def _references(app: App, sources: tuple[str, ...]) -> list[Reference]:
    from mcp_web.archive.exchange.references import reference_of
    from mcp_web.services.find_snapshot import find_or_open

    deadline = anyio.current_time() + DEADLINE
    return [reference_of(await find_or_open(app, source, deadline)) for source in dict.fromkeys(sources)]
