"""A cached web_open over HTTP while others hold half-open requests and unfinished bodies.

    python -m bench.slow_clients

Prints the median of a quiet and of a loaded series, their ratio, and the memory of the process tree.
"""

from __future__ import annotations

import http.client
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

PAGE = b"<main><h1>Calm</h1>" + b"<p>Text that a patient reader finds.</p>" * 50 + b"</main>"
CALLS, HALF_OPEN, BODIES = 40, 1_000, 100


class _Site(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        found = self.path != "/robots.txt"
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", "text/html")
        self.send_header("Cache-Control", "max-age=9999")
        self.send_header("Content-Length", str(len(PAGE) if found else 0))
        self.end_headers()
        self.wfile.write(PAGE if found else b"")

    def log_message(self, *args: object) -> None:
        pass


def open_page(port: int, url: str) -> float:
    call = {"name": "web_open", "arguments": {"url": url}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    begun = time.perf_counter()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    connection.request("POST", "/mcp", json.dumps(body), headers)
    answer = connection.getresponse().read()
    connection.close()
    assert b"patient reader" in answer, answer[:500]
    return (time.perf_counter() - begun) * 1000


def hold_connection(port: int, held: list[socket.socket]) -> None:
    made = socket.create_connection(("127.0.0.1", port))
    made.sendall(b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n")
    held.append(made)


def hold_body(port: int, held: list[socket.socket]) -> None:
    made = socket.create_connection(("127.0.0.1", port))
    held.append(made)
    head = f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: 4000000\r\n\r\n"
    try:
        made.sendall(head.encode() + b"x" * 3_900_000)
    except OSError:
        return  # given up by the server


def tree_mb(pid: int) -> float:
    children = [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    own = next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:"))
    return own / 1024 + sum(tree_mb(child) for child in children)


def main() -> None:
    site = ThreadingHTTPServer(("127.0.0.1", 0), _Site)
    threading.Thread(target=site.serve_forever, daemon=True).start()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    held: list[socket.socket] = []
    with tempfile.TemporaryDirectory() as folder:
        env = os.environ | {"DATA_DIR": folder, "MCP_WEB_ALLOW_PRIVATE": f"127.0.0.1:{site.server_port}"}
        env |= {"MCP_WEB_TENANT_LIMITS": "calls_per_minute=100000"}
        server = subprocess.Popen([sys.executable, "-m", "mcp_web", "serve", "--http", f"127.0.0.1:{port}"], env=env)
        try:
            _wait(port)
            url = f"http://127.0.0.1:{site.server_port}/calm"
            open_page(port, url)
            quiet = statistics.median([open_page(port, url) for _ in range(CALLS)][CALLS // 2 :])
            before = tree_mb(server.pid)
            for _ in range(HALF_OPEN):
                hold_connection(port, held)
            threads = [threading.Thread(target=hold_body, args=(port, held), daemon=True) for _ in range(BODIES)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(2 / len(threads))
            loaded = statistics.median(open_page(port, url) for _ in range(CALLS))
            after = tree_mb(server.pid)
            print(f"quiet {quiet:.1f} ms, {before:.0f} MB · loaded {loaded:.1f} ms, {after:.0f} MB")
            print(f"ratio {loaded / quiet:.2f}")
        finally:
            server.terminate()
            server.wait(60)


def _wait(port: int) -> None:
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except OSError:
            time.sleep(0.05)


if __name__ == "__main__":
    main()
