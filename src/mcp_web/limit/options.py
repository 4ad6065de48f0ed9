"""Options of rate limits and quotas."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mcp_web.model.option import option


@dataclass(frozen=True, slots=True)
class LimitOptions:
    redis_url: str = option(
        "",
        "Redis that several replicas share for rate limits and single flight; empty keeps the limits on this machine.",
        env="MCP_WEB_REDIS_URL",
        secret=True,
    )
    tenant: Mapping[str, int] = option(
        {"calls_per_minute": 600},
        "What each tenant of the HTTP server may use, so that none uses up what others need: requests a minute, and a "
        "day's requests, pages fetched and searches with a paid key; a missing limit or 0 means unlimited.",
        env="MCP_WEB_TENANT_LIMITS",
        choices=("calls_per_minute", "calls_per_day", "pages_per_day", "paid_searches_per_day"),
        least=0,
    )
