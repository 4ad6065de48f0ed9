"""Options for what is kept, and for how long it counts as fresh."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mcp_web.model.option import option

EVERY_DOMAIN = "*"  # the entry for all other domains


@dataclass(frozen=True, slots=True)
class ArchiveOptions:
    remember: Mapping[str, bool] = option(
        {EVERY_DOMAIN: True},
        "Whether opened pages are kept; `false` keeps only the most recent ones, in memory. By domain: "
        "`bank.example=false`, or `false, docs.example=true`; the most specific domain applies.",
        env="MCP_WEB_REMEMBER",
    )
    ttl: Mapping[str, float] = option(
        {EVERY_DOMAIN: 86400.0},
        "Seconds a page counts as fresh if its server does not say; a value for a domain overrides its servers: "
        "`86400, news.example=600`.",
        unit="seconds",
        env="MCP_WEB_CACHE_TTL",
        least=0.0,
    )
    # Minimum freshness in seconds, whatever the server says, so that the parts of a page are of one version.
    min_ttl: float = 300.0
    max_ttl: float = 7 * 86400.0  # seconds a page counts as fresh at most
    keep_versions: int = 20  # versions of one page that are kept; the oldest are deleted first
    forget_after_days: float = option(
        0.0,
        "Days after its last use until a web page is deleted, where data must not be kept longer; 0 keeps it until the "
        "size limit is reached.",
        unit="days",
        env="MCP_WEB_FORGET_AFTER_DAYS",
        least=0.0,
    )
