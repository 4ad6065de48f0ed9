"""A site of two hundred small pages on loopback, and a search provider."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from types import TracebackType

_RESULT = {"url": "https://a.example/", "title": "Result for subject", "content": "Everything.", "engine": "none"}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        if self.path.startswith("/search"):
            time.sleep(self.server.site.search_seconds)  # type: ignore[attr-defined]
            self._send(200, "application/json", json.dumps({"results": [_RESULT]}))
            return
        number = self.path.rpartition("/")[2]
        found = self.path.startswith("/page/")
        text = f"<main><h1>Page {number}</h1><p>The number of this page is {number}.</p></main>" if found else "none"
        self._send(200 if found else 404, "text/html; charset=utf-8", text)

    def _send(self, status: int, kind: str, text: str) -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def handle(self) -> None:
        with suppress(ConnectionError):  # a replica was killed
            super().handle()

    def log_message(self, format: str, *args: object) -> None:
        return


class Site:
    search_seconds = 0.0  # that the search provider takes

    def __enter__(self) -> Site:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._server.site = self  # type: ignore[attr-defined]
        Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()
