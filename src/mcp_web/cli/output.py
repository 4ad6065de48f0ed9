"""How commands print: JSON for programs, rich text in a terminal, plain text on a pipe."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TextIO

import click

from mcp_web.cli.wording import for_person

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

json_option = click.option("--json", "as_json", is_flag=True, help="Print the answer object as JSON.")


def print_json(value: Any) -> None:
    click.echo(json.dumps(value, ensure_ascii=False, indent=2, default=str))


def console(*, err: bool = False) -> Console:
    """A console without rich markup: titles and addresses come from pages and may contain square brackets."""
    from rich.console import Console

    return Console(stderr=err, highlight=False, markup=False, emoji=False)


def wrapped(text: str, indent: int = 0, *, stream: TextIO | None = None) -> str:
    """The text wrapped to the width of the terminal; one line on a pipe."""
    stream = stream or sys.stderr
    if not stream.isatty():
        return text
    width = max(40, shutil.get_terminal_size().columns - 1)
    return click.wrap_text(text, width, subsequent_indent=" " * indent)


def note(text: str) -> None:
    """Print a note on stderr."""
    click.secho(wrapped(f"note: {for_person(text)}", 6), fg="yellow", err=True)


def empty(text: str) -> None:
    """Print that there is nothing to show: without any output it would look like a failure."""
    click.echo(wrapped(text), err=True)


def print_markdown(text: str) -> None:
    """Print Markdown: in a terminal rendered, with clickable links and a list of them; on a pipe unchanged."""
    if not sys.stdout.isatty():
        click.echo(text)
        return
    from rich.console import Group
    from rich.markdown import Markdown
    from rich.text import Text

    from mcp_web.read.links import numbered, reference_list

    shown = numbered(text)
    # The definitions are in the same document, so that the renderer can resolve `[text][1]`.
    page: list[RenderableType] = [Markdown(f"{shown.text}\n\n{reference_list(shown.links)}")]
    if shown.links:
        listed = (f"{number:>4}  {link.url}" for number, link in enumerate(shown.links, start=1))
        page.append(Text("\nLinks\n" + "\n".join(listed), style="dim", no_wrap=True, overflow="ignore"))
    print_long(Group(*page))


def print_long(page: RenderableType) -> None:
    """Print to a terminal, through the pager when it does not fit on the screen."""
    out = console()
    with out.capture() as captured:
        out.print(page)
    text = captured.get()
    if sys.stdin.isatty() and text.count("\n") >= out.height:
        click.echo_via_pager(text)  # click itself asks `less` to show colours
    else:
        click.echo(text, nl=False, color=True)


def print_table(columns: tuple[str, ...], rows: Sequence[tuple[Any, ...]], *, wide: Sequence[str] = ()) -> None:
    """A table in a terminal, tab-separated lines on a pipe. Only the columns in `wide` are shortened to fit."""
    if not sys.stdout.isatty():
        for row in rows:
            click.echo("\t".join(str(cell).replace("\t", " ").replace("\n", " ") for cell in row))
        return
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    longest = {column: max((len(str(row[at])) for row in rows), default=0) for at, column in enumerate(columns)}
    fixed = sum(max(longest[column], len(column)) + 2 for column in columns if column not in wide)
    most = max(8, (console().width - fixed) // max(1, len(wide)) - 2)
    for column in columns:
        table.add_column(column, no_wrap=True, overflow="ellipsis", max_width=most if column in wide else None)
    for row in rows:
        table.add_row(*(Text(str(cell)) for cell in row))
    print_long(table)
