"""A question about a library finds the page about it."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.archive import documentation

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(not documentation.DATA.is_dir(), reason="../shared/retrieval/docs_eval is not here"),
]


async def test_questions_about_two_libraries_find_their_pages(tmp_path: Path) -> None:
    found = await documentation.measure(tmp_path)
    assert found.mrr >= 0.84
    assert found.ndcg >= 0.78
    assert found.hit >= 0.91
