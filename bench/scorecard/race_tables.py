"""The race as tables: the figures of every server, and the verdict against each peer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from bench.scorecard.race import OURS, Lap, Outcome
from bench.scorecard.rows import cost_row, gain_row, mean, times
from bench.scorecard.table import Row, Table
from bench.scorecard.tokens import NAME as TOKENIZER
from bench.scorecard.verdicts import of_ratio, paired, ratio

FACTOR = 3.0  # what we want to be ahead by, in tokens at equal success
Value = Callable[[Outcome], float]


def race_table(laps: Sequence[Lap], digest: str, lite_listing: int) -> Table:
    ran = [lap for lap in laps if not lap.problem]
    absent = tuple(f"{lap.server} {lap.version}: {lap.problem}" for lap in laps if lap.problem)
    figures = [_figures(lap) for lap in ran]
    ours = next(lap for lap in ran if lap.server == OURS)
    rows: list[Row] = []
    for lap in ran:
        if lap is not ours:
            rows += _against(ours, lap, lite_listing)
    asked = sum(one.answerable for one in ours.cold)
    method = (
        f"{asked} questions with one known passage each and {len(ours.cold) - asked} that no page answers, over 54 "
        "pages (HTML and PDF) on ten loopback sites, almost half of them near copies with other figures. A local "
        "SearXNG is the search engine of all. Policy: search, open the first three results, page on until the passage "
        "was returned. A passage counts when all its words were returned in order. Tokens: arguments and text of all "
        f"calls, {TOKENIZER}. Questions and pages are frozen as {digest[:16]}. Fetchers without a search get one that "
        "costs nothing but its five result lines."
    )
    return Table("race", "The end-to-end race", method, tuple(rows), absent, tuple(figures))


def _figures(lap: Lap) -> dict[str, Any]:
    asked = [one for one in lap.cold if one.answerable]
    again = [one for one in lap.second if one.answerable]
    other = [one for one in lap.cold if not one.answerable]
    states = any(one.says_answered is not None for one in lap.cold)
    return {
        "server": f"{lap.server} {lap.version}",
        "gold page in first five": f"{sum(one.page_found for one in asked)} of {len(asked)}",
        "passage delivered": f"{sum(one.delivered for one in asked)} of {len(asked)}",
        "tools/list tokens": f"{lap.listing_tokens:,}",
        "tokens a question": f"{_mean(asked, _tokens):,.0f}",
        "calls": f"{_mean(asked, _calls):.1f}",
        "seconds, cold": f"{_mean(asked, _seconds):.2f}",
        "seconds, again": f"{_mean(again, _seconds):.2f}",
        "tokens, unanswerable": f"{_mean(other, _tokens):,.0f}",
        "false “answered”": f"{sum(bool(one.says_answered) for one in other)} of {len(other)}"
        if states
        else "says nothing",
        "false “not answered”": _false_no(asked) if states else "says nothing",
    }


def _false_no(asked: Sequence[Outcome]) -> str:
    return f"{sum(one.says_answered is False for one in asked)} of {len(asked)}"


def _against(ours: Lap, peer: Lap, lite_listing: int) -> list[Row]:
    name = peer.server
    asked = [(one, two) for one, two in zip(ours.cold, peer.cold, strict=True) if one.answerable]
    mine, theirs = _both_delivered(ours.cold, peer.cold)
    again, their_again = _both_delivered(ours.second, peer.second)
    hits, their_hits = ([float(pair[side].delivered) for pair in asked] for side in (0, 1))
    counted = "tokens at equal success, tools/list counted once a question"
    return [
        gain_row("passage delivered", name, hits, their_hits, "the passage was not among what was read"),
        _token_row("tokens at equal success, without tools/list", name, mine, theirs, 0, 0),
        _token_row(counted, name, mine, theirs, ours.listing_tokens, peer.listing_tokens),
        _token_row("the same with our profile lite", name, mine, theirs, lite_listing, peer.listing_tokens),
        _cost("calls at equal success", name, mine, theirs, _calls, "the first call did not return the passage"),
        _cost("seconds, cold", name, mine, theirs, _seconds, "the passages of new pages are embedded first"),
        _cost("seconds, second pass", name, again, their_again, _seconds, "the question is ranked again"),
    ]


def _both_delivered(ours: Sequence[Outcome], theirs: Sequence[Outcome]) -> tuple[list[Outcome], list[Outcome]]:
    both = [(one, two) for one, two in zip(ours, theirs, strict=True) if one.delivered and two.delivered]
    return [one for one, _ in both], [two for _, two in both]


def _token_row(
    measure: str, peer: str, ours: list[Outcome], theirs: list[Outcome], our_listing: int, their_listing: int
) -> Row:
    mine = [one.tokens + our_listing for one in ours]
    other = [one.tokens + their_listing for one in theirs]
    interval = paired(mine, other, ratio)
    reason = "" if interval.value >= FACTOR else f"less than the factor of {FACTOR:.0f} that we want"
    if our_listing > their_listing and reason:
        reason += f"; {our_listing:,} of our tokens are tools/list"
    return Row(
        measure,
        peer,
        _number(mine),
        _number(other),
        times(interval),
        of_ratio(interval),
        reason,
    )


def _cost(measure: str, peer: str, ours: list[Outcome], theirs: list[Outcome], value: Value, why: str) -> Row:
    return cost_row(measure, peer, [value(one) for one in ours], [value(one) for one in theirs], why, show=_two_places)


def _two_places(values: Sequence[float]) -> str:
    return f"{mean(values):.2f}"


def _number(values: Sequence[float]) -> str:
    return f"{mean(values):,.0f}"


def _mean(outcomes: Sequence[Outcome], value: Value) -> float:
    return mean([value(one) for one in outcomes])


def _tokens(one: Outcome) -> float:
    return one.tokens


def _calls(one: Outcome) -> float:
    return one.calls


def _seconds(one: Outcome) -> float:
    return one.seconds
