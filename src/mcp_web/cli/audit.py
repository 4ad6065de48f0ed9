"""`mcp-web audit`."""

from __future__ import annotations

import click

from mcp_web.cli.exit_codes import FAILED
from mcp_web.cli.output import echo, json_option, print_json
from mcp_web.text.amounts import amount


@click.group("audit")
def command() -> None:
    """The audit log of a team's server."""


@command.command("verify")
@click.option("--head", help="The hash that an earlier run printed; it must still be in the log.")
@json_option
def verify(head: str | None, as_json: bool) -> None:
    """Check that no line of the log was changed, moved or removed; prints the hash of the last one."""
    from mcp_web.audit.log import contains, verify
    from mcp_web.services.audit_log import audit_folder
    from mcp_web.settings import load

    folder = audit_folder(load())
    found = verify(folder)
    fault = found.fault
    if not fault and head and not contains(folder, head):
        fault = f"no line has the hash {head}: the end of the log was removed, or the whole log was rewritten"
    if as_json:
        print_json({"lines": found.lines, "head": found.head, "fault": fault or None})
    elif not fault:
        echo(f"{amount(found.lines, 'line')}, unchanged. The last has the hash {found.head}")
    if fault:
        if not as_json:
            echo(f"mcp-web: The audit log in {folder} was changed: {fault}.", err=True)
        raise SystemExit(FAILED)
