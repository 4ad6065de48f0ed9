from __future__ import annotations

import dataclasses
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from mcp_web.archive.add import add_page
from mcp_web.archive.keeper import Keeper, conditional_headers, purge_configured
from mcp_web.archive.options import ArchiveOptions
from mcp_web.model.page import Document, Fetched
from mcp_web.model.snapshot import Snapshot, page_key, snapshot_hash
from mcp_web.store.protocol import Store
from mcp_web.store.sqlite.store import SqliteStore

pytestmark = pytest.mark.anyio
URL = "https://example.org/page"
KEY = page_key(URL, "readable")

EVERY = {"*": True}


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    opened = await SqliteStore.open(tmp_path / "s.sqlite", clock=lambda: 1000.0)
    yield opened
    await opened.close()


def _fetched(at: float, *headers: tuple[str, str], url: str = URL) -> Fetched:
    return Fetched(url, url + "?final", 200, headers, b"<p>raw</p>", "text/html", "utf-8", at)


async def _keep(keeper: Keeper, text: str, at: float, *headers: tuple[str, str]) -> Snapshot:
    document = Document(title="T", markdown=text, extractor="html@1")
    return await keeper.keep(_fetched(at, *headers), document, "readable")


async def test_what_is_kept_is_the_latest(store: Store) -> None:
    keeper = Keeper(store, ArchiveOptions())
    kept = await _keep(keeper, "text", 1000.0, ("etag", '"a"'), ("last-modified", "yesterday"))
    assert await keeper.latest(KEY) == kept
    assert kept.hash == snapshot_hash(KEY, "text")
    assert kept.final_url == URL + "?final"
    assert conditional_headers(kept) == (("if-none-match", '"a"'), ("if-modified-since", "yesterday"))


async def test_the_same_text_fetched_again_stays_the_same_version(store: Store) -> None:
    keeper = Keeper(store, ArchiveOptions())
    first = await _keep(keeper, "text", 1000.0)
    again = await _keep(keeper, "text", 5000.0)
    assert again.hash == first.hash
    assert (again.fetched_at, again.checked_at) == (1000.0, 5000.0)
    assert len(await store.versions(KEY)) == 1


async def test_new_text_is_a_new_version(store: Store) -> None:
    keeper = Keeper(store, ArchiveOptions())
    await _keep(keeper, "one", 1000.0)
    second = await _keep(keeper, "two", 2000.0)
    assert second.fetched_at == 2000.0
    assert len(await store.versions(KEY)) == 2


async def test_a_304_makes_the_version_fresh_again(store: Store) -> None:
    keeper = Keeper(store, ArchiveOptions())
    kept = await _keep(keeper, "text", 1000.0, ("cache-control", "max-age=600"))
    answer = dataclasses.replace(_fetched(9000.0), status=304, body=b"", not_modified=True)
    confirmed = await keeper.confirm(kept, answer)
    assert (confirmed.checked_at, confirmed.fresh_until) == (9000.0, 9600.0)
    latest = await keeper.latest(KEY)
    assert latest is not None
    assert latest.fresh_until == 9600.0


async def test_with_remembering_off_nothing_reaches_the_disk_but_paging_works(store: Store) -> None:
    keeper = Keeper(store, ArchiveOptions(remember={"*": False}))
    kept = await _keep(keeper, "text", 1000.0)
    assert await keeper.latest(KEY) == kept
    confirmed = await keeper.confirm(kept, _fetched(2000.0))
    assert await keeper.latest(KEY) == confirmed
    assert (await store.size()).pages == 0


@pytest.mark.parametrize(
    ("options", "remembered"),
    [
        (ArchiveOptions(), True),
        (ArchiveOptions(remember=EVERY | {"example.org": False}), False),
        (ArchiveOptions(remember=EVERY | {"*.org": False}), False),
        (ArchiveOptions(remember=EVERY | {"ample.org": False}), True),
        (ArchiveOptions(remember={"*": False, "example.org": True}), True),
        (ArchiveOptions(remember={"*": False, "other.org": True}), False),
    ],
)
async def test_domain_rules_decide_what_is_kept(store: Store, options: ArchiveOptions, remembered: bool) -> None:
    await _keep(Keeper(store, options), "text", 1000.0)
    assert (await store.size()).pages == int(remembered)


async def test_what_a_person_saved_stays_research_when_an_agent_opens_it(store: Store) -> None:
    keeper = Keeper(store, ArchiveOptions(remember=EVERY | {"example.org": False}))
    await add_page(store, await _keep(keeper, "one", 1000.0), tags=("mine",))
    again = await _keep(keeper, "two", 2000.0)
    assert (again.source, again.tags) == ("research", ("mine",))
    assert len(await store.versions(KEY)) == 2


async def test_a_domains_own_freshness_overrules_the_server(store: Store) -> None:
    keeper = Keeper(store, ArchiveOptions(ttl={"*": 86400.0, "example.org": 10.0}))
    kept = await _keep(keeper, "text", 1000.0, ("cache-control", "max-age=600"))
    assert kept.fresh_until == 1010.0


async def test_tidying_applies_the_standing_rules(store: Store) -> None:
    keeper = Keeper(store, ArchiveOptions())
    for number in range(4):
        await _keep(keeper, f"text {number}", 1000.0 + number)
    options = ArchiveOptions(keep_versions=2, remember=EVERY | {"other.example": False})
    await purge_configured(store, options)
    assert len(await store.versions(KEY)) == 2


async def test_versions_beyond_the_limit_go_by_themselves(store: Store) -> None:
    keeper = Keeper(store, ArchiveOptions(keep_versions=3))
    for number in range(20):
        await _keep(keeper, f"text {number}", 1000.0 + number)
    assert len(await store.versions(KEY)) == 3
