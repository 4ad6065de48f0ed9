"""A small authorization server: metadata, keys that rotate, registration, the code flow with PKCE, introspection."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import time
from typing import Any
from urllib.parse import urlencode

import anyio
from joserfc import jwt
from joserfc.jwk import ECKey, RSAKey
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route


class Issuer:
    def __init__(self, url: str, audience: str) -> None:
        self.url = url
        self.audience = audience
        self.keys: list[Any] = []
        self.asked_for_keys = 0
        self.asked_for_metadata = 0
        self.is_away = False  # then its metadata cannot be read
        self.released: anyio.Event | None = None  # until it is set, requests for the metadata wait
        self.rotate()
        self.active: dict[str, dict[str, Any]] = {}  # what introspection answers, by token
        self.introspected = 0
        self._codes: dict[str, dict[str, str]] = {}
        self.granted_scope = "tools"

    def rotate(self, *, forget: bool = False) -> None:
        """A new signing key; the old ones stay published unless they are forgotten."""
        kid = secrets.token_hex(4)
        key = ECKey.generate_key("P-256", {"kid": kid, "use": "sig", "alg": "ES256"})
        self.keys = [key] if forget else [key, *self.keys]

    def token(self, *, key: Any = None, alg: str = "ES256", header: dict[str, Any] | None = None, **claims: Any) -> str:
        """A signed access token; a claim given as None is left out."""
        key = key or self.keys[0]
        now = int(time.time())
        whole = {"iss": self.url, "aud": self.audience, "sub": "ann", "client_id": "client", "iat": now,
                 "exp": now + 300, "scope": "tools"} | claims  # fmt: skip
        kept = {name: value for name, value in whole.items() if value is not None}
        head = {"alg": alg, "kid": key.kid, "typ": "at+jwt"} | (header or {})
        return jwt.encode(head, kept, key, algorithms=[alg])

    @property
    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/.well-known/oauth-authorization-server", self._metadata),
                Route("/jwks", self._jwks),
                Route("/register", self._register, methods=["POST"]),
                Route("/authorize", self._authorize),
                Route("/token", self._token, methods=["POST"]),
                Route("/introspect", self._introspect, methods=["POST"]),
            ]
        )

    async def _metadata(self, request: Request) -> Response:
        self.asked_for_metadata += 1
        if self.released is not None:
            await self.released.wait()
        if self.is_away:
            return Response(status_code=503)
        return JSONResponse({
            "issuer": self.url,
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
            "registration_endpoint": f"{self.url}/register",
            "jwks_uri": f"{self.url}/jwks",
            "response_types_supported": ["code"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": True,
        })  # fmt: skip

    async def _jwks(self, request: Request) -> Response:
        self.asked_for_keys += 1
        return JSONResponse({"keys": [key.as_dict(private=False) for key in self.keys]})

    async def _register(self, request: Request) -> Response:
        return JSONResponse(await request.json() | {"client_id": "registered"}, 201)

    async def _authorize(self, request: Request) -> Response:
        asked = dict(request.query_params)
        code = secrets.token_hex(8)
        self._codes[code] = asked
        sent = urlencode({"code": code, "state": asked["state"], "iss": self.url})
        return RedirectResponse(f"{asked['redirect_uri']}?{sent}", 302)

    async def _token(self, request: Request) -> Response:
        form = await request.form()
        asked = self._codes.pop(str(form["code"]))
        hashed = hashlib.sha256(str(form["code_verifier"]).encode()).digest()
        assert base64.urlsafe_b64encode(hashed).rstrip(b"=").decode() == asked["code_challenge"]
        token = self.token(aud=asked["resource"], scope=asked.get("scope") or self.granted_scope)
        return JSONResponse({"access_token": token, "token_type": "Bearer", "expires_in": 300})

    async def _introspect(self, request: Request) -> Response:
        self.introspected += 1
        form = await request.form()
        facts = self.active.get(str(form["token"]), {"active": False})
        return Response(json.dumps(facts), media_type="application/json")


def rsa_key() -> RSAKey:
    return RSAKey.generate_key(2048, {"kid": "rsa"})
