"""Authentication of the HTTP server: static bearer tokens or OAuth access tokens."""

from __future__ import annotations

import base64
import hmac
import time
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from mcp_web.errors import ConfigError, FetchTimeout
from mcp_web.server.options import ServerOptions

Introspect = Callable[[str], Awaitable[dict[str, object]]]
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_CACHE_SECONDS = 30.0  # how long a checked OAuth token is believed: revocation takes effect within this time
_CHECKS_PER_MINUTE = 60  # of unknown tokens, by everybody together: guessing must not flood the authorization server
_MAX_CHECKED = 10_000


@dataclass(frozen=True, slots=True)
class Caller:
    """The authenticated caller; the name keys rate limits and never contains the token."""

    name: str


class Authenticator:
    """Checks Authorization headers."""

    def __init__(self, options: ServerOptions, introspect: Introspect | None = None) -> None:
        self._tokens = options.auth_tokens
        self._scopes = set(options.oauth_scopes)
        self._audience = options.public_url.rstrip("/")
        self._introspect = introspect if options.oauth_introspection_url else None
        self._checked: dict[str, tuple[float, Caller | None]] = {}  # good and bad tokens, until when
        self._lookups: deque[float] = deque()  # when unknown tokens were checked, in the last minute

    @property
    def closed(self) -> bool:
        """Whether a token is needed at all."""
        return bool(self._tokens) or self._introspect is not None

    async def caller_of(self, authorization: str) -> Caller | None:
        """The caller, or None when the header is not valid; raises WebError when tokens cannot be checked."""
        if not self.closed:
            return Caller("anyone")
        token = _token(authorization)
        if not token:
            return None
        for number, known in enumerate(self._tokens):
            if hmac.compare_digest(known.encode(), token.encode()):
                return Caller(f"token-{number}")
        return await self._oauth_caller(token) if self._introspect else None

    async def _oauth_caller(self, token: str) -> Caller | None:
        now = time.monotonic()
        known = self._checked.get(token)
        if known is not None and known[0] > now:
            return known[1]
        self._count_lookup(now)
        assert self._introspect is not None
        facts = await self._introspect(token)
        caller = Caller(f"{facts.get('iss', '')}|{facts.get('sub', '')}") if self._is_for_us(facts) else None
        if len(self._checked) > _MAX_CHECKED:
            self._checked.clear()
        self._checked[token] = (now + _CACHE_SECONDS, caller)
        return caller

    def _count_lookup(self, now: float) -> None:
        while self._lookups and self._lookups[0] < now - 60:
            self._lookups.popleft()
        if len(self._lookups) >= _CHECKS_PER_MINUTE:
            raise FetchTimeout("More unknown tokens were presented than are checked in a minute.")
        self._lookups.append(now)

    def _is_for_us(self, facts: dict[str, object]) -> bool:
        """Active, issued for this server, with the scopes we ask for."""
        if facts.get("active") is not True:
            return False
        audience = facts.get("aud")
        audiences = [audience] if isinstance(audience, str) else audience
        if not isinstance(audiences, list) or self._audience not in [str(one).rstrip("/") for one in audiences]:
            return False
        return self._scopes <= set(str(facts.get("scope", "")).split())


def check_exposure(host: str, options: ServerOptions) -> None:
    """Refuse to listen beyond loopback without authentication."""
    has_auth = bool(options.auth_tokens) or bool(options.oauth_introspection_url)
    if host.strip("[]") not in LOOPBACK and not has_auth:
        raise ConfigError(
            f"The server would listen on {host}, beyond this machine, without authentication.",
            suggestion="Set MCP_WEB_AUTH_TOKENS to one or more long random tokens, or listen on 127.0.0.1.",
        )
    if options.oauth_introspection_url and not options.public_url:
        raise ConfigError(
            "OAuth is configured without MCP_WEB_PUBLIC_URL, the audience that tokens must be issued for.",
            suggestion="Set MCP_WEB_PUBLIC_URL to the URL that clients use for this server.",
        )
    if short := next((token for token in options.auth_tokens if len(token) < 16), None):
        raise ConfigError(
            f"MCP_WEB_AUTH_TOKENS has a token of {len(short)} characters; at least 16 are needed.",
            suggestion="Make one with: python3 -c 'import secrets; print(secrets.token_urlsafe(32))'",
        )


def _token(authorization: str) -> str:
    """The token of a Bearer header, or the password of a Basic one: browsers can send only that."""
    scheme, _, value = authorization.partition(" ")
    if scheme.lower() == "bearer":
        return value.strip()
    if scheme.lower() == "basic":
        try:
            return base64.b64decode(value, validate=True).decode().partition(":")[2]
        except (ValueError, UnicodeDecodeError):
            return ""
    return ""
