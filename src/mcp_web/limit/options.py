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
