"""Access tokens of an OAuth 2.1 authorization server: JWTs checked here, or any token by introspection.

The SDK implements the protocol around it (metadata, principal), but no verifier of JWTs.
"""

from __future__ import annotations

import base64
import hashlib
import math
import re
from collections import deque
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote_to_bytes, urlsplit

import anyio

from mcp_web.errors import ConfigError, FetchFailed, FetchTimeout, WebError
from mcp_web.model.token import OAUTH_PREFIX
from mcp_web.net.client import ApiClient
from mcp_web.server.auth import CLOCK_LEEWAY, Caller, CheckedTokens
from mcp_web.server.options import ServerOptions
from mcp_web.server.scopes import granted
from mcp_web.text.json_fields import read_json
from mcp_web.text.values import encodable

if TYPE_CHECKING:
    from joserfc.jwk import KeySet


_KEYS_SECONDS = 600.0  # how long discovered keys are used before they are asked for again
_KEYS_RETRY = 10.0  # between two requests for keys because of an unknown key id or a failure
_CHECKED_SECONDS = 30.0  # how long an introspection is cached: revocation takes effect within this time
_CHECKS_PER_MINUTE = 60  # of unknown tokens, over all callers: guessing must not flood the authorization server
# Signature algorithms of JWT access tokens; no symmetric ones: whoever can check such a token can also make one.
_ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"]
# Owners that are part of the tenant's name as they are; of all others it is a digest. An owner of 24 hexadecimal digits
# is none of them: whoever can choose a claim, such as a user name, could choose the digest of somebody else's.
_SAFE = re.compile(r"(?![0-9a-f]{24}\Z)[a-z0-9][a-z0-9._-]{0,48}")


class JwtVerifier:
    """Checks signature, issuer, audience and times of JWT access tokens (RFC 9068); does not ask about revocation.

    The signing keys are found by the issuer's metadata and cached for ten minutes, or until a key is unknown.
    """

    def __init__(self, options: ServerOptions, client: ApiClient) -> None:
        self._options = options
        self._issuer = options.oauth_issuer
        self._client = client
        self._keys: KeySet | None = None
        self._until = 0.0
        self._asked = -math.inf
        self._asking = anyio.Lock()

    async def verify(self, token: str) -> Caller | None:
        kid = _key_id(token)
        if kid is None:
            return None
        claims = self._claims(token, await self._with_key(kid))
        return caller_from(claims, self._options) if claims is not None else None

    def _claims(self, token: str, keys: KeySet) -> Mapping[str, Any] | None:
        """The claims of a token that is valid and issued for this server; else None."""
        from joserfc import errors, jwt

        registry = jwt.JWTClaimsRegistry(
            leeway=CLOCK_LEEWAY,
            iss={"essential": True, "value": self._issuer},
            exp={"essential": True},
            sub={"essential": True},
        )
        try:
            claims = jwt.decode(token, keys, algorithms=_ALGORITHMS).claims
            registry.validate(claims)
        except (errors.JoseError, ValueError, TypeError):
            return None
        return claims if _is_for_us(claims, self._options) else None

    async def _with_key(self, kid: str) -> KeySet:
        """The signing keys, fetched again if old or without key id `kid`; raises FetchFailed while none are known.

        While one caller fetches keys, the others use those that are known, if key id `kid` is among them.
        """
        if self._asking.locked() and self._keys is not None and self._knows(kid):
            return self._keys
        async with self._asking:
            now = anyio.current_time()
            if not (self._knows(kid) and now < self._until) and now - self._asked >= _KEYS_RETRY:
                try:
                    await self._discover(now)
                finally:
                    self._asked = anyio.current_time()
            if self._keys is None:
                raise FetchFailed(f"The signing keys of {self._issuer} could not be read.")
            return self._keys

    def _knows(self, kid: str) -> bool:
        """Whether there are keys, one of them with the key id `kid`; "" is any."""
        return self._keys is not None and (not kid or any(key.kid == kid for key in self._keys.keys))

    async def _discover(self, now: float) -> None:
        """Read the keys from the issuer; if that fails, those already known stay in use, or FetchFailed is raised."""
        from joserfc.errors import JoseError
        from joserfc.jwk import KeySet

        try:
            metadata = await self._metadata()
            found = await _json(self._client, str(metadata["jwks_uri"]))
            self._keys = KeySet.import_key_set({"keys": [key for key in found["keys"] if key.get("use") != "enc"]})
        except (WebError, JoseError, KeyError, TypeError, ValueError) as error:
            if self._keys is None:
                raise FetchFailed(f"The signing keys of {self._issuer} could not be read: {error}") from error
            return  # the issuer is unavailable: the known keys are still used
        self._until = now + _KEYS_SECONDS

    async def _metadata(self) -> Mapping[str, Any]:
        """The issuer's metadata, by RFC 8414 or OpenID Connect; raises WebError if missing or of another issuer."""
        failure: WebError | None = None
        for url in metadata_urls(self._issuer):
            try:
                found = await _json(self._client, url)
            except WebError as error:
                failure = error
                continue
            if found.get("issuer") != self._issuer:
                raise FetchFailed(f"{url} describes the issuer {found.get('issuer')!r} instead of {self._issuer!r}.")
            return found
        assert failure is not None
        raise failure


class Introspection:
    """Asks the authorization server whether a token is valid (RFC 7662), and caches the answer for 30 seconds."""

    def __init__(self, options: ServerOptions, client: ApiClient) -> None:
        self._options = options
        self._client = client
        client_pair, at, _ = urlsplit(options.oauth_introspection_url).netloc.rpartition("@")
        self._url = options.oauth_introspection_url.replace(client_pair + at, "", 1)
        self._headers = {"accept": "application/json"}
        if client_pair:
            self._headers["authorization"] = "Basic " + base64.b64encode(unquote_to_bytes(client_pair)).decode()
        self._checked = CheckedTokens(_CHECKED_SECONDS)
        self._lookups: deque[float] = deque()  # when unknown tokens were checked, in the last minute

    async def verify(self, token: str) -> Caller | None:
        if (known := self._checked.get(token)) is not None:
            return known[0]
        if not self._checked.was_valid(token):
            self._count_lookup(anyio.current_time())
        form = {"token": token}
        answer = await self._client.request("POST", self._url, headers=self._headers, data=form, timeout=10)
        facts = _object(answer.status, answer.body, "The introspection endpoint")
        options, issuer = self._options, self._options.oauth_issuer
        is_ours = not issuer or facts.get("iss", issuer) == issuer
        is_valid = facts.get("active") is True and is_ours and _is_for_us(facts, options)
        caller = caller_from(facts, options) if is_valid else None
        self._checked.keep(token, caller)
        return caller

    def _count_lookup(self, now: float) -> None:
        """Count one check of an unknown token; raises FetchTimeout if sixty were counted in the last minute."""
        while self._lookups and self._lookups[0] < now - 60:
            self._lookups.popleft()
        if len(self._lookups) >= _CHECKS_PER_MINUTE:
            raise FetchTimeout("More unknown tokens were presented than are checked in a minute.")
        self._lookups.append(now)


def check_joserfc(options: ServerOptions) -> None:
    """Raise ConfigError if JWTs are to be checked but the package joserfc is not installed."""
    if options.oauth_introspection_url or not options.oauth_issuer:
        return
    try:
        import joserfc  # noqa: F401
    except ImportError as error:
        raise ConfigError(
            "MCP_WEB_OAUTH_ISSUER is set, but the library that checks JWTs is not installed.",
            suggestion="Install it with: pip install 'mcp-web[team]'.",
        ) from error


def metadata_urls(issuer: str) -> list[str]:
    """The metadata URLs of an issuer, in the order in which they are tried."""
    parts = urlsplit(issuer)
    root, path = f"{parts.scheme}://{parts.netloc}", parts.path.rstrip("/")
    urls = [f"{root}/.well-known/oauth-authorization-server{path}", f"{root}/.well-known/openid-configuration{path}"]
    return [*urls, f"{root}{path}/.well-known/openid-configuration"] if path else urls


def caller_from(claims: Mapping[str, Any], options: ServerOptions) -> Caller | None:
    """The caller that valid claims describe; None if the claim of the tenant is missing or a claim is invalid."""
    issuer, subject = str(claims.get("iss") or options.oauth_issuer), str(claims.get("sub") or "")
    owner = claims.get(options.oauth_tenant_claim) if options.oauth_tenant_claim else f"{issuer}|{subject}"
    expires = claims.get("exp")
    if not isinstance(owner, str) or not owner or not subject:
        return None
    if "|" in issuer:  # not allowed in a URL; with it, "a|b" and "c" would have the name of "a" and "b|c"
        return None
    if encodable(names := f"{issuer}{subject}{owner}") != names:  # lone surrogates
        return None
    # A time in seconds that `datetime` can represent.
    if expires is not None and not (isinstance(expires, int | float) and 0 <= expires < 1e11):
        return None
    return Caller(
        token="",
        client_id=str(claims.get("client_id") or claims.get("azp") or subject),
        subject=subject,
        claims={"iss": issuer},
        scopes=sorted(granted([*_scopes(claims), *options.oauth_default_scopes])),
        expires_at=None if expires is None else int(expires),
        name=f"{issuer}|{subject}",
        tenant=_tenant_name(owner),
        from_issuer=True,
    )


def _tenant_name(owner: str) -> str:
    """The tenant name of an owner, and of no other: "oauth." with the owner itself if it is safe, else its digest."""
    return OAUTH_PREFIX + (owner if _SAFE.fullmatch(owner) else hashlib.sha256(owner.encode()).hexdigest()[:24])


def _scopes(claims: Mapping[str, Any]) -> list[str]:
    """The scopes in the claim `scope` (RFC 9068), or in `scp`, as some issuers name it."""
    found = claims.get("scope", claims.get("scp", ""))
    return [str(one) for one in found] if isinstance(found, list) else str(found).split()


def _is_for_us(claims: Mapping[str, Any], options: ServerOptions) -> bool:
    """Whether the audience of the token is the public URL of this server, with or without `/mcp`."""
    audience = claims.get("aud")
    given = [audience] if isinstance(audience, str) else audience
    if not isinstance(given, list):
        return False
    own = options.public_url.rstrip("/")
    ours = {own, own if own.endswith("/mcp") else f"{own}/mcp"}
    return any(isinstance(one, str) and one.rstrip("/") in ours for one in given)


def _key_id(token: str) -> str | None:
    """The key id that a JWT's header names ("" for none); None when it is not a JWT with an allowed algorithm."""
    head, dot, rest = token.partition(".")
    if not dot or rest.count(".") != 1 or len(token) > 16_384:
        return None
    try:
        header = read_json(base64.urlsafe_b64decode(head + "=" * (-len(head) % 4)))
    except ValueError:
        return None
    if not isinstance(header, dict) or header.get("alg") not in _ALGORITHMS:
        return None
    kid = header.get("kid", "")
    return kid if isinstance(kid, str) else None


async def _json(client: ApiClient, url: str) -> dict[str, Any]:
    """The JSON object at a URL; raises WebError if it cannot be read."""
    answer = await client.request("GET", url, headers={"accept": "application/json"}, timeout=10)
    return _object(answer.status, answer.body, url)


def _object(status: int, body: bytes, who: str) -> dict[str, Any]:
    """The JSON object in the body of a response; raises FetchFailed, which names `who` sent it, if there is none."""
    try:
        found = read_json(body) if status == 200 else None
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise FetchFailed(f"{who} answered {status} without a JSON object.")
    return found
