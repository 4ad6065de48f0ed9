"""A cache of recently read pages, valid as long as no process has written to the file.

A query takes a tenth of a millisecond or more, too long for a cached open (bench/opening.py). Every write of any
process goes through the write-ahead log, so its size and time, with those of the database, show whether anything
changed. File times are coarse: a signature counts only after it has not changed for a while.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

from mcp_web.lru import LruDict
from mcp_web.model.snapshot import Snapshot

Signature = tuple[int, ...]  # time and size of the database, and of its write-ahead log

MOST_PAGES = 64
MOST_CHARS = 400_000  # of one page: larger ones are rare and fill the memory
_STILL_NS = 100_000_000  # file times advance at least every 10 ms; ten times that is safe


class RecentPages:
    """The newest versions of a few pages, each with the state of the file that it was read from."""

    def __init__(self, path: Path) -> None:
        self._files = (str(path), f"{path}-wal")
        self._pages: LruDict[str, tuple[Signature, Snapshot]] = LruDict(MOST_PAGES)

    def signature(self) -> Signature | None:
        """The state of the file: time and size of the database and of its write-ahead log. None if one of them was
        written in the last tenth of a second, and may be written now."""
        facts: list[int] = []
        for name in self._files:
            try:
                found = os.stat(name)
            except OSError:
                facts += (0, 0)
                continue
            if time.time_ns() - found.st_mtime_ns < _STILL_NS:
                return None
            facts += (found.st_mtime_ns, found.st_size)
        return tuple(facts)

    def get(self, key: str) -> Snapshot | None:
        """The newest version of a page; None if it is not cached, or if the file may have changed since it was read."""
        kept = self._pages.get(key)
        if kept is None:
            return None
        if kept[0] != self.signature():
            self._pages.clear()  # whatever changed, it may concern any of them
            return None
        return kept[1]

    def keep(self, key: str, snapshot: Snapshot, before: Signature | None) -> None:
        """Cache the newest version of a page, unless it is large or the signature is not that `before` it was read."""
        if before is None or before != self.signature() or len(snapshot.document.markdown) > MOST_CHARS:
            return
        self._pages[key] = (before, snapshot)
