"""Makes an answer object fit a number of tokens without breaking it: texts are shortened first, then lists."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from mcp_web.tools import budget

if TYPE_CHECKING:
    from mcp_web.tools.call import Call

# Longest text, longest list: tried in this order until the object fits.
_STEPS = (
    (40_000, 400), (20_000, 400), (8_000, 400), (3_000, 400), (1_000, 200), (300, 100),
    (300, 50), (300, 20), (200, 10), (80, 80), (80, 20), (80, 5), (40, 2), (20, 1),
)  # fmt: skip


def compact(data: Any) -> str:
    """Compact JSON, without spaces."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"), default=str)


def shrunk(data: dict[str, Any], tokens: int = budget.AIM) -> tuple[dict[str, Any], bool]:
    """The object if it fits, else a smaller one with the same keys; and whether it was shrunk.

    If even the smallest does not fit, it is replaced by an error object.
    """
    if budget.within(compact(data), tokens):
        return data, False
    for text, items in _STEPS:
        made = _clip(data, text, items)
        if budget.within(compact(made), tokens):
            return made, True
    return {"error": {"code": "INVALID_INPUT", "message": "The answer is too large; ask for fewer items."}}, True


def answer_tokens(call: Call) -> int:
    """How many tokens a JSON answer may take: half where structured clients receive the object as text too."""
    return budget.AIM // 2 if call.app.tools.answers == "structured" else budget.AIM


# Tokens of page text that are tried, the most first: quotes and line breaks cost more inside JSON than outside.
_TEXT_TOKENS = (15_000, 13_000, 11_000, 9_000, 7_000, 5_000, 3_000, 1_500, 600)


def fitted(call: Call, make: Callable[[int], dict[str, Any]]) -> dict[str, Any]:
    """The object with as much page text as fits: `make(most)` builds it with at most `most` tokens of text.

    The one with the least text is returned even if it does not fit.
    """
    tokens = answer_tokens(call)
    made = make(min(_TEXT_TOKENS[0], tokens))
    for most in _TEXT_TOKENS[1:]:
        if budget.within(compact(made), tokens):
            break
        made = make(most)
    return made


def _clip(value: Any, text: int, items: int) -> Any:
    """A JSON value with every string cut to `text` characters and every list to `items` items."""
    if isinstance(value, str):
        return value if len(value) <= text else value[:text] + "…"
    if isinstance(value, dict):
        return {key: _clip(item, text, items) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_clip(item, text, items) for item in value[:items]]
    return value
