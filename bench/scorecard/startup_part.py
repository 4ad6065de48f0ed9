"""From process start to the first answers, each server in turn."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from bench.scorecard.contestants import LIBRARIES, Make, Setting
from bench.scorecard.installs import Installed
from bench.scorecard.rows import OURS, time_row
from bench.scorecard.servers import FAILURES, NO_SEARCH
from bench.scorecard.table import Table

ROUNDS = 5


def startup_table(makes: dict[str, Make], installed: dict[str, Installed]) -> Table:
    servers = {name: make for name, make in makes.items() if name not in LIBRARIES}
    seconds: dict[str, list[float]] = {name: [] for name in servers}
    absent: dict[str, str] = {}
    for turn in range(ROUNDS + 1):
        for name, make in servers.items():
            if name in absent:
                continue
            try:
                spent = _started(make, installed)
            except FAILURES as error:
                absent[name] = f"{name}: {error}"
                continue
            if turn:  # the first round fills the file caches
                seconds[name].append(spent)
    mine = seconds[OURS]
    rows = []
    for name, theirs in seconds.items():
        if name == OURS or name in absent:
            continue
        why = "a compiled server starts faster than an interpreter"
        rows.append(time_row("start to tools/list", name, mine, theirs, why))
    method = f"Process start to the answer to `tools/list`, {ROUNDS} rounds, the servers in turn; medians. Margin 25 %."
    return Table("startup", "Start-up", method, tuple(rows), tuple(absent.values()))


def _started(make: Make, installed: dict[str, Installed]) -> float:
    with tempfile.TemporaryDirectory() as folder:
        begun = time.perf_counter()
        server = make(Setting(NO_SEARCH, (), installed, Path(folder)))
        spent = time.perf_counter() - begun
        server.close()
        return spent
