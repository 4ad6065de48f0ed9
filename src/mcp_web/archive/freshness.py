"""How long a kept page may be shown without revalidation (RFC 9111, within our limits)."""

from __future__ import annotations

from collections.abc import Sequence
from email.utils import parsedate_to_datetime

from mcp_web.archive.options import EVERY_DOMAIN, ArchiveOptions
from mcp_web.model.page import last_header
from mcp_web.model.snapshot import Snapshot

Headers = Sequence[tuple[str, str]]


def fresh_until(headers: Headers, fetched_at: float, options: ArchiveOptions) -> float:
    """The Unix time until which a page fetched with these headers is fresh, within the limits of the options."""
    lifetime = _lifetime(headers, fetched_at, options.ttl[EVERY_DOMAIN])
    return fetched_at + min(max(lifetime, options.min_ttl), max(options.max_ttl, options.min_ttl))


_CLOCK_ERROR = 300.0  # seconds that two machines on one store may differ


def is_fresh(snapshot: Snapshot, now: float, max_age: float | None = None) -> bool:
    """Whether the snapshot may be shown without asking its server again. If `max_age` (seconds) is given, it decides in
    place of `fresh_until`: the last check must not be older, and 0 means never. `now` is a Unix time."""
    if snapshot.checked_at > now + _CLOCK_ERROR:
        return False  # kept while the clock was wrong: it would count as fresh until that day
    if max_age is None:
        return now < snapshot.fresh_until
    return max_age > 0 and now - snapshot.checked_at <= max_age


def _lifetime(headers: Headers, fetched_at: float, page_ttl: float) -> float:
    """Seconds of freshness that the server's headers state; else a tenth of the time since Last-Modified, at most
    `page_ttl` (a heuristic of RFC 9111); `page_ttl` without that header."""
    directives = _cache_control(headers)
    if "no-store" in directives or "no-cache" in directives:
        return 0.0
    if (max_age := _seconds(directives.get("max-age"))) is not None:
        return max(0.0, max_age - (_seconds(last_header(headers, "age")) or 0.0))
    if (expires := last_header(headers, "expires")) is not None:
        ends = _date(expires)
        # An unreadable date, such as the common "0", means already expired.
        return 0.0 if ends is None else max(0.0, ends - (_date(last_header(headers, "date")) or fetched_at))
    modified = _date(last_header(headers, "last-modified"))
    if modified is None or modified > fetched_at:
        return page_ttl
    return min(page_ttl, (fetched_at - modified) / 10)


def _cache_control(headers: Headers) -> dict[str, str]:
    """The directives of all Cache-Control headers with their arguments ("" for none); of equal ones the first."""
    found: dict[str, str] = {}
    for name, value in headers:
        if name.lower() == "cache-control":
            for part in value.split(","):
                directive, _, argument = part.strip().partition("=")
                found.setdefault(directive.strip().lower(), argument.strip().strip('"'))
    return found


def _seconds(value: str | None) -> float | None:
    """The number of seconds in a header value; None if there is no value or it is not a whole number."""
    text = (value or "").strip()
    # A number with more digits would overflow; RFC 9111 reads it as "very long".
    return float(text[:10]) if text.isascii() and text.isdigit() else None


def _date(value: str | None) -> float | None:
    """The date in a header value in seconds since the epoch; None if there is no value or it is not a date."""
    try:
        return parsedate_to_datetime(value or "").timestamp()
    except (ValueError, TypeError, OverflowError):
        return None
