"""`python -m bench.team [SECONDS [AGENTS]]`: agents of eight tenants on two replicas, with faults.

One after the other: a replica is killed, PostgreSQL is killed, Redis is restarted, the search provider is slow, the
disk of PostgreSQL is full (as root only), the clock of one replica is an hour ahead. At the end every document that was
acknowledged must be found by its tenant and by no other. Prints throughput, times, errors by phase, losses and memory.
"""

from __future__ import annotations

import os
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bench.team.agent import Agent, Outcome, is_ready
from bench.team.servers import Disk, Redis, Replica, enter_own_mounts
from bench.team.site import Site

TENANTS = 8
_SAMPLES = 40  # of the memory of each replica
_SETTLE = 3.0  # seconds after a fault in which calls that began in it may still end
sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 and sys.argv[1].replace(".", "").isdigit() else 60.0
    agents = int(sys.argv[2]) if len(sys.argv) > 2 else 64
    may_mount = enter_own_mounts()
    with ExitStack() as stack:
        run(stack, seconds, agents, may_mount=may_mount)


def run(stack: ExitStack, seconds: float, count: int, *, may_mount: bool) -> None:
    from ports import free_port
    from store import postgres_server

    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
    folder.chmod(0o755)
    site = stack.enter_context(Site())
    disk = Disk(folder / "disk") if may_mount else None
    place = (folder / "disk" / "postgres") if disk else (folder / "postgres")
    place.mkdir()
    postgres = postgres_server.PostgresServer(place)
    postgres.create()
    stack.callback(postgres.stop)
    redis_port = free_port()
    redis = Redis(redis_port, folder)
    stack.callback(redis.stop)
    env = os.environ | {
        "DATA_DIR": str(folder),
        "XDG_CONFIG_HOME": str(folder),
        "MCP_WEB_DATABASE_URL": postgres.database(),
        "MCP_WEB_REDIS_URL": f"redis://127.0.0.1:{redis_port}/0",
        "MCP_WEB_ALLOW_PRIVATE": "127.0.0.1",
        "MCP_WEB_TENANT_LIMITS": "calls_per_minute=1000000",
        "MCP_WEB_DDGS_ENABLED": "false",
        "MCP_WEB_SEARXNG_URLS": site.url,
        "MCP_WEB_SEARX_SPACE_URL": "off",
        "MCP_WEB_RENDER_ENABLED": "false",
    }
    replicas = [Replica(free_port(), folder, env) for _ in range(2)]
    tokens = [_token(f"tenant{number}", env) for number in range(TENANTS)]
    for replica in replicas:
        replica.start()
        stack.callback(replica.kill, signal.SIGTERM)
    ports = [replica.port for replica in replicas]
    made = [Agent(number, tokens[number % TENANTS], number % TENANTS, ports, site.url) for number in range(count)]
    made[0].wait_until_ready()
    phase = Phase(seconds, ports)
    faults = Faults(phase, replicas, postgres, redis, site, disk)
    for work in (faults.run, lambda: _sample(phase, replicas)):
        threading.Thread(target=work, daemon=True).start()
    with ThreadPoolExecutor(count) as pool:
        outcomes = [one for found in pool.map(lambda agent: agent.work(phase), made) for one in found]
    faults.done.wait(120)
    _report(outcomes, seconds)
    for at, replica in enumerate(replicas):
        print(f"memory of replica {at}, MB: " + " ".join(f"{row[at]:.0f}" for row in phase.memory))
        slope = _slope([row[at] for row in phase.memory[_SAMPLES // 2 :]], seconds / _SAMPLES / 60)
        print(f"  second half: {slope:+.2f} MB a minute; at the end {replica.megabytes:.0f} MB")
    for agent in made:
        agent.wait_until_ready()
    lost, crossed = _check(made)
    print(f"documents acknowledged {sum(len(agent.added) for agent in made)}, lost {lost}, seen by others {crossed}")


@dataclass
class Phase:
    """What is being done to the servers now."""

    seconds: float
    ports: list[int]
    begun: float = field(default_factory=time.monotonic)
    now: str = "normal"
    memory: list[list[float]] = field(default_factory=list)
    outages: list[tuple[str, float]] = field(default_factory=list)

    @property
    def ends(self) -> float:
        return self.begun + self.seconds

    def wait(self, share: float) -> None:
        time.sleep(max(0.0, self.begun + share * self.seconds - time.monotonic()))

    @contextmanager
    def fault(self, share: float, name: str) -> Iterator[None]:
        """A fault at a share of the run; it is over when every replica says that it is ready."""
        self.wait(share)
        self.now, begun = name, time.monotonic()
        yield
        while not all(map(is_ready, self.ports)) and time.monotonic() < self.ends:
            time.sleep(0.2)
        time.sleep(_SETTLE)
        self.outages.append((name, time.monotonic() - begun))
        print(f"{name}: over after {time.monotonic() - begun:.0f} s", flush=True)
        self.now = "normal"


class Faults:
    def __init__(
        self, phase: Phase, replicas: list[Replica], postgres: object, redis: Redis, site: Site, disk: Disk | None
    ) -> None:
        self._phase, self._replicas, self._postgres = phase, replicas, postgres
        self._redis, self._site, self._disk = redis, site, disk
        self.done = threading.Event()

    def run(self) -> None:
        try:
            self._break()
        finally:
            self.done.set()

    def _break(self) -> None:
        lasting = self._phase.seconds * 0.05
        with self._phase.fault(0.08, "replica killed"):
            self._replicas[0].kill()
            time.sleep(2)
            self._replicas[0].start()
        with self._phase.fault(0.25, "PostgreSQL killed"):
            self._postgres.kill()  # type: ignore[attr-defined]
            time.sleep(1)
            self._postgres.start()  # type: ignore[attr-defined]
        with self._phase.fault(0.4, "Redis restarted"):
            self._redis.stop()
            time.sleep(lasting / 2)
            self._redis.start()
        with self._phase.fault(0.52, "provider slow"):
            self._site.search_seconds = 20.0
            time.sleep(lasting)
            self._site.search_seconds = 0.0
            time.sleep(20)
        if self._disk is not None:
            with self._phase.fault(0.68, "disk full"):
                self._disk.fill()
                time.sleep(lasting)
                self._disk.free()
                self._postgres.ensure_running()  # type: ignore[attr-defined]
        with self._phase.fault(0.85, "clock an hour ahead"):
            self._replicas[1].set_clock(3600.0)
            time.sleep(lasting)
            self._replicas[1].set_clock(0.0)


def _sample(phase: Phase, replicas: list[Replica]) -> None:
    for number in range(1, _SAMPLES + 1):
        phase.wait(number / _SAMPLES)
        phase.memory.append([replica.megabytes for replica in replicas])


def _slope(values: list[float], step: float) -> float:
    """How much the values rise on the whole for each unit of `step`: the line of least squares."""
    places = range(len(values))
    middle, mean = statistics.mean(places), statistics.mean(values)
    rise = sum((at - middle) * (value - mean) for at, value in zip(places, values, strict=True))
    return rise / sum((at - middle) ** 2 for at in places) / step


def _token(name: str, env: dict[str, str]) -> str:
    command = [sys.executable, "-m", "mcp_web", "token", "add", name]
    return subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout.strip()


def _report(outcomes: list[Outcome], seconds: float) -> None:
    good = sorted(one.ms for one in outcomes if one.kind == "ok")
    print(f"{len(outcomes)} calls in {seconds:g} s ({len(outcomes) / seconds:.0f}/s), {len(good)} answered")
    for share in (0.5, 0.95, 0.99):
        print(f"  {share:.0%} within {good[int(share * (len(good) - 1))]:.0f} ms" if good else "  none")
    bad = Counter((one.phase, one.kind, one.retryable) for one in outcomes if one.kind != "ok")
    for (when, kind, retryable), times in sorted(bad.items()):
        print(f"  {when}: {kind} {times}{'' if retryable else ' NOT RETRYABLE'}")
    slowest = max(outcomes, key=lambda one: one.ms)
    print(f"  slowest call: {slowest.ms / 1000:.1f} s, {slowest.kind} ({slowest.phase})")


def _check(agents: list[Agent]) -> tuple[int, int]:
    """Documents that their tenant no longer has, and those that another tenant can read."""
    lost = crossed = 0
    for agent, other in zip(agents, agents[1:] + agents[:1], strict=True):
        for hash_ in agent.added:
            lost += not agent.can_read(hash_)
        for hash_ in agent.added[:3]:
            crossed += other.can_read(hash_)
    return lost, crossed


if __name__ == "__main__":
    main()
