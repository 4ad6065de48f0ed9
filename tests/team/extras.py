"""Stands for `pip install` in the walk: everything is installed already, so it checks that the named extras exist."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path


def main() -> None:
    assert sys.argv[1] == "install", sys.argv
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    for wanted in sys.argv[2:]:
        found = re.fullmatch(r"mcp-web(?:\[([\w,]+)\])?", wanted)
        assert found is not None, wanted
        for extra in (found[1] or "").split(","):
            assert not extra or extra in project["optional-dependencies"], extra


if __name__ == "__main__":
    main()
