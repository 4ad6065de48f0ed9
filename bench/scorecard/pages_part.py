"""Every page opened once with every server: what of its text comes back, how fast, and with how much memory.

The texts are kept for the comparison of quotes; servers with an archive are then asked what they remember.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import median

from bench.scorecard import processes
from bench.scorecard.contestants import LIBRARIES, Contestant, Make, addresses
from bench.scorecard.corpus import Corpus, plain_words
from bench.scorecard.installs import Installed
from bench.scorecard.rows import OURS, gain_rows, three_places, time_row
from bench.scorecard.servers import in_order, running, within
from bench.scorecard.session import IN_FLIGHT, Reply
from bench.scorecard.site import Web
from bench.scorecard.table import Row, Table

_ASKING = {OURS: ("archive_search", "query"), "free-search-mcp": ("cache_search", "query")}
AT_ONCE = 8  # pages of a round
ROUNDS = 4
OPENED = 40  # of the pages, so that two runs open the same on a slower machine too
SECONDS = 300.0  # pages that were not opened until then are left out, for all servers
FIRST = 10  # documents of the archive that are looked at
WARM_UP = 3  # pages that are opened before the clock counts


@dataclass(frozen=True, slots=True)
class Opened:
    """One server's pages."""

    texts: dict[str, str]  # by the name of the page
    seconds: tuple[float, ...]
    memory: tuple[float, ...]  # MB of the process and its children after each round, shared memory divided
    ranks: tuple[int, ...]  # of the gold page for each answerable question; 0: not found; empty: no archive
    rounds: tuple[float, ...]  # seconds for several pages at once; empty for a library


@dataclass(frozen=True, slots=True)
class Openings:
    """What all servers opened."""

    corpus: Corpus  # the pages that were opened, and their questions
    found: dict[str, Opened]
    absent: tuple[str, ...]


def open_pages(corpus: Corpus, web: Web, makes: dict[str, Make], installed: dict[str, Installed]) -> Openings:
    """Each page by one server after the other; then what is measured once for each server."""
    with running(makes, installed, web.hosts) as field:
        replies: dict[str, dict[str, Reply]] = {}
        for page in within(SECONDS, in_order(corpus.pages, lambda page: page.name)[:OPENED]):
            replies[page.name] = field.each(partial(_open, web.addresses[page.name]))
        seen = _narrowed(corpus, replies)
        urls = [web.addresses[name] for name in replies]
        ranks = field.each(lambda server: _archive_ranks(server, seen, web))
        rounds, memory = [], []
        for number in range(ROUNDS):
            rounds.append(field.each(partial(_open_at_once, urls, number)))
            memory.append(field.each(lambda server: processes.memory(server.session.process.pid)))
        found = {
            name: Opened(
                {page: "" if one[name].failed else one[name].text for page, one in replies.items()},
                tuple(one[name].seconds for one in replies.values()),
                tuple(one[name] for one in memory),
                ranks[name],
                tuple(one[name] for one in rounds) if all(one[name] for one in rounds) else (),
            )
            for name in field.servers
        }
        return Openings(seen, found, field.absent)


def _narrowed(corpus: Corpus, names: Collection[str]) -> Corpus:
    pages = tuple(page for page in corpus.pages if page.name in names)
    return replace(corpus, pages=pages, questions=tuple(one for one in corpus.questions if one.page in names))


def _open(url: str, server: Contestant) -> Reply:
    return server.open(url)


def _open_at_once(urls: Sequence[str], number: int, server: Contestant) -> float:
    """Pages that the server has not seen, the same text under other addresses; 0 for a library or where one failed."""
    html = [url for url in urls if not url.endswith(".pdf")][:AT_ONCE]
    return 0.0 if server.name in LIBRARIES else server.open_at_once([f"{url}?round={number}" for url in html])


def _archive_ranks(server: Contestant, corpus: Corpus, web: Web) -> tuple[int, ...]:
    if server.name not in _ASKING:
        return ()
    tool, parameter = _ASKING[server.name]
    ranks = []
    for question in corpus.questions:
        found = addresses(server.session.call(tool, **{parameter: question.text}).text)[:FIRST]
        gold = web.addresses[question.page or ""]
        ranks.append(found.index(gold) + 1 if gold in found else 0)
    return tuple(ranks)


# ── tables ───────────────────────────────────────────────────────────────


def extraction_table(opened: Openings) -> Table:
    gold = {page.name: Counter(plain_words(page.markdown).split()) for page in opened.corpus.pages}
    scores = {name: [_f1(text, gold[page]) for page, text in one.texts.items()] for name, one in opened.found.items()}
    figures = tuple(
        {
            "server": name,
            "F1": three_places(scores[name]),
            "pages without text": str(sum(not text for text in one.texts.values())),
        }
        for name, one in opened.found.items()
    )
    why = "parts of some designs are taken for content"
    rows = gain_rows("text of the page kept, nothing else (F1)", scores, why, show=three_places)
    method = (
        "Every page of the race opened whole by each server: the words that came back against the words of the text "
        "that the page was made from, as F1; menus, teasers, comments and banners count against a server, and so does "
        "text that is missing. Envelope and header lines of a server count as its words."
    )
    return Table("extraction", "Extraction", method, tuple(rows), opened.absent, figures)


def speed_table(opened: Openings) -> Table:
    mine = opened.found[OURS]
    rows: list[Row] = []
    for name, one in opened.found.items():
        if name == OURS:
            continue
        why = "ours parses in a sandboxed worker and keeps the page"
        ours, theirs = mine.seconds[WARM_UP:], one.seconds[WARM_UP:]
        rows.append(time_row("one page after the other", name, ours, theirs, why))
        if one.rounds and mine.rounds:
            measure_name = f"{len(mine.rounds) * AT_ONCE} pages, {IN_FLIGHT} calls in flight"
            rows.append(time_row(measure_name, name, mine.rounds, one.rounds, why, show=_pages_a_second))
        why = "the parsing workers, the index and the models"
        rows.append(time_row("memory at the end", name, mine.memory, one.memory, why, show=_megabytes))
    method = (
        "The same run: the time for a page, one after the other, without the first three; throughput with "
        f"{IN_FLIGHT} calls in flight, for servers (a library has none of its own); and the memory of the process with "
        "its children at the end of it, what they share divided. Margin 25 %."
    )
    failed = tuple(
        f"{name}, calls in flight: one of them failed"
        for name, one in opened.found.items()
        if not one.rounds and name not in LIBRARIES
    )
    return Table("speed", "Speed and memory", method, tuple(rows), opened.absent + failed)


def _megabytes(values: Sequence[float]) -> str:
    return f"{median(values):.0f} MB"


def _pages_a_second(rounds: Sequence[float]) -> str:
    return f"{AT_ONCE / median(rounds):.1f} a second"


def archive_table(opened: Openings) -> Table:
    ranks = {name: one.ranks for name, one in opened.found.items() if one.ranks}
    ranks["SQLite FTS5, words joined by OR"] = _full_text_ranks(opened.corpus)
    scores = {name: [1 / rank if rank else 0.0 for rank in found] for name, found in ranks.items()}
    rows = gain_rows("gold page found again (MRR)", scores, "near copies rank above the page", show=three_places)
    method = (
        "After all pages were opened, each answerable question was asked of what the server remembers, without "
        "network. free-search-mcp finds only pages that hold every word of the query; other servers have no archive. "
        "Plain SQLite full-text search over the same texts stands beside them."
    )
    return Table("archive", "Archive", method, tuple(rows), opened.absent)


def _full_text_ranks(corpus: Corpus) -> tuple[int, ...]:
    import sqlite3

    base = sqlite3.connect(":memory:")
    base.execute("create virtual table page using fts5(name unindexed, title, body, tokenize='porter')")
    base.executemany("insert into page values (?, ?, ?)", [(p.name, p.title, p.markdown) for p in corpus.pages])
    ranks = []
    for question in corpus.questions:
        words = " OR ".join(f'"{word}"' for word in plain_words(question.text).split())
        rows = base.execute("select name from page where page match ? order by rank limit ?", (words, FIRST))
        names = [row[0] for row in rows]
        ranks.append(names.index(question.page) + 1 if question.page in names else 0)
    return tuple(ranks)


def _f1(text: str, gold: Counter[str]) -> float:
    found = Counter(plain_words(text).split())
    common = sum((found & gold).values())
    return 2 * common / max(1, sum(found.values()) + sum(gold.values()))
