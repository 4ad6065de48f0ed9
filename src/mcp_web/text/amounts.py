"""A number with its noun, for sentences that a person or an agent reads."""

from __future__ import annotations


def amount(count: int, noun: str, plural: str = "") -> str:
    """The count with its noun in the singular or plural, such as "1 page" or "1,200 pages"."""
    return f"1 {noun}" if count == 1 else f"{count:,} {plural or noun + 's'}"
