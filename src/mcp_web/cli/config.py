"""`mcp-web config`."""

from __future__ import annotations

import json
import sys
from typing import Any

import click

from mcp_web.cli.exit_codes import NOTHING_FOUND
from mcp_web.cli.output import console, echo, empty, json_option, print_json, print_table

VALUE_WIDTH = 20  # characters of a value that are always shown


@click.command("config")
@click.argument("words", nargs=-1)
@click.option("--example", is_flag=True, help="Print a configuration file to start from.")
@json_option
def command(words: tuple[str, ...], example: bool, as_json: bool) -> None:
    """Show every setting with its value and where it came from; WORDS narrow the list. Secrets are masked."""
    from mcp_web.settings import config_path, load

    if example:
        echo(_example())
        return
    settings = load()
    rows = [row for row in settings.rows if all(word.lower() in _searched(row) for word in words)]
    if as_json:
        facts = {"file": str(config_path()), "settings": [_as_object(row) for row in rows]}
        print_json(facts | {"unknown": settings.unknown})
    else:
        if sys.stdout.isatty():
            echo(f"file: {config_path()}")
            if not config_path().exists():
                empty("It does not exist yet; `mcp-web config --example` prints one to start from.")
        _show(rows) if rows else empty("No setting matches.")
        for name in settings.unknown:
            echo(f"nothing reads {name}", err=True)
    if not rows:
        raise SystemExit(NOTHING_FOUND)


def _searched(row: Any) -> str:
    return f"{row.section}.{row.name} {' '.join(row.variables)} {row.facts.help}".lower()


def _show(rows: list[Any]) -> None:
    """Print the settings as a table, without the column of variables if the terminal is too narrow for it."""
    columns: tuple[str, ...] = ("setting", "value", "from", "variable")
    on_terminal = sys.stdout.isatty()  # its first line names the file
    cells: list[tuple[str, ...]] = [
        (
            f"{row.section}.{row.name}",
            row.text,
            row.origin if on_terminal else row.origin_name or row.origin,
            next(iter(row.variables), "file only"),
        )
        for row in rows
    ]
    beside = sum(max(len(cell[at]) for cell in cells) + 2 for at in (0, 2, 3))
    is_narrow = on_terminal and beside + VALUE_WIDTH > console().width
    if is_narrow:
        columns, cells = columns[:3], [cell[:3] for cell in cells]
    print_table(columns, cells, wide=("value",))
    if is_narrow:
        empty("`mcp-web config WORD` lists fewer settings, with their variables.")


def _example() -> str:
    """The text of a configuration file in which every setting is commented out, with its help and its default."""
    from mcp_web.settings import config_path, load

    lines = [f"# Save as {config_path()}; remove the # before what you change. Times are in seconds, sizes in bytes."]
    section = ""
    for row in load(environ={}).rows:
        if row.section != section:
            section = row.section
            lines += ["", f"[{section}]"]
        lines += [f"# {row.facts.help}", f"# {row.name} = {toml_value(row.default)}"]
    return "\n".join(lines)


def toml_value(value: Any) -> str:
    """The value in the syntax of TOML; None as an empty text."""
    if isinstance(value, dict):
        pairs = ", ".join(f"{toml_value(name)} = {toml_value(item)}" for name, item in value.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(toml_value(str(item)) for item in value)}]"
    # As JSON, but TOML knows no surrogate pairs, and no bare delete character.
    text = json.dumps("" if value is None else value, default=str, ensure_ascii=False)
    return text.replace("\x7f", "\\u007f")


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
