"""The pages as a small web on loopback: one address for each site, and the engine's address beside them."""

from __future__ import annotations

import json
import socket
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from bench.scorecard.corpus import Corpus, Page
from bench.scorecard.designs import to_html, to_pdf
from bench.scorecard.engine import PlainEngine

_TYPES = {"html": "text/html; charset=utf-8", "pdf": "application/pdf"}


@dataclass(frozen=True, slots=True)
class Web:
    addresses: dict[str, str]  # by the name of the page
    engine_url: str
    hosts: tuple[str, ...]  # host:port of every site


@contextmanager
def serving(corpus: Corpus) -> Iterator[Web]:
    sites: dict[str, list[Page]] = defaultdict(list)
    for page in corpus.pages:
        sites[page.site].append(page)
    with ExitStack() as stack:
        addresses: dict[str, str] = {}
        hosts: list[str] = []
        for number, pages in enumerate(sites.values(), 1):
            bodies = {f"/{page.name}{_ending(page)}": _reply(page, pages) for page in pages}
            host = stack.enter_context(_listening(_address(number), bodies))
            hosts.append(host)
            addresses |= {page.name: f"http://{host}/{page.name}{_ending(page)}" for page in pages}
        texts = {addresses[page.name]: (page.title, page.markdown) for page in corpus.pages}
        engine = stack.enter_context(_listening("127.0.0.1", {}, PlainEngine(texts)))
        yield Web(addresses, f"http://{engine}/search", tuple(hosts))


def _address(number: int) -> str:
    """An address of its own for each site, because servers pace their requests by host; not every system has them."""
    address = f"127.0.1.{number}"
    with socket.socket() as probe:
        try:
            probe.bind((address, 0))
        except OSError:
            return "127.0.0.1"
    return address


def _ending(page: Page) -> str:
    return ".pdf" if page.format == "pdf" else ""


def _reply(page: Page, siblings: list[Page]) -> tuple[str, bytes]:
    return _TYPES[page.format], to_pdf(page) if page.format == "pdf" else to_html(page, siblings)


@contextmanager
def _listening(address: str, bodies: dict[str, tuple[str, bytes]], engine: PlainEngine | None = None) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            asked = urlsplit(self.path)
            if engine is not None and asked.path == "/search":
                self._send(200, "application/json", _found(engine, asked.query))
            elif asked.path in bodies:
                self._send(200, *bodies[asked.path])
            else:
                self._send(404, "text/plain", b"not found")

        def do_HEAD(self) -> None:
            self.do_GET()

        def _send(self, status: int, kind: str, body: bytes) -> None:
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            pass

    server = _Quiet((address, 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"{address}:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


class _Quiet(ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        """A client that closes its connection early is no error of the site."""


def _found(engine: PlainEngine, query: str) -> bytes:
    given = parse_qs(query)
    if given.get("p", ["1"])[0] != "1":
        return b'{"items": []}'
    found = engine.search(given.get("q", [""])[0])
    return json.dumps(
        {"items": [{"title": one.title, "link": one.url, "snippet": one.snippet} for one in found]}
    ).encode()
