"""Reading must not get worse: hit@k inside pages and nDCG@10 over collections, on a sample of the relevance data.

The whole of it is measured by `python -m bench.reading.quality` (minutes); here words run on everything, the model on a
sample that fits a test. The floors are what was measured, less a little for machines that round differently.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import anyio
import numpy as np
import pytest
from bench.reading import data, measure

from mcp_web.embed.open import open_embedder
from mcp_web.embed.options import EmbedOptions
from mcp_web.index.page import readable

pytestmark = pytest.mark.skipif(not data.available(), reason="the relevance data (../shared/retrieval) is not here")

ROOM = 0.012

# Words alone, on all of the data: hit@1, @3, @8 with the 200-word cut. RETRIEVAL.md: .277/.571/.828 and .669/.869/.962.
WORDS_IN_PAGES = {"policyqa": [0.29, 0.575, 0.864], "chunking_eval": [0.686, 0.873, 0.97]}
# Words alone over whole collections. RETRIEVAL.md (FTS5): .385, .743, .332.
WORDS_OVER_ALL = {"cranfield": 0.402, "scifact_part": 0.764, "cisi": 0.386}
# Words, static signal and meaning on the sample below.
BOTH_IN_PAGES = {"policyqa": [0.438, 0.808, 1.0], "chunking_eval": [0.841, 0.97, 1.0]}
BOTH_HALF = {"policyqa": [0.441, 0.815, 1.0], "chunking_eval": [0.829, 0.974, 1.0]}
SHOWN = {"policyqa": [0.499, 0.829, 0.995], "chunking_eval": [0.894, 0.992, 0.992]}
BOTH_OVER_ALL = {"cranfield": 0.849, "scifact_part": 0.963, "cisi": 0.44}

SAMPLE = {"chatlogs", "state_of_the_union"}


@pytest.fixture(scope="module")
def pages() -> list[data.ReadingPage]:
    return data.reading_pages()


@pytest.fixture(scope="module")
def sample(pages: list[data.ReadingPage]) -> list[data.ReadingPage]:
    policies = sorted((page for page in pages if page.source == "policyqa"), key=lambda page: len(page.text))
    return [page for page in pages if page.name in SAMPLE] + policies[4:8]


@pytest.fixture(scope="module")
def embed() -> Callable[[Sequence[str]], np.ndarray]:
    model = open_embedder(EmbedOptions())
    seen: dict[str, np.ndarray] = {}

    def rows(texts: Sequence[str]) -> np.ndarray:
        new = [text for text in dict.fromkeys(texts) if text not in seen]
        seen.update(zip(new, anyio.run(model.embed, [readable(text) for text in new]), strict=True))
        return np.stack([seen[text] for text in texts])

    return rows


def at_least(found: object, floor: object) -> bool:
    return bool((np.asarray(found) >= np.asarray(floor) - ROOM).all())


@pytest.mark.parametrize("source", WORDS_IN_PAGES)
def test_words_alone_find_what_answers_inside_pages(pages: list[data.ReadingPage], source: str) -> None:
    found = measure.hits([page for page in pages if page.source == source], data.two_hundred_words, None, static=False)
    assert at_least(found[source]["words"], WORDS_IN_PAGES[source]), found


@pytest.mark.parametrize("name", WORDS_OVER_ALL)
def test_words_alone_rank_documents(name: str) -> None:
    collection = next(one for one in data.collections() if one.name == name)
    assert at_least(measure.ndcg(collection, None, static=False)["words"], WORDS_OVER_ALL[name])


def test_words_and_meaning_beat_either_alone_inside_pages(sample: list[data.ReadingPage], embed: measure.Embed) -> None:
    found = measure.hits(sample, data.two_hundred_words, embed)
    for source, methods in found.items():
        assert at_least(methods["both"], BOTH_IN_PAGES[source]), found
        assert sum(methods["both"]) >= max(sum(methods["words"]), sum(methods["meaning"])) - ROOM, found


def test_half_of_the_questions_alone_is_answered_as_well(sample: list[data.ReadingPage], embed: measure.Embed) -> None:
    found = measure.hits(sample, data.two_hundred_words, embed, only=True)
    for source, methods in found.items():
        assert at_least(methods["both"], BOTH_HALF[source]), found


def test_what_is_shown_answers_more_than_any_fixed_cut(sample: list[data.ReadingPage], embed: measure.Embed) -> None:
    found = measure.shown(sample, embed)
    for source, methods in found.items():
        assert at_least(methods["shown"], SHOWN[source]), found


@pytest.mark.parametrize("name", ["cranfield", "scifact_part", "cisi"])
def test_words_and_meaning_beat_either_alone_over_documents(name: str, embed: measure.Embed) -> None:
    collection = next(one for one in data.collections() if one.name == name)
    found = measure.ndcg(data.sampled(collection, queries=20, documents=80), embed)
    assert at_least(found["both"], BOTH_OVER_ALL[name]), found
    assert found["both"] >= max(found["words"], found["meaning"]) - ROOM, found
