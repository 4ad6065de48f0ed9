"""Private addresses and hidden text, met by every server; with its own guard on where addresses are concerned."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from bench.scorecard.contestants import LIBRARIES, Contestant, Make
from bench.scorecard.installs import Installed
from bench.scorecard.listening import listening
from bench.scorecard.rows import gain_rows
from bench.scorecard.servers import in_order, running, within
from bench.scorecard.table import Table

_SPELLINGS = (
    *("127.0.0.1", "localhost", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.0.0.1", "0177.0.0.1", "0177.1"),
    *("0.0.0.0", "0", "127.000.000.001", "LOCALHOST", "localhost.", "127.0.0.1.", "①②⑦.⓪.⓪.①", "127。0。0。1"),
    *("[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:127.0.0.1]", "user@127.0.0.1", "127.0.0.2"),
)
SECONDS = 240.0  # hidden texts that were not opened until then are left out, for all servers


def ssrf_table(makes: dict[str, Make], installed: dict[str, Installed]) -> Table:
    """Requests to a listener on loopback, spelled in many ways; each must not arrive."""
    asked: list[str] = []

    def work(server: Contestant) -> list[float]:
        return [float(_stopped(server, f"http://{spelling}:{port}/secret", asked)) for spelling in _SPELLINGS]

    servers = {name: make for name, make in makes.items() if name not in LIBRARIES}
    with listening({"/secret": ("text/plain", b"internal")}, asked=asked) as host:
        port = host.rpartition(":")[2]
        with running(servers, installed, (), guarded=True) as field:
            prevented = field.each(work)
    method = (
        "A listener on loopback stands for a private service. Each server keeps its own guard, as installed, and is "
        f"asked to open {len(_SPELLINGS)} spellings of the address (decimal, octal, hexadecimal, short, IPv6-mapped, "
        "full-width). Counted is what reaches the listener. Redirects and names that change their address are tested "
        "in the suite."
    )
    rows = gain_rows("requests to a private address prevented", prevented, "a spelling is not recognised")
    return Table("ssrf", "Private addresses", method, rows, field.absent)


def _stopped(server: Contestant, url: str, asked: list[str]) -> bool:
    asked.clear()
    server.open(url)
    return "/secret" not in asked


def hidden_table(makes: dict[str, Make], installed: dict[str, Installed]) -> Table:
    """Pages with a text that no person sees, and pages with one that a person does see."""
    pages = _hidden_pages()
    bodies = {f"/{at}": ("text/html; charset=utf-8", page.html.encode()) for at, page in enumerate(pages)}

    with listening(bodies) as host, running(makes, installed, (host,)) as field:
        numbers = in_order(range(len(pages)), str)
        found = {at: field.each(partial(_text, f"http://{host}/{at}")) for at in within(SECONDS, numbers)}
        texts = {name: {at: one[name] for at, one in found.items()} for name in field.servers}
    left_out = {name: _shares(found, pages, _payload_left_out) for name, found in texts.items()}
    kept = {name: _shares(found, pages, _page_kept) for name, found in texts.items()}
    method = (
        f"{len(found)} pages, each with a text that style sheets, attributes or colours hide from a person, and "
        "controls where a person sees it. A server should leave out the hidden text and keep everything else: the "
        "other paragraphs, and the text where it is visible."
    )
    rows = (
        *gain_rows("hidden text left out", left_out, "a way of hiding that is not recognised"),
        *gain_rows("visible text kept", kept, "visible text was taken for hidden"),
    )
    return Table("hidden", "Hidden text", method, rows, field.absent)


@dataclass(frozen=True, slots=True)
class HiddenPage:
    html: str
    visible: bool


def _hidden_pages() -> list[HiddenPage]:
    """A fixed sample of the two corpora of the test suite."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))
    from security.cases import hidden_page, rows

    pages = [HiddenPage(row["html"], row["visible"]) for row in rows("hidden_text_pages")[::3]]
    variants = [HiddenPage(hidden_page(row), row["visible"]) for row in rows("hidden_variants")[::30]]
    return pages + variants


def _text(url: str, server: Contestant) -> str:
    reply = server.open(url)
    return "" if reply.failed else reply.text


def _payload_left_out(text: str, page: HiddenPage) -> float | None:
    return None if page.visible else float(bool(text) and "ZQXHIDDEN" not in text)


def _page_kept(text: str, page: HiddenPage) -> float | None:
    others = all(f"VISIBLE{number}" in text for number in range(6))
    return float(others and (not page.visible or "ZQXHIDDEN" in text))


def _shares(
    texts: Mapping[int, str], pages: Sequence[HiddenPage], judge: Callable[[str, HiddenPage], float | None]
) -> list[float]:
    judged = (judge(text, pages[at]) for at, text in texts.items())
    return [value for value in judged if value is not None]
