"""Runs a tool for a person: the same arguments, the same answer object, a progress bar while it takes long."""

from __future__ import annotations

import sys
import time
from typing import Any

import anyio

from mcp_web.errors import WebError, all_errors
from mcp_web.settings import Settings, load


def settings_for(flags: dict[str, Any] | None = None) -> Settings:
    return load(flags)


def answer_of(name: str, given: dict[str, Any], *, deadline: float = 600.0) -> tuple[dict[str, Any], str]:
    """The answer object and the agent's text of one tool call; raises what the tool would have answered."""
    from mcp_web.app import App
    from mcp_web.tools.arguments import bind
    from mcp_web.tools.call import Call
    from mcp_web.tools.sets import tool_named
    from mcp_web.tools.tool import Answer

    async def work() -> Answer:
        tool = tool_named(name)
        args, notes = bind(tool, {key: value for key, value in given.items() if value is not None})
        async with App(load(), isolate=False) as app:
            with _shown_progress() as heard:
                call = Call(app, deadline=time.monotonic() + deadline, notes=notes, heard=heard)
                return await tool.run(call, args)

    answer = anyio.run(work)
    return answer.data, answer.text


class _shown_progress:
    """A rich progress bar on stderr, in a terminal only."""

    def __enter__(self) -> Any:
        if not sys.stderr.isatty():
            return None
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn

        from mcp_web.cli.output import console

        columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
        self._bar = Progress(*columns, console=console(err=True), transient=True)
        self._bar.start()
        task = self._bar.add_task("working", total=None)

        def heard(progress: Any) -> None:
            self._bar.update(task, description=progress.message, completed=progress.done, total=progress.total)

        return heard

    def __exit__(self, *caught: object) -> None:
        if hasattr(self, "_bar"):
            self._bar.stop()


def error_named(code: str) -> type[WebError]:
    return next(kind for kind in all_errors() if kind.code == code)
