"""Reading must not get worse: hit@k inside pages and nDCG@10 over collections, on a sample of the relevance data.

The whole of it is measured by `python -m bench.reading.quality` (minutes); here words run on everything, the model on a
fixed part of every source that fits a test. The floors are what was measured on that part, less a little for machines
that round differently. The last tests show that a reading which is broken falls below them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import anyio
import numpy as np
import pytest
from bench.reading import data, measure

from mcp_web.embed.judge import Judge
from mcp_web.embed.open import open_embedder
from mcp_web.embed.options import EmbedOptions
from mcp_web.text.markdown import readable

pytestmark = pytest.mark.skipif(not data.available(), reason="the relevance data (../shared/retrieval) is not here")

ROOM = 0.012

# Words alone, on all of the data: hit@1, @3, @8 with the 200-word cut. RETRIEVAL.md: .277/.571/.828 and .669/.869/.962.
WORDS_IN_PAGES = {"policyqa": [0.29, 0.575, 0.864], "chunking_eval": [0.686, 0.873, 0.97]}
# Words alone over whole collections. RETRIEVAL.md (FTS5): .385, .743, .332.
WORDS_OVER_ALL = {"cranfield": 0.402, "scifact_part": 0.764, "cisi": 0.386}
# Words, static signal and meaning on the sample below.
BOTH_IN_PAGES = {"policyqa": [0.585, 0.852, 1.0], "chunking_eval": [0.927, 0.982, 1.0]}
BOTH_HALF = {"policyqa": [0.526, 0.833, 1.0], "chunking_eval": [0.938, 0.969, 1.0]}
# As shown. The policies were among the judge's training data; cross-validated figures are in docs/concepts/reading.md.
SHOWN = {"policyqa": [0.613, 0.852, 1.0], "chunking_eval": [0.891, 1.0, 1.0]}
BOTH_OVER_ALL = {"cranfield": 0.941, "scifact_part": 1.0, "cisi": 0.44}

# Queries and documents of each collection. With fewer queries of cisi, words and meaning differ by chance only.
PARTS = {"cranfield": (10, 40), "scifact_part": (10, 40), "cisi": (20, 80)}
SAMPLE = {"chatlogs", "state_of_the_union"}
SAMPLE_CHARS = 20_000  # of each page


@pytest.fixture(scope="module")
def pages() -> list[data.ReadingPage]:
    return data.reading_pages()


@pytest.fixture(scope="module")
def sample(pages: list[data.ReadingPage]) -> list[data.ReadingPage]:
    policies = sorted((page for page in pages if page.source == "policyqa"), key=lambda page: len(page.text))
    return [_beginning(page) for page in pages if page.name in SAMPLE] + policies[4:7:2]


def _beginning(page: data.ReadingPage) -> data.ReadingPage:
    """The first part of a page, with the questions that it answers."""
    asked = [(q, spans) for q, spans in page.questions if all(end <= SAMPLE_CHARS for _, end in spans)]
    return replace(page, text=page.text[:SAMPLE_CHARS], questions=asked)


@pytest.fixture(scope="module")
def collections() -> dict[str, data.Collection]:
    return {one.name: one for one in data.collections()}


@pytest.fixture(scope="module")
def embed() -> Callable[[Sequence[str]], np.ndarray]:
    model = open_embedder(EmbedOptions())
    seen: dict[str, np.ndarray] = {}

    def rows(texts: Sequence[str]) -> np.ndarray:
        new = [text for text in dict.fromkeys(texts) if text not in seen]
        seen.update(zip(new, anyio.run(model.embed, [readable(text) for text in new]), strict=True))
        return np.stack([seen[text] for text in texts])

    return rows


@pytest.fixture(scope="module")
def judged() -> measure.Judged:
    judge = Judge()
    seen: dict[tuple[str, str], float] = {}

    def scores(question: str, texts: Sequence[str]) -> list[float]:
        new = [(question, text) for text in texts if (question, text) not in seen]
        seen.update(zip(new, anyio.run(judge.scores, new), strict=True))
        return [seen[question, text] for text in texts]

    return scores


def at_least(found: object, floor: object) -> bool:
    return bool((np.asarray(found) >= np.asarray(floor) - ROOM).all())


@pytest.mark.parametrize("source", WORDS_IN_PAGES)
def test_words_alone_find_what_answers_inside_pages(pages: list[data.ReadingPage], source: str) -> None:
    found = measure.hits([page for page in pages if page.source == source], data.two_hundred_words, None, static=False)
    assert at_least(found[source]["words"], WORDS_IN_PAGES[source]), found


@pytest.mark.parametrize("name", WORDS_OVER_ALL)
def test_words_alone_rank_documents(name: str, collections: dict[str, data.Collection]) -> None:
    assert at_least(measure.ndcg(collections[name], None, static=False)["words"], WORDS_OVER_ALL[name])


def test_words_and_meaning_beat_either_alone_inside_pages(sample: list[data.ReadingPage], embed: measure.Embed) -> None:
    found = measure.hits(sample, data.two_hundred_words, embed)
    for source, methods in found.items():
        assert at_least(methods["both"], BOTH_IN_PAGES[source]), found
        assert sum(methods["both"]) >= max(sum(methods["words"]), sum(methods["meaning"])) - ROOM, found


def test_half_of_the_questions_alone_is_answered_as_well(sample: list[data.ReadingPage], embed: measure.Embed) -> None:
    found = measure.hits(sample, data.two_hundred_words, embed, only=True)
    for source, methods in found.items():
        assert at_least(methods["both"], BOTH_HALF[source]), found


def test_what_is_shown_answers_more_than_any_fixed_cut(sample: list[data.ReadingPage], judged: measure.Judged) -> None:
    found = measure.shown(sample, judged)
    for source, methods in found.items():
        assert at_least(methods["shown"], SHOWN[source]), found


@pytest.mark.parametrize("name", BOTH_OVER_ALL)
def test_words_and_meaning_beat_either_alone_over_documents(
    name: str, collections: dict[str, data.Collection], embed: measure.Embed
) -> None:
    found = measure.ndcg(data.sampled(collections[name], *PARTS[name]), embed)
    assert at_least(found["both"], BOTH_OVER_ALL[name]), found
    assert found["both"] >= max(found["words"], found["meaning"]) - ROOM, found


def test_vectors_of_other_texts_fall_below_the_floors(
    sample: list[data.ReadingPage], collections: dict[str, data.Collection], embed: measure.Embed
) -> None:
    def mixed_up(texts: Sequence[str]) -> np.ndarray:
        return embed(texts)[::-1]

    for source, methods in measure.hits(sample, data.two_hundred_words, mixed_up).items():
        assert not at_least(methods["both"], BOTH_IN_PAGES[source]), source
    for source, methods in measure.shown(sample, lambda question, texts: [0.0 for _ in texts]).items():
        assert not at_least(methods["shown"], SHOWN[source]), source
    for name, floor in BOTH_OVER_ALL.items():
        part = data.sampled(collections[name], *PARTS[name])
        assert not at_least(measure.ndcg(part, mixed_up)["both"], floor), name
