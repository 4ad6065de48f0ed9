"""What every store must do. A new store joins `OPENERS` and is done."""

from __future__ import annotations

import dataclasses
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from mcp_web.errors import InvalidInput
from mcp_web.model.passage import PackedVectors
from mcp_web.store.protocol import PurgeRule, Store
from mcp_web.store.sqlite.store import SqliteStore

from .store_samples import DOCUMENT, snapshot

pytestmark = pytest.mark.anyio


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


async def _open_sqlite(folder: Path, clock: Clock) -> Store:
    return await SqliteStore.open(folder / "store.sqlite", clock=clock)


OPENERS: dict[str, Callable[[Path, Clock], Awaitable[Store]]] = {"sqlite": _open_sqlite}


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=list(OPENERS))
async def store(request: pytest.FixtureRequest, tmp_path: Path, clock: Clock) -> AsyncIterator[Store]:
    opened = await OPENERS[request.param](tmp_path, clock)
    yield opened
    await opened.close()


async def test_a_kept_snapshot_comes_back_with_every_field(store: Store) -> None:
    kept = snapshot(
        document=DOCUMENT,
        status=203,
        etag='W/"x"',
        last_modified="Mon, 01 Jan 2024 00:00:00 GMT",
        media_type="application/pdf",
        headers=(("set-cookie", "a"), ("set-cookie", "b")),
        timings={"connect": 1.5},
        source="research",
        path="notes/ü.md",
        tags=("a", "b"),
        authenticated=True,
        final_url="https://example.org/final",
    )
    await store.keep(kept)
    assert await store.latest(kept.key) == kept
    assert await store.snapshot(kept.hash) == kept


async def test_what_one_call_explained_is_not_kept(store: Store) -> None:
    kept = snapshot(document=dataclasses.replace(DOCUMENT, explain={"why": 1}))
    await store.keep(kept)
    found = await store.latest(kept.key)
    assert found is not None
    assert found.document == DOCUMENT


async def test_an_unknown_page_is_none(store: Store) -> None:
    assert await store.latest("00" * 32) is None
    assert await store.latest("not a key") is None
    assert await store.snapshot("zz") is None


async def test_a_snapshot_is_found_by_prefix_and_by_page_key(store: Store) -> None:
    first, second = snapshot(text="one"), snapshot(text="two", at=2000.0)
    await store.keep(first)
    await store.keep(second)
    assert await store.snapshot(first.hash[:9]) == first
    assert await store.snapshot(first.key) == second
    assert await store.snapshot(first.hash[:7]) is None


async def test_new_text_is_a_new_version_and_old_text_stays(store: Store) -> None:
    first, second = snapshot(text="one"), snapshot(text="two", at=2000.0)
    await store.keep(first)
    await store.keep(second)
    assert await store.latest(first.key) == second
    assert await store.snapshot(first.hash) == first
    assert [item.hash for item in await store.versions(first.key)] == [second.hash, first.hash]


async def test_the_same_text_again_refreshes_the_version_without_adding_one(store: Store) -> None:
    first = snapshot()
    await store.keep(first)
    again = dataclasses.replace(first, checked_at=5000.0, fresh_until=6000.0, etag='"new"')
    await store.keep(again)
    assert await store.latest(first.key) == again
    assert len(await store.versions(first.key)) == 1


async def test_a_page_that_returns_to_an_old_text_shows_that_version_first(store: Store) -> None:
    first, second = snapshot(text="one"), snapshot(text="two", at=2000.0)
    back = dataclasses.replace(first, checked_at=3000.0, fresh_until=4000.0)
    for version in (first, second, back):
        await store.keep(version)
    assert await store.latest(first.key) == back
    assert [item.hash for item in await store.versions(first.key)] == [first.hash, second.hash]


async def test_confirm_touches_only_the_newest_version(store: Store) -> None:
    first, second = snapshot(text="one"), snapshot(text="two", at=2000.0)
    await store.keep(first)
    await store.keep(second)
    await store.confirm(first.key, 9000.0, 9500.0)
    assert await store.latest(first.key) == dataclasses.replace(second, checked_at=9000.0, fresh_until=9500.0)
    assert await store.snapshot(first.hash) == first


async def test_recent_lists_the_most_recently_used_first(store: Store, clock: Clock) -> None:
    pages = [snapshot(f"https://example.org/{number}") for number in range(3)]
    for page in pages:
        clock.now += 1
        await store.keep(page)
    clock.now += 1
    await store.latest(pages[0].key)
    assert [item.url[-1] for item in await store.recent(10)] == ["0", "2", "1"]
    assert len(await store.recent(2)) == 2
    assert await store.recent(10, "research") == []


async def test_completion_lists_hashes_by_prefix(store: Store) -> None:
    kept = [snapshot(f"https://example.org/{number}") for number in range(20)]
    for page in kept:
        await store.keep(page)
    hashes = sorted(page.hash for page in kept)
    assert await store.complete("", 100) == hashes
    assert await store.complete(hashes[3][:10], 5) == [hashes[3]]
    assert await store.complete("xyz", 5) == []


async def test_seen_knows_pages_in_any_variant_and_after_redirects(store: Store) -> None:
    await store.keep(snapshot("https://a.example/", variant="rendered"))
    await store.keep(snapshot("http://b.example/", final_url="https://b.example/home"))
    found = await store.seen(["https://a.example/", "https://b.example/home", "https://c.example/"])
    assert set(found) == {"https://a.example/", "https://b.example/home"}
    assert found["https://a.example/"].variant == "rendered"


@pytest.fixture
async def five(store: Store, clock: Clock) -> Store:
    """Five web pages, used at 1001 … 1005, and one of research, older than all."""
    await store.keep(snapshot("https://mine.example/", source="research"))
    for number in range(5):
        clock.now += 1
        host = "news.example" if number % 2 else "www.news.example"
        await store.keep(snapshot(f"https://{host}/{number}", text=f"text {number}"))
    clock.now = 1005.0
    return store


async def _left(store: Store) -> list[str]:
    return sorted(item.url.removeprefix("https://") for item in await store.recent(100))


async def test_a_dry_run_says_what_would_go_and_removes_nothing(five: Store) -> None:
    before = await _left(five)
    gone = await five.purge(PurgeRule(older_than=1.5), dry_run=True)
    assert (gone.pages, gone.snapshots) == (3, 3)
    assert gone.bytes > 0
    assert gone.examples[0] == "https://www.news.example/0"
    assert await _left(five) == before


async def test_purge_by_age_leaves_the_recently_used_and_research(five: Store) -> None:
    await five.purge(PurgeRule(older_than=1.5), dry_run=False)
    assert await _left(five) == ["mine.example/", "news.example/3", "www.news.example/4"]


async def test_purge_by_domain_includes_its_subdomains_only(five: Store) -> None:
    await five.keep(snapshot("https://badnews.example/"))
    await five.purge(PurgeRule(domain="news.example"), dry_run=False)
    assert await _left(five) == ["badnews.example/", "mine.example/"]


async def test_purge_by_count_leaves_the_newest(five: Store) -> None:
    await five.purge(PurgeRule(keep_newest=2), dry_run=False)
    assert await _left(five) == ["mine.example/", "news.example/3", "www.news.example/4"]


async def test_purge_by_bytes_leaves_at_most_that_much(five: Store) -> None:
    gone = await five.purge(PurgeRule(max_bytes=0), dry_run=True)
    half = gone.bytes // 2
    await five.purge(PurgeRule(max_bytes=half), dry_run=False)
    assert (await five.purge(PurgeRule(max_bytes=0), dry_run=True)).bytes <= half
    assert "www.news.example/4" in await _left(five)


async def test_all_conditions_of_a_purge_must_hold(five: Store) -> None:
    await five.purge(PurgeRule(domain="www.news.example", older_than=1.5), dry_run=False)
    assert await _left(five) == ["mine.example/", "news.example/1", "news.example/3", "www.news.example/4"]


async def test_research_is_not_purged_even_by_its_key(five: Store) -> None:
    mine = (await five.recent(1, "research"))[0]
    assert (await five.purge(PurgeRule(key=mine.key), dry_run=False)).pages == 0


async def test_a_purge_without_conditions_is_refused(five: Store) -> None:
    with pytest.raises(InvalidInput):
        await five.purge(PurgeRule(), dry_run=False)


async def test_trimming_versions_leaves_the_newest_of_each_page(store: Store) -> None:
    versions = [snapshot(text=f"text {number}", at=1000.0 + number) for number in range(5)]
    for version in versions:
        await store.keep(version)
    assert await store.trim_versions(2) == 3
    assert [item.hash for item in await store.versions(versions[0].key)] == [versions[4].hash, versions[3].hash]


async def test_vectors_belong_to_a_page_and_a_model(store: Store) -> None:
    kept = snapshot()
    packed = PackedVectors("m@1", 2, ("aa", "bb"), b"\x00" * 16)
    await store.keep_vectors(kept.key, packed)
    assert await store.vectors(kept.key, "m@1") is None
    await store.keep(kept)
    await store.keep_vectors(kept.key, packed)
    assert await store.vectors(kept.key, "m@1") == packed
    assert await store.vectors(kept.key, "m@2") is None
    await store.purge(PurgeRule(key=kept.key), dry_run=False)
    assert await store.vectors(kept.key, "m@1") is None


async def test_notes_expire(store: Store, clock: Clock) -> None:
    await store.keep_note("robots", "https://a.example", {"rules": [1, "ü"]}, 1010.0)
    assert await store.note("robots", "https://a.example") == {"rules": [1, "ü"]}
    assert await store.note("search", "https://a.example") is None
    clock.now = 1010.0
    assert await store.note("robots", "https://a.example") is None


async def test_notes_are_replaced_and_dropped_by_kind(store: Store) -> None:
    await store.keep_note("a", "k", 1, 2000.0)
    await store.keep_note("a", "k", 2, 2000.0)
    await store.keep_note("b", "k", 3, 2000.0)
    assert await store.drop_notes("a") == 1
    assert await store.note("a", "k") is None
    assert await store.note("b", "k") == 3


async def test_figures_add_up(store: Store) -> None:
    drained = {"counters": [["hits", {"b": "1", "a": "2"}, 2.0]], "histograms": [["ms", {}, [1.0, 5.0, 0.0]]]}
    await store.add_figures(drained)
    await store.add_figures(drained)
    assert await store.figures() == {
        "counters": [["hits", {"a": "2", "b": "1"}, 4.0]],
        "histograms": [["ms", {}, [2.0, 10.0, 0.0]]],
    }


async def test_size_counts_pages_versions_and_bytes(store: Store) -> None:
    await store.keep(snapshot(text="one"))
    await store.keep(snapshot(text="two", at=2000.0))
    size = await store.size()
    assert (size.pages, size.snapshots, size.oldest, size.newest) == (1, 2, 1000.0, 2000.0)
    assert size.text_bytes > 0
    assert size.file_bytes > 0
