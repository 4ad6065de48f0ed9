"""Runs commands in this process: the same entry, streams and exit codes without a second of imports for each."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from mcp_web.cli import main as command_line


def run_command(arguments: Sequence[str], env: Mapping[str, str], stdin: str = "") -> subprocess.CompletedProcess[str]:
    """What `mcp-web` prints and how it ends, with this environment."""
    out, err = io.BytesIO(), io.BytesIO()
    code = 0
    with _environment(env), _streams(arguments, stdin, out, err):
        try:
            command_line.run()
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
            stream.detach()  # type: ignore[attr-defined]  # otherwise its bytes would be closed with it
    return subprocess.CompletedProcess(list(arguments), code, out.getvalue().decode(), err.getvalue().decode())


@contextmanager
def _streams(arguments: Sequence[str], stdin: str, out: io.BytesIO, err: io.BytesIO) -> Iterator[None]:
    before = sys.argv, sys.stdin, sys.stdout, sys.stderr
    sys.argv = ["mcp-web", *arguments]
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin.encode()), "utf-8")
    sys.stdout, sys.stderr = io.TextIOWrapper(out, "utf-8"), io.TextIOWrapper(err, "utf-8")
    try:
        yield
    finally:
        sys.argv, sys.stdin, sys.stdout, sys.stderr = before


@contextmanager
def _environment(env: Mapping[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.clear()
    os.environ.update(env)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
