"""Options of fetching, set by the operator. None of them can be set by an agent."""

from __future__ import annotations

from dataclasses import dataclass

from mcp_web import __version__
from mcp_web.model.option import option


@dataclass(frozen=True, slots=True)
class FetchOptions:
    user_agent: str = option(
        f"mcp-web/{__version__}",
        "Sent with every request, so that site owners know whom to ask; robots.txt rules are looked up by its first "
        "word.",
        env="MCP_WEB_USER_AGENT",
    )
    max_bytes: int = option(
        5_000_000,
        "Largest body, counted after decompression; raise it for large PDFs: the workers get the memory for it.",
        env="MCP_WEB_MAX_BYTES",
        least=10_000,
        contracts={"searxng": 2_000_000, "web-tools": 20_000_000},
        keys={"web_search.max_content_size": 1.0},
    )
    timeout: float = option(
        20.0,
        "Time for one page, redirects and retries included; raise it for slow sites.",
        unit="seconds",
        env=("MCP_WEB_TIMEOUT_MS", "REQUEST_TIMEOUT_MS"),
        scale=0.001,
        least=0.1,
        most=300,
        contracts={"searxng": 45.0, "web-tools": 30.0},
        keys={"web_search.content_fetch_timeout": 1.0},
    )
    respect_robots: bool = option(
        True, "Respect robots.txt (RFC 9309); switch it off for sites of your own.", env="MCP_WEB_RESPECT_ROBOTS"
    )
    public_apis: bool = option(
        True,
        "Read threads (GitHub, Stack Exchange, Hacker News) and papers (DOI, arXiv, PubMed) from the public APIs of "
        "these services, in full.",
        env="MCP_WEB_PUBLIC_APIS",
    )
    archive_copies: str = option(
        "asked",
        "Copies of pages in the Internet Archive: `asked` when a call names a day, `auto` also for pages that are "
        "gone, `off` never. The Internet Archive learns the address.",
        env="MCP_WEB_ARCHIVE_COPIES",
        choices=("off", "asked", "auto"),
    )
    allow_domains: tuple[str, ...] = option(
        (), "When set, only these domains and their subdomains can be opened.", env="MCP_WEB_ALLOWLIST_DOMAINS"
    )
    deny_domains: tuple[str, ...] = option(
        (), "Domains that are never opened; takes precedence over the allow-list.", env="MCP_WEB_DENYLIST_DOMAINS"
    )
    allow_private: tuple[str, ...] = option(
        (),
        "Trusted internal hosts, host:port, addresses or CIDR networks that may be opened though they are not public.",
        env="MCP_WEB_ALLOW_PRIVATE",
    )
    concurrency: int = option(
        16,
        "Pages that one tool call fetches at the same time, and a quarter of what all calls fetch; lower it on a "
        "slow connection.",
        env=("MCP_WEB_FETCH_CONCURRENCY", "CONCURRENCY"),
        least=1,
        most=200,
        contracts={"read-page": 2, "searxng": 5},
        keys={"web_search.max_concurrent_fetches": 1.0},
    )
    host_concurrency: int = option(
        6, "Pages fetched at the same time from one host; raise it for a host of your own.", least=1, most=50
    )
    proxy: str = option(
        "",
        "Forward proxy, [http|https|socks5]://[user:password@]host:port; `environment` takes HTTP_PROXY, HTTPS_PROXY, "
        "ALL_PROXY and NO_PROXY, which are ignored otherwise.",
        env="MCP_WEB_PROXY",
        secret=True,
    )
    proxy_resolves: bool = option(
        False,
        "Let the proxy resolve names, if this machine cannot; its own rules then decide what is private.",
        env="MCP_WEB_PROXY_RESOLVES",
    )
    ca_bundle: str = option(
        "",
        "PEM file of a private certificate authority, trusted in addition to the system's: for an intranet, or a proxy "
        "that intercepts TLS.",
        env="MCP_WEB_CA_BUNDLE",
    )
    login: str = option(
        "",
        "Logins by host, one a line or separated by ||: `wiki.example: Authorization: Bearer …` sends a header, "
        "`news.example: cookies /path/cookies.txt` a Netscape cookie file.",
        env="MCP_WEB_LOGIN",
        secret=True,
    )
