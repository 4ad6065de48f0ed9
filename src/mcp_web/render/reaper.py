"""The process between the browser driver and Chromium, so that no browser process is ever left behind.

    python -I -S reaper.py FOLDER DATA_LIMIT CHROMIUM FLAG…

FOLDER holds the browser's profile and a FIFO, the lifeline, whose writing end the server keeps open: when the
server goes, by whatever signal, the FIFO reads as ended, everything below this process is killed and the
folder removed. Run as a script with nothing but the standard library, because it starts with each browser
and stays beside it.

Chromium runs here with an empty environment, a ceiling on the memory of each of its processes and, when the
server itself is root, as `nobody` inside its own sandbox. `--no-sandbox` is added only where the kernel
refuses that user its namespaces.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import select
import shutil
import signal
import sys
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_CLONE_NEWUSER_NET_PID = 0x10000000 | 0x40000000 | 0x20000000
_NOBODY = 65534


def main(folder: Path, data_limit: int, chromium: str, flags: list[str]) -> int:
    """Run Chromium until it exits, the server exits or a signal comes; then kill all its processes and delete `folder`.

    `data_limit` is the limit on the data of each of its processes, in bytes; 0: none. Returns the exit status: that of
    Chromium (0 if a signal ended it), or 1 if it was killed.

    All of this is done by a child in a session of its own. The driver kills this process's whole group as soon as
    the browser is gone; the child is not in it, so it always gets to delete the folder.
    """
    started_by_driver = os.getpid()
    child = os.fork()
    if child:
        _close_inherited_pipes()
        return max(0, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    os.setsid()
    return _run(folder, data_limit, chromium, flags, started_by_driver)


def _run(folder: Path, data_limit: int, chromium: str, flags: list[str], parent: int) -> int:
    """The work of `main` in its child; the death of `parent` counts as a signal."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    server_gone = os.open(folder / "lifeline", os.O_RDONLY | os.O_NONBLOCK)
    wake, waker = os.pipe()
    os.set_blocking(waker, False)
    signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
    for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: None)
    _prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGTERM)
    child = _start(chromium, flags, folder / "profile", data_limit)
    _close_inherited_pipes()
    status = _watch(child, server_gone, wake)
    _kill_all()
    shutil.rmtree(folder, ignore_errors=True)
    return status


def _start(chromium: str, flags: list[str], profile: Path, data_limit: int) -> int:
    """Start Chromium in a child process and return its id. As root it runs as `nobody`, who gets the profile."""
    drop = os.geteuid() == 0
    if drop:
        os.chown(profile.parent, -1, _NOBODY)
        profile.parent.chmod(0o710)
        for path in (profile, *profile.rglob("*")):
            os.chown(path, _NOBODY, _NOBODY)
        if not _sandbox_works():
            flags = ["--no-sandbox", *flags]
    parent = os.getpid()
    child = os.fork()
    if child:
        return child
    try:
        _exec_chromium(chromium, flags, profile, data_limit, drop, parent)
    finally:
        os._exit(127)


def _exec_chromium(chromium: str, flags: list[str], home: Path, data_limit: int, drop: bool, parent: int) -> None:
    """In the child: set limits, become `nobody` if `drop`, then Chromium; returns only if `parent` no longer exists."""
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if data_limit:
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_DATA, (data_limit, data_limit))
    if drop:
        _become_nobody()
    # Set after the change of user, which clears it.
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        return
    # No PATH: nothing the page asks for (mailto:, custom schemes) finds a program to start.
    environment = {
        "HOME": str(home),
        "TMPDIR": str(home),
        "XDG_CONFIG_HOME": str(home),
        "XDG_CACHE_HOME": str(home),
        "LANG": "C.UTF-8",
        "PATH": "/nonexistent",
        "DBUS_SESSION_BUS_ADDRESS": "disabled:",
        "DBUS_SYSTEM_BUS_ADDRESS": "disabled:",
    }
    os.chdir("/")
    os.execve(chromium, [chromium, *flags], environment)  # noqa: S606 - no shell is the point


def _sandbox_works() -> bool:
    """Whether the user `nobody` may create the namespaces of Chromium's sandbox here; False unless called as root."""
    probe = os.fork()
    if probe:
        return os.waitstatus_to_exitcode(os.waitpid(probe, 0)[1]) == 0
    refused = 1
    try:
        _become_nobody()
        refused = ctypes.CDLL(None).unshare(_CLONE_NEWUSER_NET_PID)
    finally:
        os._exit(1 if refused else 0)


def _become_nobody() -> None:
    os.setgroups([])
    os.setgid(_NOBODY)
    os.setuid(_NOBODY)


def _watch(child: int, server_gone: int, wake: int) -> int:
    """Wait until the process `child` exits, the pipe `server_gone` is closed or a signal comes through the pipe `wake`;
    returns the exit status as in `main`."""
    poll = select.poll()
    poll.register(server_gone, 0)  # POLLHUP is always reported, and nothing is ever written
    poll.register(wake, select.POLLIN)
    while True:
        for fd, _ in poll.poll():
            if fd == server_gone:
                return 1
            if any(number != signal.SIGCHLD for number in os.read(wake, 64)):
                return 1
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return 0
            if pid == 0:
                break
            if pid == child:
                return max(0, os.waitstatus_to_exitcode(status))


def _kill_all() -> None:
    """Kill all descendants and wait for their end; orphans become children of this process, so none is missed."""
    while True:
        for pid in _descendants():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def _descendants() -> list[int]:
    """The ids of all processes below this one."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        with contextlib.suppress(OSError, ValueError, IndexError):
            # The name in parentheses may hold anything, so the fields are counted from its end.
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(entry.name))
    found: list[int] = []
    waiting = [os.getpid()]
    while waiting:
        below = children.get(waiting.pop(), [])
        found += below
        waiting += below
    return found


def _close_inherited_pipes() -> None:
    """Close fds 3 and 4, the driver's pipes: only Chromium may keep them open, or their end would not be detected."""
    for fd in (3, 4):
        with contextlib.suppress(OSError):
            os.close(fd)


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4:]))
