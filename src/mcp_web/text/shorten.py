"""Shortens texts to a number of characters, with an ellipsis."""

from __future__ import annotations


def shortened(text: str, most: int) -> str:
    """At most `most` characters, with an ellipsis if something was cut."""
    return text if len(text) <= most else text[: most - 1] + "…"


def shortened_inside(text: str, most: int) -> str:
    """At most `most` characters, cut in the middle: addresses of one site differ at their end."""
    if len(text) <= most:
        return text
    head = (most - 1) // 2
    return f"{text[:head]}…{text[len(text) - (most - 1 - head) :]}"


def shortened_at_word(text: str, most: int) -> str:
    """At most `most` characters with an ellipsis, cut between words; a text without spaces (Chinese, a long URL) is cut
    anywhere."""
    if len(text) <= most:
        return text
    head = text[: most - 1]
    at = head.rfind(" ")
    kept = head[:at] if at > most // 2 else head
    return kept.rstrip(" ,;:-–…") + "…"
