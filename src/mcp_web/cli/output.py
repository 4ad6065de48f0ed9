"""How commands print: JSON for programs, rich text in a terminal, plain text on a pipe."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.console import Console

json_option = click.option("--json", "as_json", is_flag=True, help="Print the answer object as JSON.")


def print_json(value: Any) -> None:
    click.echo(json.dumps(value, ensure_ascii=False, indent=2, default=str))


def console(*, err: bool = False) -> Console:
    from rich.console import Console

    return Console(stderr=err, highlight=False)


def print_markdown(text: str) -> None:
    """Rendered in a terminal, as it is on a pipe."""
    if not sys.stdout.isatty():
        click.echo(text)
        return
    from rich.markdown import Markdown

    console().print(Markdown(text))


def print_table(columns: tuple[str, ...], rows: list[tuple[Any, ...]]) -> None:
    """A table in a terminal, tab-separated lines on a pipe."""
    if not sys.stdout.isatty():
        for row in rows:
            click.echo("\t".join(str(cell) for cell in row))
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(str(cell) for cell in row))
    console().print(table)
