"""`mcp-web tenant`."""

from __future__ import annotations

import click

from mcp_web.cli.output import echo, json_option, print_json, print_list
from mcp_web.cli.session import with_app
from mcp_web.text.amounts import amount


@click.group("tenant")
def command() -> None:
    """Tenants of a team's server: each has an archive that others see only as far as it is shared."""


@command.command("list")
@json_option
def list_(as_json: bool) -> None:
    """Show the names of the tenants for which something is kept."""
    from mcp_web.services.manage_tenants import list_tenants

    found = with_app(list_tenants)
    print_json(found) if as_json else echo("\n".join(found))


@command.command("erase")
@click.argument("name")
@click.option("--yes", is_flag=True, help="Erase it; without this nothing happens.")
def erase(name: str, yes: bool) -> None:
    """Delete everything that is kept of a tenant, and revoke its tokens; without --yes nothing happens."""
    from mcp_web.services.manage_tenants import erase_tenant

    if not yes:
        raise click.UsageError(f"This deletes the whole archive of {name!r} and its tokens; add --yes.")
    revoked = with_app(lambda app: erase_tenant(app, name))
    echo(f"Everything kept of {name} is deleted; tokens revoked: {revoked}.", err=True)


@command.command("shares")
@json_option
def shares(as_json: bool) -> None:
    """Show which collections are shared, and with whom."""
    from mcp_web.services.manage_tenants import list_shares

    found = with_app(list_shares)
    rows = [(share.owner, share.collection, share.reader or "(all tenants)") for share in found]
    objects = [share._asdict() for share in found]
    print_list(objects, ("owner", "collection", "shared with"), rows, "Nothing is shared.", as_json=as_json)


@command.command("share")
@click.argument("owner")
@click.argument("collection")
@click.option("--with", "readers", multiple=True, metavar="TENANT", help="A tenant that may read it; repeatable.")
@click.option("--all", "everyone", is_flag=True, help="Every tenant may read it.")
def share(owner: str, collection: str, readers: tuple[str, ...], everyone: bool) -> None:
    """Let other tenants read a collection (a tag or a synced folder) of a tenant; they can never change it."""
    from mcp_web.services.manage_tenants import share_collection

    if everyone == bool(readers):
        raise click.UsageError("Say with whom: --with TENANT, or --all.")
    with_app(lambda app: share_collection(app, owner, collection, readers))
    echo(f"{', '.join(readers) or 'Every tenant'} can read {collection} of {owner}.", err=True)


@command.command("unshare")
@click.argument("owner")
@click.argument("collection")
@click.option("--with", "readers", multiple=True, metavar="TENANT", help="A tenant to withdraw it from; default: all.")
def unshare(owner: str, collection: str, readers: tuple[str, ...]) -> None:
    """Withdraw a shared collection; takes effect with the next call."""
    from mcp_web.services.manage_tenants import unshare_collection

    removed = with_app(lambda app: unshare_collection(app, owner, collection, readers))
    echo(f"{amount(removed, 'share')} of {collection} withdrawn.", err=True)
