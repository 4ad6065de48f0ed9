"""Programs that tests use and that are not Python packages of ours: installed into .cache when first needed."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CACHE = Path(__file__).parents[1] / ".cache"


@contextmanager
def one_at_a_time(name: str) -> Iterator[Path]:
    """The folder of a program; another worker that needs the same one waits until it is installed."""
    CACHE.mkdir(exist_ok=True)
    with open(CACHE / f"{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield CACHE / name
