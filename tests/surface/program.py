"""`mcp-web` as a process of its own, forked from one that has its modules in memory.

A server needs more than a second of processor time for its imports, and the tests start hundreds. Tests about the
start itself (what is imported, signals meanwhile, memory) run `python -m mcp_web` instead.
"""

from __future__ import annotations

import atexit
import io
import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext
from typing import IO

MODULES = ["mcp_web.__main__", "mcp_web.cli.main", "mcp_web.server.stdio_session", "mcp_web.server.http"]


class Program:
    """The part of `subprocess.Popen` that tests use; its three streams are pipes."""

    def __init__(self, arguments: Sequence[str], env: Mapping[str, str]) -> None:
        (their_in, our_in), (our_out, their_out), (our_err, their_err) = os.pipe(), os.pipe(), os.pipe()
        self.stdin: IO[bytes] = os.fdopen(our_in, "wb")
        self.stdout: IO[bytes] = os.fdopen(our_out, "rb")
        self.stderr: IO[bytes] = os.fdopen(our_err, "rb")
        # A Connection, unlike a number, arrives in the other process as the same open file.
        theirs = Connection(their_in, writable=False), Connection(their_out), Connection(their_err)
        self._process = _starter().Process(
            target=_run, args=(list(arguments), dict(env), os.getcwd(), theirs), daemon=True
        )
        self._process.start()
        for end in theirs:
            end.close()
        assert self._process.pid is not None
        self.pid = self._process.pid

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float) -> int:
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise subprocess.TimeoutExpired("mcp-web", timeout)
        return self._process.exitcode

    def send_signal(self, number: signal.Signals) -> None:
        if self._process.exitcode is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def run_program(arguments: Sequence[str], env: Mapping[str, str], wait: float) -> subprocess.CompletedProcess[bytes]:
    """How it ends on an empty input, and the little that it prints."""
    program = Program(arguments, env)
    program.stdin.close()
    code = program.wait(wait)
    with program.stdout as out, program.stderr as err:
        return subprocess.CompletedProcess(list(arguments), code, out.read(), err.read())


@cache
def _starter() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(MODULES)
    return context


def _run(arguments: list[str], env: dict[str, str], folder: str, streams: tuple[Connection, ...]) -> None:
    """In the forked process: its arguments, environment and streams, then what `python -m mcp_web` does."""
    for number, stream in enumerate(streams):
        os.dup2(stream.fileno(), number)
        stream.close()
    sys.stdin = io.TextIOWrapper(open(0, "rb", closefd=False), "utf-8")  # noqa: SIM115
    sys.stdout = io.TextIOWrapper(open(1, "wb", closefd=False), "utf-8", write_through=True)  # noqa: SIM115
    sys.stderr = io.TextIOWrapper(open(2, "wb", closefd=False), "utf-8", "backslashreplace", write_through=True)  # noqa: SIM115
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(env)
    sys.argv = ["mcp-web", *arguments]
    from mcp_web.__main__ import main

    try:
        main()
    finally:
        atexit._run_exitfuncs()
