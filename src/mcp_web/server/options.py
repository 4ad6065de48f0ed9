"""Options of the server: what it logs, who may ask, how often."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mcp_web.model.option import option

LogLevel = Literal["off", "error", "info", "debug"]


@dataclass(frozen=True, slots=True)
class ServerOptions:
    log: LogLevel = option("error", "How much is written to stderr.", env="MCP_WEB_LOG")
    auth_tokens: tuple[str, ...] = option(
        (),
        "Bearer tokens that may use the HTTP server; required when it listens beyond loopback.",
        env="MCP_WEB_AUTH_TOKENS",
        secret=True,
    )
    allowed_hosts: tuple[str, ...] = option(
        (), "Host names under which the HTTP server may be reached, besides loopback.", env="MCP_WEB_ALLOWED_HOSTS"
    )
    allowed_origins: tuple[str, ...] = option(
        (), "Origins of browser pages that may call the HTTP server.", env="MCP_WEB_ALLOWED_ORIGINS"
    )
    calls_per_minute: int = option(
        600, "Requests a minute for each token of the HTTP server.", env="MCP_WEB_CALLS_PER_MINUTE", least=1
    )
    oauth_issuer: str = option(
        "",
        "Issuer of OAuth access tokens (resource-server mode), such as https://login.example.org.",
        env="MCP_WEB_OAUTH_ISSUER",
    )
    oauth_introspection_url: str = option(
        "", "Where access tokens are checked (RFC 7662).", env="MCP_WEB_OAUTH_INTROSPECTION_URL"
    )
    oauth_client_id: str = option("", "Our client id at the introspection endpoint.", env="MCP_WEB_OAUTH_CLIENT_ID")
    oauth_client_secret: str = option(
        "", "Our client secret at the introspection endpoint.", env="MCP_WEB_OAUTH_CLIENT_SECRET", secret=True
    )
    oauth_scopes: tuple[str, ...] = option((), "Scopes an access token must carry.", env="MCP_WEB_OAUTH_SCOPES")
    public_url: str = option(
        "", "The URL clients use for this server; the audience of OAuth tokens.", env="MCP_WEB_PUBLIC_URL"
    )
