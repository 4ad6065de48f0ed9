"""Options of the server: logging, authentication, host names."""

from __future__ import annotations

from dataclasses import dataclass

from mcp_web import trace
from mcp_web.model.option import option


@dataclass(frozen=True, slots=True)
class ServerOptions:
    log: trace.Level = option(
        "error", "How much is written to stderr; debug shows each step of a call.", env="MCP_WEB_LOG"
    )
    team: bool = option(
        False,
        "Serve a team: every request needs a token of `mcp-web token`, and each tenant has an archive of its own.",
        env="MCP_WEB_TEAM",
    )
    audit: str = option(
        "",
        "The folder of a team's audit log, which has no queries and no addresses; empty is `audit` in the data folder, "
        "`off` writes none.",
        env="MCP_WEB_AUDIT",
    )
    auth_tokens: tuple[str, ...] = option(
        (),
        "Bearer tokens that may use the HTTP server; required when it listens beyond loopback.",
        env="MCP_WEB_AUTH_TOKENS",
        secret=True,
    )
    allowed_hosts: tuple[str, ...] = option(
        (),
        "Host names under which the HTTP server is reached besides loopback, such as that of a reverse proxy.",
        env="MCP_WEB_ALLOWED_HOSTS",
    )
    allowed_origins: tuple[str, ...] = option(
        (),
        "Origins of browser pages that may call the HTTP server, such as a chat page of yours.",
        env="MCP_WEB_ALLOWED_ORIGINS",
    )
    oauth_issuer: str = option(
        "",
        "Issuer of OAuth access tokens, such as https://login.example.org: people sign in with the accounts they have.",
        env="MCP_WEB_OAUTH_ISSUER",
    )
    oauth_introspection_url: str = option(
        "",
        "Where access tokens without a signature are checked (RFC 7662), with the client id and secret of this server: "
        "https://id:secret@login.example.org/introspect.",
        env="MCP_WEB_OAUTH_INTROSPECTION_URL",
        secret=True,
    )
    oauth_default_scopes: tuple[str, ...] = option(
        (),
        "Scopes that every access token is given, such as `tools`, for issuers that cannot be configured with them.",
        env="MCP_WEB_OAUTH_DEFAULT_SCOPES",
    )
    oauth_tenant_claim: str = option(
        "",
        "Claim of an access token that names its tenant, such as org_id; empty gives every subject one of its own.",
        env="MCP_WEB_OAUTH_TENANT_CLAIM",
    )
    public_url: str = option(
        "", "The URL clients use for this server; the audience of OAuth tokens.", env="MCP_WEB_PUBLIC_URL"
    )
