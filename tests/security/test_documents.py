"""Documents: text that a person would not see is left out; text that looks hidden and is seen stays."""

from __future__ import annotations

import pytest
from tests.extract.reading import read

from security.documents import Variant, variants

VARIANTS = list(variants())


@pytest.mark.parametrize("variant", VARIANTS, ids=[variant.id for variant in VARIANTS])
def test_document_gives_back_what_a_person_sees_and_no_more(variant: Variant) -> None:
    markdown = read(variant.body, variant.media_type).markdown
    assert "VISIBLE" in markdown
    assert ("ZQXHIDDEN" in markdown) is variant.visible


def test_every_format_has_hidden_and_visible_variants() -> None:
    hidden = [variant for variant in VARIANTS if not variant.visible]
    assert len(hidden) >= 70
    assert len({variant.id for variant in VARIANTS}) == len(VARIANTS)
    for media_type in {variant.media_type for variant in hidden}:
        assert sum(variant.media_type == media_type for variant in hidden) >= 2
