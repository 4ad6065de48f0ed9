"""The end-to-end race: every question through every server, twice, and what each answer cost."""

from __future__ import annotations

import importlib
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from bench.scorecard.contestants import PEERS, Contestant, Make, McpWeb, Setting
from bench.scorecard.corpus import Corpus, Question, holds
from bench.scorecard.installs import Installed
from bench.scorecard.site import Web, serving

AGAIN = 3  # every third question is asked a second time
FIRST = 5  # the gold page counts as found among so many results
OURS = "mcp-web"


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

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def lap_from_json(value: dict[str, Any]) -> Lap:
    passes = {name: tuple(Outcome(**one) for one in value[name]) for name in ("cold", "second")}
    return Lap(value["server"], value["version"], value["listing_tokens"], **passes, problem=value["problem"])


def contestants(names: Sequence[str] | None = None) -> dict[str, Make]:
    """Ours and the peers, or those of them that are named."""
    made: dict[str, Make] = {OURS: McpWeb} | PEERS
    return {name: make for name, make in made.items() if names is None or name in names}


def run(corpus: Corpus, makes: dict[str, Make], installed: dict[str, Installed], version: str) -> Iterator[Lap]:
    """One lap after the other, so that a run that is interrupted keeps those that are done."""
    with tempfile.TemporaryDirectory() as folder, serving(corpus) as web, searxng(Path(folder), web) as searxng_url:
        for name, make in makes.items():
            data = Path(folder) / name.replace(" ", "-")
            data.mkdir()
            setting = Setting(searxng_url, web.hosts, installed, data)
            found = installed.get(name)
            lap = _lap(name, found.version if found else version, make, setting, corpus, web)
            print(f"  {name}: {lap.problem or _brief(lap)}", file=sys.stderr, flush=True)
            yield lap


def _brief(lap: Lap) -> str:
    asked = [one for one in lap.cold if one.answerable]
    tokens = sum(one.tokens for one in asked) // max(1, len(asked))
    seconds = sum(one.seconds for one in lap.cold)
    return f"{sum(one.delivered for one in asked)} of {len(asked)} delivered, {tokens} tokens each, {seconds:.0f} s"


def _lap(name: str, version: str, make: Make, setting: Setting, corpus: Corpus, web: Web) -> Lap:
    try:
        server = make(setting)
    except (OSError, RuntimeError, ValueError, KeyError) as error:
        return Lap(name, version, 0, (), (), f"not started: {error}")
    try:
        cold = tuple(ask(server, one, web) for one in corpus.questions)
        second = tuple(ask(server, one, web) for one in corpus.questions[::AGAIN])
    except (OSError, RuntimeError, ValueError) as error:
        return Lap(name, version, server.listing_tokens, (), (), f"ended during the race: {error}")
    finally:
        server.close()
    return Lap(name, version, server.listing_tokens, cold, second)


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
def searxng(folder: Path, web: Web) -> Iterator[str]:
    """A real SearXNG whose only engine searches the pages."""
    import pytest

    process = _searxng_process()
    made = process.settings([process.engine("pages", web.engine_url, "general")])
    with ExitStack() as stack:
        try:
            (server,) = stack.enter_context(process.serving(folder, made))
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
