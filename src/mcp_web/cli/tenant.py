"""`mcp-web tenant`."""

from __future__ import annotations

import click

from mcp_web.cli.output import json_option, print_json
from mcp_web.cli.session import with_app


@click.group("tenant")
def command() -> None:
    """Tenants of a team's server: each has an archive that no other can see."""


@command.command("list")
@json_option
def list_(as_json: bool) -> None:
    """Show the names of the tenants for which something is kept."""
    from mcp_web.services.manage_tenants import list_tenants

    found = with_app(list_tenants)
    if as_json:
        print_json(found)
    else:
        for name in found:
            click.echo(name)


@command.command("erase")
@click.argument("name")
@click.option("--yes", is_flag=True, help="Erase it; without this nothing happens.")
def erase(name: str, yes: bool) -> None:
    """Delete everything that is kept of a tenant, and revoke its tokens."""
    from mcp_web.services.manage_tenants import erase_tenant

    if not yes:
        raise click.UsageError(f"This deletes the whole archive of {name!r} and its tokens; add --yes.")
    revoked = with_app(lambda app: erase_tenant(app, name))
    click.echo(f"Everything kept of {name} is deleted; {revoked} tokens were revoked.", err=True)
