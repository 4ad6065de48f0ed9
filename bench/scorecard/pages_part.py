"""Every page opened once with every server: what of its text comes back, how fast, and with how much memory.

The texts are kept for the comparison of quotes; servers with an archive are then asked what they remember.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from bench.scorecard.contestants import Contestant, Make
from bench.scorecard.corpus import Corpus, plain_words
from bench.scorecard.installs import Installed
from bench.scorecard.race import OURS
from bench.scorecard.rows import cost_row, gain_row, milliseconds, three_places
from bench.scorecard.servers import Measured, measure
from bench.scorecard.site import Web
from bench.scorecard.table import Row, Table
from bench.scorecard.verdicts import of_values

_ASKING = {OURS: ("archive_search", "query"), "free-search-mcp": ("cache_search", "query")}
FIRST = 10  # documents of the archive that are looked at
WARM_UP = 3  # pages that are opened before the clock counts


@dataclass(frozen=True, slots=True)
class Opened:
    """One server's pages, in the order of the corpus."""

    texts: tuple[str, ...]
    seconds: tuple[float, ...]
    memory: float  # MB of the process and its children, shared memory divided
    ranks: tuple[int, ...]  # of the gold page for each answerable question; 0: not found; empty: no archive


def open_pages(corpus: Corpus, web: Web, makes: dict[str, Make], installed: dict[str, Installed]) -> Measured[Opened]:
    urls = [web.addresses[page.name] for page in corpus.pages]

    def work(server: Contestant) -> Opened:
        replies = [server.open(url) for url in urls]
        memory = process_memory(server.session.process.pid)
        texts = tuple("" if reply.failed else reply.text for reply in replies)
        return Opened(texts, tuple(reply.seconds for reply in replies), memory, _archive_ranks(server, corpus, web))

    return measure(makes, installed, web.hosts, work)


def _archive_ranks(server: Contestant, corpus: Corpus, web: Web) -> tuple[int, ...]:
    if server.name not in _ASKING:
        return ()
    tool, parameter = _ASKING[server.name]
    ranks = []
    for question in corpus.questions:
        if question.page is None:
            continue
        text = server.session.call(tool, **{parameter: question.text}).text
        found = list(dict.fromkeys(re.findall(r"http://127\.0\.\d+\.\d+:\d+/[\w./-]*\w", text)))[:FIRST]
        gold = web.addresses[question.page]
        ranks.append(found.index(gold) + 1 if gold in found else 0)
    return tuple(ranks)


def process_memory(pid: int) -> float:
    """MB of a process and all its descendants, by proportional share."""
    total, waiting = 0.0, [pid]
    while waiting:
        number = waiting.pop()
        try:
            rollup = Path(f"/proc/{number}/smaps_rollup").read_text()
            tasks = list(Path(f"/proc/{number}/task").iterdir())
            for task in tasks:
                waiting += map(int, (task / "children").read_text().split())
        except OSError:
            continue
        found = re.search(r"^Pss:\s+(\d+)", rollup, re.MULTILINE)
        total += int(found[1]) / 1024 if found else 0.0
    return total


# ── tables ───────────────────────────────────────────────────────────────


def extraction_table(corpus: Corpus, opened: Measured[Opened]) -> Table:
    gold = [Counter(plain_words(page.markdown).split()) for page in corpus.pages]
    scores = {
        name: [_f1(text, words) for text, words in zip(one.texts, gold, strict=True)]
        for name, one in opened.found.items()
    }
    figures = tuple(
        {
            "server": name,
            "F1": three_places(scores[name]),
            "pages without text": str(sum(not text for text in one.texts)),
        }
        for name, one in opened.found.items()
    )
    measure_name, why = "text of the page kept, nothing else (F1)", "parts of some designs are taken for content"
    rows = [
        gain_row(measure_name, name, scores[OURS], theirs, why, show=three_places)
        for name, theirs in scores.items()
        if name != OURS
    ]
    method = (
        "Every page of the race opened whole by each server: the words that came back against the words of the text "
        "that the page was made from, as F1; menus, teasers, comments and banners count against a server, and so does "
        "text that is missing. Envelope and header lines of a server count as its words."
    )
    return Table("extraction", "Extraction", method, tuple(rows), opened.absent, figures)


def speed_table(opened: Measured[Opened]) -> Table:
    mine = opened.found[OURS]
    ours = mine.seconds[WARM_UP:]
    rows = []
    for name, one in opened.found.items():
        if name == OURS:
            continue
        why = "ours parses in a sandboxed worker and keeps the page"
        measure_name = "pages one after the other, time a page"
        rows.append(cost_row(measure_name, name, ours, one.seconds[WARM_UP:], why, show=milliseconds, margin=0.2))
        verdict = of_values(mine.memory, one.memory, margin=0.2, larger_is_better=False)
        why = "the parsing workers and the index" if verdict == "behind" else ""
        relation = f"× {one.memory / max(mine.memory, 1e-9):.2f}"
        sizes = (f"{mine.memory:.0f} MB", f"{one.memory:.0f} MB")
        rows.append(Row("memory after all pages", name, sizes[0], sizes[1], relation, verdict, why))
    method = (
        "The same run: seconds for each page after the first three, one page after the other, and the memory of the "
        "process with its children (proportional share) when all pages have been opened. Margin 20 %."
    )
    return Table("speed", "Speed and memory", method, tuple(rows), opened.absent)


def archive_table(corpus: Corpus, opened: Measured[Opened]) -> Table:
    ranks = {name: one.ranks for name, one in opened.found.items() if one.ranks}
    ranks["SQLite FTS5, words joined by OR"] = _full_text_ranks(corpus)
    scores = {name: [1 / rank if rank else 0.0 for rank in found] for name, found in ranks.items()}
    measure_name, why = "gold page found again (MRR)", "near copies rank above the page"
    rows = [
        gain_row(measure_name, name, scores[OURS], theirs, why, show=three_places)
        for name, theirs in scores.items()
        if name != OURS
    ]
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
        if question.page is None:
            continue
        words = " OR ".join(f'"{word}"' for word in plain_words(question.text).split())
        rows = base.execute("select name from page where page match ? order by rank limit ?", (words, FIRST))
        names = [row[0] for row in rows]
        ranks.append(names.index(question.page) + 1 if question.page in names else 0)
    return tuple(ranks)


def _f1(text: str, gold: Counter[str]) -> float:
    found = Counter(plain_words(text).split())
    common = sum((found & gold).values())
    return 2 * common / max(1, sum(found.values()) + sum(gold.values()))
