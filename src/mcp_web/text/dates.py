"""Parses the dates of pages, paths and search providers into ISO 8601, with a time only if one is given."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime

_EARLIEST = 1990  # earlier dates on the web are errors
_LATEST = 2100

_ISO = re.compile(
    r"(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2})?)(?:[.,]\d{1,9})? ?(Z|[+-]\d{2}:?\d{2})?)?", re.I
)
_COMPACT = re.compile(r"(?<!\d)((?:19|20)\d{2})(\d{2})(\d{2})(?!\d)")
_YEAR_FIRST = re.compile(r"(?<!\d)((?:19|20)\d{2})\s?[/.年년]\s?(\d{1,2})\s?[/.月월]\s?(\d{1,2})(?!\d)(?:\s?[日일.])?")
_DAY_FIRST = re.compile(r"(?<!\d)(\d{1,2})\.\s?(\d{1,2})\.\s?((?:19|20)\d{2})(?!\d)")
_SLASHES = re.compile(r"(?<!\d)(\d{1,2})/(\d{1,2})/((?:19|20)\d{2})(?!\d)")
_DAY_MONTH = re.compile(
    r"(?<!\d)(\d{1,2})(?:st|nd|rd|th|er|\.|º)?\s+(?:de\s+)?([^\W\d_]{3,12})\.?,?\s+(?:de\s+)?((?:19|20)\d{2})(?!\d)"
)
_MONTH_DAY = re.compile(r"([^\W\d_]{3,12})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+((?:19|20)\d{2})(?!\d)")
_PDF = re.compile(r"D:(\d{4})(\d{2})(\d{2})(\d{6})?(Z|[+-]\d{2}'?\d{2})?")
_IN_PATH = re.compile(r"(?<!\d)((?:19|20)\d{2})[-_/.]?(0[1-9]|1[0-2])[-_/.]?(0[1-9]|[12]\d|3[01])(?!\d)")
_URL = re.compile(r"/((?:19|20)\d{2})[/-](\d{1,2})[/-](\d{1,2})(?=[/._-]|$)")

# Prefixes that identify a month in English, German, French, Spanish, Italian, Portuguese, Dutch and Polish.
_MONTHS = (
    ("jan", "jän", "ene", "gen", "sty"),
    ("feb", "fév", "fev", "lut"),
    ("mar", "mär", "mrt", "maa"),
    ("apr", "avr", "abr", "kwi"),
    ("may", "mai", "mag", "maj", "mei"),
    ("jun", "juin", "giu", "cze"),
    ("jul", "juil", "lug", "lip"),
    ("aug", "aoû", "aou", "ago", "sie"),
    ("sep", "set", "wrz"),
    ("oct", "okt", "ott", "out", "paź"),
    ("nov", "lis"),
    ("dec", "dez", "déc", "dic", "gru"),
)


def iso(seconds: float) -> str:
    """A time in seconds since the epoch in ISO form and UTC, as in 2026-11-16T12:00:00Z."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def read_date(text: str | None, *, whole_text: bool = False) -> str | None:
    """The date in the first 100 characters of a text, as an ISO date or date-time; None if there is none, or its year
    is not between 1990 and 2100.

    01/02/2024 is ambiguous and not read, 01/13/2024 is. `whole_text`: only when the text is nothing but a date, save
    for one word such as the day of the week; before an ISO date there is none.
    """
    text = " ".join((text or "")[:100].split())
    if not text:
        return None
    if match := _ISO.search(text):
        is_whole = match.start() == 0 and len(text[match.end() :].strip(" ,").split()) <= 1
        return _iso(match) if is_whole or not whole_text else None
    if text[:4].isalpha() or "," in text[:5]:
        from email.utils import parsedate_to_datetime

        try:
            return _sane(parsedate_to_datetime(text))
        except (ValueError, TypeError, IndexError, OverflowError):
            pass
    for match, year, month, day in (*_spelled(text), *_numeric(text)):
        rest = f"{text[: match.start()]} {text[match.end() :]}".split()
        if whole_text and (len(rest) > 1 or any(map(str.isdigit, "".join(rest)))):
            continue
        if found := _day(year, month, day):
            return found
    return None


def day_of(text: str | None) -> date | None:
    """The calendar day that an ISO date or date-time begins with; None if it begins with none."""
    try:
        return date.fromisoformat((text or "")[:10])
    except ValueError:
        return None


def date_in_path(path: str) -> str | None:
    """The last date in the path of a file, as an ISO date: that of notes/2024-05-31-title.md, 2024/05/31/title.md or
    20240531.md. None if there is none."""
    for match in reversed(list(_IN_PATH.finditer(path))):
        if found := day_of("-".join(match.groups())):
            return found.isoformat()
    return None


def date_in_url(url: str) -> str | None:
    """The date in the path of a URL such as /2024/05/31/title, in ISO form; None without a year, a month and a day."""
    match = _URL.search(url[:500])
    return _day(match[1], match[2], match[3]) if match else None


def read_pdf_date(text: str) -> str | None:
    """A date in PDF form, `D:20240531080910+02'00'`, or another form, as ISO date or date-time; None if it is none."""
    match = _PDF.match(text.strip())
    if not match:
        return read_date(text)
    zone = f"{match[5][0]}{match[5][1:3]}:{match[5][-2:]}" if match[5] and match[5][0] in "+-" else (match[5] or "")
    return read_date(
        f"{match[1]}-{match[2]}-{match[3]}"
        + (f"T{match[4][:2]}:{match[4][2:4]}:{match[4][4:]}{zone}" if match[4] else "")
    )


def _iso(match: re.Match[str]) -> str | None:
    """The date or date-time that the pattern `_ISO` matched, in full ISO form; None if it is not a valid date."""
    day = _day(match[1], match[2], match[3])
    if not day or not match[4]:
        return day
    clock = match[4] if len(match[4]) == 8 else match[4] + ":00"
    zone = (match[5] or "").upper().replace("Z", "+00:00")
    if zone and ":" not in zone:
        zone = f"{zone[:3]}:{zone[3:]}"
    try:
        return datetime.fromisoformat(f"{day}T{clock}{zone}").isoformat()
    except ValueError:
        return day


Parts = tuple[re.Match[str], str, str, str]  # the place of a date, its year, month and day


def _spelled(text: str) -> Iterator[Parts]:
    """(match, year, month, day) of each date in a text whose month is a word; the month is given as a number."""
    for pattern, order in ((_DAY_MONTH, (3, 2, 1)), (_MONTH_DAY, (3, 1, 2))):
        for match in pattern.finditer(text):
            if month := _month(match[order[1]]):
                yield match, match[order[0]], str(month), match[order[2]]


def _numeric(text: str) -> Iterator[Parts]:
    """(match, year, month, day) of the dates in a text that consist of numbers, at most one in each form; without
    ambiguous ones such as 01/02/2024."""
    for pattern in (_YEAR_FIRST, _COMPACT):
        if match := pattern.search(text):
            yield match, match[1], match[2], match[3]
    if match := _DAY_FIRST.search(text):
        yield match, match[3], match[2], match[1]
    if match := _SLASHES.search(text):
        first, second = int(match[1]), int(match[2])
        if first > 12:
            yield match, match[3], match[2], match[1]
        elif second > 12 or first == second:
            yield match, match[3], match[1], match[2]


def _month(word: str) -> int | None:
    """The number of the month that a word names, from 1; None if it names none."""
    word = word.lower()
    for number, beginnings in enumerate(_MONTHS, 1):
        if word.startswith(beginnings):
            return number
    return None


def _day(year: str, month: str, day: str) -> str | None:
    """The ISO date of these numbers; None if there is no such day or its year is not between 1990 and 2100."""
    try:
        return _sane(date(int(year), int(month), int(day)))
    except ValueError:
        return None


def _sane(moment: date) -> str | None:
    """The date or date-time in ISO form; None if its year is not between 1990 and 2100."""
    return moment.isoformat() if _EARLIEST <= moment.year <= _LATEST else None
