"""The peers at fixed versions, each in a folder of its own under .cache/peers.

A peer that cannot be installed is named with the reason.
"""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from bench.peers import CACHE

PYTHON_PEERS = {
    "mcp-server-fetch": "2026.10.24",
    "markitdown-mcp": "0.0.1a7",
    "free-search-mcp": "0.16.0",
    "web-researcher-mcp": "1.50.4",
    "trafilatura": "2.3.1",
    "crawl4ai": "0.9.5",
}
BESIDES = {"trafilatura": ["lxml-html-clean"]}  # imported, but not among its dependencies
# What a peer would install at its first use, when there is no network any more: mcp-server-fetch its Readability.js.
AFTERWARDS = {"mcp-server-fetch": "from readabilipy.simple_json import have_node; have_node()"}
NODE_PEERS = {"mcp-searxng": "2.4.0"}
NODE = "22.23.3"  # mcp-searxng needs 22 or newer
INSTALL_SECONDS = 420
VERSIONS = PYTHON_PEERS | NODE_PEERS


@dataclass(frozen=True, slots=True)
class Installed:
    name: str
    version: str
    folder: Path
    problem: str = ""


def install_all(*, online: bool) -> dict[str, Installed]:
    """Every peer, two at a time."""
    names = tuple(VERSIONS)
    with ThreadPoolExecutor(2) as pool:
        return dict(zip(names, pool.map(lambda name: install(name, online=online), names), strict=True))


def install(name: str, *, online: bool = True) -> Installed:
    """Install a peer unless its version is there already; without a network, repeat why it is not."""
    version = VERSIONS[name]
    folder = CACHE / name
    marker = folder / f"installed-{version}"
    if marker.exists():
        return Installed(name, version, folder)
    problem = CACHE / f"{name}.problem"
    if not online:
        return Installed(name, version, folder, problem.read_text() if problem.exists() else "not installed")
    try:
        _install_python(name, version, folder) if name in PYTHON_PEERS else _install_node(name, version, folder)
    except (OSError, subprocess.SubprocessError) as error:
        problem.write_text(f"not installed: {_reason(error)}")
        return install(name, online=False)
    marker.touch()
    return Installed(name, version, folder)


def _install_python(name: str, version: str, folder: Path) -> None:
    python = str(folder / "bin" / "python")
    _run([sys.executable, "-m", "venv", "--clear", "--without-pip", str(folder)])
    wanted = [f"{name}=={version}", *BESIDES.get(name, [])]
    _run([sys.executable, "-m", "pip", "--python", python, "install", "-qq", "--no-compile", *wanted])
    if name in AFTERWARDS:
        _run([python, "-c", AFTERWARDS[name]])


def _install_node(name: str, version: str, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    _run(["npm", "install", "--silent", "--no-audit", "--no-fund", f"node@{NODE}", f"{name}@{version}"], folder)


def _run(command: list[str], folder: Path | None = None) -> None:
    subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True, timeout=INSTALL_SECONDS)


def _reason(error: Exception) -> str:
    said = (getattr(error, "stderr", None) or str(error)).strip().splitlines()
    return said[-1][:160] if said else type(error).__name__
