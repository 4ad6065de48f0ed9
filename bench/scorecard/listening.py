"""A loopback site from a table of bodies, with a record of what was asked for."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

Body = tuple[str, bytes]  # media type and bytes
Computed = Callable[[str], Body | None]  # from the query string


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that closes its connection early is no error of the site."""


@contextmanager
def listening(
    bodies: Mapping[str, Body],
    *,
    address: str = "127.0.0.1",
    computed: Mapping[str, Computed] | None = None,
    asked: list[str] | None = None,
) -> Iterator[str]:
    """Serve the bodies by path and yield `host:port`; `asked` collects the paths of all requests."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            url = urlsplit(self.path)
            if asked is not None:
                asked.append(url.path)
            compute = (computed or {}).get(url.path)
            found = compute(url.query) if compute else bodies.get(url.path)
            if found is None:
                self._send(404, "text/plain", b"not found")
            else:
                self._send(200, *found)

        do_HEAD = do_GET

        def _send(self, status: int, kind: str, body: bytes) -> None:
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            pass

    kind = type("Server", (_Server,), {"address_family": socket.AF_INET6 if ":" in address else socket.AF_INET})
    server = kind((address, 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"[{address}]:{server.server_port}" if ":" in address else f"{address}:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
