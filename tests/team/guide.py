"""The lines that a guide prints, to be run as they stand."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
from pathlib import Path

GUIDES = Path(__file__).parents[2] / "docs" / "guides"
WAIT = 120


def block(guide: str, heading: str, number: int = 0) -> str:
    """The shell block below a heading."""
    text = (GUIDES / guide).read_text(encoding="utf-8")
    section = re.split(rf"^##+ {re.escape(heading)}$", text, flags=re.M)[1]
    section = re.split(r"^##+ ", section, flags=re.M)[0]
    found: list[str] = re.findall(r"^```sh\n(.*?)^```", section, flags=re.M | re.S)
    return found[number]


def lines(block: str) -> list[str]:
    return [line.partition("  #")[0].strip() for line in block.splitlines() if line.strip()]


class Machine:
    """A folder with the commands that a guide uses, and an environment that knows no others of ours."""

    def __init__(self, folder: Path, programs: Path, env: dict[str, str]) -> None:
        self.folder = folder
        commands = folder / "bin"
        commands.mkdir()
        _script(commands / "mcp-web", f'exec "{sys.executable}" -m mcp_web "$@"')
        _script(commands / "pip", f'exec "{sys.executable}" "{Path(__file__).with_name("extras.py")}" "$@"')
        for name in ("createuser", "createdb", "psql"):
            # The programs of PostgreSQL refuse nothing to root; only its server does.
            _script(commands / name, f'exec "{programs / name}" "$@"')
        self.env = {
            "PATH": f"{commands}:{os.environ['PATH']}",
            "HOME": str(folder),
            "DATA_DIR": str(folder / "data"),
            "XDG_CONFIG_HOME": str(folder / "config"),
            "LANG": "C.UTF-8",
            "MCP_WEB_DDGS_ENABLED": "false",
            **env,
        }

    def run(self, script: str, given: str = "") -> str:
        """Run a block to its end; what it exports stays. Returns what it wrote to stdout."""
        whole = f"set -eu\n{script}\nenv -0 > '{self.folder}/env'"
        done = subprocess.run(
            ["bash", "-c", whole],
            input=given,
            env=self.env,
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=WAIT,
            check=False,
            start_new_session=True,  # no terminal: prompts read stdin
        )
        assert done.returncode == 0, f"{script}\n{done.stdout}\n{done.stderr}"
        kept = (self.folder / "env").read_text().rstrip("\0").split("\0")
        self.env |= dict(pair.split("=", 1) for pair in kept if pair.startswith("MCP_WEB_"))
        return done.stdout


def _script(path: Path, line: str) -> None:
    path.write_text(f"#!/bin/sh\n{line}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
