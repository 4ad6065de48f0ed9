"""A lock on a file, between the processes of one machine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def can_lock_files() -> bool:
    """Whether this system has the file locks that `locked` uses (`flock`); Windows has not."""
    try:
        import fcntl  # noqa: F401
    except ImportError:
        return False
    return True


@contextmanager
def locked(path: Path) -> Iterator[int]:
    """Context manager: wait for the exclusive lock on a file, created if missing, and hold it; yields its descriptor.

    The kernel releases the lock when the process ends, even if it was killed. Where `can_lock_files` is False, the file
    is opened but not locked.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if can_lock_files():
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield descriptor
    finally:
        os.close(descriptor)
