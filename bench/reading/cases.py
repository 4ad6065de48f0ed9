"""Questions put to the page that answers them, to pages about the same subject that do not, and to pages about
something else; for each, what the signals say about the eight passages that would be shown first."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Literal

import numpy as np

from bench.reading import data
from bench.reading.measure import evidence_of
from bench.reading.quality import Model
from mcp_web.index.page import PreparedPage, prepare
from mcp_web.index.rank import distinct, fused
from mcp_web.index.widen import widen
from mcp_web.index.words import names
from mcp_web.read.passages import passages
from mcp_web.text.headings import read_headings
from mcp_web.text.sizes import estimate_tokens

# `renamed`: the page that answers, asked about another name; the last two are pages of one paragraph.
Kind = Literal["own", "near", "far", "renamed", "own, short", "far, short"]
PAGE = 4000  # characters; where paragraphs have more on average, each is a page
PARAGRAPHS = 6  # of a page that is made of a set in the format of SQuAD
MOST = 8  # passages


@dataclass(frozen=True)
class Shown:
    """A passage: how far behind the best, what the signals say, what it costs, and whether it holds the answer."""

    behind: float
    coverage: float
    static: float | None
    judged: float | None
    tokens: int
    holds: bool


@dataclass(frozen=True)
class Case:
    source: str
    kind: Kind
    with_model: bool
    missing: bool
    shown: tuple[Shown, ...]

    @property
    def answers(self) -> bool:
        return self.kind.startswith("own")


@dataclass(frozen=True)
class Asked:
    """A question to a text, with the spans that answer it there."""

    kind: Kind
    text: str
    title: str
    question: str
    spans: tuple[data.Span, ...] = ()


def case_of(source: str, asked: Asked, model: Model | None) -> Case:
    page = _prepared(asked.text)
    evidence = evidence_of(page, asked.question, asked.title, model.judged if model else None)
    total = fused(evidence)
    around = partial(widen, asked.text, page.passages)
    chosen = distinct(page.passages, evidence, total, MOST, around)
    shown = tuple(
        Shown(
            behind=float(total[chosen[0][0]] - total[number]),
            coverage=float(evidence.coverage[number]),
            static=float(evidence.static[number]) if evidence.static is not None and evidence.static_judges else None,
            judged=float(evidence.judged[number])
            if evidence.judged is not None and not np.isnan(evidence.judged[number])
            else None,
            tokens=estimate_tokens(passage.text),
            holds=any(data.overlaps(passage.start, passage.end, span) for span in asked.spans),
        )
        for number, passage in chosen
    )
    return Case(source, asked.kind, model is not None, bool(evidence.missing), shown)


def renamed(question: str, others: Sequence[str], text: str) -> str:
    """The question with its last name replaced by one that the text lacks, of another question; "" without such."""
    old = next(reversed(names(question)), "")
    if not old:
        return ""
    found = (name for other in others[:100] for name in names(other)[-1:])
    fitting = (name for name in found if name not in text and name[0].isdigit() == old[0].isdigit())
    return question.replace(old, new) if (new := next(fitting, "")) else ""


def long_pages(source: str, share: float) -> Iterator[Asked]:
    """Of the reading data beside the project."""
    pages = data.reading_pages()
    far = [page for page in pages if page.source != source]
    questions = sorted({question for page in pages if page.source == source for question, _ in page.questions})
    random.Random(5).shuffle(questions)
    number = 0
    for page in (one for one in pages if one.source == source):
        for question, spans in page.questions:
            if data.taken(question + page.name, share):
                yield Asked("own", page.text, page.name, question, tuple(spans))
                number += 1
                other = far[number % len(far)]
                if number % 2:
                    yield Asked("far", other.text, other.name, question)
                elif new := renamed(question, questions[number:], page.text):
                    yield Asked("renamed", page.text, page.name, new)
    if source == "policyqa":
        for page, question in data.near_misses(pages, share / 5):
            yield Asked("near", page.text, page.name, question)


def short_pages(file: Path, count: int) -> Iterator[Asked]:
    """Of a set in the format of SQuAD: each question to its page, to that page without the paragraph that answers, to
    another page and, for every third question, to a paragraph alone."""
    pages, have_subject = _pages(json.loads(file.read_text(encoding="utf-8"))["data"])
    asked = [
        (at, place, question["question"].strip(), answer)
        for at, page in enumerate(pages)
        for place, paragraph in enumerate(page)
        for question in paragraph["qas"]
        if (answer := _answer(question, paragraph["context"]))
    ]
    random.Random(5).shuffle(asked)
    questions = [question for _, _, question, _ in asked]
    for number, (at, place, question, answer) in enumerate(asked[:count]):
        texts = [one["context"].strip() for one in pages[at]]
        other = [one["context"].strip() for one in pages[(at + len(pages) // 2) % len(pages)]]
        before = sum(len(text) + 2 for text in texts[:place])
        begin = texts[place].find(answer)
        yield Asked("own", "\n\n".join(texts), "", question, ((before + begin, before + begin + len(answer)),))
        rest = [text for where, text in enumerate(texts) if where != place]
        if rest and have_subject:
            yield Asked("near", "\n\n".join(rest), "", question)
        yield Asked("far", "\n\n".join(other), "", question)
        if new := renamed(question, questions[number + 1 :], "\n\n".join(texts)):
            yield Asked("renamed", "\n\n".join(texts), "", new)
        if number % 3 == 0:
            yield Asked("own, short", texts[place], "", question, ((begin, begin + len(answer)),))
            yield Asked("far, short", other[0], "", question)


def kept(file: Path, source: str, asked: Iterable[Asked], models: Sequence[Model | None]) -> list[Case]:
    """The cases, read from the file where an earlier run wrote them."""
    if not file.exists():
        found = [case_of(source, one, model) for one in asked for model in models]
        file.write_text("\n".join(json.dumps(asdict(one)) for one in found))
    rows = map(json.loads, file.read_text().splitlines())
    return [Case(**row | {"shown": tuple(Shown(**one) for one in row["shown"])}) for row in rows]


def _pages(articles: list[dict[str, Any]]) -> tuple[list[list[dict[str, Any]]], bool]:
    """Pages of six paragraphs of one article; of several where articles have one or two: those have no subject."""
    found = [article["paragraphs"] for article in articles]
    every = [one for paragraphs in found for one in paragraphs]
    if sum(len(one["context"]) for one in every) > PAGE * len(every):
        return [[one] for one in every], False
    have_subject = sum(map(len, found)) >= 3 * len(found)
    if not have_subject:
        found = [every]
    cut = [one[at : at + PARAGRAPHS] for one in found for at in range(0, len(one), PARAGRAPHS)]
    return cut, have_subject


def _answer(question: dict[str, Any], context: str) -> str:
    texts = (one["text"].strip() for one in question.get("answers", ()))
    return next((text for text in texts if text and text in context.strip()), "")


@lru_cache(maxsize=300)
def _prepared(text: str) -> PreparedPage:
    return prepare(text, read_headings(text), passages)
