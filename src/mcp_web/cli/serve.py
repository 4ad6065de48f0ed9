"""`mcp-web serve`."""

from __future__ import annotations

import sys

import click

TEAM_ADDRESS = "0.0.0.0:8765"


@click.command("serve")
@click.option("--http", "address", metavar="HOST:PORT", help="Serve Streamable HTTP at this address instead of stdio.")
@click.option("--team", is_flag=True, help=f"Serve a team with tokens and tenants, at {TEAM_ADDRESS} unless --http.")
@click.option("--name", "names", multiple=True, metavar="HOST", help="A host name that clients use for it; repeatable.")
@click.option("--profile", type=click.Choice(["standard", "full", "lite", "chatgpt"]), help="Which set of tools.")
@click.option("--contract", metavar="NAME", help="Offer another system's own tools instead.")
def command(address: str | None, team: bool, names: tuple[str, ...], profile: str | None, contract: str | None) -> None:
    """Start the MCP server: on stdio for one client, over HTTP for many."""
    from mcp_web.settings import load

    settings = load({"tools.profile": profile, "tools.contract": contract, "server.team": team or None})
    if team:
        address = address or TEAM_ADDRESS
    if address is None:
        from mcp_web.server import stdio
        from mcp_web.tools.options import ToolOptions

        if sys.stdin.isatty():
            from mcp_web.cli.output import echo

            echo("mcp-web waits for an MCP client on standard input; Ctrl-D or Ctrl-C ends it.", err=True)
            echo("Clients start it themselves: `mcp-web client` lists them. --http serves many.", err=True)
        stdio.run(settings.of(ToolOptions), lambda: settings)
        return
    from mcp_web.server import http
    from mcp_web.server.names import host_for_clients, own_names
    from mcp_web.server.options import ServerOptions

    options = settings.of(ServerOptions)
    host, port = http.parse_address(address)
    known = (*names, *(own_names() if options.team else ()))
    base = options.public_url or f"http://{host_for_clients(host, known)}:{port}"
    base = base.removesuffix("/mcp").rstrip("/")
    http.run(settings, host, port, lambda first_token: _announce(base, first_token, team=options.team), known)


def _announce(base: str, first_token: str | None, *, team: bool) -> None:
    from mcp_web.cli.output import echo
    from mcp_web.web.connect import Remote, claude_code_line, own_entry

    echo(f"mcp-web serves MCP at {base}/mcp and its page at {base}/", err=True)
    if not team:
        echo("Add it to Claude Code, which then starts a server of its own with the same archive:", err=True)
        echo(f"  {claude_code_line(own_entry())}", err=True)
        echo("or connect it to this server, as long as this runs:", err=True)
        echo(f"  {claude_code_line(Remote(f'{base}/mcp', ''))}", err=True)
        echo("Other clients, listed with their configuration files:", err=True)
        echo(f"  {own_entry().typed} client", err=True)
        return
    token = first_token or "TOKEN"
    if first_token:
        echo(f"Your token, shown only once: {first_token}", err=True)
    echo("The page asks for a user and a password: any user, a token as password.", err=True)
    echo("Connect a client:", err=True)
    echo(f"  {claude_code_line(Remote(f'{base}/mcp', token))}", err=True)
    echo(f"  mcp-web client cursor --url {base}/mcp --token {token} --write", err=True)
    echo("A token for another user:", err=True)
    echo(f"  {own_entry().typed} token add NAME", err=True)
