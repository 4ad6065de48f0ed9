"""The server as an OAuth 2.1 resource server, with a real issuer and the SDK's own client."""

from __future__ import annotations

import base64
import hmac
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import anyio
import anyio.lowlevel
import httpx2
import pytest
from joserfc.jwk import ECKey
from mcp.client.auth import OAuthClientProvider
from mcp.client.auth.oauth2 import AuthorizationCodeResult
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata, OAuthToken

from mcp_web.server.oauth import metadata_urls
from mcp_web.services.manage_tenants import list_tenants
from ports import free_port

from .issuer import Issuer, rsa_key
from .lab import Lab, lab, running

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def guarded(folder: Path, path: str = "/mcp", **env: str) -> AsyncIterator[tuple[Lab, Issuer]]:
    port, issuer_port = free_port(), free_port()
    public = f"http://127.0.0.1:{port}{path}"
    issuer = Issuer(f"http://127.0.0.1:{issuer_port}", public)
    given = {"MCP_WEB_OAUTH_ISSUER": issuer.url, "MCP_WEB_PUBLIC_URL": public}
    async with running(issuer.app, issuer_port), lab(None, folder, port=port, **(given | env)) as team:
        yield team, issuer


async def status(team: Lab, token: str) -> int:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    return (await team.post(body, token)).status_code


async def test_a_token_of_the_issuer_is_accepted_and_keys_are_asked_for_once(tmp_path: Path) -> None:
    async with guarded(tmp_path) as (team, issuer):
        assert [await status(team, issuer.token()) for _ in range(5)] == [200] * 5
        assert issuer.asked_for_keys == 1


async def test_a_new_key_is_found_when_a_token_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mcp_web.server.oauth._KEYS_RETRY", 0.0)
    async with guarded(tmp_path) as (team, issuer):
        old = issuer.token()
        assert await status(team, old) == 200
        issuer.rotate(forget=True)
        assert await status(team, issuer.token()) == 200
        assert issuer.asked_for_keys == 2
        assert await status(team, old) == 401


async def test_unknown_key_ids_do_not_flood_the_issuer(tmp_path: Path) -> None:
    async with guarded(tmp_path) as (team, issuer):
        for _ in range(10):
            stranger = ECKey.generate_key("P-256", {"kid": f"guess-{time.monotonic_ns()}"})
            assert await status(team, issuer.token(key=stranger)) == 401
        assert issuer.asked_for_keys <= 2


def _part(value: dict[str, str]) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


def _unsigned(issuer: Issuer) -> str:
    _, body, _ = issuer.token().split(".")
    return f"{_part({'alg': 'none', 'typ': 'JWT'})}.{body}."


def _confused(issuer: Issuer) -> str:
    """HMAC with the public key as the secret."""
    _, body, _ = issuer.token().split(".")
    signed = f"{_part({'alg': 'HS256', 'kid': issuer.keys[0].kid})}.{body}"
    mac = hmac.digest(issuer.keys[0].as_pem(private=False), signed.encode(), "sha256")
    return f"{signed}.{base64.urlsafe_b64encode(mac).rstrip(b'=').decode()}"


ATTACKS: dict[str, Any] = {
    "no signature": _unsigned,
    "another algorithm": _confused,
    "another key of the same id": lambda issuer: issuer.token(
        key=ECKey.generate_key("P-256", {"kid": issuer.keys[0].kid})
    ),
    "an algorithm that is not pinned": lambda issuer: issuer.token(key=rsa_key(), alg="PS256"),
    "another issuer": lambda issuer: issuer.token(iss="https://evil.example"),
    "no issuer": lambda issuer: issuer.token(iss=None),
    "another audience": lambda issuer: issuer.token(aud="https://other.example/mcp"),
    "an audience that only begins like ours": lambda issuer: issuer.token(aud=issuer.audience + "-evil"),
    "no audience": lambda issuer: issuer.token(aud=None),
    "expired": lambda issuer: issuer.token(exp=int(time.time()) - 120),
    "without an expiry": lambda issuer: issuer.token(exp=None),
    "not valid yet": lambda issuer: issuer.token(nbf=int(time.time()) + 600),
    "no subject": lambda issuer: issuer.token(sub=None),
    "keys of its own in the header": lambda issuer: issuer.token(
        key=ECKey.generate_key("P-256", {"kid": "x"}), header={"jku": "http://evil.example/jwks", "kid": "x"}
    ),
    "changed after signing": lambda issuer: issuer.token()[:-8] + "AAAAAAAA",
    "not a token": lambda issuer: "a.b.c",
    "a header nested deeply": lambda issuer: base64.urlsafe_b64encode(b"[" * 9_000).decode().rstrip("=") + ".b.c",
    "a huge one": lambda issuer: issuer.token(fill="x" * 40_000),
}


async def test_no_forged_or_foreign_token_is_accepted(tmp_path: Path) -> None:
    async with guarded(tmp_path) as (team, issuer):
        assert await status(team, issuer.token()) == 200
        for name, made in ATTACKS.items():
            assert await status(team, made(issuer)) in (400, 401, 431), name


async def test_the_challenge_names_scope_and_working_metadata_for_every_public_url(tmp_path: Path) -> None:
    for number, path in enumerate(("/mcp", "", "/", "/team/mcp")):
        async with guarded(tmp_path / str(number), path) as (team, issuer):
            answer = await team.post({}, "")
            assert answer.status_code == 401
            challenge = answer.headers["www-authenticate"]
            assert 'scope="tools"' in challenge
            metadata = challenge.partition('resource_metadata="')[2].partition('"')[0]
            found = await team.client.get(metadata)
            assert found.status_code == 200, metadata
            facts = found.json()
            assert facts["resource"].rstrip("/") == f"{team.url}{path}".rstrip("/")
            assert facts["authorization_servers"] == [issuer.url]
            assert "web:search" in facts["scopes_supported"]


async def test_a_missing_scope_is_403_with_the_scope_and_the_metadata(tmp_path: Path) -> None:
    async with guarded(tmp_path) as (team, issuer):
        assert await status(team, issuer.token(scope="tools")) == 200
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "web_search", "arguments": {}}}
        answer = await team.post(body, issuer.token(scope="mcp archive"))
        assert answer.status_code == 403
        challenge = answer.headers["www-authenticate"]
        assert 'error="insufficient_scope"' in challenge
        assert 'scope="web:search"' in challenge
        assert "resource_metadata=" in challenge
        # A token that can be exchanged for one with more scopes sees every tool.
        listed = await team.rpc("tools/list", token=issuer.token(scope="mcp archive"))
        assert "web_search" in [tool["name"] for tool in listed["tools"]]


async def test_an_issuer_that_is_away_is_not_a_wrong_token(tmp_path: Path) -> None:
    env = {"MCP_WEB_OAUTH_ISSUER": f"http://127.0.0.1:{free_port()}", "MCP_WEB_PUBLIC_URL": "http://127.0.0.1/mcp"}
    async with lab(None, tmp_path, **env) as team:
        issuer = Issuer(env["MCP_WEB_OAUTH_ISSUER"], env["MCP_WEB_PUBLIC_URL"])
        answer = await team.post({}, issuer.token())
        assert answer.status_code == 503
        assert answer.headers["retry-after"]
        stored = await team.token("ann")
        assert await status(team, stored) == 200


async def test_an_issuer_that_is_away_is_asked_once_for_many_requests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with guarded(tmp_path) as (team, issuer):
        issuer.is_away = True
        found: list[int] = []

        async def present_token() -> None:
            found.append(await status(team, issuer.token()))

        await present_token()
        asked = issuer.asked_for_metadata
        async with anyio.create_task_group() as tasks:
            for _ in range(5):
                tasks.start_soon(present_token)
        assert found == [503] * 6
        assert issuer.asked_for_metadata == asked
        issuer.is_away = False
        monkeypatch.setattr("mcp_web.server.oauth._KEYS_RETRY", 0.0)
        assert await status(team, issuer.token()) == 200


async def test_an_issuer_that_hangs_holds_up_nobody_whose_key_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mcp_web.server.oauth._KEYS_RETRY", 0.0)
    monkeypatch.setattr("mcp_web.server.oauth._KEYS_SECONDS", 0.0)
    async with guarded(tmp_path) as (team, issuer):
        token, ended = issuer.token(), list[str]()
        assert await status(team, token) == 200
        issuer.released = anyio.Event()

        async def present_token() -> None:
            assert await status(team, token) == 200
            ended.append("the request for which the keys are read again")

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(present_token)
            while issuer.asked_for_metadata < 2:
                await anyio.lowlevel.checkpoint()
            assert await status(team, token) == 200
            ended.append("another request")
            issuer.released.set()
    assert ended[0] == "another request"


async def test_introspection_is_the_alternative(tmp_path: Path) -> None:
    async with guarded(tmp_path) as (_, issuer):
        env = {"MCP_WEB_OAUTH_INTROSPECTION_URL": f"{issuer.url}/introspect"}
        env |= {"MCP_WEB_OAUTH_ISSUER": issuer.url, "MCP_WEB_PUBLIC_URL": issuer.audience}
        good = {"active": True, "aud": issuer.audience, "sub": "ann", "iss": issuer.url, "scope": "tools"}
        issuer.active = {
            "good-token": good,
            "foreign-token": good | {"iss": "https://evil.example"},
            "other-token": good | {"aud": "https://other.example"},
        }
        async with lab(None, tmp_path / "second", **env) as second:
            assert await status(second, "good-token") == 200
            assert await status(second, "good-token") == 200
            assert issuer.introspected == 1
            for bad in ("foreign-token", "other-token", "unknown-token"):
                assert await status(second, bad) == 401


async def test_an_introspection_answer_that_makes_no_sense_is_no_caller(tmp_path: Path) -> None:
    async with guarded(tmp_path) as (_, issuer):
        env = {"MCP_WEB_OAUTH_INTROSPECTION_URL": f"{issuer.url}/introspect"}
        env |= {"MCP_WEB_OAUTH_ISSUER": issuer.url, "MCP_WEB_PUBLIC_URL": issuer.audience}
        good = {"active": True, "aud": issuer.audience, "sub": "ann", "iss": issuer.url, "scope": "tools"}
        issuer.active = {
            "endless": good | {"exp": 10**400},
            "worded": good | {"exp": "soon"},
            "half-a-character": good | {"sub": "\ud800"},
            "object": good | {"aud": {"a": 1}},
        }
        async with lab(None, tmp_path / "second", **env) as second:
            assert {await status(second, token) for token in issuer.active} == {401}


async def test_guessed_tokens_keep_nobody_out_who_was_let_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mcp_web.server.oauth._CHECKED_SECONDS", 0.0)
    async with guarded(tmp_path) as (_, issuer):
        env = {"MCP_WEB_OAUTH_INTROSPECTION_URL": f"{issuer.url}/introspect"}
        env |= {"MCP_WEB_OAUTH_ISSUER": issuer.url, "MCP_WEB_PUBLIC_URL": issuer.audience}
        issuer.active = {
            "good-token": {"active": True, "aud": issuer.audience, "sub": "ann", "iss": issuer.url, "scope": "tools"}
        }
        async with lab(None, tmp_path / "second", **env) as second:
            assert await status(second, "good-token") == 200
            found = [await status(second, f"guess-{number}") for number in range(70)]
            assert found.count(401) == 59
            assert await status(second, "good-token") == 200
            assert issuer.introspected == 61


async def test_subjects_are_tenants_of_their_own_or_of_the_configured_claim(tmp_path: Path) -> None:
    async with guarded(tmp_path) as (team, issuer):
        await team.call("archive_add", issuer.token(sub="ann"), content="The tortoise of Ann is green.", title="Ann")
        assert "of Ann is green" in await team.text("archive_search", issuer.token(sub="ann"), query="tortoise")
        assert "of Ann is green" not in await team.text("archive_search", issuer.token(sub="bob"), query="tortoise")
    async with guarded(tmp_path / "claim", MCP_WEB_OAUTH_TENANT_CLAIM="org") as (team, issuer):
        await team.call("archive_add", issuer.token(sub="ann", org="acme"), content="Acme tortoise.", title="Ann")
        assert "Acme" in await team.text("archive_search", issuer.token(sub="bob", org="acme"), query="tortoise")
        assert "Acme" not in await team.text("archive_search", issuer.token(sub="eve", org="Acme"), query="tortoise")
        assert await status(team, issuer.token(sub="ann")) == 401
        # A claim cannot name the operator's own tenant.
        await team.call("archive_add", await team.token("op", tenant="default"), content="Own tortoise.", title="Op")
        assert "Own" not in await team.text("archive_search", issuer.token(org="default"), query="tortoise")


async def test_a_claim_that_is_the_name_of_another_s_tenant_does_not_open_it(tmp_path: Path) -> None:
    async with guarded(tmp_path, MCP_WEB_OAUTH_TENANT_CLAIM="user") as (team, issuer):
        alice = issuer.token(sub="1", user="Alice")
        await team.call("archive_add", alice, content="The tortoise of Alice is green.", title="Alice")
        (tenant,) = (name for name in await list_tenants(team.app) if name != "default")
        for claim in (tenant, tenant.removeprefix("oauth."), "alice"):
            found = await team.text("archive_search", issuer.token(sub="2", user=claim), query="tortoise")
            assert "Alice" not in found, claim
        assert "Alice is green" in await team.text("archive_search", alice, query="tortoise")


async def test_a_subject_of_one_issuer_is_never_taken_for_one_of_another(tmp_path: Path) -> None:
    async with guarded(tmp_path) as (_, issuer):
        env = {"MCP_WEB_OAUTH_INTROSPECTION_URL": f"{issuer.url}/introspect", "MCP_WEB_PUBLIC_URL": issuer.audience}
        valid = {"active": True, "aud": issuer.audience, "scope": "tools"}
        issuer.active = {
            "first": valid | {"iss": "https://one.example", "sub": "x|ann"},
            "second": valid | {"iss": "https://one.example|x", "sub": "ann"},
        }
        async with lab(None, tmp_path / "second", **env) as team:
            assert await status(team, "first") == 200
            assert await status(team, "second") == 401


class Memory:
    """Where the SDK's client keeps its tokens."""

    tokens: OAuthToken | None = None
    info: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.info

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.info = client_info


async def test_the_sdk_s_client_goes_all_the_way_from_the_challenge_to_a_call(tmp_path: Path) -> None:
    async with guarded(tmp_path) as (team, issuer):
        landed: dict[str, list[str]] = {}

        async def browser(url: str) -> None:
            answer = await team.client.get(url)
            landed.update(parse_qs(urlsplit(answer.headers["location"]).query))

        async def callback() -> AuthorizationCodeResult:
            return AuthorizationCodeResult(code=landed["code"][0], state=landed["state"][0], iss=landed["iss"][0])

        metadata = OAuthClientMetadata.model_validate(
            {"redirect_uris": ["http://127.0.0.1:9/callback"], "client_name": "test"}
        )
        auth = OAuthClientProvider(f"{team.url}/mcp", metadata, Memory(), browser, callback)
        async with (
            httpx2.AsyncClient(auth=auth, timeout=30, trust_env=False) as http,
            Client(streamable_http_client(f"{team.url}/mcp", http_client=http)) as client,
        ):
            listed = await client.list_tools()
            assert "web_open" in [tool.name for tool in listed.tools]
            result = await client.call_tool("web_extract", {"html": "<main><h1>Title</h1><p>Text.</p></main>"})
            assert "# Title" in result.content[0].text
        assert issuer.asked_for_keys == 1


def test_metadata_is_looked_for_where_the_standards_put_it() -> None:
    assert metadata_urls("https://id.example/realms/x") == [
        "https://id.example/.well-known/oauth-authorization-server/realms/x",
        "https://id.example/.well-known/openid-configuration/realms/x",
        "https://id.example/realms/x/.well-known/openid-configuration",
    ]
