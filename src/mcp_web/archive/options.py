"""What is remembered, and for how long it counts as fresh."""

from __future__ import annotations

from dataclasses import dataclass

from mcp_web.model.option import option


@dataclass(frozen=True, slots=True)
class ArchiveOptions:
    remember: bool = option(
        True,
        "Keep every opened page as source web; off keeps the last pages in memory only.",
        env="MCP_WEB_REMEMBER",
    )
    remember_domains: tuple[str, ...] = option(
        (), "When given, only pages of these domains (and their subdomains) are kept.", env="MCP_WEB_REMEMBER_DOMAINS"
    )
    forget_domains: tuple[str, ...] = option(
        (), "Pages of these domains (and their subdomains) are never kept.", env="MCP_WEB_FORGET_DOMAINS"
    )
    page_ttl: float = option(
        86400.0, "Seconds a page counts as fresh when its server does not say.", env="MCP_WEB_CACHE_TTL", least=0.0
    )
    # Seconds a page counts as fresh whatever its server says, so that paging through it stays consistent.
    min_ttl: float = 300.0
    max_ttl: float = 7 * 86400.0  # seconds a page counts as fresh at most
    domain_ttls: tuple[str, ...] = option(
        (),
        "Freshness in seconds by domain, as news.example=600; it overrules what the server says.",
        env="MCP_WEB_CACHE_DOMAIN_TTLS",
    )
    keep_versions: int = option(
        20, "How many versions of one page are kept; the oldest go first.", env="MCP_WEB_KEEP_VERSIONS", least=1
    )
    forget_after_days: float = option(
        0.0,
        "Days after its last use when a web page is removed; 0 keeps it until the size ceiling needs the room.",
        env="MCP_WEB_FORGET_AFTER_DAYS",
        least=0.0,
    )
