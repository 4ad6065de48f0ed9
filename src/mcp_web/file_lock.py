"""A lock on a file, between the processes of one machine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def can_lock_files() -> bool:
    """Whether this system has file locks; Windows has none of this kind."""
    try:
        import fcntl  # noqa: F401
    except ImportError:
        return False
    return True


@contextmanager
def locked(path: Path) -> Iterator[int]:
    """Hold the lock of a file, which is created if necessary; yields its descriptor.

    The kernel releases the lock when the process ends, even if it was killed. Without file locks nothing is locked.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if can_lock_files():
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield descriptor
    finally:
        os.close(descriptor)
