"""`python -m bench.team.replica CLOCK ARGUMENTS`: mcp-web with a wall clock that the bench can set (CLOCK: a file)."""

from __future__ import annotations

import mmap
import struct
import sys
import time


def main() -> None:
    from mcp_web.__main__ import main as mcp_web

    mcp_web()


def use_clock(path: str) -> None:
    """Add the offset in the file to every time of day that is asked for."""
    with open(path, "rb") as file:
        offset = mmap.mmap(file.fileno(), 8, access=mmap.ACCESS_READ)
    real = time.time
    time.time = lambda: real() + struct.unpack("d", offset[:8])[0]


if __name__ == "__main__":
    use_clock(sys.argv.pop(1))
    main()
