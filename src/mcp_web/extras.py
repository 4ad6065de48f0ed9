"""The command that installs an extra's packages for the Python that runs this program."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from importlib.metadata import requires


def install_command(extra: str) -> tuple[str, ...]:
    """The command, as its arguments, that installs what an extra of mcp-web (such as `render`) needs for this Python.

    It uses pip, or uv where pip is missing, and names the packages, so that it works however mcp-web was installed.
    """
    marker = f"extra == '{extra}'"
    packages = [line.partition(";")[0].strip() for line in requires("mcp-web") or () if marker in line]
    if importlib.util.find_spec("pip") is None and shutil.which("uv"):
        return ("uv", "pip", "install", "--python", sys.executable, *packages)
    return (sys.executable, "-m", "pip", "install", *packages)
