"""`mcp-web history`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mcp_web.cli.output import echo, json_option, print_json, print_table
from mcp_web.cli.session import with_app

if TYPE_CHECKING:
    from mcp_web.app import App


@click.command("history")
@json_option
def command(as_json: bool) -> None:
    """Show past searches, newest first. They are kept only with MCP_WEB_SEARCH_HISTORY=true."""

    async def work(app: App) -> list[dict[str, Any]]:
        return await (await app.searcher()).history()

    kept = with_app(work)
    if as_json:
        print_json(kept)
    elif not kept:
        echo("No searches are kept. MCP_WEB_SEARCH_HISTORY=true keeps them from now on.", err=True)
    else:
        from mcp_web.text.dates import iso

        rows = [(iso(one["at"]), one["query"], one["provider"], one["results"]) for one in kept]
        print_table(("when", "query", "provider", "results"), rows)
