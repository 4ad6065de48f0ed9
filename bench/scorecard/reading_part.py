"""Reading one known page for a question: our passages beside plain ways to cut and rank the same page."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bench.scorecard import tokens
from bench.scorecard.contestants import Contestant, Make
from bench.scorecard.corpus import Corpus, Question, holds
from bench.scorecard.engine import PlainEngine
from bench.scorecard.installs import Installed
from bench.scorecard.rows import OURS, cost_row, gain_row, mean
from bench.scorecard.servers import running
from bench.scorecard.site import Web
from bench.scorecard.table import Table

WORDS = 200  # of a window
_MISSED = "the passage is not among those that were returned"


def reading_table(corpus: Corpus, web: Web, makes: dict[str, Make], installed: dict[str, Installed]) -> Table:
    asked = [question for question in corpus.questions if question.answerable]
    texts = {page.name: page.markdown for page in corpus.pages}

    def work(server: Contestant) -> list[tuple[float, int]]:
        return [_read(server, question, web) for question in asked]

    with running({OURS: makes[OURS]}, installed, web.hosts) as field:
        mine = field.each(work)[OURS]
    budgets = [cost for _, cost in mine]
    cases = [(texts[question.page or ""], question, budget) for question, budget in zip(asked, budgets, strict=True)]
    plain = {
        "BM25 over windows of 200 words, same tokens": [_windows(*case) for case in cases],
        "the beginning of the page, same tokens": [_beginning(*case) for case in cases],
    }
    hits = [hit for hit, _ in mine]
    rows = [gain_row("passage returned from its page", name, hits, theirs, _MISSED) for name, theirs in plain.items()]
    whole = [float(tokens.count(texts[question.page or ""])) for question in asked]
    costs = [float(cost) for cost in budgets]
    page = "the whole page as Markdown"
    rows.append(cost_row("tokens for the answer", page, costs, whole, "the pages are short", show=_rounded))
    method = (
        "The gold page of each answerable question is known; `web_read` returns what answers. No peer has such a tool. "
        "Beside it stand plain methods over the same text with the same number of tokens: windows of 200 words ranked "
        "by BM25, and the beginning of the page."
    )
    return Table("reading", "Reading", method, tuple(rows))


def _read(server: Contestant, question: Question, web: Web) -> tuple[float, int]:
    reply = server.session.call("web_read", url=web.addresses[question.page or ""], query=question.text)
    return float(holds(reply.text, question.passage)), reply.tokens


def _windows(text: str, question: Question, budget: int) -> float:
    """The best windows until the budget is spent."""
    words = text.split()
    cut = [" ".join(words[at : at + WORDS]) for at in range(0, len(words), WORDS)]
    engine = PlainEngine({str(at): ("", window) for at, window in enumerate(cut)})
    best = [cut[int(one.url)] for one in engine.search(question.text, len(cut))]
    return float(holds(" ".join(_within(best, budget)), question.passage))


def _beginning(text: str, question: Question, budget: int) -> float:
    return float(holds(" ".join(_within(text.split(" "), budget, tokens_of=_about)), question.passage))


def _within(parts: list[str], budget: int, tokens_of: Callable[[str], float] = tokens.count) -> list[str]:
    kept: list[str] = []
    spent = 0.0
    for part in parts:
        if kept and spent + tokens_of(part) > budget:
            break
        kept.append(part)
        spent += tokens_of(part)
    return kept


def _about(word: str) -> float:
    return 1.4  # tokens of a word with its space, over these pages


def _rounded(values: Sequence[float]) -> str:
    return f"{mean(values):,.0f}"
