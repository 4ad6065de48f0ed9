"""Formats times for people, in the time zone of the server."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from mcp_web.web.catalogue import gettext as _
from mcp_web.web.catalogue import ngettext


def moment(seconds: float) -> str:
    """A day and a time, as in "15 Nov 2026, 14:05"."""
    at = datetime.fromtimestamp(seconds).astimezone()
    return f"{_date(at.date())}, {at:%H:%M}"


def day(value: float | str) -> str:
    """A day such as "15 Nov 2026", from seconds or from an ISO date; of other text its first ten characters."""
    if isinstance(value, str):
        try:
            return _date(date.fromisoformat(value[:10]))
        except ValueError:
            return value[:10]
    return _date(local_day(value))


def clock(seconds: float) -> str:
    """A time of day, such as "14:05"."""
    return f"{datetime.fromtimestamp(seconds).astimezone():%H:%M}"


def day_name(at: date, today: date) -> str:
    """A day as a heading: today, yesterday, or the date."""
    if at == today:
        return _("Today")
    return _("Yesterday") if at == today - timedelta(days=1) else _date(at)


def local_day(seconds: float) -> date:
    return datetime.fromtimestamp(seconds).astimezone().date()


def day_start(at: date) -> float:
    """The start of a day, in seconds since the epoch."""
    return datetime(at.year, at.month, at.day).astimezone().timestamp()


def ago(seconds: float) -> str:
    """How many minutes, hours or days ago, for a number of seconds; "just now" below a minute."""
    if seconds < 60:
        return _("just now")
    minutes, hours, days = int(seconds // 60), int(seconds // 3600), int(seconds // 86400)
    if hours < 1:
        return ngettext("%(count)d minute ago", "%(count)d minutes ago", minutes) % {"count": minutes}
    if days < 1:
        return ngettext("%(count)d hour ago", "%(count)d hours ago", hours) % {"count": hours}
    return ngettext("%(count)d day ago", "%(count)d days ago", days) % {"count": days}


def _date(at: date) -> str:
    months = (_("Jan"), _("Feb"), _("Mar"), _("Apr"), _("May"), _("Jun"), _("Jul"), _("Aug"), _("Sep"), _("Oct"),
              _("Nov"), _("Dec"))  # fmt: skip
    return f"{at.day} {months[at.month - 1]} {at.year}"
