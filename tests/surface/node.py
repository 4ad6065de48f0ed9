"""Node programs of the MCP project, installed from the package registry into .cache when first needed."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from installing import CACHE, one_at_a_time

FOLDER = CACHE / "node"
PACKAGES = ("@modelcontextprotocol/conformance@0.2.0-alpha.12", "@modelcontextprotocol/inspector@2.12.0")


def run_node(program: str, *args: str, timeout: float = 300.0) -> subprocess.CompletedProcess[str]:
    """Run one of the programs with the Node of Playwright: they need a newer one than most systems have."""
    playwright = pytest.importorskip("playwright")
    with one_at_a_time("node"):
        _installed()
    env = os.environ | {"PATH": f"{Path(playwright.__file__).parent / 'driver'}:{os.environ['PATH']}"}
    return subprocess.run(
        [str(FOLDER / "node_modules" / ".bin" / program), *args],
        capture_output=True,
        text=True,
        timeout=timeout,
        env=env,
        cwd=FOLDER,
        check=False,
        stdin=subprocess.DEVNULL,
    )


def _installed() -> None:
    if (FOLDER / "node_modules" / ".bin" / "mcp-inspector").exists():
        return
    if shutil.which("npm") is None:
        pytest.fail("npm is missing: `make test` installs it as root; otherwise install the package npm")
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / "package.json").write_text('{"private": true}')
    done = subprocess.run(
        ["npm", "install", "--no-audit", "--no-fund", "--loglevel=error", *PACKAGES],
        cwd=FOLDER, capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
