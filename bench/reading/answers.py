"""What an answer costs, and whether the verdict is right.  python -m bench.reading.answers [SHARE]

As `web_read` shows it, on a share of the questions (default: a quarter): hit@1, @3 and anywhere with mean tokens,
for eight passages and until answered; then the verdict for questions to their own page, to another policy in which
nobody marked an answer of the question's kind (near), and to a page about something else (far).
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from bench.reading import data
from bench.reading.cases import MOST
from bench.reading.measure import evidence_of
from bench.reading.quality import Model
from mcp_web.index.page import PreparedPage, prepare
from mcp_web.index.rank import Ranked, rank
from mcp_web.index.widen import widen
from mcp_web.read.passages import passages
from mcp_web.text.headings import read_headings
from mcp_web.text.sizes import estimate_tokens

HANDLE = 15  # as in tools/web_read.py


@dataclass(frozen=True)
class Page:
    read: data.ReadingPage
    prepared: PreparedPage


def main() -> None:
    if not data.available():
        sys.exit("The relevance data (../shared/retrieval) is not here.")
    share = float(sys.argv[1]) if len(sys.argv) > 1 else 0.25
    model = Model()
    pages = {one.name: Page(one, prepared(one)) for one in data.reading_pages()}
    for source in ("chunking_eval", "policyqa"):
        own = [page for page in pages.values() if page.read.source == source]
        asked = [(page, question, spans) for page in own for question, spans in page.read.questions
                 if data.taken(question + page.read.name, share)]  # fmt: skip
        ranked = [(spans, ranking(page, question, model)) for page, question, spans in asked]
        for name, whole in (("eight", True), ("until answered", False)):
            print(f"{source:14} {name:15} {costs(ranked, whole=whole)}", flush=True)
        far = [page for page in pages.values() if page.read.source != source]
        others = [ranking(far[at % len(far)], question, model) for at, (_, question, _) in enumerate(asked)]
        print(f"{source:14} {'own':15} {verdicts([one for _, one in ranked])}")
        print(f"{source:14} {'far':15} {verdicts(others)}", flush=True)
    misses = data.near_misses([page.read for page in pages.values()], share / 5)
    near = [ranking(pages[page.name], question, model) for page, question in misses]
    print(f"{'policyqa':14} {'near':15} {verdicts(near)}")


def prepared(read: data.ReadingPage) -> PreparedPage:
    return prepare(read.text, read_headings(read.text), passages)


def ranking(page: Page, question: str, model: Model | None) -> Ranked:
    """What the product ranks."""
    evidence = evidence_of(page.prepared, question, page.read.name, model.judged if model else None)
    around = partial(widen, page.read.text, page.prepared.passages)
    return rank(question, page.prepared.passages, evidence, max_results=MOST, min_score=0.0, widen=around)


def costs(found: Sequence[tuple[list[data.Span], Ranked]], *, whole: bool) -> str:
    places, tokens = [], []
    for spans, ranked in found:
        shown = [one.passage for one in ranked.passages[: None if whole else ranked.enough]]
        holding = (at for at, one in enumerate(shown) if any(data.overlaps(one.start, one.end, span) for span in spans))
        places.append(next(holding, 99))
        tokens.append(sum(estimate_tokens(one.text) + HANDLE for one in shown))
    hits = " / ".join(f"{np.mean(np.array(places) < k):.3f}" for k in (1, 3, 99))
    return f"{hits}, {np.mean(tokens):,.0f} tokens, {len(found)} questions"


def verdicts(found: Sequence[Ranked]) -> str:
    counts = Counter(one.verdict for one in found)
    said = "  ".join(f"{name} {counts[name] / len(found):.2f}" for name in ("answered", "unsure", "not answered"))
    return f"{said}  from .5 on {np.mean([one.answered for one in found]):.2f}, {len(found)} questions"


if __name__ == "__main__":
    main()
