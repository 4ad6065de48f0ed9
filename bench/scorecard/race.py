"""The end-to-end race: every question through every server, twice, and what each answer cost."""

from __future__ import annotations

import importlib
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import ModuleType

from bench.scorecard.contestants import PEERS, Contestant, Make, McpWeb
from bench.scorecard.corpus import Corpus, Question, holds
from bench.scorecard.installs import Installed
from bench.scorecard.rows import OURS
from bench.scorecard.servers import Running, in_order, running, within
from bench.scorecard.site import Web, serving

ASKED = 40  # of the questions, so that two runs ask the same on a slower machine too
AGAIN = 4  # every fourth question is asked a second time
RACE_SECONDS = 480.0  # questions that were not asked until then are left out, for all servers
FIRST = 5  # the gold page counts as found among so many results


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question, one server, one pass."""

    question: str
    answerable: bool
    page_found: bool  # among the first five results
    delivered: bool
    tokens: int  # of all calls until delivered, tools/list left out
    calls: int
    seconds: float
    says_answered: bool | None  # what the server said last, where it says anything
    failures: int


@dataclass(frozen=True, slots=True)
class Lap:
    """All questions with one server."""

    server: str
    version: str
    listing_tokens: int
    cold: tuple[Outcome, ...]
    second: tuple[Outcome, ...]
    problem: str = ""


def contestants(names: Sequence[str] | None = None) -> dict[str, Make]:
    """Ours and the peers, or those of them that are named."""
    made: dict[str, Make] = {OURS: McpWeb} | PEERS
    return {name: make for name, make in made.items() if names is None or name in names}


def run(corpus: Corpus, makes: dict[str, Make], installed: dict[str, Installed], version: str) -> list[Lap]:
    """Each question goes to one server after the other before the next is asked."""
    with ExitStack() as stack:
        web = stack.enter_context(serving(corpus))
        search = stack.enter_context(searxng(web))
        field = stack.enter_context(running(makes, installed, web.hosts, searxng=search))
        ordered = in_order(corpus.questions, lambda question: question.id)[:ASKED]
        listings = field.each(lambda server: server.session.listing_tokens)
        cold = _ask_all(field, within(RACE_SECONDS, ordered), web)
        second = _ask_all(field, within(RACE_SECONDS / AGAIN, _again(cold, ordered)), web)
    versions = {name: installed[name].version if name in installed else version for name in makes}
    return [
        Lap(
            name,
            versions[name],
            listings.get(name, 0),
            _of(cold, name),
            _of(second, name),
            field.problems.get(name, ""),
        )
        for name in makes
    ]


def _of(found: dict[str, list[Outcome]], name: str) -> tuple[Outcome, ...]:
    return tuple(found.get(name, ()))


def _again(cold: dict[str, list[Outcome]], questions: Sequence[Question]) -> list[Question]:
    """Some of the questions that were asked."""
    asked = {one.question for outcomes in cold.values() for one in outcomes}
    return [question for question in questions if question.id in asked][::AGAIN]


def _ask_all(field: Running, questions: Iterable[Question], web: Web) -> dict[str, list[Outcome]]:
    found: dict[str, list[Outcome]] = {name: [] for name in field.servers}
    for question in questions:
        for name, outcome in field.each(partial(ask, question=question, web=web)).items():
            found[name].append(outcome)
    return found


def ask(server: Contestant, question: Question, web: Web) -> Outcome:
    """Follow the policy until the passage was returned or the policy ends."""
    gold = web.addresses.get(question.page or "", "")
    page_found = delivered = False
    says_answered: bool | None = None
    tokens = calls = failures = 0
    seconds, joined = 0.0, ""
    for step in server.steps(question.text):
        calls, tokens, seconds = calls + 1, tokens + step.reply.tokens, seconds + step.reply.seconds
        failures += step.reply.failed
        page_found = page_found or gold in step.found[:FIRST]
        says_answered = says_answered if step.says_answered is None else step.says_answered
        joined += step.page_text
        if question.answerable and (holds(step.reply.text, question.passage) or holds(joined, question.passage)):
            delivered = True
            break
    return Outcome(
        question.id, question.answerable, page_found, delivered, tokens, calls, seconds, says_answered, failures
    )


@contextmanager
def searxng(web: Web) -> Iterator[str]:
    """A real SearXNG whose only engine searches the pages."""
    import pytest

    process = _searxng_process()
    made = process.settings([process.engine("pages", web.engine_url, "general")])
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        try:
            (server,) = stack.enter_context(process.serving(Path(folder), made))
        except pytest.skip.Exception as reason:
            raise RuntimeError(str(reason)) from reason
        yield server.url


def install_searxng() -> None:
    """Install it while there is a network; where that fails, the race says so."""
    import pytest

    with suppress(pytest.skip.Exception):
        _searxng_process().searxng_python()


def _searxng_process() -> ModuleType:
    """The test suite's own way to start it."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))
    return importlib.import_module("search.searxng_process")
