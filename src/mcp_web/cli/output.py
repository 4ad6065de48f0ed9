"""How commands print: JSON for programs, rich text in a terminal, plain text on a pipe."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TextIO

import click

from mcp_web import trace
from mcp_web.cli.wording import for_person
from mcp_web.text.untrusted import one_line, printable

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

MOST_FAILURES = 20  # shown to a person
_LEAST_WIDTH = 16  # characters of a shortened column: with fewer, titles and addresses cannot be told apart

_NOTE_START = re.compile(r"^\[\^(?=([^\]\s]{1,40})\]:)")
_NOTE = re.compile(r"\[\^([^\]\s]{1,40})\]:?")
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")

json_option = click.option("--json", "as_json", is_flag=True, help="Print the answer object as JSON.")


def joined_words(context: click.Context, parameter: click.Parameter, words: tuple[str, ...]) -> str:
    """A click callback that joins the words of an argument to one text; raises BadParameter if that is empty."""
    if not (text := " ".join(words).strip()):
        raise click.BadParameter("it is empty.", context, parameter)
    return text


def echo(text: str = "", *, err: bool = False, nl: bool = True, **style: Any) -> None:
    """Print a text on stdout or, with `err`, on stderr; `nl`: with a line break; `style`: options of `click.style`.

    At a terminal, control characters are escaped: a text may come from a page, an imported file or an agent.
    """
    shown = printable(text) if (sys.stderr if err else sys.stdout).isatty() else text
    # Without a colour not even the sequence that resets it: a terminal may not know any.
    click.echo(click.style(shown, **style) if any(style.values()) else shown, err=err, nl=nl)


def print_json(value: Any, *, indent: int | None = 2) -> None:
    """Print a value as JSON; with `indent` None on one line."""
    is_unicode = (sys.stdout.encoding or "utf-8").lower().startswith("utf")
    echo(json.dumps(value, ensure_ascii=not is_unicode, indent=indent, default=str))


def console(*, err: bool = False) -> Console:
    """A console of `rich` on stdout or, with `err`, on stderr; it shows square brackets as they are, not as markup."""
    from rich.console import Console

    return Console(stderr=err, highlight=False, markup=False, emoji=False)


def wrapped(text: str, indent: int = 0, *, stream: TextIO | None = None) -> str:
    """The text wrapped to the width of the terminal, later lines indented; unchanged if `stream` (default: stderr) is
    not a terminal."""
    stream = stream or sys.stderr
    if not stream.isatty():
        return text
    width = max(20, _columns() - 1)
    # What is broken cannot be copied: a path at a hyphen, a command in backticks at a space.
    whole = re.sub(r"`[^`]+`", lambda command: command[0].replace(" ", "\N{NO-BREAK SPACE}"), text)
    lines = textwrap.fill(whole, width, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False)
    return lines.replace("\N{NO-BREAK SPACE}", " ")


def _columns() -> int:
    """The width of the terminal in characters, or the variable COLUMNS if it is set."""
    # `shutil` alone asks the original standard output, which `main.run` replaces, and which may be a pipe.
    for handle in (1, 2):
        with suppress(OSError):
            return shutil.get_terminal_size(os.get_terminal_size(handle)).columns
    return shutil.get_terminal_size().columns


def note(text: str) -> None:
    """Print a note on stderr, in words for the command line (`for_person`)."""
    echo(wrapped(f"note: {for_person(text)}", 6), fg="yellow", err=True)


def empty(text: str) -> None:
    """Print a text on stderr, such as that there is nothing to show: no output at all would look like a failure."""
    echo(wrapped(text), err=True)


def failure(place: str, why: str) -> None:
    """Print on stderr why something failed, after its name or address `place` unless the sentence contains that."""
    why = for_person(why)
    echo(wrapped(why if place in why else f"{place}: {why}"), fg="red", err=True)


def failures(failed: Sequence[tuple[str, str]]) -> None:
    """Print the first twenty failures (place, reason) on stderr, and how many more there are."""
    for place, why in failed[:MOST_FAILURES]:
        failure(place, why)
    if len(failed) > MOST_FAILURES:
        empty(f"{len(failed) - MOST_FAILURES:,} more failed; --json lists them all.")


class _Collected(io.StringIO):
    """A buffer for what is printed on a terminal later; it says that it is one, so that text is formatted for that."""

    def isatty(self) -> bool:
        return True


@contextmanager
def paged() -> Iterator[None]:
    """Context manager: if stdout is a terminal, show what is printed inside at its end, in the pager if it is long."""
    terminal = sys.stdout
    if not terminal.isatty() or isinstance(terminal, _Collected):
        yield
        return
    sys.stdout = collected = _Collected()
    try:
        yield
    finally:
        sys.stdout = terminal
        text = trace.redact(collected.getvalue().rstrip("\n"))  # the pager does not read from our streams
        if sys.stdin.isatty() and text.count("\n") + 1 >= console().height:
            click.echo_via_pager(text)  # click itself asks `less` to show colours
        elif text:
            click.echo(text)  # with our own escape sequences; what is not ours was escaped before


@paged()
def print_markdown(text: str, *, list_links: bool = True) -> None:
    """Print Markdown; at a terminal rendered, with clickable links and, with `list_links`, a list of their URLs."""
    if not sys.stdout.isatty():
        echo(text)
        return
    from mcp_web.read.links import numbered, reference_list

    shown, links = numbered(printable(trace.redact(text)))  # before a secret is broken over two lines
    # The definitions are in the same document, so that the renderer can resolve `[text][1]`; they come first,
    # because the text may end inside a code block.
    console().print(_rendered(f"{reference_list(links)}\n\n{shown}"))
    if links and list_links:
        echo("\nLinks", dim=True)
        for number, link in enumerate(links, start=1):  # whole, so that they can be copied
            echo(f"{number:>4}  {link.url}", dim=True)


def _rendered(text: str) -> RenderableType:
    """Markdown prepared for `rich` to print, with footnotes, which its renderer does not know."""
    from rich.markdown import Markdown

    from mcp_web.text.markdown import fenced_lines

    source = list(fenced_lines(text))
    defined = {begin[1] for line, fenced in source if not fenced and (begin := _NOTE_START.match(line))}

    def mark(found: re.Match[str]) -> str:
        """The mark of a footnote: a raised number, or its name in brackets; unchanged if no footnote has this name."""
        label = found[1]
        if label.isascii() and label.isdigit():
            return label.translate(_RAISED)
        return f"[{label}]" if label in defined else found[0]

    # A footnote of one word would be read as the definition of a link.
    page = Markdown("".join([line if fenced else _NOTE_START.sub(r"\[^", line) for line, fenced in source]))
    for token in page.parsed:
        for child in token.children or ():
            if child.type == "text":
                child.content = _NOTE.sub(mark, child.content)
    return page


def print_marked(parts: Iterable[tuple[str, bool]], indent: int) -> None:
    """Print the parts of a text after `indent` spaces; those that matched a query (flag True) are highlighted."""
    if not sys.stdout.isatty():
        echo(" " * indent + "".join(part for part, _ in parts))
        return
    from rich.padding import Padding
    from rich.text import Text

    text = Text()
    for part, is_match in parts:
        text.append(printable(part), style="bold yellow" if is_match else "")
    console().print(Padding(text, (0, 0, 0, indent)))


def print_list(
    objects: Any, columns: tuple[str, ...], rows: Sequence[tuple[Any, ...]], nothing: str, *, as_json: bool,
    wide: Sequence[str] = (),
) -> None:  # fmt: skip
    """Print the objects as JSON, or their rows as a table, or the sentence `nothing` if there are none."""
    if as_json:
        print_json(objects)
    elif rows:
        print_table(columns, rows, wide=wide)
    else:
        empty(nothing)


def print_table(columns: tuple[str, ...], rows: Sequence[tuple[Any, ...]], *, wide: Sequence[str] = ()) -> None:
    """Print rows: in a terminal as a table, on a pipe as tab-separated lines without a header.

    Only the columns named in `wide` are shortened to fit; they share the width by what they need, and an address keeps
    its end. If the terminal is too narrow for that, each row is printed as a list of its cells.
    """
    if not sys.stdout.isatty():
        for row in rows:
            echo("\t".join(map(one_line, row)))
        return
    from rich.cells import cell_len

    cells = [tuple(printable(one_line(cell)) for cell in row) for row in rows]
    needed = {name: max([len(name), *(cell_len(row[at]) for row in cells)]) for at, name in enumerate(columns)}
    fixed = sum(width for name, width in needed.items() if name not in wide)
    room = console().width - fixed - 2 * (len(columns) - 1)  # two spaces between columns
    with paged():
        if room >= sum(min(needed[name], _LEAST_WIDTH) for name in wide):
            # None gets more than it needs, and the others share the rest.
            for at, name in enumerate(sorted(wide, key=lambda name: needed[name])):
                needed[name] = min(needed[name], room // (len(wide) - at))
                room -= needed[name]
            _print_columns(columns, cells, needed)
        else:
            margin = max(map(len, columns)) + 2
            for at, row in enumerate(cells):
                lines = [f"{name:{margin}}{cell}" for name, cell in zip(columns, row, strict=True) if cell]
                echo(("\n" if at else "") + "\n".join(lines))


def _print_columns(columns: tuple[str, ...], rows: Sequence[tuple[str, ...]], widths: dict[str, int]) -> None:
    from rich.table import Table
    from rich.text import Text

    from mcp_web.text.shorten import shortened_inside

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in columns:
        table.add_column(name, no_wrap=True, overflow="ellipsis", max_width=widths[name])
    for row in rows:
        cells = zip(row, columns, strict=True)
        table.add_row(*(Text(shortened_inside(cell, widths[name]) if "://" in cell else cell) for cell, name in cells))
    console().print(table)
