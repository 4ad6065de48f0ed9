"""The operator's login for one host, in the form that the browser needs."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class SiteLogin:
    """A header or cookies that are sent to one host only."""

    header: tuple[str, str] | None = field(default=None, repr=False)
    cookies: tuple[tuple[str, str, str], ...] = field(default=(), repr=False)  # name, value, path
