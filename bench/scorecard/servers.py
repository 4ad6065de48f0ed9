"""Starts one server after another for a measurement, and names those that do not take part."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, TypeVar

from bench.scorecard.contestants import Contestant, Make, Setting
from bench.scorecard.installs import Installed

T = TypeVar("T")
NO_SEARCH = "http://127.0.0.1:9"  # nothing listens there
FAILURES = (OSError, RuntimeError, ValueError, KeyError, AssertionError)


@dataclass(frozen=True, slots=True)
class Measured(Generic[T]):
    found: dict[str, T] = field(default_factory=dict)
    absent: tuple[str, ...] = ()


def measure(
    makes: dict[str, Make],
    installed: dict[str, Installed],
    hosts: Sequence[str],
    work: Callable[[Contestant], T],
    *,
    guarded: bool = False,
) -> Measured[T]:
    """Run `work` with each server, freshly started with an empty data folder."""
    found: dict[str, T] = {}
    absent: list[str] = []
    for name, make in makes.items():
        with tempfile.TemporaryDirectory() as folder:
            setting = Setting(NO_SEARCH, tuple(hosts), installed, Path(folder), guarded)
            try:
                found[name] = _with(make, setting, work)
            except FAILURES as error:
                absent.append(f"{name}: {error or type(error).__name__}")
    return Measured(found, tuple(absent))


def _with(make: Make, setting: Setting, work: Callable[[Contestant], T]) -> T:
    server = make(setting)
    try:
        return work(server)
    finally:
        server.close()
