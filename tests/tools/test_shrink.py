"""An answer that exceeds the token ceiling loses as little as possible."""

from __future__ import annotations

from mcp_web.tools import budget
from mcp_web.tools.shrink import compact, shrunk


def test_several_long_lists_keep_as_many_items_as_fit() -> None:
    row = {"title": "A title of a usual length", "url": "https://one.example/page", "snippet": "words " * 40}
    answer = {"queries": [{"query": f"question {number}", "results": [row] * 100} for number in range(10)]}

    cost = budget.estimate(compact(shrunk(answer)))

    assert budget.AIM / 3 < cost <= budget.AIM
