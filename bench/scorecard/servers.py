"""Several servers side by side, asked in turn, so that whatever else the machine does meets all of them alike."""

from __future__ import annotations

import hashlib
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from bench.scorecard.contestants import Contestant, Make, Setting
from bench.scorecard.installs import Installed

T = TypeVar("T")
NO_SEARCH = "http://127.0.0.1:9"  # nothing listens there
FAILURES = (OSError, RuntimeError, ValueError, KeyError, AssertionError)


class Running:
    """The servers that were started; one that fails leaves and is named with the reason."""

    def __init__(self) -> None:
        self.servers: dict[str, Contestant] = {}
        self.problems: dict[str, str] = {}

    @property
    def absent(self) -> tuple[str, ...]:
        return tuple(f"{name}: {problem}" for name, problem in self.problems.items())

    def each(self, work: Callable[[Contestant], T]) -> dict[str, T]:
        """What `work` returns for every server, one after the other."""
        found: dict[str, T] = {}
        for name, server in list(self.servers.items()):
            try:
                found[name] = work(server)
            except FAILURES as error:
                self.problems[name] = str(error) or type(error).__name__
                _close(self.servers.pop(name))
        return found

    def start(self, name: str, make: Make, setting: Setting) -> None:
        try:
            self.servers[name] = make(setting)
        except FAILURES as error:
            self.problems[name] = f"not started: {error or type(error).__name__}"

    def close(self) -> None:
        for server in self.servers.values():
            _close(server)


def within(seconds: float, items: Iterable[T]) -> Iterator[T]:
    """The items until the time is over: what is left out is left out for all servers."""
    until = time.monotonic() + seconds
    for item in items:
        if time.monotonic() > until:
            return
        yield item


def in_order(items: Iterable[T], key: Callable[[T], str]) -> list[T]:
    """By a hash, so that the first of them are a fair sample when time runs out."""
    return sorted(items, key=lambda one: hashlib.sha256(key(one).encode()).digest())


def _close(server: Contestant) -> None:
    with suppress(*FAILURES):
        server.close()


@contextmanager
def running(
    makes: dict[str, Make],
    installed: dict[str, Installed],
    hosts: Sequence[str],
    *,
    searxng: str = NO_SEARCH,
    guarded: bool = False,
) -> Iterator[Running]:
    """Every server, freshly started with an empty data folder."""
    with tempfile.TemporaryDirectory() as folder:
        found = Running()
        for name, make in makes.items():
            data = Path(folder) / name
            data.mkdir()
            found.start(name, make, Setting(searxng, tuple(hosts), installed, data, guarded))
        try:
            yield found
        finally:
            found.close()
