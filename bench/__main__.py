"""`python -m bench [NAME …]`: run benchmarks one after another; without names all that need no long download."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

FOLDER = Path(__file__).parent


def names() -> list[str]:
    files = {path.stem for path in FOLDER.glob("*.py")} - {"__init__", "__main__", "peers", "wire"}
    folders = {path.parent.name for path in FOLDER.glob("*/__main__.py")} - {"scorecard"}  # has its own target
    return sorted(files | folders)


def main() -> None:
    wanted = sys.argv[1:] or names()
    unknown = [name for name in wanted if name not in names()]
    if unknown:
        sys.exit(f"there is no benchmark {unknown[0]!r}; there are: {', '.join(names())}")
    for name in wanted:
        print(f"\n# {name}\n", flush=True)
        place = f"bench.{name}.__main__" if (FOLDER / name).is_dir() else f"bench.{name}"
        module = importlib.import_module(place)
        module.main()


if __name__ == "__main__":
    main()
