"""Runs a tool for a command: with the same arguments and answer object, and a progress bar."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import anyio

from mcp_web.cli.session import with_app
from mcp_web.text.untrusted import printable

if TYPE_CHECKING:
    from mcp_web.app import App

DEADLINE = 600.0  # seconds


def answer_of(name: str, given: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """Call the tool `name`: its answer as object and as text. Raises the WebError that a client would have received."""
    from mcp_web.tools.call import Call
    from mcp_web.tools.calling import run_tool
    from mcp_web.tools.sets import tool_named
    from mcp_web.tools.tool import Answer

    given = {name: value for name, value in given.items() if value != ()}  # without repeatable options not given

    async def work(app: App) -> Answer:
        with shown_progress() as progress:
            on_progress = (lambda step: progress(step.message, step.done, step.total)) if progress else None
            until = anyio.current_time() + DEADLINE
            call = Call(app, deadline=until, on_progress=on_progress, client="mcp-web (command line)")
            return await run_tool(tool_named(name), call, given)

    answer = with_app(work)
    return answer.data, answer.text


@contextmanager
def shown_progress() -> Iterator[Callable[[str, float, float | None], None] | None]:
    """Context manager: gives a function (message, done, total or None) that updates a progress bar on stderr, or None
    if stderr is not a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, Task, TextColumn
    from rich.text import Text

    from mcp_web.cli.output import console

    class Count(MofNCompleteColumn):
        def render(self, task: Task) -> Text:
            return super().render(task) if task.total or task.completed else Text()

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), BarColumn(), Count())
    with Progress(*columns, console=console(err=True), transient=True) as bar:
        task = bar.add_task("working", total=None)
        yield lambda message, done, total: bar.update(task, description=printable(message), completed=done, total=total)
