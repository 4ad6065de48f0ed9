"""`mcp-web token`."""

from __future__ import annotations

import time
from typing import Any

import click

from mcp_web.cli.arguments import Number
from mcp_web.cli.output import echo, json_option, print_json, print_list
from mcp_web.cli.session import with_app
from mcp_web.model.token import TokenInfo


@click.group("token")
def command() -> None:
    """Tokens of a team's server: who may use it, for what, until when."""


@command.command("add")
@click.argument("name")
@click.option("--tenant", help="The tenant whose archive it uses. Default: NAME.")
@click.option("--scope", "scopes", multiple=True, help="What it may do; repeatable. Default: tools (every tool).")
@click.option("--days", type=Number(0.001, 36_500), help="Days until it expires. Default: never.")
@json_option
def add(name: str, tenant: str | None, scopes: tuple[str, ...], days: float | None, as_json: bool) -> None:
    """Make a token and show it once."""
    from mcp_web.server.scopes import checked
    from mcp_web.services.manage_tokens import add_token

    seconds = days * 86400 if days else None
    wanted = checked(scopes or ("tools",))
    token, info = with_app(lambda app: add_token(app, name, tenant=tenant, scopes=wanted, seconds=seconds))
    if as_json:
        print_json({"token": token} | _facts(info))
        return
    echo(token)
    echo(f"This is the only time it is shown. Tenant {info.tenant}, scopes {' '.join(info.scopes)}.", err=True)


@command.command("list")
@json_option
def list_(as_json: bool) -> None:
    """Show every token with its tenant, scopes, expiry and last use."""
    from mcp_web.services.manage_tokens import list_tokens

    found = with_app(list_tokens)
    columns = ("name", "tenant", "scopes", "expires", "last used")
    rows = [(one.name, one.tenant, " ".join(one.scopes), _day(one.expires_at), _day(one.last_used)) for one in found]
    nothing = "There are no tokens. `mcp-web token add NAME` makes one."
    print_list([_facts(info) for info in found], columns, rows, nothing, as_json=as_json)


@command.command("revoke")
@click.argument("name")
def revoke(name: str) -> None:
    """Delete a token; a running server refuses it within two seconds."""
    from mcp_web.services.manage_tokens import revoke_token

    with_app(lambda app: revoke_token(app, name))
    echo(f"The token {name} is revoked.", err=True)


def _facts(info: TokenInfo) -> dict[str, Any]:
    return info.as_json() | {"last_used": info.last_used}


def _day(moment: float | None) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.gmtime(moment)) if moment else "never"
