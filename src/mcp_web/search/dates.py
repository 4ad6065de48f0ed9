"""The many ways providers write a date, read into ISO 8601."""

from __future__ import annotations

import email.utils
import re
from datetime import UTC, date, datetime, timedelta

_ISO = re.compile(r"^\d{4}-\d{2}-\d{2}")
_RELATIVE = re.compile(
    r"^(?:(?P<n>\d+|an?|one)\s*(?P<unit>second|sec|minute|min|hour|hr|day|week|month|year|[smhdwy])s?\.?\s+ago"
    r"|(?P<word>just now|today|yesterday))$",
    re.IGNORECASE,
)
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800, "y": 31_556_952}
_UNITS = {
    "sec": "s",
    "second": "s",
    "min": "m",
    "minute": "m",
    "hr": "h",
    "hour": "h",
    "day": "d",
    "week": "w",
    "year": "y",
}
_FORMATS = ("%B %d, %Y", "%b %d, %Y", "%d %B %Y", "%d %b %Y", "%b. %d, %Y", "%Y/%m/%d", "%Y%m%d", "%A, %B %d, %Y")
_PREFIX = re.compile(
    r"^(?P<date>(?:[A-Z][a-z]{2,8}\.? \d{1,2}, \d{4})|(?:\d{1,2} [A-Z][a-z]{2,8}\.? \d{4})"
    r"|(?:\d+ (?:minute|hour|day)s? ago))"
    r"\s*(?:\.{3}|…|—|–|-|·)\s+"
)


def published(value: object, now: datetime | None = None, language: str | None = None) -> str | None:
    """An ISO date or date-time (UTC where the provider names no zone), or None when it cannot be read."""
    moment = now or datetime.now(UTC)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _from_epoch(float(value))
    if not isinstance(value, str) or not value.strip():
        return None
    text = " ".join(value.split())
    return _iso(text) or _relative(text, moment) or _formatted(text) or _mail(text) or _spoken(text, moment, language)


def split_prefix(snippet: str, now: datetime | None = None) -> tuple[str | None, str]:
    """The date that Google writes before a snippet, and the snippet without it."""
    found = _PREFIX.match(snippet)
    if found is None:
        return None, snippet
    return published(found["date"], now), snippet[found.end() :]


def day_of(iso: str) -> date | None:
    """The calendar day of a date as `published` writes it."""
    try:
        return date.fromisoformat(iso[:10])
    except ValueError:
        return None


def span_of(freshness: str, today: date) -> tuple[date, date]:
    """First and last day that a freshness filter lets through."""
    days = {"day": 1, "week": 7, "month": 31, "year": 366}
    if freshness in days:
        return today - timedelta(days=days[freshness]), today + timedelta(days=1)
    first, _, last = freshness.partition("..")
    return date.fromisoformat(first), date.fromisoformat(last)


def _iso(text: str) -> str | None:
    if not _ISO.match(text):
        return None
    try:
        moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        day = day_of(text)
        return day.isoformat() if day else None
    if len(text) == 10:
        return text
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).isoformat(timespec="seconds")


def _relative(text: str, now: datetime) -> str | None:
    found = _RELATIVE.match(text)
    if found is None:
        return None
    if found["word"]:
        back = timedelta(days=1) if found["word"].lower() == "yesterday" else timedelta()
        return (now - back).date().isoformat()
    amount = int(found["n"]) if found["n"].isdigit() else 1
    unit = found["unit"].lower()
    if unit == "month":
        return (now - timedelta(days=30.44 * amount)).date().isoformat()
    short = _UNITS.get(unit, unit)
    then = now - timedelta(seconds=_SECONDS[short] * amount)
    return then.isoformat(timespec="seconds") if short in "smh" else then.date().isoformat()


def _formatted(text: str) -> str | None:
    for form in _FORMATS:
        try:
            return datetime.strptime(text, form).date().isoformat()
        except ValueError:
            continue
    return None


def _mail(text: str) -> str | None:
    try:
        moment = email.utils.parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).isoformat(timespec="seconds")


def _spoken(text: str, now: datetime, language: str | None) -> str | None:
    """Other languages ("vor 2 Tagen"), by a library that is loaded only when one turns up."""
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


def _from_epoch(seconds: float) -> str | None:
    if seconds > 4e9:
        seconds /= 1000  # milliseconds
    # Small numbers are years or counts, not the first days of 1970.
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds") if 1e8 < seconds < 4e9 else None
