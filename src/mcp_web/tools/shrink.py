"""Makes an answer object fit a number of tokens: of the versions that can be made of it, the largest one that fits."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from mcp_web.tools import budget

if TYPE_CHECKING:
    from mcp_web.tools.call import Call

Size = TypeVar("Size")
# Longest text, longest list: tried in this order for an object that has no versions of its own. Not each is smaller
# than the one before: with lists in lists, 80 items of 80 characters are more than 10 of 200.
_CUTS = (
    (40_000, 400), (20_000, 400), (8_000, 400), (3_000, 400), (1_000, 200), (300, 100),
    (300, 50), (300, 20), (200, 10), (80, 80), (80, 20), (80, 5), (40, 2), (20, 1),
)  # fmt: skip
_TOO_LARGE = {"error": {"code": "INVALID_INPUT", "message": "The answer is too large; ask for fewer items."}}
# Tokens of page text that are tried: quotes and line breaks cost more inside JSON than outside.
_TEXT_TOKENS = (600, 1_500, 3_000, 5_000, 7_000, 9_000, 11_000, 13_000, 15_000)


def compact(data: Any) -> str:
    """Compact JSON, without spaces."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"), default=str)


def fits(data: dict[str, Any], tokens: int) -> bool:
    """Whether the object as JSON fits into a number of tokens."""
    return budget.within(compact(data), tokens)


def largest_fitting(make: Callable[[Size], dict[str, Any]], sizes: Sequence[Size], tokens: int) -> dict[str, Any]:
    """`make(size)` for the largest of the ascending `sizes` with which it fits into `tokens`, or for the smallest."""
    whole = make(sizes[-1])
    if fits(whole, tokens):
        return whole
    fitting = bisect_left(sizes, True, key=lambda size: not fits(make(size), tokens))
    return make(sizes[max(0, fitting - 1)])


def shrunk(data: dict[str, Any], tokens: int = budget.AIM) -> dict[str, Any]:
    """The object itself if it fits into `tokens` tokens, else one with the same keys and shorter texts and lists; an
    error object if even the shortest does not fit."""
    if fits(data, tokens):
        return data
    return next((made for most in _CUTS if fits(made := _clip(data, *most), tokens)), _TOO_LARGE)


def answer_tokens(call: Call) -> int:
    """How many tokens a JSON answer may take: half of the budget if clients receive it as an object and as text."""
    return budget.AIM // 2 if call.app.tools.answers == "structured" else budget.AIM


def fitted(call: Call, make: Callable[[int], dict[str, Any]]) -> dict[str, Any]:
    """The object with as much page text as fits into an answer; `make(most)` builds it with at most `most` tokens."""
    tokens = answer_tokens(call)
    return largest_fitting(make, [min(size, tokens) for size in _TEXT_TOKENS], tokens)


def _clip(value: Any, text: int, items: int) -> Any:
    """A JSON value with every string cut to `text` characters and every list to `items` items."""
    if isinstance(value, str):
        return value if len(value) <= text else value[:text] + "…"
    if isinstance(value, dict):
        return {key: _clip(item, text, items) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_clip(item, text, items) for item in value[:items]]
    return value
