"""A process with all its descendants: their memory, and their end."""

from __future__ import annotations

import os
import re
import signal
from contextlib import suppress
from pathlib import Path


def tree(pid: int) -> list[int]:
    """The process and every descendant that is still there."""
    found, waiting = [], [pid]
    while waiting:
        number = waiting.pop()
        with suppress(OSError):
            for task in Path(f"/proc/{number}/task").iterdir():
                waiting += map(int, (task / "children").read_text().split())
            found.append(number)
    return found


def memory(pid: int) -> float:
    """MB of the whole tree; what several processes share is divided among them."""
    return sum(map(_share, tree(pid)))


def _share(pid: int) -> float:
    try:
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0.0
    found = re.search(r"^Pss:\s+(\d+)", rollup, re.MULTILINE)
    return int(found[1]) / 1024 if found else 0.0


def processor_seconds(pid: int) -> float:
    """Of the whole tree, with children that have ended."""
    return sum(map(_ticks, tree(pid))) / os.sysconf("SC_CLK_TCK")


def _ticks(pid: int) -> int:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return 0
    return sum(map(int, stat.rpartition(")")[2].split()[11:15]))  # user, system, and both of its children


def kill(pid: int) -> None:
    """End the whole tree, children last, so that none is started again."""
    for number in tree(pid):
        with suppress(OSError):
            os.kill(number, signal.SIGKILL)
