"""`mcp-web config`."""

from __future__ import annotations

import json
import sys
from typing import Any

import click

from mcp_web.cli.output import empty, json_option, print_json, print_table


@click.command("config")
@click.argument("words", nargs=-1)
@click.option("--example", is_flag=True, help="Print a configuration file to start from.")
@json_option
def command(words: tuple[str, ...], example: bool, as_json: bool) -> None:
    """Show every setting with its value and where it came from; WORDS narrow the list. Secrets are masked."""
    from mcp_web.settings import config_path, load

    if example:
        click.echo(_example())
        return
    settings = load()
    rows = [
        row
        for row in settings.rows
        if all(
            word.lower() in f"{row.section}.{row.name} {' '.join(row.variables)} {row.facts.help}".lower()
            for word in words
        )
    ]
    if as_json:
        facts = {"file": str(config_path()), "settings": [_as_object(row) for row in rows]}
        print_json(facts | {"unknown": settings.unknown})
        return
    if sys.stdout.isatty():
        state = "" if config_path().exists() else " (does not exist; `mcp-web config --example` prints one)"
        click.echo(f"file: {config_path()}{state}")
    if not rows:
        empty("No setting matches.")
        raise SystemExit(3)
    print_table(
        ("setting", "value", "from", "variable"),
        [
            (
                f"{row.section}.{row.name}",
                row.text,
                row.origin_name or row.origin,
                next(iter(row.variables), "file only"),
            )
            for row in rows
        ],
        wide=("value", "from"),
    )
    for name in settings.unknown:
        click.echo(f"nothing reads {name}", err=True)


def _example() -> str:
    """A configuration file with every setting and its default as a comment."""
    from mcp_web.settings import config_path, load

    lines = [f"# Save as {config_path()}; remove the # before what you change. Times are in seconds, sizes in bytes."]
    section = ""
    for row in load(environ={}).rows:
        if row.section != section:
            section = row.section
            lines += ["", f"[{section}]"]
        lines += [f"# {row.facts.help}", f"# {row.name} = {_toml_value(row.default)}"]
    return "\n".join(lines)


def _toml_value(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(name)} = {_toml_value(item)}" for name, item in value.items()) + "}"
    if isinstance(value, tuple):
        return "[" + ", ".join(json.dumps(str(item)) for item in value) + "]"
    return json.dumps("" if value is None else value if isinstance(value, bool | int | float) else str(value))


def _as_object(row: Any) -> dict[str, Any]:
    return {
        "setting": f"{row.section}.{row.name}",
        "value": row.shown,
        "origin": row.origin,
        "origin_name": row.origin_name,
        "variables": list(row.variables),
        "allowed": row.kind,
        "default": row.default,
        "help": row.facts.help,
    }
