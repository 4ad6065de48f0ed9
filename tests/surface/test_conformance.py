"""The official conformance suite passes every scenario that applies to us; the exceptions are named in conformance/."""

from __future__ import annotations

import http.client
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ports import free_port

from .node import run_node
from .rpc import WAIT

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    number = free_port()
    folder = tmp_path_factory.mktemp("conformance")
    command = [sys.executable, "-m", "surface.conformance_app", str(number), str(folder)]
    server = subprocess.Popen(command, cwd=HERE.parent)
    begun = time.monotonic()
    while time.monotonic() - begun < WAIT and server.poll() is None:
        try:
            connection = http.client.HTTPConnection("127.0.0.1", number, timeout=5)
            connection.request("GET", "/healthz")
            if connection.getresponse().status == 200:
                break
        except OSError:
            time.sleep(0.1)
    yield number
    server.terminate()
    server.wait(WAIT)


@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
def test_every_scenario_that_applies_passes(port: int, revision: str) -> None:
    done = run_node(
        "conformance", "server", "--url", f"http://localhost:{port}/mcp", "--requirements", revision,
        "--expected-failures", str(HERE / "conformance" / f"{revision}.yml"),
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    passed = [line for line in done.stdout.splitlines() if line.startswith("✓")]
    assert len(passed) >= 14
