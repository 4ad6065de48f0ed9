"""The relevance data beside the project (../shared/retrieval), cut and sampled. It is no part of the project."""

from __future__ import annotations

import importlib.util
import json
import re
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType

from mcp_web.read.passages import passages

FOLDER = Path(__file__).resolve().parents[2] / ".." / "shared" / "retrieval"
Span = tuple[int, int]
Chunker = Callable[[str], list[Span]]


@dataclass(frozen=True)
class ReadingPage:
    """One page and its questions, each with the spans that answer it."""

    source: str
    name: str
    text: str
    questions: list[tuple[str, list[Span]]]


@dataclass(frozen=True)
class Collection:
    """Documents, queries, and which documents are relevant to which query."""

    name: str
    documents: dict[str, str]
    queries: dict[str, str]
    relevant: dict[str, dict[str, int]]


def available() -> bool:
    return (FOLDER / "evalsets.py").is_file()


def reading_pages() -> list[ReadingPage]:
    sets = _evalsets()
    return [
        ReadingPage(name, str(at), text, list(asked)) for name in sets.READ for at, text, asked in sets.READ[name]()
    ]


def collections() -> list[Collection]:
    sets = _evalsets()
    return [Collection(name, *sets.ADHOC[name]()) for name in sets.ADHOC]


def policy_kinds() -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """The kinds of answer that each question asks for, and those that were marked in each policy."""
    kinds: dict[str, set[str]] = defaultdict(set)
    marked: dict[str, set[str]] = defaultdict(set)
    for site in json.loads((FOLDER / "policyqa" / "dev.json").read_text())["data"]:
        for asked in (one for paragraph in site["paragraphs"] for one in paragraph["qas"]):
            kinds[asked["question"]].add(asked["type"])
            marked[site["title"]].add(asked["type"])
    return kinds, marked


def policy_questions() -> dict[str, str]:
    """The questions about policies by their ids."""
    sites = json.loads((FOLDER / "policyqa" / "dev.json").read_text())["data"]
    return {
        one["id"]: one["question"] for site in sites for paragraph in site["paragraphs"] for one in paragraph["qas"]
    }


def second_half(question: str) -> bool:
    """A fixed half of the questions, scored apart: a constant that fits only some of them shows.

    It is no held-out data: constants were chosen looking at all questions.
    """
    return zlib.crc32(question.encode()) % 2 == 1


def sampled(collection: Collection, queries: int, documents: int) -> Collection:
    """A few queries with all their relevant documents, and others to hide them among; the same every time."""
    chosen = sorted(collection.queries, key=lambda q: zlib.crc32(q.encode()))
    kept: dict[str, str] = {}
    asked: dict[str, str] = {}
    for query in chosen:
        relevant = collection.relevant[query]
        if len(asked) < queries and len(relevant) <= 12:
            asked[query] = collection.queries[query]
            kept |= {at: collection.documents[at] for at in relevant if at in collection.documents}
    for at in sorted(collection.documents, key=lambda d: zlib.crc32(d.encode())):
        if len(kept) >= documents:
            break
        kept[at] = collection.documents[at]
    return replace(collection, documents=kept, queries=asked)


def taken(name: str, share: float) -> bool:
    """A fixed share of the questions."""
    return zlib.crc32(name.encode()) % 1000 < 1000 * share


def near_misses(pages: Sequence[ReadingPage], share: float) -> Iterator[tuple[ReadingPage, str]]:
    """Questions to policies in which no answer of any of their kinds was marked."""
    kinds, marked = policy_kinds()
    for page in pages:
        if page.source == "policyqa":
            for question, found in kinds.items():
                if not found & marked[page.name] and taken(question + page.name, share):
                    yield page, question


def overlaps(start: int, end: int, span: Span) -> bool:
    """Whether a passage holds at least half of an answer."""
    return min(end, span[1]) - max(start, span[0]) >= (span[1] - span[0]) / 2


def two_hundred_words(text: str) -> list[Span]:
    """The plain cut that RETRIEVAL.md's figures were measured with."""
    words = [found.span() for found in re.finditer(r"\S+", text)]
    return [(words[at][0], words[min(at + 200, len(words)) - 1][1]) for at in range(0, len(words), 200)]


def our_passages(text: str) -> list[Span]:
    return [(one.start, one.end) for one in passages(text)]


def _evalsets() -> ModuleType:
    spec = importlib.util.spec_from_file_location("evalsets", FOLDER / "evalsets.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
