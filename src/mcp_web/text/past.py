"""Copies that the Internet Archive kept of a page: their addresses and days. Pure."""

from __future__ import annotations

import re
from datetime import date

LATEST = "latest"
_DAY = re.compile(r"(\d{4})(?:-?(\d{2})(?:-?(\d{2}))?)?(?:[T ].*)?")
_COPY = re.compile(r"/web/(\d{4})(\d{2})(\d{2})\d{0,6}(?:[a-z]{2}_)?/")


def timestamp_of(at: str) -> str | None:
    """The end of a day, month or year as the Internet Archive writes it; "" for the latest copy, None for nonsense."""
    if at.strip().lower() == LATEST:
        return ""
    found = _DAY.fullmatch(at.strip())
    if found is None:
        return None
    year, month, day = int(found[1]), int(found[2] or 12), int(found[3] or (28 if found[2] else 31))
    try:
        return date(year, month, day).strftime("%Y%m%d") + "235959" if year >= 1990 else None
    except ValueError:
        return None


def copy_address(url: str, timestamp: str) -> str:
    """Where the bytes of a copy are as the page sent them: `id_` adds nothing and rewrites no link."""
    return f"https://web.archive.org/web/{timestamp}id_/{url}"


def shown_address(address: str) -> str:
    """The address under which a person sees the copy, with its pictures."""
    return address.replace("id_/", "/", 1)


def copy_day(address: str) -> str:
    """The day on which a copy was made, 2024-05-01; "" when the address is none of a copy."""
    found = _COPY.search(address)
    return "-".join(found.groups()) if found else ""
