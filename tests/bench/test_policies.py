"""The labels of questions put to policies."""

from __future__ import annotations

import pytest
from bench.reading import data, policies


@pytest.mark.skipif(not data.available(), reason="needs the relevance data beside the project")
def test_labels_are_those_of_the_pairs_that_the_seed_draws() -> None:
    found = [(one.swapped, one.policy, one.question) for one in policies.labelled()]
    assert found == policies.drawn(data.reading_pages())


@pytest.mark.skipif(not data.available(), reason="needs the relevance data beside the project")
def test_what_is_answered_has_a_place_in_its_policy() -> None:
    texts = {page.name: page.text for page in data.reading_pages()}
    for one in policies.labelled():
        assert (one.at >= 0) == (one.label != "not answered")
        assert one.at < len(texts[one.policy])


def test_a_share_is_printed_with_its_interval() -> None:
    assert policies.share([True] * 8 + [False] * 2) == "0.80 (0.49–0.94) of 10"
