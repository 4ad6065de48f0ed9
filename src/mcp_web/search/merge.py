"""Merges ranked lists by weighted reciprocal rank fusion, with one vote per independent index.

Measured on rank-aggregation data (LETOR MQ2007/2008-agg): fusion beats a metasearch's own score, round robin,
counting and every single engine, and is flat in k between 10 and 60. One index must not be counted
twice: DuckDuckGo and Yahoo both show results of Bing, Startpage and Serper both those of Google.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from mcp_web.model.search import Hit
from mcp_web.search.provider import Capabilities
from mcp_web.text.urls import url_key

K = 20  # the rank constant of the fusion

# Engine → the index whose results it shows.
_INDEX_OF = {
    "duckduckgo": "bing",
    "ddg": "bing",
    "yahoo": "bing",
    "bing": "bing",
    "ecosia": "bing",
    "qwant": "bing",
    "startpage": "google",
    "serper": "google",
    "google": "google",
    "google cse": "google",
    "brave": "brave",
    "mojeek": "mojeek",
}
_WORD = re.compile(r"\w+", re.UNICODE)


@dataclass(frozen=True, slots=True)
class _Vote:
    """One appearance of a page in a provider's ranked list, with its rank and what it adds to the page's score."""

    strength: float
    rank: int
    weight: float
    indexes: frozenset[str]
    hit: Hit


def merge(lists: Sequence[tuple[Capabilities, Sequence[Hit]]]) -> tuple[Hit, ...]:
    """Merge the hits of providers, each list best first, into one list with each page once and a score from 0 to 1."""
    votes: dict[str, list[_Vote]] = {}
    for provider, hits in lists:
        pages: dict[str, Hit] = {}
        for hit in hits:
            # A page that is listed twice has its first rank. Images are files: one page shows many.
            pages.setdefault(url_key(hit.image or hit.url), hit)
        for rank, (key, hit) in enumerate(pages.items(), start=1):
            vote = _Vote(provider.weight / (K + rank), rank, provider.weight, _indexes(hit, provider), hit)
            votes.setdefault(key, []).append(vote)
    highest = sum(provider.weight for provider, _ in lists) / (K + 1) or 1.0
    scored = [(_score(page), page) for page in votes.values()]
    # Equal scores: the better single rank, then the source with the higher weight.
    scored.sort(key=lambda pair: (-pair[0], min(vote.rank for vote in pair[1]), -max(vote.weight for vote in pair[1])))
    return tuple(_combined(page, round(min(1.0, score / highest), 4)) for score, page in scored)


def cluster(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """The hits without near-duplicates (nearly the same title and snippet at another address), in their order.

    The URL of a removed hit is added to the `duplicates` of the first hit like it. Images are never removed.
    """
    kept: list[Hit] = []
    fingerprints: list[_Fingerprint] = []
    for hit in hits:
        fingerprint = _fingerprint(hit)
        same = (at for at, other in enumerate(fingerprints) if _same_text(fingerprint, other))
        duplicate = None if hit.image else next(same, None)  # many images of one page share its text
        if duplicate is None:
            kept.append(hit)
            fingerprints.append(fingerprint)
        else:
            kept[duplicate] = replace(kept[duplicate], duplicates=(*kept[duplicate].duplicates, hit.url))
    return tuple(kept)


def _indexes(hit: Hit, provider: Capabilities) -> frozenset[str]:
    """The search indexes that found the hit: that of the provider, or for a metasearch those of the engines that the
    hit names ("duckduckgo" shows results of "bing")."""
    if provider.index != "mixed":
        return frozenset({provider.index})
    named = {_INDEX_OF.get(engine.lower().split(".")[0], engine.lower()) for engine in hit.engines}
    return frozenset(named or {provider.name})


def _score(votes: Sequence[_Vote]) -> float:
    """The sum of the strengths of a page's votes; of votes from the same indexes only the strongest is counted."""
    total, voted = 0.0, frozenset[str]()
    for vote in sorted(votes, key=lambda vote: -vote.strength):
        if not vote.indexes <= voted:
            total += vote.strength
            voted |= vote.indexes
    return total


def _combined(votes: Sequence[_Vote], score: float) -> Hit:
    """One hit with this score from all votes for a page: the hit of the strongest one, with missing fields filled from
    the others, and the engines and extra snippets of all."""
    hits = [vote.hit for vote in sorted(votes, key=lambda vote: -vote.strength)]
    first = hits[0]
    https = next((hit.url for hit in hits if hit.url.startswith("https://")), first.url)
    return replace(
        first,
        url=https if first.url.startswith("http://") and https.removeprefix("https") == first.url[4:] else first.url,
        snippet=first.snippet or next((hit.snippet for hit in hits if hit.snippet), ""),
        extra_snippets=tuple(dict.fromkeys(part for hit in hits for part in hit.extra_snippets)),
        published=next((hit.published for hit in hits if hit.published), None),
        engines=tuple(dict.fromkeys(engine for hit in hits for engine in hit.engines)),
        score=score,
        thumbnail=next((hit.thumbnail for hit in hits if hit.thumbnail), None),
        source_name=next((hit.source_name for hit in hits if hit.source_name), None),
    )


@dataclass(frozen=True, slots=True)
class _Fingerprint:
    """The words of a hit, as sets that are compared to recognise near-duplicates."""

    title: frozenset[str]
    shingles: frozenset[tuple[str, ...]]  # every three words of the snippet in a row
    numbers: frozenset[str]  # words of the title that contain digits


def _fingerprint(hit: Hit) -> _Fingerprint:
    words = [word.lower() for word in _WORD.findall(hit.snippet)]
    title = [word.lower() for word in _WORD.findall(hit.title)]
    shingles = frozenset(tuple(words[at : at + 3]) for at in range(len(words) - 2))
    numbers = frozenset(word for word in title if any(char.isdigit() for char in word))
    return _Fingerprint(frozenset(title), shingles, numbers)


def _same_text(one: _Fingerprint, other: _Fingerprint) -> bool:
    """Whether title and snippet are nearly the same; False for short snippets, and if the titles' numbers differ
    (Python 3.11 and 3.12 are different pages)."""
    if len(one.shingles) < 6 or len(other.shingles) < 6 or one.numbers != other.numbers:
        return False
    return _overlap(one.title, other.title) >= 0.6 and _overlap(one.shingles, other.shingles) >= 0.8


def _overlap(one: frozenset[object], other: frozenset[object]) -> float:
    """The Jaccard similarity of two sets, from 0 to 1."""
    return len(one & other) / max(1, len(one | other))
