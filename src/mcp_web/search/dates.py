"""The many ways providers write a date, read into ISO 8601."""

from __future__ import annotations

import email.utils
import re
from datetime import UTC, date, datetime, timedelta

from mcp_web.search.ages import moment_of

_ISO = re.compile(r"^\d{4}-\d{2}-\d{2}")
_FORMATS = ("%B %d, %Y", "%b %d, %Y", "%d %B %Y", "%d %b %Y", "%b. %d, %Y", "%Y/%m/%d", "%Y%m%d", "%A, %B %d, %Y")
_NUMBERS = re.compile(
    r"^(?:(?P<d>\d{1,2})\.\s?(?P<m>\d{1,2})\.\s?(?P<y>\d{4})|(?P<y2>\d{4})\s?[年년.]\s?(?P<m2>\d{1,2})\s?[月월.]\s?(?P<d2>\d{1,2})\s?[日일.]?)$"
)
_PREFIX = re.compile(r"^(?P<date>[^—–…]{3,32}?)\s*(?:\.{3}|…|—|–|·|\s-)\s+")


def published(value: object, now: datetime | None = None, language: str | None = None) -> str | None:
    """An ISO date or date-time (UTC where the provider names no zone), or None when it cannot be read."""
    moment = now or datetime.now(UTC)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _from_epoch(value)
    if not isinstance(value, str) or not value.strip():
        return None
    text = " ".join(value.split())
    if text.isascii() and text.isdigit() and len(text) in (10, 13):
        return _from_epoch(float(text))
    return _iso(text) or moment_of(text, moment) or _formatted(text) or _mail(text) or _spoken(text, moment, language)


def split_prefix(snippet: str, now: datetime | None = None, language: str | None = None) -> tuple[str | None, str]:
    """The date that Google writes before a snippet, and the snippet without it."""
    found = _PREFIX.match(snippet)
    numbers = len(re.findall(r"\d+", found["date"])) if found else 0
    if found is None or not numbers:
        return None, snippet
    # One number is an age or nothing: "In May 2026 — we met" is text.
    moment = now or datetime.now(UTC)
    dated = moment_of(found["date"], moment) if numbers == 1 else published(found["date"], moment, language)
    return (dated, snippet[found.end() :]) if dated else (None, snippet)


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


def _formatted(text: str) -> str | None:
    for form in _FORMATS:
        try:
            return datetime.strptime(text, form).date().isoformat()
        except ValueError:
            continue
    found = _NUMBERS.match(text)
    if found is None:
        return None
    year, month, day = (int(found[name] or found[name + "2"]) for name in "ymd")
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return None


def _mail(text: str) -> str | None:
    try:
        moment = email.utils.parsedate_to_datetime(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).isoformat(timespec="seconds")
    except (TypeError, ValueError, OverflowError, IndexError):
        return None


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


def _from_epoch(given: float) -> str | None:
    # Of any size: JSON has integers that no float holds.
    seconds = given / 1000 if 4e9 < given < 4e12 else given  # milliseconds
    # Small numbers are years or counts, not the first days of 1970.
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds") if 1e8 < seconds < 4e9 else None
