"""The pages as a small web on loopback: one address for each site, and the engine's address beside them."""

from __future__ import annotations

import json
import socket
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from urllib.parse import parse_qs

from bench.scorecard.corpus import Corpus, Page
from bench.scorecard.designs import to_html, to_pdf
from bench.scorecard.engine import PlainEngine
from bench.scorecard.listening import Body, listening

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
            host = stack.enter_context(listening(bodies, address=_address(number)))
            hosts.append(host)
            addresses |= {page.name: f"http://{host}/{page.name}{_ending(page)}" for page in pages}
        texts = {addresses[page.name]: (page.title, page.markdown) for page in corpus.pages}
        search = partial(_found, PlainEngine(texts))
        engine = stack.enter_context(listening({}, computed={"/search": search}))
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


def _found(engine: PlainEngine, query: str) -> Body:
    given = parse_qs(query)
    first = given.get("p", ["1"])[0] == "1"
    found = engine.search(given.get("q", [""])[0]) if first else []
    rows = [{"title": one.title, "link": one.url, "snippet": one.snippet} for one in found]
    return "application/json", json.dumps({"items": rows}).encode()
