"""The command that installs an extra's packages for the Python that runs this program."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from importlib.metadata import requires


def install_command(extra: str) -> tuple[str, ...]:
    """The command that installs the packages of an extra, as arguments; uv makes environments without pip.

    It names the packages themselves, so that it works wherever mcp-web came from.
    """
    marker = f"extra == '{extra}'"
    packages = [line.partition(";")[0].strip() for line in requires("mcp-web") or () if marker in line]
    if importlib.util.find_spec("pip") is None and shutil.which("uv"):
        return ("uv", "pip", "install", "--python", sys.executable, *packages)
    return (sys.executable, "-m", "pip", "install", *packages)
