"""`python -m bench.team [SECONDS [AGENTS]]`: agents of eight tenants on two replicas, with faults.

A replica is killed and started again, PostgreSQL and Redis are each restarted. At the end every document that was
acknowledged must be found by its tenant and by no other. Prints throughput, times, errors by phase, losses and memory.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

from bench.team.agent import Agent, Outcome
from bench.team.site import Site

TENANTS = 8
sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))


class Replica:
    def __init__(self, port: int, folder: Path, env: dict[str, str]) -> None:
        self.port, self._folder, self._env = port, folder, env
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        log = (self._folder / f"replica-{self.port}.log").open("ab")
        command = [sys.executable, "-m", "mcp_web", "serve", "--team", "--http", f"127.0.0.1:{self.port}"]
        self.process = subprocess.Popen(command, env=self._env, stdout=log, stderr=log, stdin=subprocess.DEVNULL)

    def kill(self, number: int = signal.SIGKILL) -> None:
        assert self.process is not None
        self.process.send_signal(number)
        self.process.wait(90)

    @property
    def megabytes(self) -> float:
        assert self.process is not None
        pages = Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE") / 1e6


class Redis:
    def __init__(self, port: int, folder: Path) -> None:
        self._command = [shutil.which("redis-server") or "redis-server", "--port", str(port), "--bind", "127.0.0.1"]
        self._command += ["--save", "", "--dir", str(folder)]
        self.start()

    def start(self) -> None:
        self._process = subprocess.Popen(self._command, stdout=subprocess.DEVNULL)

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait(30)


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 and sys.argv[1].replace(".", "").isdigit() else 60.0
    agents = int(sys.argv[2]) if len(sys.argv) > 2 else 64
    with ExitStack() as stack:
        run(stack, seconds, agents)


def run(stack: ExitStack, seconds: float, count: int) -> None:
    from server.lab import free_port
    from store import postgres_server

    folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    site = stack.enter_context(Site())
    postgres = stack.enter_context(postgres_server.running())
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
    first = [replica.megabytes for replica in replicas]
    phase = Phase(seconds)
    faults = threading.Thread(target=_faults, args=(phase, replicas, postgres, redis), daemon=True)
    faults.start()
    with ThreadPoolExecutor(count) as pool:
        outcomes = [one for found in pool.map(lambda agent: agent.work(phase), made) for one in found]
    faults.join(120)
    _report(outcomes, seconds, phase)
    for agent in made:
        agent.wait_until_ready()
    lost, crossed = _check(made)
    print(f"documents acknowledged {sum(len(agent.added) for agent in made)}, lost {lost}, seen by others {crossed}")
    print("memory, MB: " + ", ".join(f"{a:.0f} → {b.megabytes:.0f}" for a, b in zip(first, replicas, strict=True)))


class Phase:
    """What is being done to the servers now."""

    def __init__(self, seconds: float) -> None:
        self.begun = time.monotonic()
        self.ends = self.begun + seconds
        self.seconds = seconds
        self.now = "normal"

    def wait(self, share: float) -> None:
        time.sleep(max(0.0, self.begun + share * self.seconds - time.monotonic()))


def _faults(phase: Phase, replicas: list[Replica], postgres: object, redis: Redis) -> None:
    phase.wait(0.2)
    phase.now = "replica killed"
    replicas[0].kill()
    time.sleep(2)
    replicas[0].start()
    phase.wait(0.4)
    phase.now = "normal"
    phase.wait(0.5)
    phase.now = "PostgreSQL restarted"
    postgres.kill()  # type: ignore[attr-defined]
    postgres.start()  # type: ignore[attr-defined]
    phase.wait(0.65)
    phase.now = "normal"
    phase.wait(0.75)
    phase.now = "Redis restarted"
    redis.stop()
    time.sleep(1)
    redis.start()
    phase.wait(0.85)
    phase.now = "normal"


def _token(name: str, env: dict[str, str]) -> str:
    command = [sys.executable, "-m", "mcp_web", "token", "add", name]
    return subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout.strip()


def _report(outcomes: list[Outcome], seconds: float, phase: Phase) -> None:
    good = sorted(one.ms for one in outcomes if one.kind == "ok")
    print(f"{len(outcomes)} calls in {seconds:g} s ({len(outcomes) / seconds:.0f}/s), {len(good)} answered")
    for share in (0.5, 0.95, 0.99):
        print(f"  {share:.0%} within {good[int(share * (len(good) - 1))]:.0f} ms" if good else "  none")
    bad = Counter((one.phase, one.kind) for one in outcomes if one.kind != "ok")
    for (when, kind), times in sorted(bad.items()):
        print(f"  {when}: {kind} {times}")


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
