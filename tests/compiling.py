"""Compiles what the tests import before the workers start.

In a fresh clone each worker would do it for itself, all at the same time: 8 seconds of processor time for each.
"""

from __future__ import annotations

import compileall
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).parents[1]
_PROCESSES = 2


def compile_all(config: pytest.Config) -> None:
    """Compile our modules as Python does, and test modules as pytest does, with their asserts rewritten."""
    if sys.platform != "linux":
        return
    files = sorted(file for name in ("src", "bench", "tests") for file in (ROOT / name).rglob("*.py"))
    children = [_fork(config, files[share::_PROCESSES]) for share in range(_PROCESSES)]
    for child in children:
        os.waitpid(child, 0)


def _fork(config: pytest.Config, files: list[Path]) -> int:
    """The number of a process that compiles these files; what it fails to compile, the workers will."""
    child = os.fork()
    if child == 0:
        try:
            for file in files:
                _compile(config, file)
        finally:
            os._exit(0)
    return child


def _compile(config: pytest.Config, file: Path) -> None:
    if file.name.startswith("test_") or file.name == "conftest.py":
        _compile_test(config, file)
    else:
        compileall.compile_file(file, quiet=2)


def _compile_test(config: pytest.Config, file: Path) -> None:
    from _pytest.assertion import rewrite  # private: if its names change, the workers compile as before

    folder = rewrite.get_cache_dir(file)
    folder.mkdir(exist_ok=True)
    compiled = folder / (file.name[:-3] + rewrite.PYC_TAIL)
    if rewrite._read_pyc(file, compiled) is None:
        source_hash, code = rewrite._rewrite_test(file, config)
        rewrite._write_pyc(SimpleNamespace(trace=print), code, source_hash, compiled)
