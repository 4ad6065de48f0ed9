"""Pages on loopback: a cached open and a cached read beside an empty call, and 200 pages beside another server.

Limits: a cached open through stdio at most 1.5 × an empty tool call of a bare server on the same SDK; a cached read at
most 3 × that call plus the time that the judge takes for four passages; 200 distinct pages with web_batch_open at
least 2 × faster than the reference fetch server called in sequence.
"""

from __future__ import annotations

import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from statistics import median

from bench.peers import bare_python, ours, python_peer
from bench.wire import Peer

PAGES = 200
BATCH = 50
CALLS = 400
LOOPBACK = "--allow-private-ips"  # the reference server's own exemption
PATIENCE = 90.0  # seconds for a peer before it counts as not answering


class _Pages(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        status, body = (404, b"") if self.path == "/robots.txt" else (200, _page(self.path))
        self.send_response(status)
        self.send_header("content-type", "text/html; charset=utf-8")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        pass


class _Site(ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        """A peer that is stopped hangs up: no news."""


def _page(path: str) -> bytes:
    """About 20 KB of article with the usual frame around it."""
    text = "".join(
        f"<h2>Part {number}</h2><p>{'Sentences with <a href=/l>links</a> and <code>code</code> in them. ' * 12}</p>"
        for number in range(18)
    )
    menu = "".join(f"<li><a href=/m{number}>Menu entry {number}</a></li>" for number in range(40))
    frame = f"<title>Page {path}</title><body><nav><ul>{menu}</ul></nav><main><article><h1>Page {path}</h1>"
    return f"<!doctype html><html><head>{frame}{text}</article></main><footer>Footer</footer></body></html>".encode()


def main() -> None:
    site = _Site(("127.0.0.1", 0), _Pages)
    threading.Thread(target=site.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{site.server_port}"
    try:
        _cached(base)
        _reading(base)
        _batch(base)
    finally:
        site.shutdown()


def _cached(base: str) -> None:
    bare, web = Peer(bare_python()), _web(base)
    bare.hello()
    web.hello()
    url = f"{base}/cached"
    web.call("web_open", url=url)
    time.sleep(0.5)  # the file settles
    for _ in range(50):
        bare.call("empty")
        web.call("web_open", url=url)
    empty, cached, refused = [], [], []
    for _ in range(CALLS):  # in turns: both see the same machine
        empty.append(bare.timed("empty"))
        cached.append(web.timed("web_open", url=url))
        refused.append(web.timed("cache_purge"))
    one, two, three = median(empty), median(cached), median(refused)
    print("| call over stdio | p50 ms | ÷ empty |\n|---|--:|--:|")
    print(f"| empty tool, bare Python SDK server | {one * 1000:.2f} | 1.00 |")
    print(f"| web_open, cached, 10,000 characters | {two * 1000:.2f} | {two / one:.2f} |")
    print(f"| a call that mcp-web refuses at once | {three * 1000:.2f} | {three / one:.2f} |")
    print("\nlimit: cached ÷ empty ≤ 1.5\n")
    bare.close()
    web.close()


def _reading(base: str) -> None:
    """A cached read, one new question each time, beside an empty call plus the judge's own time for four passages."""
    bare, web = Peer(bare_python()), _web(base)
    bare.hello()
    web.hello()
    url = f"{base}/read"
    for number in range(20):
        web.call("web_read", url=url, query=f"what about sentences {number}")
        bare.call("empty")
    time.sleep(0.5)
    empty, read = [], []
    for number in range(100):
        empty.append(bare.timed("empty"))
        read.append(web.timed("web_read", url=url, query=f"which links and code does part {number} have"))
    judge = _judge_time()
    one, two = median(empty), median(read)
    limit = 3 * one + judge
    print("| cached read over stdio | p50 ms | ÷ limit |\n|---|--:|--:|")
    print(f"| web_read, eight results | {two * 1000:.2f} | {two / limit:.2f} |")
    parts = f"3 × empty ({one * 1000:.2f}) + the judge's four passages ({judge * 1000:.2f})"
    print(f"| limit: {parts} | {limit * 1000:.2f} | 1.00 |\n")
    bare.close()
    web.close()


def _judge_time() -> float:
    """What the judge takes to read four passages for a question."""
    import anyio

    from mcp_web.embed.judge import Judge

    async def measure() -> float:
        judge, times = Judge(), []
        for number in range(12):
            pairs = [
                (f"which links and code does part {number} have", "Sentences with links and code in them. " * 16)
            ] * 4
            begun = time.perf_counter()
            await judge.scores(pairs)
            times.append(time.perf_counter() - begun)
        return median(times[2:])

    return anyio.run(measure)


def _batch(base: str) -> None:
    rows = [
        ("mcp-web, web_batch_open", _ours(base)),
        ("mcp-server-fetch (reference), in sequence", _peer(base, "mcp-server-fetch", "fetch", "url", 1, LOOPBACK)),
        ("mcp-server-fetch (reference), 16 at once", _peer(base, "mcp-server-fetch", "fetch", "url", 16, LOOPBACK)),
        ("markitdown-mcp, 16 calls at once", _peer(base, "markitdown-mcp", "convert_to_markdown", "uri", 16)),
    ]
    fastest = rows[0][1]
    print(f"| {PAGES} distinct pages | s | ÷ mcp-web |\n|---|--:|--:|")
    for name, seconds in rows:
        more = "> " if seconds < 0 else ""
        figures = f"{more}{abs(seconds):.2f} | {more}{abs(seconds) / fastest:.1f}" if seconds else "not read |"
        print(f"| {name} | {figures} |")
    print("\nlimits: the reference server in sequence takes at least 2 × as long, every peer at least as long")


def _ours(base: str) -> float:
    web = _web(base)
    web.hello()
    web.call("web_open", url=f"{base}/warm")
    begun = time.perf_counter()
    for first in range(0, PAGES, BATCH):
        answer = web.call("web_batch_open", urls=[f"{base}/o{number}" for number in range(first, first + BATCH)])
        assert answer["_meta"]["opened"] == BATCH, answer["content"][0]["text"][:300]
    seconds = time.perf_counter() - begun
    web.close()
    return seconds


def _peer(base: str, package: str, tool: str, parameter: str, width: int, *flags: str) -> float:
    """Seconds for the pages; negative when it was stopped for taking longer, 0 when it cannot be had or read them."""
    try:
        peer = Peer([*python_peer(package, package), *flags])
        peer.hello()
    except (OSError, RuntimeError, subprocess.CalledProcessError):
        return 0.0
    watch = threading.Timer(PATIENCE, peer.process.kill)
    watch.start()
    try:
        peer.call(tool, **{parameter: f"{base}/warm"})
        begun = time.perf_counter()
        good = peer.call_at_once(tool, [{parameter: f"{base}/{package}{width}-{at}"} for at in range(PAGES)], width)
        seconds = time.perf_counter() - begun
    except (OSError, RuntimeError, ValueError):
        return -PATIENCE if not watch.is_alive() else 0.0  # ended by the watch: slower than its patience
    finally:
        watch.cancel()
        peer.close()
    return seconds if good == PAGES else 0.0


def _web(base: str) -> Peer:
    host = base.removeprefix("http://")
    return Peer(ours(), MCP_WEB_ALLOW_PRIVATE=host, MCP_WEB_FETCH_HOST_CONCURRENCY="16")


if __name__ == "__main__":
    main()
