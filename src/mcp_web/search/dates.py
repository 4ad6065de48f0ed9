"""Converts the dates of providers to ISO 8601."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta

from mcp_web.text.ages import moment_of
from mcp_web.text.dates import read_date

_PREFIX = re.compile(r"^(?P<date>[^—–…]{3,32}?)\s*(?:\.{3}|…|—|–|·|\s-)\s+")


def published(value: object, now: datetime | None = None, language: str | None = None) -> str | None:
    """A provider's date (text, seconds or milliseconds since 1970) as an ISO date or date-time; None if unreadable.

    Without a time zone UTC is assumed. `now` (by default the present) and `language` (such as "de"; without one, fewer
    are read) are for relative dates such as "2 days ago".
    """
    moment = now or datetime.now(UTC)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _from_epoch(value)
    if not isinstance(value, str) or not value.strip():
        return None
    text = " ".join(value.split())
    if text.isascii() and text.isdigit() and len(text) in (10, 13):
        return _from_epoch(float(text))
    return moment_of(text, moment) or _zoned(read_date(text, whole_text=True)) or _relative_date(text, moment, language)


def split_prefix(snippet: str, now: datetime | None = None, language: str | None = None) -> tuple[str | None, str]:
    """The date that Google writes before a snippet ("Mar 3, 2026 — "), in ISO 8601, and the snippet without it.

    None and the unchanged snippet if there is none. `now` and `language` are for relative dates ("2 days ago").
    """
    found = _PREFIX.match(snippet)
    numbers = len(re.findall(r"\d+", found["date"])) if found else 0
    if found is None or not numbers:
        return None, snippet
    # A single number is an age or no date at all: "In May 2026 — we met" is text.
    moment = now or datetime.now(UTC)
    dated = moment_of(found["date"], moment) if numbers == 1 else published(found["date"], moment, language)
    return (dated, snippet[found.end() :]) if dated else (None, snippet)


def span_of(freshness: str, today: date) -> tuple[date, date]:
    """The first and the last day that a freshness filter allows: "week" reaches from 7 days ago until tomorrow.

    `freshness` is day, week, month, year or FROM..TO in ISO dates; raises ValueError for anything else.
    """
    # The most days that engines mean by a name: none of their results is dropped as too old.
    days = {"day": 1, "week": 7, "month": 31, "year": 366}
    if freshness in days:
        return today - timedelta(days=days[freshness]), today + timedelta(days=1)
    first, _, last = freshness.partition("..")
    return date.fromisoformat(first), date.fromisoformat(last)


def _zoned(iso: str | None) -> str | None:
    """An ISO date as it is; an ISO date-time to the second, taken as UTC if it has no zone; None for None."""
    if iso is None or len(iso) == 10:
        return iso
    moment = datetime.fromisoformat(iso)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).isoformat(timespec="seconds")


def _relative_date(text: str, now: datetime, language: str | None) -> str | None:
    """The ISO date of a relative date in `language` ("vor 2 Tagen"); None without a language or if it is not read."""
    if language is None or len(text) > 60 or not any(char.isdigit() for char in text):
        return None  # guessing the language as well takes a tenth of a second and is often wrong
    import dateparser  # type: ignore[import-untyped]  # its stubs lag behind its releases

    languages = [language.partition("-")[0]]
    settings = {"RELATIVE_BASE": now.replace(tzinfo=None), "TIMEZONE": "UTC", "REQUIRE_PARTS": ["month", "year"]}
    try:
        moment = dateparser.parse(text, languages=languages, settings=settings)
    except (ValueError, OverflowError):
        return None
    return moment.date().isoformat() if moment else None


def _from_epoch(given: float) -> str | None:
    """The ISO date-time (UTC) of a number of seconds or milliseconds since 1970; None if not between 1973 and 2096."""
    # May be of any size: JSON has integers that no float can represent.
    seconds = given / 1000 if 4e9 < given < 4e12 else given  # milliseconds
    # Small numbers are years or counts, not the first days of 1970.
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds") if 1e8 < seconds < 4e9 else None
