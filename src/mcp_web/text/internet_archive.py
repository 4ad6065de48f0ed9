"""URLs and dates of the copies in the Internet Archive. Pure."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date

LATEST = "latest"
_DAY = re.compile(r"(\d{4})(?:-?(\d{2})(?:-?(\d{2}))?)?(?:[T ].*)?")
_COPY = re.compile(r"/web/(\d{4})(\d{2})(\d{2})\d{0,6}(?:[a-z]{2}_)?/")


def timestamp_of(at: str) -> str | None:
    """The last second of the day, month or year `at` (2024-05-01, 2024-05, 2024) as a timestamp for `copy_address`; ""
    for `latest`, None if it is neither."""
    if at.strip().lower() == LATEST:
        return ""
    found = _DAY.fullmatch(at.strip())
    if found is None:
        return None
    year, month = int(found[1]), int(found[2] or 12)
    try:
        day = int(found[3] or monthrange(year, month)[1])
        return date(year, month, day).strftime("%Y%m%d") + "235959" if year >= 1990 else None
    except ValueError:
        return None


def copy_address(url: str, timestamp: str) -> str:
    """The URL in the Internet Archive of a copy's original bytes; `id_` asks for them without rewritten links."""
    return f"https://web.archive.org/web/{timestamp}id_/{url}"


def shown_address(address: str) -> str:
    """The URL of a copy for people, with rewritten links and images, from the URL of its original bytes."""
    return address.replace("id_/", "/", 1)


def copy_day(address: str) -> str:
    """The day, as 2024-05-01, on which the copy with a URL of the Internet Archive was made; "" for other URLs."""
    found = _COPY.search(address)
    return "-".join(found.groups()) if found else ""
