"""Writes the manual page of `mcp-web` from the command line itself: python packaging/manpage.py > mcp-web.1"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import click

from mcp_web import __version__
from mcp_web.cli.main import cli


def page() -> str:
    lines = [
        f'.TH MCP-WEB 1 "" "mcp-web {__version__}" "User Commands"',
        ".SH NAME",
        r"mcp-web \- the web for agents and people: search, open, read, remember, cite",
        ".SH SYNOPSIS",
        ".B mcp-web",
        "[COMMAND] [OPTIONS] [ARGUMENTS]",
        ".SH DESCRIPTION",
        "Without a command and with standard input on a pipe, mcp-web is an MCP server. At a terminal its",
        "commands give people and scripts the same answers; every command that answers takes --json.",
        ".SH COMMANDS",
    ]
    root = click.Context(cli, info_name="mcp-web")
    for name in cli.list_commands(root):
        command = cli.get_command(root, name)
        assert command is not None
        lines += _command(f"mcp-web {name}", command, root)
    lines += [
        ".SH EXIT STATUS",
        "0 done, 1 the work failed, 2 wrong usage or configuration, 3 nothing found, 130 interrupted.",
        ".SH ENVIRONMENT",
        "Every setting has a variable;",
        ".B mcp-web config",
        "lists them with their values and where each came from.",
    ]
    return "\n".join(lines) + "\n"


def _command(name: str, command: click.Command, parent: click.Context) -> Iterator[str]:
    context = click.Context(command, info_name=name.rpartition(" ")[2], parent=parent)
    arguments = " ".join(param.make_metavar(context) for param in command.params if isinstance(param, click.Argument))
    yield f".SS {_escaped(f'{name} {arguments}'.strip())}"
    yield _escaped(" ".join((command.help or command.short_help or "").split()))
    for param in command.params:
        record = param.get_help_record(context)
        if record:
            yield from (".TP", f".B {_escaped(record[0])}", _escaped(record[1]) or "\\&")
    if isinstance(command, click.Group):
        for sub in command.list_commands(context):
            found = command.get_command(context, sub)
            if found is not None:
                yield from _command(f"{name} {sub}", found, context)


def _escaped(text: str) -> str:
    """The text so that roff prints it: a backslash, a hyphen, a line that begins like a request."""
    safe = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + safe if safe.startswith((".", "'")) else safe


if __name__ == "__main__":
    sys.stdout.write(page())
