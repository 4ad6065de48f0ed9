"""Formats times for people, in the time zone of the server."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from mcp_web.tools.page_view import ago as duration
from mcp_web.web.catalogue import gettext as _


def moment(at: float, *, seconds: bool = False) -> str:
    """A day and a time, as in "15 Nov 2026, 14:05", or with `seconds` "15 Nov 2026, 14:05:09"."""
    local = datetime.fromtimestamp(at).astimezone()
    return f"{_date(local.date())}, {local:{'%H:%M:%S' if seconds else '%H:%M'}}"


def day(text: str) -> str:
    """A day such as "15 Nov 2026", from an ISO date; of other text its first ten characters."""
    try:
        return _date(date.fromisoformat(text[:10]))
    except ValueError:
        return text[:10]


def clock(seconds: float) -> str:
    """A time of day, such as "14:05"."""
    return f"{datetime.fromtimestamp(seconds).astimezone():%H:%M}"


def day_name(at: date, today: date) -> str:
    """A day as a heading: "Today", "Yesterday", or the date."""
    if at == today:
        return _("Today")
    return _("Yesterday") if at == today - timedelta(days=1) else _date(at)


def local_day(seconds: float) -> date:
    return datetime.fromtimestamp(seconds).astimezone().date()


def day_start(at: date) -> float:
    """The start of a day in the server's time zone, as a Unix time."""
    return datetime(at.year, at.month, at.day).astimezone().timestamp()


def ago(seconds: float) -> str:
    """How long ago something was, from the seconds since then: "3 h ago"; "just now" below a minute."""
    return _("just now") if seconds < 60 else _("%(time)s ago") % {"time": duration(seconds)}


def _date(at: date) -> str:
    months = (_("Jan"), _("Feb"), _("Mar"), _("Apr"), _("May"), _("Jun"), _("Jul"), _("Aug"), _("Sep"), _("Oct"),
              _("Nov"), _("Dec"))  # fmt: skip
    return f"{at.day} {months[at.month - 1]} {at.year}"
