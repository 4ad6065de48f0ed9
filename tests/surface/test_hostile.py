"""The real server against pages that mean harm: clean answers, little memory, others served, nothing lost."""

from __future__ import annotations

import os
import queue
import random
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from mcp_web.sandbox.options import SandboxOptions
from miniweb import MiniWeb, Reply, nasty
from miniweb.server import Request, Wire
from miniweb.site import Site

from .rpc import MODERN, WAIT, FreshStdio, Stdio, clean_environment, text_of
from .test_http import Served

# Megabytes of the server while it embeds with both models (seen: 180 to 188) and of a worker at its limit together.
# Some 100 MiB of a worker's address space are NumPy's and are never used.
MOST_MB = 200 + SandboxOptions().memory_mb - 100
TEXT = b"<p>Real text that a reader would like to find, in spite of everything around it.</p>" * 5


def page(body: bytes) -> bytes:
    return b"<!doctype html><html><head><title>t</title></head><body>" + body + b"</body></html>"


def bodies() -> dict[str, bytes]:
    """Made when needed: together more than a hundred megabytes."""
    return {
        "nested": page(b"<div>" * 100_000 + TEXT),
        "nested_lists": page(b"<ul><li>" * 50_000 + TEXT),
        "alternating": page(b"<b><p>" * 50_000 + TEXT),
        "attributes": page(b"<div " + b" ".join(b"a%d=1" % n for n in range(100_000)) + b">" + TEXT),
        "colspans": page(
            b"<table>" + b"<tr><td colspan=99999999 rowspan=99999999>x</td></tr>" * 1000 + b"</table>" + TEXT
        ),
        "end_tags": page(b"</p>" * 1_200_000),
        "siblings": page(b"<p>x</p>" * 600_000),
        "fences": page(b"<pre><code>" + b"```\n~~~\n" * 600_000 + b"</code></pre>"),
        "angle_brackets": page(b"<p>" + b"<" * 4_900_000 + b"</p>"),
        "broken_encoding": page(b'<meta charset="utf-8">' + random.Random(1).randbytes(1_000_000)),
        "hundred_megabytes": b"<p>word</p>" * 9_000_000,
        "entities": b'<!DOCTYPE html [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><p>&b;</p>' + TEXT,
        "surrogates": page("<p>&#xD800; &#xDFFF; \ufeff\u202e and text</p>".encode()),
    }


BEHAVIOURS = (
    "endless_body", "endless_chunks", "endless_headers", "endless_interim", "gzip_bomb", "brotli_bomb", "zstd_bomb",
    "many_encodings", "drops_in_the_body", "garbage", "redirect_forever", "redirect_with_endless_body",
    "charset_is_a_codec", "null_in_header",
)  # fmt: skip


@pytest.fixture
def site(miniweb: MiniWeb) -> Site:
    nasty.prepare()
    made = miniweb.site("hostile.example")
    made.page("/calm", page(TEXT), headers={"Cache-Control": "max-age=9999"})
    return made


@pytest.fixture
def server(site: Site, tmp_path: Path) -> Iterator[Stdio]:
    with FreshStdio(tmp_path, MCP_WEB_ALLOW_PRIVATE=site.exemption, MCP_WEB_LOG="off") as made:
        made.initialize()
        assert "Real text" in text_of(made.call("web_open", url=site.loopback_url("/calm")))
        yield made


@pytest.fixture
def forked(tmp_path: Path) -> Iterator[Stdio]:
    """A server whose memory is not measured."""
    with Stdio(tmp_path, MCP_WEB_LOG="off") as made:
        made.initialize()
        yield made


class Memory:
    """The most that a process and its children held together, looked at all the time."""

    def __init__(self, pid: int) -> None:
        self.peak = 0.0
        self._pid = pid
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Memory:
        self._thread.start()
        return self

    def __exit__(self, *caught: object) -> None:
        self._stop.set()
        self._thread.join(WAIT)

    def _watch(self) -> None:
        own = _command(self._pid)
        while not self._stop.wait(0.05):
            # A child that has not yet become a worker still shows its parent's memory.
            pids = [self._pid, *(pid for pid in _children(self._pid) if _command(pid) != own)]
            self.peak = max(self.peak, sum(_resident_mb(pid) for pid in pids))


def _children(pid: int) -> list[int]:
    try:
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
        return [int(word) for task in tasks for word in (task / "children").read_text().split()]
    except OSError:
        return []


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def _resident_mb(pid: int) -> float:
    """The process's share of the memory in use: what several of them share is counted once."""
    try:
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
        return next(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:")) / 1024
    except (OSError, StopIteration):  # it ended meanwhile
        return 0.0


def assert_clean(answer: dict[str, Any]) -> None:
    text = text_of(answer["result"])
    assert "Traceback" not in text
    assert "INTERNAL_ERROR" not in text
    assert text.startswith(("success", "partial")) or answer["result"]["_meta"]["error"]["suggestion"]


_PAUSE = 0.03  # seconds between two calls: without it they would take more processor time than the page does


def open_meanwhile(server: Stdio, url: str, calm: str) -> dict[str, Any]:
    """Open a page and, until its answer is there, another one that is kept, which must be answered all the time."""
    server.send(_call("hostile", "web_open", url=url))
    asked = 0
    while True:
        asked += 1
        server.send(_call(asked, "web_open", url=calm))
        while (answer := server.receive())["id"] != asked:
            if answer["id"] == "hostile":
                while server.receive()["id"] != asked:
                    pass
                return answer
        assert "Real text" in text_of(answer["result"])
        with suppress(queue.Empty):
            return server.receive(_PAUSE)  # only the answer of the hostile page can come now


def _call(number: Any, tool: str, meta: dict[str, Any] | None = None, **arguments: Any) -> dict[str, Any]:
    params = {"name": tool, "arguments": arguments} | ({"_meta": meta} if meta else {})
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def test_hostile_pages_end_cleanly_within_memory_while_others_are_served(server: Stdio, site: Site) -> None:
    calm = site.loopback_url("/calm")
    with Memory(server.process.pid) as memory:
        for name, body in bodies().items():
            site.page(f"/{name}", body)
            assert_clean(open_meanwhile(server, site.loopback_url(f"/{name}"), calm))
            assert memory.peak < MOST_MB, f"{name}: {memory.peak:.0f} MB"
        for name in BEHAVIOURS:
            site.behave(f"/{name}", getattr(nasty, name))
            assert_clean(open_meanwhile(server, site.loopback_url(f"/{name}"), calm))
            assert memory.peak < MOST_MB, f"{name}: {memory.peak:.0f} MB"
    assert server.close() == 0
    assert not _children(server.process.pid)


def test_a_batch_of_large_hostile_pages_stays_within_memory(site: Site, tmp_path: Path) -> None:
    """Bodies that wait, errors that hold what they failed on, small pages read beside large ones: all of it counts."""
    size = 4_800_000
    kinds = {
        "tags": b"<p>x</p>" * (size // 8),
        "prose": TEXT * (size // len(TEXT)),
        "wide": ("a" * 300 + "\U0001f600<p>").encode()
        * (size // 307),  # one such letter makes a text four times as wide
        "table": b"<table>" + b"<tr><td>a</td><td>b</td></tr>" * (size // 29),
        "small_tags": b"<p>" * 330_000,
    }
    urls = []
    for number in range(15):
        name, body = list(kinds.items())[number % len(kinds)]
        site.page(f"/{name}{number}", page(b"<h1>%d</h1>" % number + body))
        urls.append(site.loopback_url(f"/{name}{number}"))
    # Time is short so that the test is: what was not read by then was fetched and waited all the same.
    env = {"MCP_WEB_ALLOW_PRIVATE": site.exemption, "MCP_WEB_LOG": "off", "MCP_WEB_DEADLINE": "10"}
    with FreshStdio(tmp_path, **env) as server:
        server.initialize()
        with Memory(server.process.pid) as memory:
            opened = text_of(server.call("web_batch_open", urls=urls))
            # A server that hardly gets any processor time says that it is late.
            assert "of 15 pages opened" in opened or opened.startswith("FETCH_TIMEOUT: web_batch_open")
            for number, url in enumerate(urls):
                server.send(_call(number, "web_open", url=url + "?again"))
            for _ in urls:
                assert_clean(server.receive())
        assert memory.peak < MOST_MB, f"{memory.peak:.0f} MB"


def test_a_batch_of_many_pages_starts_no_more_workers_than_configured(server: Stdio, site: Site) -> None:
    most = [0]
    stop = threading.Event()

    def watch() -> None:
        own = _command(server.process.pid)
        while not stop.wait(0.01):
            workers = [pid for pid in _children(server.process.pid) if _command(pid) not in (own, b"")]
            most[0] = max(most[0], len(workers))

    threading.Thread(target=watch, daemon=True).start()
    urls = [site.loopback_url(f"/many{n}") for n in range(30)]
    for n in range(30):
        site.page(f"/many{n}", page(TEXT + b"<p>%d</p>" % n))
    assert "30 of 30" in text_of(server.call("web_batch_open", urls=urls))
    stop.set()
    assert most[0] <= 2


def test_what_was_answered_before_a_kill_is_still_there(site: Site, tmp_path: Path) -> None:
    chance = random.Random(7)
    site.route("/kept/*", lambda request: Reply(page(request.path.encode() + TEXT), headers=_FRESH))
    answered: list[str] = []
    for turn in range(3):
        server = Stdio(tmp_path, MCP_WEB_ALLOW_PRIVATE=site.exemption)
        server.initialize()
        for batch in range(chance.randint(2, 5)):
            urls = [site.loopback_url(f"/kept/{turn}-{batch}-{n}") for n in range(6)]
            assert "6 of 6" in text_of(server.call("web_batch_open", urls=urls))
            answered += urls
        server.send(_call("under-way", "web_batch_open", urls=[site.loopback_url(f"/kept/x{n}") for n in range(40)]))
        server.call("web_open", url=answered[-1])  # the batch is being written meanwhile
        server.process.kill()
        server.process.wait(WAIT)
        with sqlite3.connect(tmp_path / "mcp-web.sqlite") as db:
            assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    with Stdio(tmp_path, MCP_WEB_ALLOW_PRIVATE=site.exemption) as server:
        server.initialize()
        for url in answered:
            assert server.call("web_open", url=url)["_meta"]["cache"] == "hit"


_FRESH = {"Cache-Control": "max-age=9999"}


def test_two_servers_share_one_folder(site: Site, tmp_path: Path) -> None:
    site.route("/shared/*", lambda request: Reply(page(request.path.encode() + TEXT), headers=_FRESH))
    env = {"MCP_WEB_ALLOW_PRIVATE": site.exemption}
    with Stdio(tmp_path, **env) as one, Stdio(tmp_path, **env) as two, ThreadPoolExecutor(2) as threads:

        def work(server: Stdio, name: str) -> list[str]:
            server.initialize()
            same = [site.loopback_url(f"/shared/{n}") for n in range(20)]
            own = [site.loopback_url(f"/shared/{name}{n}") for n in range(20)]
            return [text_of(server.call("web_batch_open", urls=urls, max_tokens=500)) for urls in (same, own, same)]

        for texts in threads.map(work, (one, two), ("a", "b")):
            assert all("20 of 20" in text and "could not be kept" not in text for text in texts)


def test_a_full_disk_costs_a_note_and_not_the_answer(site: Site, tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "none", str(small)]
    if os.geteuid() != 0 or subprocess.run(mount, check=False, capture_output=True).returncode != 0:
        pytest.skip("mounting a small disk needs root")
    try:
        with Stdio(small, MCP_WEB_ALLOW_PRIVATE=site.exemption, MCP_WEB_LOG="off") as server:
            server.initialize()
            texts = []
            for number in range(30):
                site.page(f"/big{number}", page(b"<p>" + random.Random(number).randbytes(100_000).hex().encode()))
                texts.append(text_of(server.call("web_open", url=site.loopback_url(f"/big{number}"), max_chars=500)))
            assert all(text.startswith("success") for text in texts)
            assert "could not be kept" in texts[-1]
        assert server.process.returncode == 0
    finally:
        subprocess.run(["umount", "-l", str(small)], check=False)


class Slow:
    """A page that does not come, and knows when its reader has gone."""

    def __init__(self) -> None:
        self.asked, self.left = threading.Event(), threading.Event()

    async def __call__(self, request: Request, wire: Wire) -> None:
        self.asked.set()
        await wire.reader.read()  # until the other side hangs up
        self.left.set()


@pytest.mark.parametrize("meta", [{}, MODERN], ids=["handshake", "modern"])
def test_a_slow_call_reports_progress_and_can_be_cancelled(site: Site, tmp_path: Path, meta: dict[str, Any]) -> None:
    with Stdio(tmp_path, MCP_WEB_ALLOW_PRIVATE=site.exemption) as server:
        if not meta:
            server.initialize()
        _cancel_a_slow_call(server, site, meta)


def _cancel_a_slow_call(server: Stdio, site: Site, meta: dict[str, Any]) -> None:
    slow = Slow()
    site.behave("/slow", slow)
    server.send(_call("slow", "web_open", meta | {"progressToken": "mine"}, url=site.loopback_url("/slow")))
    said = server.receive()
    assert said["method"] == "notifications/progress"
    assert said["params"]["progressToken"] == "mine"
    assert slow.asked.wait(WAIT)  # on a busy machine the first progress comes before the request
    assert not slow.left.is_set()
    cancelled = {"requestId": "slow", "reason": "no longer wanted"} | ({"_meta": meta} if meta else {})
    server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled})
    assert slow.left.wait(WAIT), "the fetch went on"
    params = {"name": "web_open", "arguments": {"url": site.loopback_url("/calm")}}
    answer = server.request("tools/call", params | ({"_meta": meta} if meta else {}))
    assert "Real text" in text_of(answer["result"])


def test_calls_that_wait_for_the_web_do_not_hold_up_those_that_need_none(site: Site, tmp_path: Path) -> None:
    with Stdio(tmp_path, MCP_WEB_ALLOW_PRIVATE=site.exemption, MCP_WEB_CALLS_AT_ONCE="2") as server:
        server.initialize()
        server.call("web_open", url=site.loopback_url("/calm"))
        slow = [Slow() for _ in range(5)]
        for number, one in enumerate(slow):
            site.behave(f"/slow{number}", one)
            server.send(_call(f"slow{number}", "web_open", url=site.loopback_url(f"/slow{number}")))
        assert sum(one.asked.wait(WAIT) for one in slow[:2]) == 2
        assert "Real text" in text_of(server.call("cache_get", snapshot=site.loopback_url("/calm")))
        assert "Real text" in text_of(server.call("web_extract", html=TEXT.decode()))
        assert not any(one.left.is_set() for one in slow[:2])


def test_pages_that_came_before_the_deadline_are_delivered(site: Site, tmp_path: Path) -> None:
    site.behave("/slow", Slow())
    env = {"MCP_WEB_ALLOW_PRIVATE": site.exemption, "MCP_WEB_DEADLINE": "6", "MCP_WEB_TIMEOUT_MS": "60000"}
    with Stdio(tmp_path, **env) as server:
        server.initialize()
        server.call("web_open", url=site.loopback_url("/calm"))
        urls = [site.loopback_url("/slow"), site.loopback_url("/calm")]
        text = text_of(server.call("web_batch_open", urls=urls))
        assert text.startswith("1 of 2 pages opened")
        assert "FETCH_TIMEOUT" in text
        late = server.call("web_open", url=site.loopback_url("/slow"))
        assert late["_meta"]["error"]["code"] == "FETCH_TIMEOUT"


def test_a_line_that_is_far_too_long_is_refused_once_and_the_next_is_served(forked: Stdio) -> None:
    forked.send_line(b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"' + b"x" * (17 << 20) + b'"}}')
    assert forked.receive()["error"]["code"] == -32700
    assert forked.request("ping")["result"] == {}


def test_lone_surrogates_and_deep_json_are_answered(forked: Stdio) -> None:
    line = b'{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"web_open","arguments":{"url":URL}}}'
    for url in (rb'"\ud800"', b"[" * 50_000 + b"]" * 50_000):
        forked.send_line(line.replace(b"URL", url))
        assert "error" in forked.receive()
        assert forked.request("ping")["result"] == {}
    assert forked.call("web_open", url="[" * 5_000)["isError"]


def test_a_broken_greeting_is_answered_and_the_next_one_works(site: Site, tmp_path: Path) -> None:
    with Stdio(tmp_path) as server:
        server.send_line(b'{"jsonrpc":"2.0","id":{},"method":"server/discover","params":{"_meta":5}}')  # no request
        for line in (
            b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":' + b"[" * 60_000 + b"]" * 60_000 + b"}",
            b'{"jsonrpc":"2.0","id":[1],"method":"initialize","params":[]}',
            b'null "initialize"',
            b'\xff\xfe "initialize"',
        ):
            server.send_line(line)
            assert "error" in server.receive()
        assert server.initialize()["result"]["serverInfo"]
        assert server.request("ping")["result"] == {}


def test_a_second_header_hides_neither_an_origin_nor_a_wrong_token(tmp_path: Path) -> None:
    token = "a-long-and-random-token-0123456789"
    served = Served(tmp_path, MCP_WEB_AUTH_TOKENS=token)
    try:
        host = f"127.0.0.1:{served.port}"
        good = f"Authorization: Bearer {token}\r\n"
        for status, headers in (
            (b"200", good),
            (b"403", f"{good}Origin: https://evil.example\r\nOrigin: http://{host}\r\n"),
            (b"401", f"Authorization: Bearer wrong\r\n{good}"),
            (b"400", f"{good}Host: evil.example\r\n"),
        ):
            with socket.create_connection(("127.0.0.1", served.port), timeout=WAIT) as wire:
                wire.sendall(f"GET / HTTP/1.1\r\nHost: {host}\r\n{headers}Connection: close\r\n\r\n".encode())
                assert wire.recv(4096).split()[1] == status, headers
    finally:
        served.stop()


def test_neither_questions_nor_secrets_reach_the_log(site: Site, tmp_path: Path) -> None:
    env = {"MCP_WEB_ALLOW_PRIVATE": site.exemption, "MCP_WEB_LOG": "debug", "BRAVE_API_KEY": "sekret-key-0123456789"}
    with Stdio(tmp_path, **env) as server:
        server.initialize()
        for query in ("?api_key=sekret-one", "?q=sekret+question&page=2", "?mail=sekret@example.org"):
            server.call("web_open", url=site.loopback_url("/calm") + query)
        server.call("web_open", url=site.loopback_url("/calm").replace("127", "me:sekret-two@127"))
        server.call("web_open", url=site.loopback_url("/calm") + "?x=sekret-key-0123456789")
        server.call("archive_search", query="sekret words")
    log = b"".join(server.errors).decode()
    assert "page=2" in log
    assert "sekret" not in log


def test_an_interrupted_command_in_a_terminal_ends_with_130_and_without_a_traceback(site: Site, tmp_path: Path) -> None:
    import pty

    slow = Slow()
    site.behave("/slow", slow)
    ours, theirs = pty.openpty()
    env = clean_environment(tmp_path, MCP_WEB_ALLOW_PRIVATE=site.exemption, TERM="xterm-256color")
    command = [sys.executable, "-m", "mcp_web", "open", site.loopback_url("/slow")]
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=env, start_new_session=True)
    os.close(theirs)
    assert slow.asked.wait(WAIT)
    process.send_signal(signal.SIGINT)
    shown = b""
    while chunk := read_terminal(ours):
        shown += chunk
    os.close(ours)
    assert process.wait(WAIT) == 130
    assert b"\x1b[" in shown, "a terminal shows a progress bar"
    assert b"Traceback" not in shown


def read_terminal(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65_536)
    except OSError:  # how Linux says that the other end is closed
        return b""
