"""The official inspector lists and calls our tools, over stdio and over HTTP."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from .node import run_node
from .test_http import Served

PAGE = "<main><h1>Inspected</h1><p>The official client read this page.</p></main>"
STDIO = ("--cli", sys.executable, "-m", "mcp_web")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    made = Served(tmp_path_factory.mktemp("inspected"))
    yield made
    made.stop()


def test_tools_are_listed_over_stdio_and_pass_the_portability_rules(tmp_path: Path) -> None:
    done = run_node("mcp-inspector", *STDIO, "--method", "tools/list", "--strict", "--format", "json")
    assert done.returncode == 0, done.stderr
    assert "web_open" in done.stdout


def test_a_tool_is_called_over_stdio(tmp_path: Path) -> None:
    arguments = json.dumps({"html": PAGE})
    done = run_node(
        "mcp-inspector", *STDIO, "--method", "tools/call", "--tool-name", "web_extract", "--tool-args-json", arguments,
        "--format", "json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "# Inspected" in done.stdout


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_tools_are_listed_and_called_over_http(served: Served, era: str) -> None:
    target = ("--cli", "--server-url", f"http://127.0.0.1:{served.port}/mcp", "--protocol-era", era)
    done = run_node("mcp-inspector", *target, "--method", "tools/list", "--format", "json")
    assert done.returncode == 0, done.stderr
    assert "web_open" in done.stdout
    done = run_node(
        "mcp-inspector", *target, "--method", "tools/call", "--tool-name", "web_extract", "--tool-args-json",
        json.dumps({"html": PAGE}), "--format", "json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "# Inspected" in done.stdout
