"""`mcp-web history`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mcp_web.cli.output import json_option, print_list
from mcp_web.cli.session import with_app
from mcp_web.text.dates import iso

if TYPE_CHECKING:
    from mcp_web.app import App


@click.command("history")
@json_option
def command(as_json: bool) -> None:
    """Show past searches, newest first. They are kept only with MCP_WEB_SEARCH_HISTORY=true."""

    async def work(app: App) -> list[dict[str, Any]]:
        return await (await app.searcher()).history()

    kept = with_app(work)
    rows = [(iso(one["at"]), one["query"], one["provider"], one["results"]) for one in kept]
    nothing = "No searches are kept. MCP_WEB_SEARCH_HISTORY=true keeps them from now on."
    print_list(kept, ("when", "query", "provider", "results"), rows, nothing, as_json=as_json)
