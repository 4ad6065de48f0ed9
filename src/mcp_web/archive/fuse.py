"""Combines what speaks for a document into its score: words, meaning, best passage, length and age."""

from __future__ import annotations

import math
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from mcp_web.embed.embedder import Calibration
from mcp_web.embed.static import PassagePieces, static_vectors
from mcp_web.errors import EmbeddingError
from mcp_web.text.dates import day_of

# The model counts twice as much as the words; docs/concepts/archive.md has the figures for other weights. Scores can be
# compared between answers: the score by words is relative to the highest possible one, the score by meaning is 0.5 for
# a typical answer.
WORDS, MODEL = 1.0, 2.0
TITLE = 0.75  # how well titles and URLs match; about.py compares them
_TYPICAL = 0.5  # the score of a nearness of 1
# Of documents that answer equally well, the newer one ranks first; recency never outweighs a better answer.
_RECENT_SHARE, _RECENT_DAYS = 0.03, 365.0


# A document found by meaning alone is shown from this nearness on: 0 is the nearness of unrelated texts, 1 that of
# typical answers. With the questions of Cranfield on CISI and the other way round, the best relevant document reaches
# it for 98 and 97 % of the questions, an unrelated document for 7 and 7 %.
NEAR = 0.85
# The static signal does not distinguish the two (at .85: 100 and 97 %), and added to words it does not improve the
# order: in ten languages a weight of .1 changes hit@1 by +.001 and one of .2 by -.011 on average, and each is worse
# than words alone in some language. So it is used only in a search by meaning alone, for documents without a vector of
# the model.
STATIC_NEAR = 1.0


@dataclass(frozen=True, slots=True)
class Scales:
    """The calibrations of static word vectors and of the embedding model: which cosines related texts have. None if
    that is not known: then every document counts as near the question."""

    static: Calibration | None = None
    model: Calibration | None = None


UNKNOWN = Scales()
_GUESSED = Calibration(unrelated=0.4, related=0.75)  # between those of the models measured


@dataclass(frozen=True, slots=True)
class Meaning:
    """Cosines of documents with the question, by key, nearest first: by static word vectors and by the model."""

    static: Mapping[str, float] = field(default_factory=dict)
    model: Mapping[str, float] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.static or self.model)


def near(meaning: Meaning, with_words: Container[str], scales: Scales, *, words_required: bool) -> Meaning:
    """`meaning` without documents that are not near the question; static cosines only of those that have none by the
    model. One with a cosine by the model also stays if it is in `with_words` (it contains a word of the question) and,
    with `words_required`, stays only then."""
    static = {
        key: cosine
        for key, cosine in meaning.static.items()
        if key not in meaning.model and _is_near(cosine, scales.static, STATIC_NEAR)
    }
    model = {
        key: cosine
        for key, cosine in meaning.model.items()
        if key in with_words or (not words_required and _is_near(cosine, scales.model, NEAR))
    }
    return Meaning(static, model)


def _is_near(cosine: float, scale: Calibration | None, border: float) -> bool:
    return scale is None or scale.nearness(cosine) >= border


def fused(words: Mapping[str, float], model: Mapping[str, float], scales: Scales) -> dict[str, float]:
    """The score (0…1) of each document by key, from those by words and from the cosines by the model. A document
    without a cosine keeps its score by words; one without a score by words has 0 for it."""
    found = dict(words)
    for key, cosine in model.items():
        found[key] = (WORDS * words.get(key, 0.0) + MODEL * _score(cosine, scales.model)) / (WORDS + MODEL)
    return found


def weight_of(key: str, embedded: Container[str]) -> float:
    """The weight of the signals in a document's score: of words, plus that of the model if `key` is in `embedded`."""
    return WORDS + MODEL if key in embedded else WORDS


def by_meaning_alone(meaning: Meaning, scales: Scales) -> dict[str, float]:
    """One score per document, 0…1: from its cosine by the model if there is one, else by static word vectors."""
    static = {key: _score(cosine, scales.static) for key, cosine in meaning.static.items()}
    return static | {key: _score(cosine, scales.model) for key, cosine in meaning.model.items()}


def _score(cosine: float, scale: Calibration | None) -> float:
    """The score for a cosine, 0…1: .5 for that of a typical answer. Without a `scale`, a typical one is used."""
    return min(1.0, max(0.0, (scale or _GUESSED).nearness(cosine) * _TYPICAL))


def with_age(score: float, day: str, today: date) -> float:
    """The score, lowered by up to _RECENT_SHARE: the older the document, the more. `day` is its ISO date."""
    dated = day_of(day)
    recency = 2 ** (-max(0, (today - dated).days) / _RECENT_DAYS) if dated else 0.0
    return score * (1 - _RECENT_SHARE + _RECENT_SHARE * recency)


# The model finds a short document nearer than a long one that answers as well, and of several documents that define a
# name the longest is mostly its reference. So a document of up to _SHORT characters loses _LENGTH_SHARE of its score,
# and one of _LONG characters nothing. In a search by words the length makes the order no better.
_LENGTH_SHARE, _SHORT, _LONG = 0.35, 400, 160_000


def with_length(score: float, chars: int, outside: float) -> float:
    """The score, lowered for a short document (`chars`) in proportion to `outside`, the share of its text that is not
    in its best passage: an abstract or a note that is one passage keeps its score."""
    length = math.log(max(1, chars) / _SHORT) / math.log(_LONG / _SHORT)
    return score * (1 - _LENGTH_SHARE * outside * (1 - min(1.0, max(0.0, length))))


# The weight of each match of the best passage in a document's score: by words, and by the static signal. With 150
# questions in each of ten languages, the right document is first for 82 % by words alone and for 83 % with the static
# signal, in no language less often; from a quarter on it is worse in some language (docs/concepts/embeddings.md).
SHARE = 1 / 6
LEAST = 10  # documents that are compared, however few are asked for


def with_matches(scores: Sequence[float], matches: Sequence[float], weights: Sequence[float]) -> list[float]:
    """Each score mixed with the match (0…1) of the same document's best passage, which counts for SHARE (a sixth)
    times the document's weight (0…1), the score for the rest."""
    return [
        round((1 - SHARE * weight) * score + SHARE * weight * match, 4)
        for score, match, weight in zip(scores, matches, weights, strict=True)
    ]


def static_matches(question: str, passages: Sequence[str]) -> list[float] | None:
    """How well each passage matches the question by static word vectors, 0…1. None if these are not installed or know
    no word of the question, or if there are no passages."""
    try:
        vectors = static_vectors()
    except EmbeddingError:  # reported by `doctor`
        return None
    matches = PassagePieces.of(vectors, passages).similarities(vectors, question) if passages else None
    return None if matches is None else [max(0.0, float(match)) for match in matches]


# Of the first READ documents of a hybrid search, the model reads the best passages of those that it has not embedded:
# 30 ms each. docs/concepts/archive.md has the figures of other numbers and shares.
READ, READ_SHARE = 4, 1 / 4


def with_nearness(score: float, cosine: float, scale: Calibration | None) -> float:
    """The score of a document, mixed with that for `cosine`, of its best passage with the question by the model.
    `scale` is the model's calibration; without it, a typical one is used."""
    return round((1 - READ_SHARE) * score + READ_SHARE * _score(cosine, scale), 4)
