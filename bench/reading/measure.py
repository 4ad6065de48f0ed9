"""hit@k inside pages and nDCG@10 over collections, for words, meaning, and all signals as the product fuses them."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from bench.reading.data import Chunker, Collection, ReadingPage, Span, second_half
from mcp_web.embed.static import PassagePieces, static_vectors
from mcp_web.index.evidence import Evidence
from mcp_web.index.page import PreparedPage, prepare
from mcp_web.index.rank import FIRST_READ, IN_PAGE, Weights, fused, is_clear, order, rank, to_read
from mcp_web.index.reader import LIKELY
from mcp_web.index.widen import widen
from mcp_web.index.words import PageWords
from mcp_web.read.passages import passages
from mcp_web.text.markdown import readable

Embed = Callable[[Sequence[str]], np.ndarray]
TOP = (1, 3, 8)
Judged = Callable[[str, Sequence[str]], Sequence[float]]  # a question and passages: the log-odds that each answers
# Over collections, as archive/fuse.py has it.
OVER_ALL = Weights(words=0.3, static=0.0, model=0.7)
Table = dict[str, dict[str, list[float]]]


def hits(
    pages: Iterable[ReadingPage], cut: Chunker, embed: Embed | None, only: bool | None = None, *, static: bool = True
) -> Table:
    """hit@1, @3, @8 by data set and method; `only` keeps one half of the questions."""
    ranks: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for page in pages:
        asked = [(q, a) for q, a in page.questions if only is None or second_half(q) == only]
        spans = cut(page.text)
        texts = [page.text[start:end] for start, end in spans]
        words = PageWords(texts)
        pieces = PassagePieces.of(static_vectors(), [readable(text) for text in texts]) if static else None
        rows = embed(texts) if embed and asked else None
        questions = embed([question for question, _ in asked]) if embed and asked else None
        for number, (question, answers) in enumerate(asked):
            cosines = rows @ questions[number] if rows is not None and questions is not None else None
            similar = pieces.similarities(static_vectors(), question) if pieces is not None else None
            for method, found in _orders(words.scores(question), similar, cosines, IN_PAGE).items():
                ranks[page.source][method].append(_first_hit(found[: TOP[-1]], spans, answers))
    return {
        source: {
            method: [round(float(np.mean([r < k for r in found])), 3) for k in TOP] for method, found in one.items()
        }
        for source, one in ranks.items()
    }


def shown(pages: Iterable[ReadingPage], judged: Judged, only: bool | None = None) -> Table:
    """hit@1, @3, @8 of what the product really shows: small passages, found by all signals, widened, none twice."""
    ranks: dict[str, list[int]] = defaultdict(list)
    for page in pages:
        asked = [(q, a) for q, a in page.questions if only is None or second_half(q) == only]
        prepared = prepare(page.text, (), passages)
        around = partial(widen, page.text, prepared.passages)
        for question, answers in asked:
            evidence = evidence_of(prepared, question, "", judged)
            ranked = rank(question, prepared.passages, evidence, max_results=TOP[-1], min_score=0.0, widen=around)
            spans = [(one.passage.start, one.passage.end) for one in ranked.passages]
            ranks[page.source].append(_first_hit(range(len(spans)), spans, answers))
    return {
        source: {"shown": [round(float(np.mean([r < k for r in one])), 3) for k in TOP]}
        for source, one in ranks.items()
    }


def evidence_of(page: PreparedPage, question: str, title: str, judged: Judged | None) -> Evidence:
    """As the product has it: the judge reads what words and the static signal find likely."""
    evidence = replace(page.evidence(question), missing=page.words.missing_names(question, title), cross_language=False)
    read = to_read(evidence, LIKELY, always=True) if judged is not None else []
    if judged is None or not read:
        return evidence
    scores = np.full(len(page.passages), np.nan)
    for part in (read[:FIRST_READ], read[FIRST_READ:]):
        if part and not is_clear(scores[read[:FIRST_READ]].tolist()):
            scores[part] = judged(question, [page.text(at) for at in part])
    return replace(evidence, judged=scores)


def ndcg(
    collection: Collection, embed: Embed | None, only: bool | None = None, *, static: bool = True
) -> dict[str, float]:
    """nDCG@10 by method."""
    names = list(collection.documents)
    texts = [collection.documents[name] for name in names]
    words = PageWords(texts)
    asked = {q: text for q, text in collection.queries.items() if only is None or second_half(text) == only}
    rows = embed(texts) if embed else None
    questions = embed(list(asked.values())) if embed else None
    means = np.stack([static_vectors().mean(text) for text in texts]) if static else None
    gains: dict[str, list[float]] = defaultdict(list)
    for number, (query, text) in enumerate(asked.items()):
        cosines = rows @ questions[number] if rows is not None and questions is not None else None
        similar = means @ static_vectors().mean(text) if means is not None else None
        for method, found in _orders(words.scores(text), similar, cosines, OVER_ALL).items():
            gains[method].append(_gain([names[at] for at in found[:10]], collection.relevant[query]))
    return {method: round(float(np.mean(found)), 3) for method, found in gains.items()}


def _orders(
    words: np.ndarray, static: np.ndarray | None, cosines: np.ndarray | None, weights: Weights
) -> dict[str, list[int]]:
    found = {"words": order(words)}
    if static is not None:
        found["words+static"] = order(fused(Evidence(words, words, static)))
    if cosines is not None:
        found["meaning"] = [int(at) for at in np.argsort(-cosines, kind="stable")]
        found["both"] = order(fused(Evidence(words, words, static, cosines), weights))
    return found


def _first_hit(found: Sequence[int], spans: Sequence[Span], answers: Sequence[Span]) -> int:
    """The rank of the first passage that holds at least half of an answer."""
    for place, at in enumerate(found):
        start, end = spans[at]
        if any(min(end, stop) - max(start, begin) >= (stop - begin) / 2 for begin, stop in answers):
            return place
    return 99


def _gain(found: Sequence[str], relevant: dict[str, int]) -> float:
    ideal = sum(value / math.log2(at + 2) for at, value in enumerate(sorted(relevant.values(), reverse=True)[:10]))
    return sum(relevant.get(name, 0) / math.log2(at + 2) for at, name in enumerate(found)) / ideal if ideal else 0.0
