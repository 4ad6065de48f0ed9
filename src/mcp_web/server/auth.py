"""Authentication of the HTTP server: functions that verify bearer tokens, tried one after the other."""

from __future__ import annotations

import base64
import hmac
from collections.abc import Awaitable, Callable, Sequence

import anyio
from mcp.server.auth.provider import AccessToken

from mcp_web.app import App
from mcp_web.errors import ConfigError
from mcp_web.lru import LruDict
from mcp_web.model.token import DEFAULT_TENANT
from mcp_web.server.options import ServerOptions
from mcp_web.server.scopes import granted
from mcp_web.services.manage_tokens import PREFIX, digest, find_token
from mcp_web.web.connect import LOOPBACK

_STORED_SECONDS = 2.0  # how long a check of a stored token is cached: revocation takes effect within this time
_MAX_REMEMBERED = 10_000
CLOCK_LEEWAY = 30  # seconds that the clock of an issuer may differ


class Caller(AccessToken):
    """An authenticated caller. `scopes` lists the narrower scopes too; `name` never contains the token."""

    name: str
    tenant: str = DEFAULT_TENANT
    from_issuer: bool = False  # the token can be exchanged for one with more scopes


# Returns the caller whose token it is; None for a token that is not its own or not valid. Raises WebError when tokens
# cannot be checked at all.
Verify = Callable[[str], Awaitable[Caller | None]]


class CheckedTokens:
    """A cache of token checks, by the digest of the token: the checks of the last `seconds` seconds."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._found: LruDict[str, tuple[float, Caller | None]] = LruDict(_MAX_REMEMBERED)  # until when, and who

    def get(self, token: str) -> tuple[Caller | None] | None:
        """The cached result of a check, in a tuple: the caller, or None for a wrong token. None if none is cached."""
        until, caller = self._found.get(digest(token), (0.0, None))
        return (caller,) if until > anyio.current_time() else None

    def was_valid(self, token: str) -> bool:
        """Whether the last check, however long ago, found the token valid: then a new check needs no rate limit."""
        return self._found.get(digest(token), (0.0, None))[1] is not None

    def keep(self, token: str, caller: Caller | None) -> None:
        """Cache the result of a check: the caller, or None for a wrong token."""
        self._found[digest(token)] = (anyio.current_time() + self._seconds, caller)


async def verify_configured(tokens: Sequence[str], token: str) -> Caller | None:
    """The caller, with every scope, if the token is one of `tokens` (MCP_WEB_AUTH_TOKENS); else None."""
    for number, known in enumerate(tokens):
        if hmac.compare_digest(known.encode(), token.encode()):
            name = f"token-{number}"
            return Caller(token="", client_id=name, name=name, scopes=sorted(granted(["admin"])))
    return None


class StoredTokens:
    """Verifies the tokens made with `mcp-web token add`, which are in the store; caches valid ones for two seconds."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._checked = CheckedTokens(_STORED_SECONDS)

    async def verify(self, token: str) -> Caller | None:
        if not token.startswith(PREFIX):
            return None
        if (known := self._checked.get(token)) is not None:
            return known[0]
        info = await find_token(self._app, token)
        if info is None:
            return None
        caller = Caller(
            token="",
            client_id=info.name,
            name=f"token:{info.name}",
            tenant=info.tenant,
            scopes=sorted(granted(info.scopes)),
            expires_at=int(info.expires_at) if info.expires_at else None,
        )
        self._checked.keep(token, caller)
        return caller


def check_exposure(host: str, options: ServerOptions, *, stored_tokens: bool = False) -> None:
    """Raise ConfigError if the server would listen beyond loopback without authentication.

    Also for OAuth without a public URL, and for a configured token of less than 16 characters. `stored_tokens`: the
    store has tokens, so requests from elsewhere need one.
    """
    if host.strip("[]") not in LOOPBACK and not (needs_token(options) or stored_tokens):
        raise ConfigError(
            f"The server would listen on {host}, beyond this machine, without authentication.",
            suggestion="Start it with --team, set MCP_WEB_AUTH_TOKENS, or listen on 127.0.0.1.",
        )
    if uses_oauth(options) and not options.public_url:
        raise ConfigError(
            "OAuth is configured without MCP_WEB_PUBLIC_URL, the audience that tokens must be issued for.",
            suggestion="Set MCP_WEB_PUBLIC_URL to the URL that clients use for this server.",
        )
    if short := next((token for token in options.auth_tokens if len(token) < 16), None):
        raise ConfigError(
            f"MCP_WEB_AUTH_TOKENS has a token of {len(short)} characters; at least 16 are needed.",
            suggestion="Make one with: python3 -c 'import secrets; print(secrets.token_urlsafe(32))'",
        )


def needs_token(options: ServerOptions) -> bool:
    """Whether the configuration asks for authentication (a team, tokens or OAuth), on loopback too."""
    return options.team or bool(options.auth_tokens) or uses_oauth(options)


def uses_oauth(options: ServerOptions) -> bool:
    """Whether access tokens of an OAuth authorization server are accepted."""
    return bool(options.oauth_issuer or options.oauth_introspection_url)


def token_in(authorization: str) -> str:
    """The token of a Bearer header, or the password of a Basic one (browsers send only that); "" without one."""
    scheme, _, value = authorization.partition(" ")
    if scheme.lower() == "bearer":
        return value.strip()
    if scheme.lower() == "basic":
        try:
            return base64.b64decode(value, validate=True).decode().partition(":")[2]
        except (ValueError, UnicodeDecodeError):
            return ""
    return ""
