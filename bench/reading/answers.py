"""What an answer costs, and whether the verdict is right.  python -m bench.reading.answers [SHARE]

As `web_read` shows it, on a share of the questions (default: a quarter): hit@1, @3 and anywhere with mean tokens,
for eight passages and until answered; then the verdict for questions to their own page, to another policy in which
nobody marked an answer of the question's kind (near), and to a page about something else (far).
"""

from __future__ import annotations

import sys
import zlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from bench.reading import data
from bench.reading.measure import CALIBRATION
from bench.reading.quality import Model
from mcp_web.embed.static import static_vectors
from mcp_web.index.evidence import Evidence
from mcp_web.index.page import PreparedPage, prepare
from mcp_web.index.rank import Ranked, is_decided, likely, rank
from mcp_web.index.reader import LIKELY
from mcp_web.index.widen import widen
from mcp_web.read.outline import outline
from mcp_web.read.passages import passages
from mcp_web.text.sizes import estimate_tokens

HANDLE, SURE_TOKENS, UNSURE_TOKENS = 30, 1_300, 1_800  # as in tools/web_read.py


@dataclass(frozen=True)
class Page:
    read: data.ReadingPage
    prepared: PreparedPage
    rows: np.ndarray


def main() -> None:
    if not data.available():
        sys.exit("The relevance data (../shared/retrieval) is not here.")
    share = float(sys.argv[1]) if len(sys.argv) > 1 else 0.25
    model = Model()
    pages = [page_of(one, model) for one in data.reading_pages()]
    for source in ("chunking_eval", "policyqa"):
        own = [page for page in pages if page.read.source == source]
        asked = [(page, question, spans) for page in own for question, spans in page.read.questions
                 if taken(question + page.read.name, share)]  # fmt: skip
        ranked = [(spans, ranking(page, question, model)) for page, question, spans in asked]
        for name, whole in (("eight", True), ("until answered", False)):
            print(f"{source:14} {name:15} {costs(ranked, whole=whole)}", flush=True)
        far = [page for page in pages if page.read.source != source]
        others = [ranking(far[at % len(far)], question, model) for at, (_, question, _) in enumerate(asked)]
        print(f"{source:14} {'own':15} {verdicts([one for _, one in ranked])}")
        print(f"{source:14} {'far':15} {verdicts(others)}", flush=True)
    near = [ranking(page, question, model) for page, question in near_misses(pages, share / 5)]
    print(f"{'policyqa':14} {'near':15} {verdicts(near)}")


def taken(name: str, share: float) -> bool:
    return zlib.crc32(name.encode()) % 1000 < 1000 * share


def page_of(read: data.ReadingPage, model: Model) -> Page:
    prepared = prepare(read.name, read.text, outline(read.text), passages)
    return Page(read, prepared, model([prepared.text(at) for at in range(len(prepared.passages))]))


def ranking(page: Page, question: str, model: Model) -> Ranked:
    """What the product ranks: the model reads what words and the static signal find likely."""
    words, pieces = page.prepared.words, page.prepared.pieces
    static = pieces.similarities(static_vectors(), question) if pieces else None
    missing = words.missing_names(question, page.read.name)
    evidence = Evidence(words.scores(question), words.coverage(question), static, missing=missing)
    if not is_decided(evidence):
        cosines = np.full(len(page.rows), np.nan)
        read = likely(evidence, LIKELY)
        cosines[read] = page.rows[read] @ model([question])[0]
        evidence = replace(evidence, cosines=cosines, calibration=CALIBRATION)
    around = partial(widen, page.read.text, page.prepared.passages)
    return rank(question, page.prepared.passages, evidence, {}, max_results=8, around=around)


def near_misses(pages: Sequence[Page], share: float) -> Iterator[tuple[Page, str]]:
    """Questions to policies in which no answer of any of their kinds was marked."""
    kinds, marked = data.policy_kinds()
    for page in pages:
        if page.read.source == "policyqa":
            for question, found in kinds.items():
                if not found & marked[page.read.name] and taken(question + page.read.name, share):
                    yield page, question


def costs(found: Sequence[tuple[list[data.Span], Ranked]], *, whole: bool) -> str:
    places, tokens = [], []
    for spans, ranked in found:
        most = 10**6 if whole else SURE_TOKENS if ranked.sure else UNSURE_TOKENS
        spent, place = 0, 99
        for at, one in enumerate(ranked.passages[: None if whole else ranked.enough]):
            cost = estimate_tokens(one.passage.text) + HANDLE
            if at and spent + cost > most:
                continue
            spent += cost
            if place == 99 and any(_holds(one.passage.start, one.passage.end, span) for span in spans):
                place = at
        places.append(place)
        tokens.append(spent)
    hits = " / ".join(f"{np.mean(np.array(places) < k):.3f}" for k in (1, 3, 99))
    return f"{hits}, {np.mean(tokens):,.0f} tokens, {len(found)} questions"


def _holds(start: int, end: int, span: data.Span) -> bool:
    return min(end, span[1]) - max(start, span[0]) >= (span[1] - span[0]) / 2


def verdicts(found: Sequence[Ranked]) -> str:
    shares: dict[str, int] = defaultdict(int)
    for one in found:
        shares[one.verdict] += 1
    said = "  ".join(f"{name} {shares[name] / len(found):.2f}" for name in ("answered", "unsure", "not answered"))
    return f"{said}  from .5 on {np.mean([one.answered for one in found]):.2f}, {len(found)} questions"


if __name__ == "__main__":
    main()
