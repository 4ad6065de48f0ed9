"""Hostile input: how each server ends, what it needs for it, and whether it reads the next page."""

from __future__ import annotations

import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from bench.scorecard import processes
from bench.scorecard.contestants import Contestant, Make, Setting
from bench.scorecard.hostile_site import hostile_site
from bench.scorecard.installs import Installed
from bench.scorecard.rows import gain_rows
from bench.scorecard.servers import FAILURES, NO_SEARCH
from bench.scorecard.table import Table

BODIES = (
    *("nested_div", "nested_a", "nested_table", "many_attrs", "huge_attr", "many_links", "lt_flood"),
    *("comment_flood", "huge_table", "big_100mb"),
)
BEHAVIOURS = (
    *("infinite_body", "endless_headers", "gzip_10g", "brotli_1g", "redirect_self"),
    *("redirect_with_infinite_body", "charset_codec_attack", "garbage"),
)
SILENT = ("hang_accept", "slow_body")  # cost no processor time, so that all servers wait at once
SECONDS = 60.0  # for one answer: then the SDKs give up too
PROCESSOR_SECONDS = 6.0  # for one input; unlike the time on the clock it does not depend on what else runs
MOST_MB = 1000.0  # a server that takes more is ended
GOOD = ("answered", "clean error")
OUTCOMES = (*GOOD, "hung", "memory", "ended", "next page not read")


@dataclass(frozen=True, slots=True)
class Ending:
    case: str
    outcome: str
    memory: float  # MB at most
    seconds: float


class Watch:
    """Ends a server that takes too much processor time or memory for one input."""

    def __init__(self, pid: int) -> None:
        self.peak, self.exceeded = 0.0, ""
        self._pid, self._stop = pid, threading.Event()
        self._most_seconds = processes.processor_seconds(pid) + PROCESSOR_SECONDS

    @contextmanager
    def running(self) -> Iterator[None]:
        thread = threading.Thread(target=self._look, daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._stop.set()
            thread.join(5)

    def _look(self) -> None:
        while not self.exceeded:
            self.peak = max(self.peak, processes.memory(self._pid))
            if self.peak > MOST_MB:
                self.exceeded = "memory"
            elif processes.processor_seconds(self._pid) > self._most_seconds:
                self.exceeded = "hung"
            if self._stop.wait(0.1):
                return
        processes.kill(self._pid)


class Runner:
    """One server that is started again whenever a case has ended it."""

    def __init__(self, make: Make, setting: Setting) -> None:
        self._make, self._setting = make, setting
        self._server: Contestant | None = None

    def run(self, host: str, case: str) -> Ending:
        server = self._server = self._server or self._make(self._setting)
        server.session.limit = SECONDS
        watch, begun = Watch(server.session.process.pid), time.perf_counter()
        with watch.running():
            outcome = _outcome(server, f"http://{host}", case, watch)
        if outcome not in GOOD:
            self.close()
        return Ending(case, outcome, watch.peak, time.perf_counter() - begun)

    def close(self) -> None:
        if self._server is not None:
            processes.kill(self._server.session.process.pid)
            self._server.close()
            self._server = None


def _outcome(server: Contestant, site: str, case: str, watch: Watch) -> str:
    begun, folder = time.perf_counter(), "html/" if case in BODIES else ""
    try:
        reply = server.open(f"{site}/{folder}{case}")
    except FAILURES:
        late = time.perf_counter() - begun >= SECONDS
        return watch.exceeded or ("hung" if late else "ended")
    try:
        following = server.open(f"{site}/next?after={case}")
    except FAILURES:
        return watch.exceeded or "next page not read"
    if "ordinary page" not in following.text:
        return "next page not read"
    return "clean error" if reply.failed else "answered"


def hostile_table(makes: dict[str, Make], installed: dict[str, Installed]) -> Table:
    found: dict[str, list[Ending]] = {}
    absent: list[str] = []
    with tempfile.TemporaryDirectory() as folder, hostile_site() as host:
        settings = {name: _setting(Path(folder) / name, host, installed) for name in makes}
        runners = {name: partial(Runner, make, settings[name]) for name, make in makes.items()}
        with ThreadPoolExecutor(2) as pool:
            started = {name: pool.submit(_one_after_the_other, runner(), host) for name, runner in runners.items()}
        for name, job in started.items():
            try:
                found[name] = job.result()
            except FAILURES as error:
                absent.append(f"{name}: {error or type(error).__name__}")
        jobs = [(name, case) for case in SILENT for name in found]
        with ThreadPoolExecutor(len(jobs) or 1) as pool:
            endings = pool.map(lambda job: _alone(runners[job[0]](), host, job[1]), jobs)
            for (name, _), ending in zip(jobs, endings, strict=True):
                found[name].append(ending)
    return _table(found, absent)


def _setting(data: Path, host: str, installed: dict[str, Installed]) -> Setting:
    data.mkdir()
    return Setting(NO_SEARCH, (host,), installed, data)


def _one_after_the_other(runner: Runner, host: str) -> list[Ending]:
    try:
        return [runner.run(host, case) for case in (*BODIES, *BEHAVIOURS)]
    finally:
        runner.close()


def _alone(runner: Runner, host: str, case: str) -> Ending:
    try:
        return runner.run(host, case)
    except FAILURES:
        return Ending(case, "ended", 0.0, 0.0)
    finally:
        runner.close()


def _table(found: dict[str, list[Ending]], absent: Sequence[str]) -> Table:
    survived = {name: [float(one.outcome in GOOD) for one in endings] for name, endings in found.items()}
    rows = gain_rows("hostile input survived", survived, "some input holds or ends the server")
    method = (
        f"{len(BODIES)} bodies that exhaust parsers (nested elements, floods of attributes, links and comments, a "
        f"hundred megabytes) and {len(BEHAVIOURS) + len(SILENT)} behaviours (endless bodies and headers, compression "
        "bombs, redirects without end, silence). A server survives one when it answers or says what is wrong within "
        f"{SECONDS:.0f} seconds, {PROCESSOR_SECONDS:.0f} seconds of processor time and {MOST_MB:,.0f} MB, and reads an "
        "ordinary page after it. The libraries are called as their documentation shows it."
    )
    return Table("hostile", "Hostile input", method, rows, tuple(absent), tuple(map(_figures, found, found.values())))


def _figures(name: str, endings: Sequence[Ending]) -> dict[str, str]:
    counts = Counter(one.outcome for one in endings)
    failed = [f"{one.case} ({one.outcome})" for one in endings if one.outcome not in GOOD]
    return {
        "server": name,
        **{outcome: str(counts[outcome]) for outcome in OUTCOMES},
        "memory at most": f"{max(one.memory for one in endings):,.0f} MB",
        "not survived": ", ".join(failed) or "none",
    }
