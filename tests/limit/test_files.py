"""Several processes on one machine are one customer to a provider."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import anyio
import pytest

from mcp_web.limit.files import FileLimiter
from mcp_web.limit.limiter import RateExceeded

_TRY = """
import anyio, sys
from pathlib import Path
from mcp_web.limit.files import FileLimiter
from mcp_web.limit.limiter import RateExceeded

async def main():
    limiter, got = FileLimiter(Path(sys.argv[1])), 0
    for _ in range(10):
        try:
            await limiter.acquire("brave", 1000.0, deadline=anyio.current_time() + 60)
            got += 1
        except RateExceeded:
            pass
    print(got)

anyio.run(main)
"""


def test_processes_share_one_limit(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _TRY, str(tmp_path)]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    granted = [int(process.communicate(timeout=60)[0]) for process in running]
    assert sum(granted) == 1


def only_file(folder: Path) -> Path:
    (file,) = folder.iterdir()
    return file


@pytest.mark.anyio
async def test_a_broken_file_does_not_stop_anyone(tmp_path: Path) -> None:
    limiter = FileLimiter(tmp_path)
    await limiter.acquire("k", 1000.0, deadline=anyio.current_time() + 60)
    file = only_file(tmp_path)
    with pytest.raises(RateExceeded):
        await limiter.acquire("k", 1000.0, deadline=anyio.current_time() + 60)
    file.write_text("{half")
    await limiter.acquire("k", 1000.0, deadline=anyio.current_time() + 60)


_SPEND = """
import anyio, resource, sys
from pathlib import Path
from mcp_web.limit.files import FileLimiter

async def main():
    limiter = FileLimiter(Path(sys.argv[1]))
    print(await limiter.spend("brave", 5))
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))  # every write to a file fails
    await limiter.spend("brave", 5)
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    print(await limiter.spend("brave", 5))

anyio.run(main)
"""


def test_a_write_that_fails_leaves_what_was_spent(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", _SPEND, str(tmp_path)], capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == ["4", "3"]


@pytest.mark.anyio
async def test_a_folder_that_is_gone_leaves_each_process_its_own_limits(tmp_path: Path) -> None:
    limiter = FileLimiter(tmp_path / "pace")
    remove_folder(tmp_path / "pace")
    await limiter.acquire("k", 1000.0, deadline=anyio.current_time() + 60)
    with pytest.raises(RateExceeded):
        await limiter.acquire("k", 1000.0, deadline=anyio.current_time() + 60)
    assert await limiter.spend("k", 5) == 4


def remove_folder(folder: Path) -> None:
    folder.rmdir()
