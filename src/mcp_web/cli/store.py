"""`mcp-web store`."""

from __future__ import annotations

import dataclasses

import click

from mcp_web.cli.calling import shown_progress
from mcp_web.cli.exit_codes import FAILED
from mcp_web.cli.output import echo, json_option, print_json
from mcp_web.cli.session import with_app
from mcp_web.text.amounts import amount


@click.group("store")
def command() -> None:
    """Copy everything that is kept to another store, or check it."""


@command.command("copy")
@click.argument("source")
@click.argument("target")
@json_option
def copy(source: str, target: str, as_json: bool) -> None:
    """Copy the store SOURCE into TARGET: each the path of a SQLite file, or postgresql://user@host/database.

    Every page is read back and compared. After an interruption the same command resumes where it stopped.
    """
    from mcp_web.services.copy_store import copy_store

    with shown_progress() as progress:
        report = with_app(lambda app: copy_store(app, source, target, progress))
    if as_json:
        print_json(dataclasses.asdict(report))
        return
    echo(
        f"{amount(report.pages, 'page')}: {report.copied:,} copied, {report.unchanged:,} there already; "
        f"{amount(report.records, 'record')}, {amount(report.notes, 'note')}"
    )
    echo(f"digest {report.digest}")


@command.command("check")
@click.argument("place", required=False)
@json_option
def check(place: str | None, as_json: bool) -> None:
    """Read everything in the store, or in another at PLACE, and compare each text with its hash."""
    from mcp_web.services.copy_store import check_store

    faults = with_app(lambda app: check_store(app, place))
    print_json({"faults": faults}) if as_json else echo("\n".join(faults) or "The store has no faults.")
    if faults:
        raise SystemExit(FAILED)
