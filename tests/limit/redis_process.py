"""A real Redis on loopback for the tests that need one."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from ports import free_port


@contextmanager
def running_redis() -> Iterator[int]:
    """The port of a Redis that lives as long as the block; skips where none is installed."""
    program = shutil.which("redis-server") or shutil.which("valkey-server")
    if program is None:
        pytest.skip("redis-server is not installed")
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", folder]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            assert process.stdout is not None
            for line in process.stdout:  # ends when it says that it is ready, or when it dies
                if "Ready to accept connections" in line:
                    break
            else:
                pytest.skip("redis-server did not start")
            yield port
        finally:
            process.terminate()
            process.wait(10)
            process.stdout.close()
