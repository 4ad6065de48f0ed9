"""Values that callers write loosely."""

from __future__ import annotations

import pytest

from mcp_web.text.values import LARGEST, Unfit, ValueRule, convert


def test_a_size_of_more_digits_than_a_number_holds_is_refused_or_cut() -> None:
    size = "9" * 400 + "M"
    with pytest.raises(Unfit, match="a whole number"):
        convert(size, ValueRule("integer", sizes=True))
    assert convert(size, ValueRule("integer", most=LARGEST, clamp=True, sizes=True)) == LARGEST
