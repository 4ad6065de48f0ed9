"""The command line. stdout carries only the answer; with --json a failure is {"error": {…}} there."""

from __future__ import annotations

import codecs
import importlib
import io
import os
import shutil
import sys
from collections.abc import Iterable
from typing import NoReturn, TextIO

import click

from mcp_web import __version__, trace
from mcp_web.cli.exit_codes import FAILED, INTERRUPTED, NOTHING_FOUND, WRONG_USAGE
from mcp_web.errors import AgentError, ConfigError, InvalidInput, NotFound, WebError, ungrouped

# command → the module in this folder that has it: imported only when the command is used.
COMMANDS = {
    "serve": "Start the MCP server on stdio, over HTTP with --http, or for a team with --team.",
    "search": "Search the web.",
    "open": "Open web pages as clean Markdown.",
    "read": "Show the passages of a page that answer a question.",
    "verify": "Check whether quotes appear in a page.",
    "cite": "Cite pages, as text, BibTeX or CSL-JSON.",
    "extract": "Turn files into Markdown: HTML, PDF, office documents; no network.",
    "archive": "Search and fill the archive; sync, crawl, export, import.",
    "watch": "Watch pages and report what changed.",
    "cache": "Show kept pages, compare versions, delete pages.",
    "store": "Copy everything kept to another store, or check it.",
    "doctor": "Check every part and say how to fix what is broken.",
    "config": "Show every setting, its value and where it came from.",
    "history": "Show past searches, where they are kept.",
    "stats": "Show what this installation has done.",
    "token": "Add, list and revoke the tokens of a team's server.",
    "tenant": "List tenants; erase everything that is kept of one.",
    "audit": "Verify the audit log of a team's server.",
    "client": "Print or install the configuration for an MCP client.",
    "siteconfig": "List site configs, and try one on a page.",
    "completion": "Print the shell completion script.",
}


class Commands(click.Group):
    """The subcommands in COMMANDS; the module of each is imported when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        trace.interactive = cmd_name != "serve"
        command = importlib.import_module(f"mcp_web.cli.{cmd_name}").command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


class HelpFormatter(click.HelpFormatter):
    """Wraps help at spaces only; where the terminal is narrow, a description is below its option or command."""

    def write(self, string: str) -> None:
        super().write(string.replace(_HYPHEN, "-"))

    def write_text(self, text: str) -> None:
        super().write_text(text.replace("-", _HYPHEN))

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        if self.width >= _TWO_COLUMNS:
            whole = [(first, second.replace("-", _HYPHEN)) for first, second in rows]
            super().write_dl(whole, col_max, col_spacing)
            return
        for first, second in rows:
            self.write_text(first)
            if second:
                with self.indentation(), self.indentation():
                    self.write_text(second)


_HYPHEN = "\N{NON-BREAKING HYPHEN}"  # in place of "-" while click wraps, which breaks lines at hyphens
_TWO_COLUMNS = 70  # characters: with fewer, the column of the descriptions is narrower than its longest words
click.Context.formatter_class = HelpFormatter  # of every command

# click itself wraps help at fifty columns or more.
_HELP_WIDTH = max(20, min(shutil.get_terminal_size().columns, 100) - 2)


@click.group(
    cls=Commands,
    commands={name: click.Command(name) for name in COMMANDS},  # only names: click suggests one that is near
    context_settings={"help_option_names": ["-h", "--help"], "terminal_width": _HELP_WIDTH},
)
@click.version_option(__version__, prog_name="mcp-web")
@click.pass_context
def cli(context: click.Context) -> None:
    """The web for agents and people: search, open, read, remember, cite.

    Without a command and with stdin on a pipe, mcp-web is an MCP server on stdio.
    """
    from mcp_web.settings import wants_colour

    context.color = None if wants_colour() else False  # commands inherit it; None: at a terminal


def run() -> None:
    """Run the command line; every failure ends in one sentence on stderr and an exit code."""
    _replace_closed_streams()
    sys.stdout, sys.stderr = _redacted(sys.stdout), _redacted(sys.stderr)
    given = sys.stdout
    try:
        cli.main(prog_name="mcp-web", standalone_mode=False)
        sys.stdout.flush()
    except SystemExit:
        # When the reader of stdout has closed it, click replaces the stream with a wrapper and exits with 1.
        if sys.stdout is not given:
            _exit_quietly()
        raise
    except click.exceptions.Exit as ended:
        raise SystemExit(ended.exit_code) from None
    except (click.Abort, KeyboardInterrupt):
        raise SystemExit(INTERRUPTED) from None
    except BaseException as error:  # noqa: BLE001 — the edge: every failure ends in a sentence and an exit code
        _exit_with(error)


def _exit_with(failure: BaseException) -> NoReturn:
    """Print the failure as a sentence on stderr and, with --json, as an object on stdout; exit with its code."""
    from mcp_web.cli.output import echo, wrapped

    try:
        with ungrouped():
            raise failure
    except click.ClickException as error:
        said = io.StringIO()
        error.show(said)  # usage, hint and sentence
        for line in said.getvalue().splitlines():
            echo(wrapped(line), err=True)
        _print_object(InvalidInput(error.format_message()))
        raise SystemExit(error.exit_code) from None
    except WebError as error:
        if error.code == "INTERNAL_ERROR" and error.__cause__ is not None:
            _defect(error.__cause__)
        _print_error(error)
        is_wrong_usage = isinstance(error, AgentError | ConfigError)
        code = NOTHING_FOUND if isinstance(error, NotFound) else WRONG_USAGE if is_wrong_usage else FAILED
        raise SystemExit(code) from None
    except BrokenPipeError:
        _exit_quietly()
    except OSError as error:
        sentence = f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}."
        echo(f"mcp-web: {sentence}", err=True)
        _print_object(InvalidInput(sentence))
        raise SystemExit(FAILED) from None
    except Exception as error:  # noqa: BLE001 — the edge: a bug in this program is reported in a sentence
        _defect(error)


def _print_error(error: WebError) -> None:
    """Print the error as a sentence on stderr and, with --json, as an object on stdout."""
    from mcp_web.cli.output import echo, wrapped
    from mcp_web.cli.wording import error_sentence

    echo(wrapped(f"mcp-web: {error_sentence(error)}"), err=True)
    if listed := error.details.get("page_text"):
        echo(str(listed), err=True)
    _print_object(error)


def _print_object(error: WebError) -> None:
    """With --json, print the error as an object on stdout; else nothing."""
    from mcp_web.cli.output import print_json

    if "--json" in sys.argv[1:]:
        try:
            print_json({"error": error.as_dict()})
        except BrokenPipeError:
            _discard_stdout()


def _defect(error: BaseException) -> NoReturn:
    """Print an unexpected error as one line with its place in the code and, with --json, as an object; exit with 1."""
    from mcp_web.cli.output import echo

    where, what = trace.where(error), trace.redact(str(error))[:200]
    sentence = f"A defect of mcp-web: {type(error).__name__}: {what} ({where})."
    echo(f"mcp-web: {sentence} Please report it.", err=True)
    _print_object(WebError(sentence))
    raise SystemExit(FAILED) from None


class _RedactedStream(io.TextIOWrapper):
    """A text stream that masks configured secrets; everything that commands print is written to it."""

    def write(self, text: str) -> int:
        super().write(trace.redact(text))
        return len(text)


def _redacted(stream: TextIO) -> TextIO:
    """The stream as one that masks secrets, and writes escape sequences for what its encoding does not have."""
    if not isinstance(stream, io.TextIOWrapper):
        return stream  # replaced by a test or an embedding program
    stream.flush()
    # click replaces a stream that can only write ASCII by one of its own, which would mask nothing.
    encoding = "utf-8" if codecs.lookup(stream.encoding).name == "ascii" else stream.encoding
    by_line, at_once = stream.line_buffering, stream.write_through
    return _RedactedStream(stream.detach(), encoding, "backslashreplace", line_buffering=by_line, write_through=at_once)


def _replace_closed_streams() -> None:
    """Replace each standard stream that the caller closed (`>&-`) with the null device: input is empty, output lost."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "r" if name == "stdin" else "w"))  # noqa: SIM115 - as long as the process


def _exit_quietly() -> NoReturn:
    """Exit with 0 and no output after the reader closed the pipe (`| head`)."""
    _discard_stdout()
    raise SystemExit(0) from None


def _discard_stdout() -> None:
    """Let stdout lead nowhere, after its reader left: the flush at the end of the process must not fail either."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
