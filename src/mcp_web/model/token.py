"""An access token as it is kept: never the token itself, only its digest."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

DEFAULT_TENANT = "default"
OAUTH_PREFIX = "oauth."  # begins the names of the tenants of OAuth users, and no others


@dataclass(frozen=True, slots=True)
class TokenInfo:
    """What is known of an access token; times are in seconds since the epoch."""

    name: str
    tenant: str
    scopes: tuple[str, ...]
    created_at: float
    expires_at: float | None = None  # None: never
    last_used: float | None = None  # None: not yet

    def as_json(self) -> dict[str, Any]:
        """The value of the stored record, without `last_used`: the time of the last use is a separate record."""
        return {name: value for name, value in asdict(self).items() if name != "last_used"}

    @classmethod
    def from_json(cls, value: dict[str, Any], last_used: float | None = None) -> TokenInfo:
        """The token from what `as_json` returned; the time `last_used` is stored separately."""
        return cls(
            name=str(value["name"]),
            tenant=str(value["tenant"]),
            scopes=tuple(value["scopes"]),
            created_at=float(value["created_at"]),
            expires_at=value.get("expires_at"),
            last_used=last_used,
        )
