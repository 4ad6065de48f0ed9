"""Private addresses, hidden text and hostile pages, met by every server with its own guard on."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from bench.scorecard.contestants import Contestant, Make
from bench.scorecard.installs import Installed
from bench.scorecard.listening import listening
from bench.scorecard.race import OURS
from bench.scorecard.rows import gain_row
from bench.scorecard.servers import Measured, measure
from bench.scorecard.table import Row, Table

_SPELLINGS = (
    *("127.0.0.1", "localhost", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.0.0.1", "0177.0.0.1", "0177.1"),
    *("0.0.0.0", "0", "127.000.000.001", "LOCALHOST", "localhost.", "127.0.0.1.", "①②⑦.⓪.⓪.①", "127。0。0。1"),
    *("[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:127.0.0.1]", "user@127.0.0.1", "127.0.0.2"),
)
_HOSTILE = ("nested_div", "nested_b", "nested_table", "huge_attr", "lt_flood")
_PAGE = b"<html><body><article><h1>Still here</h1><p>An ordinary page that every server can read without trouble.</p>"
_LIBRARIES = ("trafilatura", "crawl4ai")  # have no guard of their own


def ssrf_table(makes: dict[str, Make], installed: dict[str, Installed]) -> Table:
    """Requests to a listener on loopback, spelled in many ways; each must not arrive."""
    asked: list[str] = []

    def work(server: Contestant) -> list[float]:
        prevented = []
        for spelling in _SPELLINGS:
            asked.clear()
            server.open(f"http://{spelling}:{port}/secret")
            prevented.append(float("/secret" not in asked))
        return prevented

    servers = {name: make for name, make in makes.items() if name not in _LIBRARIES}
    with listening({"/secret": ("text/plain", b"internal")}, asked=asked) as host:
        port = host.rpartition(":")[2]
        found = measure(servers, installed, (), work, guarded=True)
    method = (
        "A listener on loopback stands for a private service. Each server keeps its own guard, as installed, and is "
        f"asked to open {len(_SPELLINGS)} spellings of the address (decimal, octal, hexadecimal, short, IPv6-mapped, "
        "full-width). Counted is what reaches the listener. Redirects and names that change their address are tested "
        "in the suite."
    )
    rows = _rows("requests to a private address prevented", found, "")
    return Table("ssrf", "Private addresses", method, rows, found.absent)


def hidden_table(makes: dict[str, Make], installed: dict[str, Installed]) -> Table:
    """Pages with a text that no person sees, and pages with one that a person does see."""
    pages = _hidden_pages()
    bodies = {f"/{at}": ("text/html; charset=utf-8", page.html.encode()) for at, page in enumerate(pages)}

    def work(server: Contestant) -> list[str]:
        replies = [server.open(f"http://{host}/{at}") for at in range(len(pages))]
        return ["" if reply.failed else reply.text for reply in replies]

    with listening(bodies) as host:
        texts = measure(makes, installed, (host,), work)
    kept_out = Measured({n: _shares(t, pages, _payload_left_out) for n, t in texts.found.items()}, texts.absent)
    kept = Measured({n: _shares(t, pages, _page_kept) for n, t in texts.found.items()}, texts.absent)
    method = (
        f"{len(pages)} pages, each with a text that style sheets, attributes or colours hide from a person, and "
        "controls where a person sees it. A server should leave out the hidden text and keep everything else: the "
        "other paragraphs, and the text where it is visible."
    )
    rows = (
        *_rows("hidden text left out", kept_out, "a way of hiding that is not recognised"),
        *_rows("visible text kept", kept, "visible text was taken for hidden"),
    )
    return Table("hidden", "Hidden text", method, rows, texts.absent)


@dataclass(frozen=True, slots=True)
class HiddenPage:
    html: str
    visible: bool


def _hidden_pages() -> list[HiddenPage]:
    """A fixed sample of the two corpora of the test suite."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))
    from security.cases import hidden_page, rows

    pages = [HiddenPage(row["html"], row["visible"]) for row in rows("hidden_text_pages")[::2]]
    variants = [HiddenPage(hidden_page(row), row["visible"]) for row in rows("hidden_variants")[::20]]
    return pages + variants


def _payload_left_out(text: str, page: HiddenPage) -> float | None:
    return None if page.visible else float(bool(text) and "ZQXHIDDEN" not in text)


def _page_kept(text: str, page: HiddenPage) -> float | None:
    others = all(f"VISIBLE{number}" in text for number in range(6))
    return float(others and (not page.visible or "ZQXHIDDEN" in text))


def _shares(
    texts: Sequence[str], pages: Sequence[HiddenPage], judge: Callable[[str, HiddenPage], float | None]
) -> list[float]:
    judged = (judge(text, page) for text, page in zip(texts, pages, strict=True))
    return [value for value in judged if value is not None]


def hostile_table(makes: dict[str, Make], installed: dict[str, Installed]) -> Table:
    """Bodies that exhaust parsers: does the server answer, and does it read the next page?"""
    bodies = _hostile_bodies() | {"/next": ("text/html", _PAGE)}
    found: dict[str, list[float]] = {name: [] for name in makes}
    absent: tuple[str, ...] = ()
    with ExitStack() as stack:
        host = stack.enter_context(listening(bodies))
        for name in _HOSTILE:
            once = measure(makes, installed, (host,), lambda server, name=name: _survives(server, host, name))  # type: ignore[misc]
            for server in makes:
                found[server].append(once.found.get(server, 0.0))
            absent = tuple(one for one in once.absent if "not installed" in one)
    gone = {one.partition(":")[0] for one in absent}
    kept = Measured({name: values for name, values in found.items() if name not in gone}, absent)
    method = (
        f"{len(_HOSTILE)} bodies that exhaust parsers (30,000 nested elements, attributes of megabytes, floods of "
        "comments), each with a freshly started server. Counted is whether an ordinary page is read after it, within a "
        "minute."
    )
    return Table(
        "hostile",
        "Hostile pages",
        method,
        _rows("serves on after a hostile page", kept, "the page holds the worker"),
        absent,
    )


def _survives(server: Contestant, host: str, name: str) -> float:
    server.open(f"http://{host}/{name}")
    reply = server.open(f"http://{host}/next")
    return float("ordinary page" in reply.text)


def _hostile_bodies() -> dict[str, tuple[str, bytes]]:
    import importlib.util
    import os

    os.environ["HOSTILE_N"] = "30000"
    path = Path(__file__).resolve().parents[2] / "tests" / "security" / "hostile.py"
    spec = importlib.util.spec_from_file_location("hostile", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {f"/{name}": ("text/html; charset=utf-8", module.HTML[name]()) for name in _HOSTILE}


def _rows(measure_name: str, measured: Measured[list[float]], why: str) -> tuple[Row, ...]:
    mine = measured.found.get(OURS)
    if mine is None:
        return ()
    peers = {name: values for name, values in measured.found.items() if name != OURS}
    return tuple(gain_row(measure_name, name, mine, theirs, why) for name, theirs in peers.items())
