"""Filters that are applied to the results themselves, whatever the provider did: domains and dates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from mcp_web.model.search import Hit
from mcp_web.text.amounts import amount
from mcp_web.text.dates import day_of
from mcp_web.text.urls import in_domain

# The date of a page and the date that a provider reports may differ by a day, because of time zones.
_SLACK = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class ResultFilter:
    """Leaves out hits by their domain and date."""

    include: tuple[str, ...] = ()  # only these domains, if any
    exclude: tuple[str, ...] = ()
    span: tuple[date, date] | None = None  # the first and the last day
    drop_undated: bool = False

    def apply(self, hits: Sequence[Hit]) -> tuple[tuple[Hit, ...], tuple[str, ...]]:
        """The hits that pass, and notes about those that do not."""
        notes: list[str] = []
        kept = [hit for hit in hits if self._domain_passes(hit)]
        if len(kept) < len(hits):
            notes.append(f"Left out: {amount(len(hits) - len(kept), 'result')} from other domains.")
        if self.span is not None:
            kept, date_notes = self._by_date(kept, self.span)
            notes += date_notes
        return tuple(kept), tuple(notes)

    def _domain_passes(self, hit: Hit) -> bool:
        if any(in_domain(hit.url, domain) for domain in self.exclude):
            return False
        return not self.include or any(in_domain(hit.url, domain) for domain in self.include)

    def _by_date(self, hits: list[Hit], span: tuple[date, date]) -> tuple[list[Hit], list[str]]:
        """The hits within the span, and notes about the others and about hits without a date."""
        kept, undated, outside = [], 0, 0
        for hit in hits:
            day = day_of(hit.published) if hit.published else None
            if day is None:
                undated += 1
                if not self.drop_undated:
                    kept.append(hit)
            elif span[0] - _SLACK <= day <= span[1] + _SLACK:
                kept.append(hit)
            else:
                outside += 1
        notes = []
        if undated:
            what = amount(undated, "undated result")
            dropped = f"dropped {what}, because the provider could not filter by date"
            notes.append(f"Freshness: {dropped if self.drop_undated else f'kept {what}'}.")
        if outside:
            notes.append(f"Freshness: dropped {amount(outside, 'result')} dated outside the range.")
        return kept, notes
