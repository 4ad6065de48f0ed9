"""Merging measured on real questions: Cranfield, seen through engines that each know only a part of it."""

from __future__ import annotations

import math
import random
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from statistics import fmean, stdev

import pytest

from mcp_web.search.merge import merge
from search.lookalike import SHARED
from search.test_merge import _ndcg, _plain_rrf, order, ranked

FOLDER = SHARED.parent / "retrieval" / "cranfield"
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="the research folder ../shared/retrieval is not here")
_WORD = re.compile(r"[a-z]{2,}")


class Engine:
    """BM25 over some fields of some documents: every real engine has its own gaps and tastes."""

    def __init__(self, documents: dict[str, str], k1: float, b: float) -> None:
        self._k1 = k1
        lengths = {name: len(_WORD.findall(text)) for name, text in documents.items()}
        mean = fmean(lengths.values())
        self._norm = {name: k1 * (1 - b + b * length / mean) for name, length in lengths.items()}
        self._places: dict[str, list[tuple[str, int]]] = defaultdict(list)
        for name, text in documents.items():
            for word, count in Counter(_WORD.findall(text)).items():
                self._places[word].append((name, count))
        self._size = len(documents)

    def search(self, question: str, depth: int) -> list[str]:
        scores: dict[str, float] = defaultdict(float)
        for word in set(_WORD.findall(question)):
            places = self._places.get(word, ())
            rarity = math.log(1 + (self._size - len(places) + 0.5) / (len(places) + 0.5))
            for name, count in places:
                scores[name] += rarity * count * (self._k1 + 1) / (count + self._norm[name])
        return sorted(scores, key=lambda name: (-scores[name], name))[:depth]


def collection() -> tuple[dict[str, tuple[str, str]], list[tuple[str, dict[str, int]]]]:
    """Documents by name as (title, text), and questions with their relevant documents."""
    text = (FOLDER / "cran.all.1400.xml").read_text(errors="replace")
    found = re.findall(r"<docno>(\d+)</docno>\s*<title>(.*?)</title>.*?<text>(.*?)</text>", text, re.DOTALL)
    documents = {f"d{number}": (title, body) for number, title, body in found}
    relevant: dict[int, dict[str, int]] = defaultdict(dict)
    for line in (FOLDER / "cranqrel.trec.txt").read_text().splitlines():
        question, _, document, grade = line.split()
        relevant[int(question)][f"d{document}"] = max(0, int(grade))
    asked = re.findall(r"<title>(.*?)</title>", (FOLDER / "cran.qry.xml").read_text(), re.DOTALL)
    return documents, [(text, relevant[at]) for at, text in enumerate(asked, start=1) if relevant.get(at)]


def engines(documents: dict[str, tuple[str, str]]) -> list[Engine]:
    randomness = random.Random(3)

    def part(share: float) -> list[str]:
        return randomness.sample(sorted(documents), int(len(documents) * share))

    return [
        Engine({name: documents[name][1] for name in part(0.7)}, 1.2, 0.75),
        Engine({name: documents[name][0] for name in part(0.8)}, 1.2, 0.3),
        Engine({name: " ".join(documents[name]) for name in part(0.6)}, 0.4, 0.1),
        Engine({name: documents[name][1][:400] for name in part(0.8)}, 2.0, 1.0),
    ]


def graded(names: Sequence[str], relevant: dict[str, int]) -> float:
    return _ndcg(list(names), defaultdict(int, relevant))


def test_on_real_questions_merging_beats_every_engine_and_is_as_good_as_plain_fusion() -> None:
    documents, questions = collection()
    made = engines(documents)
    ours, plain = [], []
    single: list[list[float]] = [[] for _ in made]
    for question, relevant in questions[::2]:
        lists = [engine.search(question, 10) for engine in made]
        ours.append(graded(order(merge([ranked(f"e{at}", *names) for at, names in enumerate(lists)])), relevant))
        plain.append(graded(_plain_rrf(lists, 60), relevant))
        for at, names in enumerate(lists):
            single[at].append(graded(names, relevant))
    differences = [mine - theirs for mine, theirs in zip(ours, plain, strict=True)]
    noise = 1.96 * stdev(differences) / math.sqrt(len(differences))
    print(f"merged {fmean(ours):.4f}, plain fusion {fmean(plain):.4f} (±{noise:.4f}), ", end="")
    print("engines " + " ".join(f"{fmean(one):.4f}" for one in single))
    assert fmean(differences) >= -noise
    assert fmean(ours) > max(fmean(one) for one in single)
