"""`mcp-web serve`."""

from __future__ import annotations

import sys

import click


@click.command("serve")
@click.option("--http", "address", metavar="HOST:PORT", help="Serve Streamable HTTP there instead of stdio.")
@click.option("--profile", type=click.Choice(["standard", "lite", "chatgpt"]), help="Which set of tools.")
@click.option("--contract", metavar="NAME", help="Offer another system's own tools instead.")
def command(address: str | None, profile: str | None, contract: str | None) -> None:
    """Start the MCP server: on stdio for one client, over HTTP for many."""
    from mcp_web.settings import load

    settings = load({"tools.profile": profile, "tools.contract": contract})
    if address is None:
        from mcp_web.server import stdio

        if sys.stdin.isatty():
            click.echo("mcp-web waits for an MCP client on standard input; Ctrl-D or Ctrl-C ends it.", err=True)
            click.echo("Clients start it themselves: `mcp-web client` lists them. --http serves many.", err=True)
        stdio.run(settings)
        return
    from mcp_web.server import http
    from mcp_web.web.connect import claude_code_line

    host, port = http.parse_address(address)
    shown = f"http://{'127.0.0.1' if host in ('', '0.0.0.0') else host}:{port}"  # noqa: S104 — only shown

    def announce() -> None:
        click.echo(f"mcp-web serves MCP at {shown}/mcp and its page at {shown}/", err=True)
        click.echo("Paste into a terminal to add it to Claude Code over stdio:", err=True)
        click.echo(f"  {claude_code_line()}", err=True)
        sys.stderr.flush()

    http.run(settings, host, port, announce)
