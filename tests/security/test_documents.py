"""Documents: text that a person would not see is left out; text that looks hidden and is seen stays."""

from __future__ import annotations

import pytest
from tests.extract.reading import read

from security import generate_documents
from security.documents import Variant, formats

# A condition of a sheet is not computed, and the background of a presentation's master is not read.
LIMITS = {"more-xlsx:conditional-white", "more-odp:graphic-white"}


def is_read_correctly(variant: Variant) -> bool:
    markdown = read(variant.body, variant.media_type).markdown
    return "VISIBLE" in markdown and ("ZQXHIDDEN" in markdown) is variant.visible


@pytest.mark.parametrize("name", formats())
def test_document_gives_back_what_a_person_sees_and_no_more(name: str) -> None:
    variants = list(formats()[name]())
    assert [variant.id for variant in variants if not is_read_correctly(variant)] == []
    assert len({variant.id for variant in variants}) == len(variants)
    for media_type in {variant.media_type for variant in variants}:
        assert sum(variant.media_type == media_type and not variant.visible for variant in variants) >= 2


def test_hidden_text_in_an_office_document_is_counted() -> None:
    names = ("word", "sheet", "slides", "open_document", "rich_text")
    hidden = [variant for name in names for variant in formats()[name]() if not variant.visible]
    assert {one.id for one in hidden if not read(one.body, one.media_type).hidden} == {"odt:hidden-text"}


def test_further_documents_too_but_for_two_known_limits() -> None:
    from security import more_documents  # which makes the documents: not in every worker that collects

    variants = more_documents.variants()
    assert sum(not variant.visible for variant in variants) >= 120
    assert {variant.id for variant in variants if not is_read_correctly(variant)} == LIMITS


def test_generated_documents_give_back_what_a_person_sees() -> None:
    variants = generate_documents.variants(seed=1, count=120)
    assert [variant.id for variant in variants if not is_read_correctly(variant)] == []
