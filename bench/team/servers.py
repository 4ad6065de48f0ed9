"""The servers of the run: replicas, Redis, and a disk of its own for PostgreSQL that can be filled."""

from __future__ import annotations

import mmap
import os
import shutil
import signal
import struct
import subprocess
import sys
from pathlib import Path

_DISK_MEGABYTES = 1500
_INSIDE = "BENCH_TEAM_NAMESPACE"


class Replica:
    """One server process, whose clock can be set."""

    def __init__(self, port: int, folder: Path, env: dict[str, str]) -> None:
        self.port, self._folder, self._env = port, folder, env
        self._clock = folder / f"clock-{port}"
        self._clock.write_bytes(struct.pack("d", 0.0))
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        log = (self._folder / f"replica-{self.port}.log").open("ab")
        command = [sys.executable, "-m", "bench.team.replica", str(self._clock)]
        command += ["serve", "--team", "--http", f"127.0.0.1:{self.port}"]
        self.process = subprocess.Popen(command, env=self._env, stdout=log, stderr=log, stdin=subprocess.DEVNULL)

    def kill(self, number: int = signal.SIGKILL) -> None:
        assert self.process is not None
        self.process.send_signal(number)
        self.process.wait(90)

    def set_clock(self, offset: float) -> None:
        """Let the process see a time that is so many seconds off."""
        with self._clock.open("r+b") as file, mmap.mmap(file.fileno(), 8) as shared:
            shared[:] = struct.pack("d", offset)

    @property
    def megabytes(self) -> float:
        assert self.process is not None
        try:
            pages = Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]
        except OSError:
            return 0.0
        return int(pages) * os.sysconf("SC_PAGE_SIZE") / 1e6


class Redis:
    def __init__(self, port: int, folder: Path) -> None:
        self._command = [shutil.which("redis-server") or "redis-server", "--port", str(port), "--bind", "127.0.0.1"]
        self._command += ["--save", "", "--dir", str(folder)]
        self.start()

    def start(self) -> None:
        self._process = subprocess.Popen(self._command, stdout=subprocess.DEVNULL)

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait(30)


class Disk:
    """A small file system in memory, which `fill` leaves no space on."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={_DISK_MEGABYTES}m,mode=755", "tmpfs", str(folder)], check=True
        )

    def fill(self) -> None:
        with (self.folder / "filler").open("wb", buffering=0) as file:
            for size in (1 << 20, 4096):
                try:
                    while file.write(b"\0" * size) == size:
                        pass
                except OSError:
                    continue

    def free(self) -> None:
        (self.folder / "filler").unlink()


def enter_own_mounts() -> bool:  # noqa: RET503 — the last line does not return
    """Run this program again where it may mount file systems that nobody else sees; False where it may not."""
    if _INSIDE in os.environ:
        return True
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        return False
    command = ["unshare", "-m", sys.executable, "-m", "bench.team", *sys.argv[1:]]
    os.execvpe(command[0], command, os.environ | {_INSIDE: "1"})
