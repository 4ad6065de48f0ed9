"""The wheel in an empty environment: it installs without a compiler, starts, lists its tools and finds itself well."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from contracts_seeds.contract_caller import OFFLINE
from surface.rpc import clean_environment

ROOT = Path(__file__).parents[2]
MOST_MB = 250  # of the whole installation; see docs/guides/install.md
LIMIT = 600.0  # generous: a bound against hanging, not a measurement


def interpreter(version: str) -> str | None:
    """A Python of this version that really starts: this one, one on the PATH, or one that pyenv keeps aside."""
    if sys.version.startswith(f"{version}."):
        return sys.executable
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    aside = sorted(pyenv.glob(f"versions/{version}.*/bin/python"))
    for found in (shutil.which(f"python{version}"), *map(str, aside)):
        if found is not None:
            done = subprocess.run([found, "--version"], capture_output=True, text=True, timeout=30, check=False)
            if done.returncode == 0 and f" {version}." in done.stdout:
                return found
    return None


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    _uv("build", "--wheel", "--out-dir", str(folder), str(ROOT))
    return next(folder.glob("mcp_web-*.whl"))


@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13"])
def test_the_wheel_works_in_an_empty_environment(wheel: Path, tmp_path: Path, version: str) -> None:
    python = interpreter(version)
    if python is None:
        pytest.skip(f"no Python {version} on this machine")
    _run(python, "-m", "venv", "--without-pip", str(tmp_path / "venv"))
    bin_folder = tmp_path / "venv" / "bin"
    # Only binary packages: a compiler is never needed.
    _uv("pip", "install", "--python", str(bin_folder / "python"), "--only-binary", ":all:", str(wheel))
    env = clean_environment(tmp_path / "data", **OFFLINE, PATH=f"{bin_folder}:{os.environ['PATH']}")
    env.pop("PYTHONPATH", None)
    program = str(bin_folder / "mcp-web")
    assert _tools(program, env)[:2] == ["web_search", "web_read"]
    doctor = json.loads(_run(program, "doctor", "--json", env=env))
    assert doctor["ok"] is True, doctor
    page = "<title>T</title><main><article><h1>T</h1><p>" + "Words that make a page. " * 20 + "</p></article></main>"
    assert "Words that make" in _run(program, "extract", "-", env=env, stdin=page)
    script = "import importlib.metadata as m; print(*(one.name.lower() for one in m.distributions()))"
    installed = _run(str(bin_folder / "python"), "-c", script, env=env).split()
    assert not {"pytest", "mypy", "ruff", "playwright"} & set(installed)
    size = sum(file.stat().st_size for file in (tmp_path / "venv" / "lib").rglob("*") if file.is_file()) >> 20
    assert size <= MOST_MB, f"{size} MB in {len(installed)} packages"


def _uv(*arguments: str) -> str:
    """uv instead of pip: an installation takes 1 s of processor time instead of 18."""
    return _run(sys.executable, "-m", "uv", "--quiet", *arguments)


def _tools(program: str, env: dict[str, str]) -> list[str]:
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    ]
    process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env, text=True)
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write("".join(json.dumps(line) + "\n" for line in lines))
        process.stdin.flush()
        answers = [json.loads(process.stdout.readline()) for _ in range(2)]
    finally:
        process.stdin.close()
        process.wait(30)
    return [tool["name"] for tool in answers[1]["result"]["tools"]]


def _run(*command: str, env: dict[str, str] | None = None, stdin: str = "") -> str:
    done = subprocess.run(
        command, input=stdin, capture_output=True, text=True, timeout=LIMIT, env=env, check=False, cwd="/"
    )
    assert done.returncode == 0, f"{command}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
    return done.stdout
