"""Calls `mcp-web … --json` and gives back its object: all that a recipe needs."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from typing import Any

# MCP_WEB names another way to start it, such as `uvx mcp-web`.
COMMAND = shlex.split(os.environ.get("MCP_WEB", "mcp-web"))


def web(*args: str, also: tuple[int, ...] = ()) -> Any:
    """The answer; a failure ends the recipe with the sentence that mcp-web said."""
    done = subprocess.run([*COMMAND, *args, "--json"], capture_output=True, text=True, check=False)
    if done.returncode not in (0, *also):
        sys.exit(done.stderr.strip() or f"mcp-web ended with {done.returncode}")
    return json.loads(done.stdout)
