"""The race as tables: the figures of every server, the verdict against each peer, and the factor of three in tokens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from bench.scorecard.race import Lap, Outcome
from bench.scorecard.rows import OURS, cost_row, gain_row, mean, time_row, times
from bench.scorecard.table import Row, Table
from bench.scorecard.tokens import NAME as TOKENIZER
from bench.scorecard.verdicts import TOKENS_NOISE, of_ratio, paired, possible, ratio

FACTOR = 3.0  # what we want to be ahead by, in tokens at equal success
Value = Callable[[Outcome], float]
Pairs = list[tuple[Outcome, Outcome]]  # ours and theirs for the same question


def race_table(laps: Sequence[Lap], digest: str) -> Table:
    ran, absent = _present(laps)
    ours = next(lap for lap in ran if lap.server == OURS)
    rows = [row for lap in ran if lap is not ours for row in _against(ours, lap)]
    asked = sum(one.answerable for one in ours.cold)
    method = (
        f"{asked} questions with one known passage each and {len(ours.cold) - asked} that no page answers, over 54 "
        "pages (HTML and PDF) on ten loopback sites, almost half of them near copies with other figures. A local "
        "SearXNG is the search engine of all. Policy: search, open the first three results, page on until the passage "
        "was returned. A passage counts when all its words were returned in order. Tokens: arguments and text of all "
        f"calls, {TOKENIZER}; `tools/list` (name, description and schema of every tool) counts once for one session "
        "that asks all questions, or for every question. Margin 25 % for times, 10 % for tokens and calls. The set is "
        f"frozen as {digest[:16]}. Each question goes to one server after the other, in the order of a hash; "
        "a fixed part of them is asked. Fetchers without a search get one that costs nothing "
        "but its five result lines."
    )
    return Table("race", "The end-to-end race", method, tuple(rows), absent, tuple(_figures(lap) for lap in ran))


def factor_table(laps: Sequence[Lap], lite_listing: int) -> Table:
    """Whether we need a third of a peer's tokens, by both ways of counting tools/list, and with the smaller profile."""
    ran, absent = _present(laps)
    ours = next(lap for lap in ran if lap.server == OURS)
    rows = [row for lap in ran if lap is not ours for row in _factors(ours, lap, lite_listing)]
    method = (
        f"We want to need at most a third of a peer's tokens where both return the passage. Here *ahead* means that "
        f"the whole interval lies above {FACTOR:.0f}, *behind* that it lies below, *equal* that it holds the factor. "
        "The tools are listed once in a session, which is what an agent pays; a session for a single question is the "
        "worst case, in which the list of a server with many tools weighs most."
    )
    return Table("factor", "Three times fewer tokens", method, tuple(rows), absent)


def _present(laps: Sequence[Lap]) -> tuple[list[Lap], tuple[str, ...]]:
    absent = tuple(f"{lap.server} {lap.version}: {lap.problem}" for lap in laps if lap.problem)
    return [lap for lap in laps if not lap.problem], absent


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


def _against(ours: Lap, peer: Lap) -> list[Row]:
    name, cold = peer.server, _pairs(ours.cold, peer.cold)
    asked = [pair for pair in cold if pair[0].answerable]
    both, again = _both_delivered(cold), _both_delivered(_pairs(ours.second, peer.second))
    hits, their_hits = ([float(pair[side].delivered) for pair in asked] for side in (0, 1))
    ranks = "the pages are ranked for the question, new ones are embedded first"
    return [
        gain_row("passage delivered", name, hits, their_hits, "the passage was not among what was read"),
        _token_row("tokens at equal success, one session", ours, peer, both, ours.listing_tokens, once=True),
        _token_row("tokens at equal success, a session each", ours, peer, both, ours.listing_tokens, once=False),
        cost_row(
            "calls at equal success", name, *_values(both, _calls), "the answer took more calls", show=_two_places
        ),
        time_row("time, cold", name, *_values(both, _seconds), ranks),
        time_row("time, second pass", name, *_values(again, _seconds), "the question is ranked again"),
    ]


def _factors(ours: Lap, peer: Lap, lite_listing: int) -> list[Row]:
    both, listing = _both_delivered(_pairs(ours.cold, peer.cold)), ours.listing_tokens
    return [
        _token_row("one session", ours, peer, both, listing, once=True, factor=FACTOR),
        _token_row("a session each", ours, peer, both, listing, once=False, factor=FACTOR),
        _token_row("a session each, our profile lite", ours, peer, both, lite_listing, once=False, factor=FACTOR),
    ]


def _pairs(ours: Sequence[Outcome], theirs: Sequence[Outcome]) -> Pairs:
    """The questions that both were asked."""
    known = {one.question: one for one in theirs}
    return [(one, known[one.question]) for one in ours if one.question in known]


def _both_delivered(pairs: Pairs) -> Pairs:
    return [(one, two) for one, two in pairs if one.delivered and two.delivered]


def _token_row(
    measure: str, ours: Lap, peer: Lap, pairs: Pairs, listing: int, *, once: bool, factor: float = 1.0
) -> Row:
    """Tokens with the share of tools/list that falls on a question; `factor` is what the ratio is held against."""
    questions = sum(one.answerable for one in ours.cold) if once else 1
    mine = [one.tokens + listing / questions for one, _ in pairs]
    other = [two.tokens + peer.listing_tokens / questions for _, two in pairs]
    interval, margin = paired(mine, other, ratio), 0.1 if factor == 1 else 0.0
    judged = interval.divided(factor)
    verdict, others = of_ratio(judged, margin=margin), possible(judged, margin=margin, noise=TOKENS_NOISE)
    share = f"{listing / questions:,.0f} of our tokens are tools/list"
    reason = f"the pages are short: {mean(other):,.0f} tokens return them whole" if once else share
    return Row(measure, peer.server, _number(mine), _number(other), times(interval), verdict, reason, others)


def _values(pairs: Pairs, value: Value) -> tuple[list[float], list[float]]:
    return [value(one) for one, _ in pairs], [value(two) for _, two in pairs]


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
