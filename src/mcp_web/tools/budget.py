"""Keeps results within their token budget.

Clients count tokens differently, so results are built for fewer tokens than the documented limit.
"""

from __future__ import annotations

from mcp_web.text.sizes import estimate_tokens

CEILING = 20_000  # tokens of a whole serialised result, promised
AIM = 16_500  # what results are built for: lower, because token counts are estimates
_MOST_PER_BYTE = 0.9  # no text measured costs more tokens than this per UTF-8 byte


estimate = estimate_tokens


def within(text: str, tokens: int) -> bool:
    """Whether a text has at most `tokens` tokens, by estimate; a text so short that it fits anyway is not counted."""
    size = len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
    return size * _MOST_PER_BYTE <= tokens or estimate(text) <= tokens


def chars_for(text: str, tokens: int) -> int:
    """How many leading characters of the text fit into `tokens` tokens: exact to 64 characters, never too many."""
    if within(text, tokens):
        return len(text)
    low, high = 0, len(text)
    while high - low > 64:
        middle = (low + high) // 2
        if estimate(text[:middle]) <= tokens:
            low = middle
        else:
            high = middle
    return low


def cut(text: str, tokens: int) -> str:
    """The text if it has at most `tokens` tokens, else its beginning, cut after a block, line or word if possible."""
    if within(text, tokens):
        return text
    piece = text[: chars_for(text, tokens)]
    for mark in ("\n\n", "\n", " "):
        at = piece.rfind(mark)
        if at > len(piece) * 0.6:
            return piece[:at]
    return piece
