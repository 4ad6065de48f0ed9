"""What the operator lets us show one host, in the form a browser takes."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class SiteLogin:
    """A header or cookies, for one host and nobody else."""

    header: tuple[str, str] | None = field(default=None, repr=False)
    cookies: tuple[tuple[str, str, str], ...] = field(default=(), repr=False)  # name, value, path
