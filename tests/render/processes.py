"""Which processes of a browser there are, read from /proc."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

import anyio


def below(pid: int) -> dict[int, str]:
    """Every living descendant of a process with its command line."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                if fields[0] != "Z":
                    parents[int(entry.name)] = int(fields[1])
    found: dict[int, str] = {}
    for child in parents:
        ancestor = child
        while ancestor in parents and ancestor != pid:
            ancestor = parents[ancestor]
        if ancestor == pid and child != pid:
            found[child] = _command(child)
    return found


def browser_processes(pid: int | None = None) -> dict[int, str]:
    """Chromium, its reaper and its driver below a process (this one if none is named)."""
    marks = ("chromium", "chrome", "reaper.py", "playwright")
    return {p: line for p, line in below(pid or os.getpid()).items() if any(mark in line for mark in marks)}


def newcomers(known: set[int]) -> set[int]:
    """Browser processes that are neither known nor below a known one, which may start others when it likes."""
    expected = set(known)
    for pid in known:
        expected |= set(below(pid))
    return set(browser_processes()) - expected


def newest_browser() -> set[int]:
    """The reaper that started last (the one that runs Chromium, not its parent), and all below it."""
    reaper = youngest(pid for pid, line in browser_processes().items() if "reaper.py" in line)
    return {reaper, *below(reaper)}


def youngest(pids: Iterable[int]) -> int:
    """The process that started last. Its number need not be the highest: numbers begin again at pid_max."""
    return max(pids, key=lambda pid: (_started(pid), pid))


def _started(pid: int) -> int:
    """When a process started, in clock ticks since boot; 0 when it is gone."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19])
    except OSError:
        return 0


def main_process(pid: int | None = None) -> int:
    """The pid of the browser itself."""
    return next(
        p for p, line in browser_processes(pid).items() if "--remote-debugging-pipe" in line and "reaper.py" not in line
    )


def holding(folder: str) -> list[str]:
    """Command lines of all processes on the machine that name this folder."""
    pids = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    return [line for line in map(_command, pids) if folder in line]


def profiles(pid: int | None = None) -> set[str]:
    """The profile folders of all browsers below a process."""
    lines = browser_processes(pid).values()
    return {part for line in lines for part in line.split() if part.startswith("--user-data-dir=")}


def owner(pid: int) -> int:
    """The user a process runs as; -1 when it is gone."""
    try:
        return Path(f"/proc/{pid}").stat().st_uid
    except OSError:
        return -1


def namespaces_allowed() -> bool:
    allowed = Path("/proc/sys/user/max_user_namespaces")
    return allowed.exists() and allowed.read_text().strip() != "0"


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


async def eventually(true: Callable[[], bool]) -> None:
    """Return as soon as it is true; the time is a bound against hanging, not a measurement."""
    with anyio.fail_after(60):
        while not true():  # noqa: ASYNC110 - other processes set no event
            await anyio.sleep(0.02)
