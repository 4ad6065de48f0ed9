"""Clients that never finish, a port that is taken, and signals: others are served, running calls are answered."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import anyio
import anyio.to_thread
import pytest

from miniweb import MiniWeb, Reply
from miniweb.site import Site

from .rpc import WAIT, FreshStdio, Stdio, clean_environment, text_of
from .test_hostile import Memory
from .test_http import Served

PAGE = "<main><h1>Calm</h1>" + "<p>Text that a patient reader finds.</p>" * 20 + "</main>"
MOST_MB = 300


@pytest.fixture
def site(miniweb: MiniWeb) -> Site:
    made = miniweb.site("calm.example")
    made.page("/calm", PAGE, headers={"Cache-Control": "max-age=9999"})
    return made


@pytest.fixture
def served(site: Site, tmp_path: Path) -> Iterator[Served]:
    made = Served(tmp_path, MCP_WEB_ALLOW_PRIVATE=site.exemption)
    yield made
    made.stop()


def opened(served: Served, site: Site, path: str = "/calm") -> str:
    call = {"name": "web_open", "arguments": {"url": site.loopback_url(path)}}
    return text_of(served.rpc("tools/call", call)["result"])


def connected(served: Served, sent: bytes) -> socket.socket:
    made = socket.create_connection(("127.0.0.1", served.port), timeout=WAIT)
    made.sendall(sent)
    return made


def closed_by_server(connection: socket.socket) -> bool:
    try:
        while connection.recv(65536):
            pass
    except ConnectionResetError:
        return True
    return True


def test_a_thousand_half_open_requests_hold_up_nobody(served: Served, site: Site) -> None:
    opened(served, site)
    with Memory(served.process.pid) as memory:
        slow = [connected(served, b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n") for _ in range(1_000)]
        assert "patient reader" in opened(served, site)
        assert served.get("/healthz")[0] == 200
    assert closed_by_server(slow[0])
    assert memory.peak < MOST_MB
    for one in slow:
        one.close()


def test_ten_thousand_idle_connections_are_bounded_and_hold_up_nobody(served: Served, site: Site) -> None:
    resource = pytest.importorskip("resource")
    room = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if 0 < room < 10_500:
        pytest.skip(f"a process may open only {room} files here")
    opened(served, site)
    with Memory(served.process.pid) as memory:
        idle = [connected(served, b"") for _ in range(10_000)]
        assert "patient reader" in opened(served, site)
        files = len(list(Path(f"/proc/{served.process.pid}/fd").iterdir()))
    assert files < 700
    assert closed_by_server(idle[0])
    assert memory.peak < MOST_MB
    for one in idle:
        one.close()


def test_a_hundred_unfinished_bodies_stay_small_and_hold_up_nobody(served: Served, site: Site) -> None:
    opened(served, site)
    head = (
        f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nContent-Type: application/json\r\n"
        "Accept: application/json, text/event-stream\r\nContent-Length: 4000000\r\n\r\n"
    ).encode()
    slow: list[socket.socket] = []

    def hold() -> None:
        made = connected(served, head)
        slow.append(made)
        try:
            made.sendall(b"x" * 3_900_000)
        except OSError:
            return  # given up by the server, as it should

    with Memory(served.process.pid) as memory:
        threads = [threading.Thread(target=hold, daemon=True) for _ in range(100)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(WAIT)
        assert "patient reader" in opened(served, site)
    assert memory.peak < MOST_MB
    for one in slow:
        one.close()


@pytest.mark.parametrize("rest", [b"", b"\r\n"], ids=["whole-headers", "headers-in-two-parts"])
def test_bodies_in_pieces_of_a_few_bytes_are_cut_off_and_hold_up_nobody(
    served: Served, site: Site, rest: bytes
) -> None:
    opened(served, site)
    head = (
        f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nContent-Type: application/json\r\n"
        "Accept: application/json, text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    ).encode()
    slow = [connected(served, head.removesuffix(rest)) for _ in range(100)]
    served.ask("GET", "/healthz")  # what was sent before has arrived
    for one in slow:
        one.sendall(rest)
    for one in slow:
        with suppress(OSError):
            one.sendall(b"8\r\n12345678\r\n" * 30_000)
    assert "patient reader" in opened(served, site)
    assert all(closed_by_server(one) for one in slow)
    for one in slow:
        one.close()


def test_a_body_in_large_pieces_is_read(served: Served, site: Site) -> None:
    call = {"name": "web_open", "arguments": {"url": site.loopback_url("/calm")}}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}).encode().ljust(300_000)
    pieces = b"".join(b"64\r\n" + body[at : at + 100] + b"\r\n" for at in range(0, len(body), 100))
    head = (
        f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nContent-Type: application/json\r\n"
        "Accept: application/json, text/event-stream\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    ).encode()
    answer = b""
    with connected(served, head + pieces + b"0\r\n\r\n") as connection:
        while part := connection.recv(65536):
            answer += part
    assert b"patient reader" in answer


def test_a_body_beyond_the_limit_is_refused(served: Served) -> None:
    assert served.ask("POST", "/mcp", b"x" * (9 * 1024 * 1024))[0] == 413


def slow_page(site: Site) -> tuple[threading.Event, threading.Event]:
    """A page at /slow: the first event is set when it is asked for, and it is sent when the second one is set."""
    asked, released = threading.Event(), threading.Event()

    def slowly() -> Reply:
        asked.set()
        released.wait(WAIT)
        return Reply(PAGE)

    site.route("/slow", lambda request: anyio.to_thread.run_sync(slowly))
    return asked, released


def test_a_signal_lets_a_running_call_finish_over_http(site: Site, tmp_path: Path) -> None:
    asked, released = slow_page(site)
    served = Served(tmp_path, MCP_WEB_ALLOW_PRIVATE=site.exemption)
    answers: list[str] = []
    caller = threading.Thread(target=lambda: answers.append(opened(served, site, "/slow")))
    caller.start()
    assert asked.wait(WAIT)
    served.process.send_signal(signal.SIGTERM)
    released.set()
    caller.join(WAIT)
    assert "patient reader" in answers[0]
    assert served.process.wait(WAIT) in (0, -signal.SIGTERM)


def test_a_signal_lets_a_running_call_finish_over_stdio(site: Site, tmp_path: Path) -> None:
    asked, released = slow_page(site)
    with Stdio(tmp_path, MCP_WEB_ALLOW_PRIVATE=site.exemption) as client:
        client.initialize()
        call = {"name": "web_open", "arguments": {"url": site.loopback_url("/slow")}}
        client.send({"jsonrpc": "2.0", "id": "slow", "method": "tools/call", "params": call})
        assert asked.wait(WAIT)
        client.process.send_signal(signal.SIGTERM)
        released.set()
        answer = client.receive()
        assert answer["id"] == "slow"
        assert "patient reader" in text_of(answer["result"])
        assert client.process.wait(WAIT) == 0


def test_a_signal_does_not_wait_for_a_call_that_the_client_cancelled(site: Site, tmp_path: Path) -> None:
    asked, released = slow_page(site)
    with Stdio(tmp_path, MCP_WEB_ALLOW_PRIVATE=site.exemption, MCP_WEB_DEADLINE="600") as client:
        client.initialize()
        call = {"name": "web_open", "arguments": {"url": site.loopback_url("/slow")}}
        client.send({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": call})
        assert asked.wait(WAIT)
        client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}})
        client.request("tools/list")  # the notification before it was read
        client.process.send_signal(signal.SIGTERM)
        assert client.process.wait(WAIT) == 0
        released.set()


def test_a_signal_right_after_the_handshake_lets_the_first_call_finish(site: Site, tmp_path: Path) -> None:
    site.route("/first", lambda request: Reply(PAGE))
    with FreshStdio(tmp_path, MCP_WEB_ALLOW_PRIVATE=site.exemption) as client:
        client.initialize()
        call = {"name": "web_open", "arguments": {"url": site.loopback_url("/first")}}
        client.send({"jsonrpc": "2.0", "id": "first", "method": "tools/call", "params": call})
        client.process.send_signal(signal.SIGTERM)
        answer = client.receive()
        assert answer["id"] == "first"
        assert "patient reader" in text_of(answer["result"])
        assert client.process.wait(WAIT) == 0


def test_an_interrupt_ends_stdio_without_a_traceback(tmp_path: Path) -> None:
    with Stdio(tmp_path) as client:
        client.initialize()
        client.request("tools/list")
        client.process.send_signal(signal.SIGINT)
        assert client.process.wait(WAIT) == 130
        assert b"Traceback" not in b"".join(client.errors)


def test_a_port_that_is_taken_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        done = subprocess.run(
            [sys.executable, "-m", "mcp_web", "serve", "--http", address],
            capture_output=True, env=clean_environment(tmp_path), timeout=WAIT, check=False,
        )  # fmt: skip
    said = done.stderr.decode()
    assert done.returncode == 2
    assert f"cannot listen on {address}: another program uses this port" in said
    assert "serves MCP at" not in said


class _Issuer:
    """An authorization server that counts what it is asked."""

    def __init__(self, web: MiniWeb, reply: Reply) -> None:
        self.site = web.site("issuer.example")
        self.site.route("/check", lambda request: reply)

    @property
    def env(self) -> dict[str, str]:
        return {
            "MCP_WEB_OAUTH_INTROSPECTION_URL": self.site.loopback_url("/check"),
            "MCP_WEB_PUBLIC_URL": "https://mcp.example/mcp",
        }


def test_guessed_tokens_do_not_flood_the_authorization_server(miniweb: MiniWeb, tmp_path: Path) -> None:
    issuer = _Issuer(miniweb, Reply(json.dumps({"active": False}), 200, {"Content-Type": "application/json"}))
    served = Served(tmp_path, **issuer.env)
    statuses = [served.get("/", authorization=f"Bearer guess-{number % 150}")[0] for number in range(300)]
    served.stop()
    assert set(statuses) == {401, 503}
    assert len(issuer.site.asked("/check")) <= 60


@pytest.mark.parametrize("body", ["<html>", "[]", "[" * 100_000])
def test_a_garbled_answer_of_the_authorization_server_is_no_defect(miniweb: MiniWeb, tmp_path: Path, body: str) -> None:
    served = Served(tmp_path, **_Issuer(miniweb, Reply(body)).env)
    status = served.get("/", authorization="Bearer some-token")[0]
    served.stop()
    assert status == 503
