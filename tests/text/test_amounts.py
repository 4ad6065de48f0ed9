"""A count with its noun."""

from __future__ import annotations

import pytest

from mcp_web.text.amounts import amount


@pytest.mark.parametrize(
    ("count", "shown"),
    [(0, "0 queries"), (1, "1 query"), (2, "2 queries"), (1200, "1,200 queries"), (-1, "-1 queries")],
)
def test_one_thing_is_in_the_singular(count: int, shown: str) -> None:
    assert amount(count, "query", "queries") == shown


def test_the_plural_has_an_s_unless_given() -> None:
    assert amount(3, "page") == "3 pages"
