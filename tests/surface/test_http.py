"""The server over HTTP: who gets in, what the probes say, the web interface."""

from __future__ import annotations

import http.client
import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ports import free_port

from .program import Program, run_program
from .rpc import MODERN, WAIT, clean_environment

TOKEN = "a-long-and-random-token-0123456789"


class Served:
    def __init__(self, data_dir: Path, *args: str, host: str = "127.0.0.1", **env: str) -> None:
        self.port = free_port()
        self.process = Program(["serve", "--http", f"{host}:{self.port}", *args], clean_environment(data_dir, **env))
        self._wait()

    def _wait(self) -> None:
        """Until the port answers or the process ended."""
        import time

        begun = time.monotonic()
        while self.process.poll() is None and time.monotonic() - begun < WAIT:
            try:
                if self.get("/healthz")[0] == 200:
                    return
            except OSError:
                time.sleep(0.05)
        assert self.process.stderr is not None
        raise AssertionError(f"the server did not come up: {self.process.stderr.read().decode()}")

    def ask(
        self, method: str, path: str, body: bytes | None = None, **headers: str
    ) -> tuple[int, dict[str, str], bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=WAIT)
        try:
            sent = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, body, sent)
            answer = connection.getresponse()
            return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
        finally:
            connection.close()

    def get(self, path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
        return self.ask("GET", path, None, **headers)

    def rpc(self, method: str, params: dict[str, Any] | None = None, **headers: str) -> dict[str, Any]:
        """One modern request: every request is one POST."""
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": (params or {}) | {"_meta": MODERN}}
        sent = {
            "content_type": "application/json",
            "accept": "application/json, text/event-stream",
            "mcp_protocol_version": "2026-07-28",
            "mcp_method": method,
        }
        if params and "name" in params:
            sent["mcp_name"] = params["name"]
        status, found, raw = self.ask("POST", "/mcp", json.dumps(body).encode(), **sent, **headers)
        assert status == 200, raw
        if found["content-type"].startswith("text/event-stream"):
            raw = next(line[6:] for line in reversed(raw.splitlines()) if line.startswith(b"data: "))
        answer = json.loads(raw)
        assert isinstance(answer, dict)
        return answer

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(WAIT)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    made = Served(tmp_path_factory.mktemp("http"))
    yield made
    made.stop()


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    made = Served(
        tmp_path_factory.mktemp("guarded"), MCP_WEB_AUTH_TOKENS=TOKEN, MCP_WEB_TENANT_LIMITS="calls_per_minute=30"
    )
    yield made
    made.stop()


def test_the_probes_say_that_it_lives_and_is_ready(served: Served) -> None:
    assert served.get("/healthz")[2] == b"ok\n"
    assert served.get("/readyz")[2] == b"ready\n"


def test_tools_are_listed_and_called(served: Served) -> None:
    names = [tool["name"] for tool in served.rpc("tools/list")["result"]["tools"]]
    assert "web_open" in names
    html = "<main><h1>Over HTTP</h1><p>One request is one POST.</p></main>"
    result = served.rpc("tools/call", {"name": "web_extract", "arguments": {"html": html}})["result"]
    assert "# Over HTTP" in result["content"][0]["text"]


def test_a_client_of_the_handshake_era_is_served_without_a_session(served: Served) -> None:
    body = {
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
    }  # fmt: skip
    headers = {"content_type": "application/json", "accept": "application/json, text/event-stream"}
    status, _, raw = served.ask("POST", "/mcp", json.dumps(body).encode(), **headers)
    assert status == 200
    assert b'"protocolVersion":"2025-06-18"' in raw


def test_the_page_shows_state_tools_and_how_to_connect(served: Served) -> None:
    status, headers, body = served.get("/")
    text = body.decode()
    assert status == 200
    assert "What your agents read" in text
    assert "web_open" in served.get("/state")[2].decode()
    assert f"http://127.0.0.1:{served.port}/mcp" in text
    assert "claude mcp add" in text
    assert "default-src 'none'" in headers["content-security-policy"]
    assert "script-src 'self'" in headers["content-security-policy"]
    assert "<script>" not in text


def test_figures_are_there_for_people_and_machines(served: Served) -> None:
    served.rpc("tools/call", {"name": "web_extract", "arguments": {"html": "<p>x</p>"}})
    assert b"mcp_web_tool_ms_count" in served.get("/metrics")[2]
    assert served.get("/figures")[0] == 200


@pytest.mark.parametrize("path", ["/static/../app.py", "/static/%2e%2e/routes.py", "/archive/zzzz", "/nope"])
def test_what_is_not_there_is_not_found(served: Served, path: str) -> None:
    assert served.get(path)[0] == 404


def test_another_host_or_origin_is_refused(served: Served) -> None:
    assert served.get("/", host="evil.example")[0] == 421
    assert served.get("/", origin="https://evil.example")[0] == 403
    assert served.ask("POST", "/mcp", b"{}", origin="https://evil.example")[0] == 403
    assert served.get("/", origin=f"http://localhost:{served.port}")[0] == 200


def test_an_idle_stream_cannot_be_held_open(served: Served) -> None:
    assert served.get("/mcp", accept="text/event-stream")[0] == 405
    assert served.ask("DELETE", "/mcp")[0] == 405


@pytest.mark.parametrize("path", ["/", "/archive", "/figures", "/metrics", "/mcp", "/static/page.css"])
def test_nothing_opens_without_the_token(guarded: Served, path: str) -> None:
    for header in ({}, {"authorization": "Bearer wrong"}, {"authorization": "Basic !!!"}):
        status, headers, _ = guarded.get(path, **header)
        assert status == 401
        assert headers["www-authenticate"].startswith(("Bearer", "Basic"))


def test_probes_need_no_token(guarded: Served) -> None:
    assert guarded.get("/healthz")[0] == 200


def test_the_token_opens_as_bearer_and_as_password(guarded: Served) -> None:
    import base64

    assert guarded.get("/", authorization=f"Bearer {TOKEN}")[0] == 200
    basic = base64.b64encode(f"me:{TOKEN}".encode()).decode()
    assert guarded.get("/", authorization=f"Basic {basic}")[0] == 200


def test_a_caller_that_asks_too_often_is_told_when_to_come_back(guarded: Served) -> None:
    answers = [guarded.get("/static/page.css", authorization=f"Bearer {TOKEN}") for _ in range(40)]
    limited = [headers for status, headers, _ in answers if status == 429]
    assert limited
    assert 1 <= int(limited[0]["retry-after"]) <= 60


@pytest.mark.parametrize(
    ("host", "env", "words"),
    [
        ("0.0.0.0", {}, "MCP_WEB_AUTH_TOKENS"),
        ("0.0.0.0", {"MCP_WEB_AUTH_TOKENS": "short"}, "at least 16"),
        ("127.0.0.1:x", {}, "no port"),
    ],
)
def test_an_unsafe_start_is_refused_with_the_fix(tmp_path: Path, host: str, env: dict[str, str], words: str) -> None:
    address = host if ":" in host else f"{host}:0"
    done = run_program(["serve", "--http", address], clean_environment(tmp_path, **env), WAIT)
    assert done.returncode == 2
    assert words in done.stderr.decode()
    assert "Traceback" not in done.stderr.decode()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_cleanly(number: signal.Signals, tmp_path: Path) -> None:
    """With any other exit code `make run` would report an error after Ctrl-C."""
    assert Served(tmp_path).stop(number) == 0
