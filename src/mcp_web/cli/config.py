"""`mcp-web config`."""

from __future__ import annotations

from typing import Any

import click

from mcp_web.cli.output import json_option, print_json, print_table


@click.command("config")
@click.argument("words", nargs=-1)
@json_option
def command(words: tuple[str, ...], as_json: bool) -> None:
    """Show every setting with its value and where it came from; WORDS narrow the list. Secrets are masked."""
    from mcp_web.settings import load

    settings = load()
    rows = [
        row
        for row in settings.rows
        if all(
            word.lower() in f"{row.room}.{row.name} {' '.join(row.variables)} {row.facts.help}".lower()
            for word in words
        )
    ]
    if as_json:
        print_json({"settings": [_as_object(row) for row in rows], "unknown": settings.unknown})
        return
    print_table(
        ("setting", "value", "from", "variable"),
        [
            (f"{row.room}.{row.name}", _shown(row.shown), row.origin_name or row.origin, row.variables[0])
            for row in rows
        ],
    )
    for name in settings.unknown:
        click.echo(f"nothing reads {name}", err=True)


def _as_object(row: Any) -> dict[str, Any]:
    return {
        "setting": f"{row.room}.{row.name}",
        "value": row.shown,
        "origin": row.origin,
        "origin_name": row.origin_name,
        "variables": list(row.variables),
        "allowed": row.kind,
        "default": row.default,
        "help": row.facts.help,
    }


def _shown(value: Any) -> str:
    if isinstance(value, tuple):
        return ",".join(str(item) for item in value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)
