"""Fusion: better than any single source, one vote per index, each page once."""

from __future__ import annotations

import math
import random
from statistics import fmean, stdev

from mcp_web.model.search import Hit
from mcp_web.search.merge import cluster, merge
from mcp_web.search.provider import Capabilities
from mcp_web.search.result_filter import worth_showing


def page(name: str, *engines: str, **facts: str) -> Hit:
    return Hit(f"Title of {name}", f"https://{name}.example/", engines=engines, **facts)  # type: ignore[arg-type]


def listed(source: str, *hits: Hit, index: str = "", weight: float = 1.0) -> tuple[Capabilities, tuple[Hit, ...]]:
    return Capabilities(source, index or source, frozenset(), weight=weight), hits


def ranked(source: str, *names: str, index: str = "", weight: float = 1.0) -> tuple[Capabilities, tuple[Hit, ...]]:
    return listed(source, *map(page, names), index=index, weight=weight)


def order(hits: tuple[Hit, ...]) -> list[str]:
    return [hit.domain or hit.url.removeprefix("https://").partition(".")[0] for hit in hits]


def test_agreement_wins() -> None:
    merged = merge([ranked("a", "x", "both", "y"), ranked("b", "z", "both", "w")])
    assert order(merged)[0] == "both"
    assert merged[0].score > merged[1].score
    assert all(0 < hit.score <= 1 for hit in merged)


def test_an_index_is_counted_once_however_many_show_it() -> None:
    bing_twice = [ranked("ddgs", "echo", index="bing"), ranked("searxng", "echo", index="bing")]
    merged = merge([*bing_twice, ranked("brave", "alone", weight=1.1)])
    assert order(merged) == ["alone", "echo"]  # one index asked twice is not two that agree
    agreeing = merge([*bing_twice, ranked("brave", "alone", "echo", weight=1.1)])
    assert order(agreeing) == ["echo", "alone"]


def test_a_metasearch_hit_votes_for_the_engines_that_found_it() -> None:
    meta = listed("searxng", page("same", "brave"), page("other", "mojeek"), index="mixed")
    scores = {hit.url: hit.score for hit in merge([meta, ranked("brave", "same", "other")])}
    assert scores["https://other.example/"] > scores["https://same.example/"]


def test_ties_go_to_the_better_rank_then_to_the_trusted_source() -> None:
    merged = merge([ranked("light", "a", weight=0.5), ranked("heavy", "b", weight=1.0)])
    assert order(merged) == ["b", "a"]


def test_a_page_known_to_two_sources_has_what_either_knows() -> None:
    one = listed("a", Hit("T", "http://www.p.example/x/?utm_source=a", snippet="", engines=("a",)))
    two = listed("b", Hit("T", "https://p.example/x", "Said.", published="2026-01-01", engines=("b",)))
    (hit,) = merge([one, two])
    assert (hit.snippet, hit.published, hit.engines) == ("Said.", "2026-01-01", ("a", "b"))


def test_the_same_text_elsewhere_is_folded_in_and_another_version_is_not() -> None:
    text = "The quick brown fox jumps over the lazy dog and runs away into the deep dark wood."
    first = Hit("Fox story", "https://a.example/", text)
    copy = Hit("Fox story | Mirror", "https://mirror.example/", text)
    newer = Hit("Fox story 3.12", "https://b.example/", text)
    clustered = cluster([first, copy, newer])
    assert [hit.url for hit in clustered] == ["https://a.example/", "https://b.example/"]
    assert clustered[0].duplicates == ("https://mirror.example/",)


def test_advertisements_and_result_pages_are_left_out() -> None:
    hits = [
        Hit("Ad", "https://duckduckgo.com/y.js?ad=1"),
        Hit("More results", "https://www.google.com/search?q=x"),
        Hit("About search", "https://www.google.com/search/howsearchworks/"),
        Hit("Stuffed", "https://s.example/", "cheap shoes " * 20),
        Hit("Good", "https://g.example/", "Something different in every word of this ordinary sentence here."),
    ]
    kept, dropped = worth_showing(hits)
    assert [hit.title for hit in kept] == ["About search", "Good"]
    assert dropped == 3


def test_merged_quality_is_that_of_plain_fusion_and_above_every_single_source() -> None:
    """Synthetic rank aggregation: 40 pages with graded relevance, engines that see them through noise."""
    randomness = random.Random(7)
    ours, plain = [], []
    single: list[list[float]] = [[] for _ in range(4)]
    for _ in range(300):
        truth = {f"p{n}": randomness.choice((0, 0, 0, 1, 1, 2)) for n in range(40)}
        lists = [_engine(truth, randomness, noise=1.0 + 0.2 * at) for at in range(4)]
        merged = merge([ranked(f"e{at}", *names) for at, names in enumerate(lists)])
        ours.append(_ndcg(order(merged), truth))
        plain.append(_ndcg(_plain_rrf(lists, 60), truth))
        for at, names in enumerate(lists):
            single[at].append(_ndcg(names, truth))
    differences = [mine - theirs for mine, theirs in zip(ours, plain, strict=True)]
    noise = 1.96 * stdev(differences) / math.sqrt(len(differences))
    assert fmean(differences) >= -max(noise, 0.002)
    assert all(fmean(ours) > fmean(one) + 0.02 for one in single)


def _engine(truth: dict[str, int], randomness: random.Random, noise: float) -> list[str]:
    seen = randomness.sample(sorted(truth), 30)
    return sorted(seen, key=lambda name: -(truth[name] + randomness.gauss(0, noise)))[:10]


def _plain_rrf(lists: list[list[str]], k: int) -> list[str]:
    scores: dict[str, float] = {}
    for names in lists:
        for rank, name in enumerate(names, start=1):
            scores[name] = scores.get(name, 0) + 1 / (k + rank)
    return sorted(scores, key=lambda name: -scores[name])


def _ndcg(names: list[str], truth: dict[str, int], depth: int = 10) -> float:
    def gain(grades: list[int]) -> float:
        return sum((2**grade - 1) / math.log2(at + 2) for at, grade in enumerate(grades[:depth]))

    best = gain(sorted(truth.values(), reverse=True))
    return gain([truth[name] for name in names]) / best if best else 1.0
