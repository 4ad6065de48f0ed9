"""Texts cut to a number of characters, with an ellipsis where something was left out."""

from __future__ import annotations


def shortened(text: str, most: int) -> str:
    """At most so many characters."""
    return text if len(text) <= most else text[: most - 1] + "…"


def shortened_at_word(text: str, most: int) -> str:
    """At most so many characters, cut at a word; a text without spaces (Chinese, a long URL) is cut where it stands."""
    if len(text) <= most:
        return text
    head = text[: most - 1]
    at = head.rfind(" ")
    kept = head[:at] if at > most // 2 else head
    return kept.rstrip(" ,;:-–…") + "…"
