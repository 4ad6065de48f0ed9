"""What an operator may set about shared rate limits."""

from __future__ import annotations

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
    calls_per_day: int = option(
        0, "MCP requests a day for each tenant of the HTTP server; 0 is no limit.", env="MCP_WEB_CALLS_PER_DAY", least=0
    )
    pages_per_day: int = option(
        0,
        "Pages that a tenant may have fetched from the web in a day; 0 is no limit.",
        env="MCP_WEB_PAGES_PER_DAY",
        least=0,
    )
    paid_searches_per_day: int = option(
        0,
        "Requests a day that a tenant may cause to search providers with a key; 0 is no limit.",
        env="MCP_WEB_PAID_SEARCHES_PER_DAY",
        least=0,
    )
