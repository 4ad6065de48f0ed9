"""What every store must do. A new store joins `OPENERS` and is done."""

from __future__ import annotations

import dataclasses
import struct
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any

import pytest

from mcp_web.archive.derive import derive
from mcp_web.errors import CacheError, InvalidInput
from mcp_web.model.citation import Mention
from mcp_web.model.passage import PackedVectors
from mcp_web.model.snapshot import ReadingRecord
from mcp_web.store.protocol import NOTHING, DocumentFilter, PurgeRule, Store, VectorQuery, WordQuery
from mcp_web.store.sqlite.store import SqliteStore
from mcp_web.text.names import Name

from .store_samples import DOCUMENT, keep, snapshot

pytestmark = pytest.mark.anyio


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


async def _open_sqlite(request: pytest.FixtureRequest, clock: Clock) -> Store:
    return await SqliteStore.open(request.getfixturevalue("tmp_path") / "store.sqlite", clock=clock)


async def _open_postgres(request: pytest.FixtureRequest, clock: Clock) -> Store:
    from mcp_web.store.postgres.store import PostgresStore

    # One database for all tests, and a tenant for each: what one keeps no other sees.
    url, tenant = request.getfixturevalue("postgres").shared, request.node.name
    return await PostgresStore.open(url, tenant=tenant, connections=3, clock=clock)


OPENERS: dict[str, Callable[[pytest.FixtureRequest, Clock], Awaitable[Store]]] = {
    "sqlite": _open_sqlite,
    "postgres": _open_postgres,
}


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=list(OPENERS))
async def store(request: pytest.FixtureRequest, clock: Clock) -> AsyncIterator[Store]:
    opened = await OPENERS[request.param](request, clock)
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
    await keep(store, kept)
    assert await store.latest(kept.key) == kept
    assert await store.snapshot(kept.hash) == kept


async def test_what_one_call_explained_is_not_kept(store: Store) -> None:
    kept = snapshot(document=dataclasses.replace(DOCUMENT, explain={"why": 1}))
    await keep(store, kept)
    found = await store.latest(kept.key)
    assert found is not None
    assert found.document == DOCUMENT


async def test_an_unknown_page_is_none(store: Store) -> None:
    assert await store.latest("00" * 32) is None
    assert await store.latest("not a key") is None
    assert await store.snapshot("zz") is None


async def test_a_snapshot_is_found_by_prefix_and_by_page_key(store: Store) -> None:
    first, second = snapshot(text="one"), snapshot(text="two", at=2000.0)
    await keep(store, first)
    await keep(store, second)
    assert await store.snapshot(first.hash[:9]) == first
    assert await store.snapshot(first.key) == second
    assert await store.snapshot(first.hash[:7]) is None


async def test_new_text_is_a_new_version_and_old_text_stays(store: Store) -> None:
    first, second = snapshot(text="one"), snapshot(text="two", at=2000.0)
    await keep(store, first)
    await keep(store, second)
    assert await store.latest(first.key) == second
    assert await store.snapshot(first.hash) == first
    assert [item.hash for item in await store.versions(first.key)] == [second.hash, first.hash]


async def test_the_same_text_again_refreshes_the_version_without_adding_one(store: Store) -> None:
    first = snapshot()
    await keep(store, first)
    again = dataclasses.replace(first, checked_at=5000.0, fresh_until=6000.0, etag='"new"')
    await keep(store, again)
    assert await store.latest(first.key) == again
    assert len(await store.versions(first.key)) == 1


async def test_a_page_that_returns_to_an_old_text_shows_that_version_first(store: Store) -> None:
    first, second = snapshot(text="one"), snapshot(text="two", at=2000.0)
    back = dataclasses.replace(first, checked_at=3000.0, fresh_until=4000.0)
    for version in (first, second, back):
        await keep(store, version)
    assert await store.latest(first.key) == back
    assert [(item.hash, item.since) for item in await store.versions(first.key)] == [
        (first.hash, 3000.0),
        (second.hash, 2000.0),
    ]
    await store.keep(dataclasses.replace(back, checked_at=3500.0))
    assert (await store.versions(first.key))[0].since == 3000.0


async def test_confirm_touches_only_the_newest_version(store: Store) -> None:
    first, second = snapshot(text="one"), snapshot(text="two", at=2000.0)
    await keep(store, first)
    await keep(store, second)
    await store.confirm(first.key, 9000.0, 9500.0)
    assert await store.latest(first.key) == dataclasses.replace(second, checked_at=9000.0, fresh_until=9500.0)
    assert await store.snapshot(first.hash) == first


async def test_recent_lists_the_most_recently_used_first(store: Store, clock: Clock) -> None:
    pages = [snapshot(f"https://example.org/{number}") for number in range(3)]
    for page in pages:
        clock.now += 1
        await keep(store, page)
    clock.now += 1
    await store.latest(pages[0].key)
    assert [item.url[-1] for item in (await store.browse(10))[0]] == ["0", "2", "1"]
    assert len((await store.browse(2))[0]) == 2
    assert await store.browse(10, filter=DocumentFilter(source="research")) == ([], "")


async def test_browsing_lists_documents_page_by_page_by_last_use(store: Store, clock: Clock) -> None:
    for number in range(7):
        clock.now += number % 2  # some are used at the same moment
        host = "news.example" if number % 2 else "www.news.example"
        await keep(store, snapshot(f"https://{host}/{number}", text="Ein Haus in der Stadt und nicht auf dem Land."))
    await keep(store, snapshot("https://mine.example/", source="research", text="A house in the town.", tags=("T",)))
    seen: list[str] = []
    cursor, pages = "", 0
    while pages == 0 or cursor:
        found, cursor = await store.browse(3, after=cursor)
        seen += [info.url for info in found]
        pages += 1
    assert pages == 3
    assert seen == [info.url for info in (await store.browse(100))[0]]
    assert len(set(seen)) == 8
    times = [(await store.page_records([key := snapshot(url).key]))[key].used_at for url in seen]
    assert times == sorted(times, reverse=True)

    async def count(**filter: Any) -> int:
        return len((await store.browse(100, filter=DocumentFilter(**filter)))[0])

    assert await count(domain="news.example") == 7
    assert await count(domain="www.news.example") == 4
    assert await count(source="research") == await count(collection="t") == 1
    assert await count(language="de") == 7
    assert await count(until="1970-01-01") == 8
    assert await count(since="1970-01-02") == 0
    assert await count(used_since=times[0]) == times.count(times[0])
    assert await count(used_before=times[0]) == 8 - times.count(times[0])
    assert await store.hosts(1) == [("www.news.example", 4)]
    with pytest.raises(InvalidInput):
        await store.browse(3, after="nonsense")


async def test_searches_are_limited_to_a_domain_and_a_language(store: Store) -> None:
    german = snapshot("https://www.a.example/", text="Das Haus und der Garten sind nicht auf dem Land.")
    english = snapshot("https://b.example/", text="The garden haus and the other one are in the town.")
    for page in (german, english):
        await keep(store, page)
        await _read(store, page.key, (1.0, 0.0))

    async def found(**filter: Any) -> list[set[str]]:
        limits = DocumentFilter(**filter)
        words = await _found(store, WordQuery(("haus",), filter=limits))
        return [set(words), {one.key for one in await store.find_by_vector(VectorQuery("m@1", (1.0, 0.0), 5, limits))}]

    assert await found(domain="a.example") == [{german.key}] * 2
    assert await found(language="en") == [{english.key}] * 2
    assert await found(domain="b.example", language="de") == [set()] * 2


async def test_completion_lists_hashes_by_prefix(store: Store) -> None:
    kept = [snapshot(f"https://example.org/{number}") for number in range(20)]
    for page in kept:
        await keep(store, page)
    hashes = sorted(page.hash for page in kept)
    assert await store.complete("", 100) == hashes
    assert await store.complete(hashes[3][:10], 5) == [hashes[3]]
    assert await store.complete("xyz", 5) == []


async def test_seen_knows_pages_in_any_variant_and_after_redirects(store: Store) -> None:
    await keep(store, snapshot("https://a.example/", variant="rendered"))
    await keep(store, snapshot("http://b.example/", final_url="https://b.example/home"))
    found = await store.seen(["https://a.example/", "https://b.example/home", "https://c.example/"])
    assert set(found) == {"https://a.example/", "https://b.example/home"}
    assert found["https://a.example/"].variant == "rendered"


@pytest.fixture
async def five(store: Store, clock: Clock) -> Store:
    """Five web pages, used at 1001 … 1005, and one of research, older than all."""
    await keep(store, snapshot("https://mine.example/", source="research"))
    for number in range(5):
        clock.now += 1
        host = "news.example" if number % 2 else "www.news.example"
        await keep(store, snapshot(f"https://{host}/{number}", text=f"text {number}"))
    clock.now = 1005.0
    return store


async def _left(store: Store) -> list[str]:
    return sorted(item.url.removeprefix("https://") for item in (await store.browse(100))[0])


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
    await keep(five, snapshot("https://badnews.example/"))
    await five.purge(PurgeRule(domain="news.example"), dry_run=False)
    assert await _left(five) == ["badnews.example/", "mine.example/"]


@pytest.mark.parametrize("domain", ["s.example", "*.s.example", ".S.example."])
async def test_a_domain_is_a_host_and_its_subdomains_however_it_is_written(store: Store, domain: str) -> None:
    for host in ("s.example", "a.s.example", "as.example", "example", "t.example", "s.example.net"):
        await keep(store, snapshot(f"https://{host}/", text=f"word on {host}"))
    shown, _ = await store.browse(9, filter=DocumentFilter(domain=domain))
    assert {one.url for one in shown} == {"https://s.example/", "https://a.s.example/"}
    assert len(await _found(store, WordQuery(("word",), filter=DocumentFilter(domain=domain)))) == 2
    assert (await store.purge(PurgeRule(domain=domain), dry_run=True)).pages == 2


async def test_very_many_records_are_added_and_removed_at_once(store: Store) -> None:
    items = {f"https://a.example/{number}": number for number in range(33_000)}
    assert await store.add_records("crawl x", items) == list(items)
    assert await store.add_records("crawl x", items) == []
    assert [one.value for one in await store.records("crawl x")] == list(items.values())
    assert await store.remove_records("crawl x", list(items)) == list(items)


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


async def test_purge_by_url_takes_every_variant_of_the_page(store: Store) -> None:
    page = "https://example.org/page"
    for variant in ("readable", "rendered"):
        await keep(store, snapshot(page, variant=variant))
    await keep(store, snapshot("https://example.org/other"))
    assert (await store.purge(PurgeRule(url=page), dry_run=False)).pages == 2
    assert [info.url for info in (await store.browse(9))[0]] == ["https://example.org/other"]


async def test_research_is_not_purged_even_by_its_key(five: Store) -> None:
    (mine,), _ = await five.browse(1, filter=DocumentFilter(source="research"))
    assert (await five.purge(PurgeRule(key=mine.key), dry_run=False)).pages == 0


async def test_a_purge_without_conditions_is_refused(five: Store) -> None:
    with pytest.raises(InvalidInput):
        await five.purge(PurgeRule(), dry_run=False)


async def test_trimming_versions_leaves_the_newest_of_each_page(store: Store) -> None:
    versions = [snapshot(text=f"text {number}", at=1000.0 + number) for number in range(5)]
    for version in versions:
        await keep(store, version)
    assert await store.trim_versions(2) == 3
    assert [item.hash for item in await store.versions(versions[0].key)] == [versions[4].hash, versions[3].hash]


async def test_a_picture_is_kept_beside_its_version_and_goes_with_it(store: Store) -> None:
    first, second = snapshot(text="first", at=1000.0), snapshot(text="second", at=1001.0)
    await keep(store, first)
    await store.keep_screenshot(first.hash, b"\x89PNG one")
    assert await store.screenshot(first.hash) == b"\x89PNG one"
    await keep(store, second)
    assert await store.screenshot(second.hash) is None
    await store.keep_screenshot(second.hash, b"\x89PNG two")
    assert [await store.screenshot(version.hash) for version in (first, second)] == [None, b"\x89PNG two"]
    await store.purge(PurgeRule(key=second.key), dry_run=False)
    assert await store.screenshot(second.hash) is None


async def test_a_picture_counts_as_part_of_its_page(store: Store) -> None:
    kept = snapshot()
    await keep(store, kept)
    before = (await store.size()).text_bytes
    await store.keep_screenshot(kept.hash, b"p" * 5000)
    assert (await store.size()).text_bytes == before + 5000
    assert (await store.purge(PurgeRule(key=kept.key), dry_run=True)).bytes == before + 5000


async def test_the_size_of_a_page_follows_its_versions_and_its_picture(store: Store) -> None:
    first, second = snapshot(text="first", at=1000.0), snapshot(text="second", at=1001.0)
    await keep(store, first)
    one = (await store.size()).text_bytes
    for png in (b"p" * 9000, b"p" * 5000):  # the second in place of the first
        await store.keep_screenshot(first.hash, png)
    await keep(store, first)
    assert (await store.size()).text_bytes == one + 5000
    await keep(store, second)
    two = (await store.size()).text_bytes
    assert two > one + 5000
    await store.trim_versions(1)
    assert (await store.size()).text_bytes == two - one - 5000


async def test_a_picture_of_an_unknown_version_is_not_kept(store: Store) -> None:
    await store.keep_screenshot("0" * 64, b"\x89PNG")
    assert await store.screenshot("0" * 64) is None


async def test_vectors_belong_to_a_page_and_a_model(store: Store) -> None:
    kept = snapshot()
    packed = PackedVectors("m@1", 2, ("aa", "bb"), b"\x00" * 16)
    await store.keep_vectors({kept.key: packed})
    assert await store.vectors(kept.key, "m@1") is None
    await keep(store, kept)
    await store.keep_vectors({kept.key: packed})
    assert await store.vectors(kept.key, "m@1") == packed
    assert await store.vectors(kept.key, "m@2") is None
    await store.purge(PurgeRule(key=kept.key), dry_run=False)
    assert await store.vectors(kept.key, "m@1") is None


async def test_vectors_of_other_models_can_be_dropped(store: Store) -> None:
    kept = snapshot()
    await keep(store, kept)
    for model in ("old@1", "new@1"):
        await store.keep_vectors({kept.key: PackedVectors(model, 1, ("d",), b"\x00\x00\x80\x3f")})
    await store.keep_vectors({kept.key: PackedVectors("empty@1", 0, (), b"")})
    assert await store.drop_vectors(keep=["new@1"]) == 2
    assert await store.vectors(kept.key, "old@1") is None
    assert await store.vectors(kept.key, "new@1") is not None


async def test_notes_expire(store: Store, clock: Clock) -> None:
    await store.keep_note("robots", "https://a.example", {"rules": [1, "ü"]}, 1010.0)
    assert await store.note("robots", "https://a.example") == {"rules": [1, "ü"]}
    assert await store.note("search", "https://a.example") is None
    clock.now = 1010.0
    assert await store.note("robots", "https://a.example") is None


async def test_notes_are_replaced_and_kept_by_kind(store: Store) -> None:
    await store.keep_note("a", "k", 1, 2000.0)
    await store.keep_note("a", "k", 2, 2000.0)
    await store.keep_note("b", "k", 3, 2000.0)
    assert await store.note("a", "k") == 2
    assert await store.note("b", "k") == 3


async def test_records_are_added_once_and_listed_in_order(store: Store) -> None:
    assert await store.add_records("watch", {"b": 1, "a": {"x": [1, None]}}) == ["b", "a"]
    assert await store.add_records("watch", {"a": 2, "c": 3}) == ["c"]
    assert [(one.key, one.value) for one in await store.records("watch")] == [
        ("b", 1),
        ("a", {"x": [1, None]}),
        ("c", 3),
    ]
    assert [one.key for one in await store.records("watch", limit=2, newest_first=True)] == ["c", "a"]
    assert await store.record("watch", "b") == 1
    assert await store.record("other", "b") is None
    assert await store.record_kinds() == ["watch"]
    assert await store.remove_records("watch", ["b", "zz"]) == ["b"]
    assert sorted(await store.remove_records("watch")) == ["a", "c"]
    assert await store.records("watch") == []


async def test_a_record_is_replaced_only_if_nobody_changed_it_meanwhile(store: Store) -> None:
    await store.add_records("claim", {"page": {"b": 1, "a": 2}})
    assert await store.replace_record("claim", "page", "mine", expected={"a": 2, "b": 1})
    assert not await store.replace_record("claim", "page", "yours", expected={"a": 2, "b": 1})
    assert not await store.replace_record("claim", "absent", 1, expected=None)
    assert await store.record("claim", "page") == "mine"
    await store.keep_record("claim", "page", "anybody's")
    assert await store.record("claim", "page") == "anybody's"


async def test_an_expired_record_counts_as_absent(store: Store, clock: Clock) -> None:
    await store.add_records("claim", {"page": "first"}, expires_at=1010.0)
    assert await store.add_records("claim", {"page": "second"}) == []
    clock.now = 1010.0
    assert await store.record("claim", "page") is None
    assert await store.records("claim") == []
    assert not await store.replace_record("claim", "page", "third", expected="first")
    assert await store.add_records("claim", {"page": "second"}, expires_at=1020.0) == ["page"]
    assert (await store.records("claim"))[0].expires_at == 1020.0


async def test_notes_can_be_listed_in_parts(store: Store, clock: Clock) -> None:
    for kind, key in (("b", "1"), ("a", "2"), ("a", "1")):
        await store.keep_note(kind, key, [kind, key], 2000.0)
    await store.keep_note("a", "0", "expired", 900.0)
    first = await store.notes(limit=2)
    assert [(kind, note.key, note.value, note.expires_at) for kind, note in first] == [
        ("a", "1", ["a", "1"], 2000.0),
        ("a", "2", ["a", "2"], 2000.0),
    ]
    assert [(kind, note.key) for kind, note in await store.notes(("a", "2"))] == [("b", "1")]


async def test_a_page_is_copied_with_everything_that_is_kept_of_it(store: Store, clock: Clock) -> None:
    first, second = snapshot(text="one", tags=("t",)), snapshot(text="two", at=2000.0, tags=("t",))
    back = dataclasses.replace(first, checked_at=3000.0)
    for version in (first, second, back):
        await keep(store, version)
    await store.keep_screenshot(first.hash, b"png")
    await store.add_readings(first.key, [_reading(first.hash, at=1000.0 + at) for at in range(2)])
    await _read(store, first.key, (1.0, 0.0))
    record = (await store.page_records([first.key]))[first.key]
    assert [version.hash for version in record.versions] == [second.hash, first.hash]
    assert await store.page_records(["00" * 32]) == {}
    listed = await store.versions(first.key)
    await store.remove([first.key])
    clock.now = 9000.0
    for _ in range(2):  # a second time in place of the first
        await store.keep_page_records([(record, derive(back))])
        assert await store.page_records([first.key]) == {first.key: record}
        assert await store.versions(first.key) == listed
        assert await _found(store, WordQuery(("one",))) == [first.key]
        assert await store.lacking_vectors("m@1", 5) == []
        assert await store.collections() == {"t": 1}


def _reading(hash_: str, at: float = 1000.0) -> ReadingRecord:
    return ReadingRecord(at, "web_read", "How many \ud800?", "agent · token", hash_, ((0, 4), (5, 9)), "unsure")


async def test_what_was_shown_of_a_page_is_listed_newest_first_until_it_is_removed(store: Store) -> None:
    page, other = snapshot(), snapshot("https://b.example/")
    await keep(store, page, other)
    await store.add_readings(page.key, [_reading(page.hash, at=1000.0 + at) for at in range(60)])
    await store.add_readings("00" * 32, [_reading(page.hash)])
    found = await store.readings(page.key)
    assert [one.at for one in found] == [1059.0 - at for at in range(50)]
    assert found[0].question == "How many ??"
    assert found[0].spans == ((0, 4), (5, 9))
    assert found[0].outcome == "unsure"
    assert await store.readings(other.key) == []
    assert await store.remove_readings(page.key) == 50
    assert await store.readings(page.key) == []


async def test_what_was_shown_of_a_page_goes_with_it_and_with_time(store: Store, clock: Clock) -> None:
    page = snapshot()
    await keep(store, page)
    await store.add_readings(page.key, [_reading(page.hash, at=1000.0), _reading(page.hash, at=9e6)])
    clock.now = 10e6
    await store.maintain()
    assert [one.at for one in await store.readings(page.key)] == [9e6]
    await store.remove([page.key])
    await keep(store, page)
    assert await store.readings(page.key) == []


async def test_a_whole_store_has_no_faults(store: Store) -> None:
    await keep(store, snapshot(document=DOCUMENT), snapshot("https://b.example/", text=""))
    await store.remove([snapshot().key])
    assert await store.check() == []


async def test_figures_add_up(store: Store) -> None:
    drained = {"counters": [["hits", {"b": "1", "a": "2"}, 2.0]], "histograms": [["ms", {}, [1.0, 5.0, 0.0]]]}
    await store.add_metrics(drained)
    await store.add_metrics(drained)
    assert await store.metrics() == {
        "counters": [["hits", {"a": "2", "b": "1"}, 4.0]],
        "histograms": [["ms", {}, [2.0, 10.0, 0.0]]],
    }


async def test_size_counts_pages_versions_and_bytes(store: Store) -> None:
    await keep(store, snapshot(text="one"))
    await keep(store, snapshot(text="two", at=2000.0))
    size = await store.size()
    assert (size.pages, size.snapshots, size.oldest, size.newest) == (1, 2, 1000.0, 2000.0)
    assert size.text_bytes > 0
    assert size.disk_bytes > 0


# search
async def _keep_texts(store: Store, *texts: str, **changes: Any) -> list[str]:
    """Keep documents of these texts; returns their keys."""
    kept = [snapshot(f"https://example.org/{number}", text=text, **changes) for number, text in enumerate(texts)]
    for page in kept:
        await keep(store, page)
    return [page.key for page in kept]


async def _found(store: Store, query: WordQuery, limit: int = 10) -> list[str]:
    return [candidate.key for candidate in (await store.find_by_words(query, limit)).candidates]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Die Häuser der Stadt sind nicht sehr alt.", "haus"),
        ("As informações sobre o projeto não foram publicadas.", "informação"),
        ("В библиотеке много книг, и все они на полках.", "книгами"),
        ("यह पुस्तकालय है और इसमें कई भाषाओं की किताबें हैं", "भाषा"),
        ("توجد في المدينة مكتبة وكل الكتب فيها", "مكتبة"),
        ("ห้องสมุดมีหนังสือหลายภาษา", "หนั"),
        ("図書館には本がたくさんあります", "図書"),
    ],
)
async def test_documents_are_found_in_their_own_language(store: Store, text: str, word: str) -> None:
    first, _ = await _keep_texts(store, text, "An English page about houses and other things.")
    assert await _found(store, WordQuery((word,))) == [first]


async def test_documents_are_found_by_the_words_they_hold_in_any_form(store: Store) -> None:
    first, second, _ = await _keep_texts(store, "Running machines learn.", "A machine in the hall.", "Nothing here.")
    assert set(await _found(store, WordQuery(("machine",)))) == {first, second}
    assert await _found(store, WordQuery(("learning",))) == [first]
    assert await _found(store, WordQuery(("absent",))) == []


async def test_more_and_rarer_words_rank_higher(store: Store) -> None:
    common = ["shared words only"] * 5
    both, rare = (await _keep_texts(store, "shared rare", "rare thing", *common))[:2]
    assert (await _found(store, WordQuery(("shared", "rare"))))[:2] == [both, rare]


async def test_a_word_in_the_title_counts_more(store: Store) -> None:
    await keep(store, snapshot("https://a.example/", text="zebra and other animals of the plain", title="Animals"))
    titled = snapshot("https://b.example/", text="an animal and others of the great plain", title="Zebra")
    await keep(store, titled)
    assert (await _found(store, WordQuery(("zebra",))))[0] == titled.key


async def test_a_document_that_defines_a_name_comes_before_shorter_ones_that_mention_it(store: Store) -> None:
    filler = "Many other exceptions are described here, each with its own rules. " * 200
    manual = f"{filler}\n\n`exception errors.KeyError(key)`\n\nRaised for a missing key.\n\n{filler}"
    short = ["KeyError, a KeyError, again a KeyError."] * 3
    defining, *_ = await _keep_texts(store, manual, *short)
    plain = WordQuery(("key", "error", "keyerror"))
    assert (await _found(store, plain))[0] != defining
    for name in (Name("keyerror", ("key", "error", "keyerror")), Name("errorskeyerror", ("key", "error", "keyerror"))):
        answer = await store.find_by_words(dataclasses.replace(plain, names=(name,)), 10)
        assert answer.candidates[0].key == defining
        assert answer.candidates[0].score <= 1
        assert answer.defined == {name.key}
    absent = await store.find_by_words(dataclasses.replace(plain, names=(Name("valueerror", ("error",)),)), 10)
    assert absent.defined == frozenset()
    assert absent.candidates == (await store.find_by_words(plain, 10)).candidates
    await store.remove(await store.keys())
    assert (await store.find_by_words(dataclasses.replace(plain, names=(name,)), 10)).defined == frozenset()


async def test_unknown_words_are_named(store: Store) -> None:
    await _keep_texts(store, "known")
    answer = await store.find_by_words(WordQuery(("known", "unknwon")), 10)
    assert answer.unknown == ("unknwon",)
    assert await store.word_counts(["known", "unknwon"]) == {"known": 1}


async def test_a_word_of_deleted_documents_alone_is_unknown(store: Store) -> None:
    deleted, _ = await _keep_texts(store, "recieve", "receive")
    assert (await store.find_by_words(WordQuery(("recieve",)), 10)).unknown == ()
    await store.remove([deleted])
    assert (await store.find_by_words(WordQuery(("recieve",)), 10)).unknown == ("recieve",)


async def test_words_are_counted_in_the_documents_that_are_left(store: Store) -> None:
    _, two = await _keep_texts(store, "lantern lamp", "lantern lamp deleted")
    for time in range(1, 8):
        await keep(store, snapshot("https://a.example/", text=f"lantrn lamp, reading {time}", at=1000.0 * time))
        await store.maintain()
    await store.remove([two])
    words = ["lantern", "lantrn", "lamp", "deleted"]
    assert await store.word_counts(words) == {"lantern": 1, "lantrn": 1, "lamp": 2}


async def test_required_and_excluded_words_and_prefixes(store: Store) -> None:
    one, two, three = await _keep_texts(store, "apple pear", "apple plum", "applause")
    assert await _found(store, WordQuery(("apple",), required=("plum",))) == [two]
    assert await _found(store, WordQuery(("apple",), excluded=("plum",))) == [one]
    assert set(await _found(store, WordQuery(prefixes=("appl",)))) == {one, two, three}
    assert await _found(store, WordQuery(prefixes=("zz",))) == []


async def test_only_the_newest_version_is_found(store: Store) -> None:
    await keep(store, snapshot(text="before"))
    await keep(store, snapshot(text="after", at=2000.0))
    assert await _found(store, WordQuery(("before",))) == []
    assert len(await _found(store, WordQuery(("after",)))) == 1


async def test_new_tags_on_the_same_text_are_found(store: Store) -> None:
    kept = snapshot(text="word")
    await keep(store, kept)
    await keep(store, dataclasses.replace(kept, tags=("zebra",)))
    assert await _found(store, WordQuery(("zebra",))) == [kept.key]
    assert await _found(store, WordQuery(("word",))) == [kept.key]


async def test_purged_and_removed_documents_are_not_found(store: Store) -> None:
    first, second, third = await _keep_texts(store, "word one", "word two", "word three")
    await store.purge(PurgeRule(key=first), dry_run=False)
    assert set(await _found(store, WordQuery(("word",)))) == {second, third}
    assert await store.remove([second, first]) == 1
    assert await _found(store, WordQuery(("word",))) == [third]


async def test_filters_by_source_and_date(store: Store) -> None:
    old, new = snapshot("https://a.example/", text="word"), snapshot("https://b.example/", text="word")
    mine = snapshot("https://c.example/", text="word", source="research")
    await keep(store, old, date="2020-01-01")
    await keep(store, new, date="2024-06-30T12:00:00Z")
    await keep(store, mine, date="2022-01-01")

    async def keys(**filter: Any) -> set[str]:
        return set(await _found(store, WordQuery(("word",), filter=DocumentFilter(**filter))))

    assert await keys(source="research") == {mine.key}
    assert await keys(since="2022-01-01") == {mine.key, new.key}
    assert await keys(until="2022-01-01") == {mine.key, old.key}
    assert await keys(since="2024-06-30", until="2024-06-30") == {new.key}


async def test_search_is_the_same_before_and_after_maintenance(store: Store) -> None:
    keys = await _keep_texts(store, *(f"word number{number % 7} text{number}" for number in range(60)))
    await store.remove(keys[:30])
    queries = [WordQuery((f"number{number}", "word")) for number in range(7)]
    before = [await _found(store, query, 20) for query in queries]
    await store.maintain()
    assert [await _found(store, query, 20) for query in queries] == before
    await keep(store, snapshot("https://late.example/", text="number3 once more"))
    assert snapshot("https://late.example/").key in await _found(store, WordQuery(("number3",)), 20)


async def test_rows_tell_what_a_list_shows(store: Store) -> None:
    kept = snapshot(text="the text", title="Title", source="research", path="a/b.md", tags=("x",))
    await keep(store, kept, date="2025-05-20", language="de")
    row = (await store.documents([kept.key, "00" * 32]))[kept.key]
    assert (row.title, row.date, row.path, row.tags, row.markdown) == (
        "Title",
        "2025-05-20",
        "a/b.md",
        ("x",),
        "the text",
    )
    assert await store.headlines([kept.key, "00" * 32]) == {kept.key: ("Title", kept.url, "a/b.md", "de")}


def _packed(*rows: Sequence[float]) -> PackedVectors:
    data = b"".join(struct.pack(f"<{len(row)}f", *row) for row in rows)
    return PackedVectors("m@1", len(rows[0]), tuple(f"d{at}" for at in range(len(rows))), data)


async def _read(store: Store, key: str, *rows: Sequence[float]) -> None:
    """The model has read all of a page's newest text."""
    kept = await store.latest(key)
    assert kept is not None
    await store.keep_vectors({key: dataclasses.replace(_packed(*rows), snapshot=kept.hash)})


async def test_documents_are_found_by_their_nearest_passage(store: Store) -> None:
    first, second, third = await _keep_texts(store, "one", "two", "three")
    await _read(store, first, (1.0, 0.0, 0.1), (-1.0, 0.0, 0.0))
    await _read(store, second, (0.0, 1.0, 0.1))
    found = await store.find_by_vector(VectorQuery("m@1", (1.0, 0.2, 0.1), 10))
    assert [candidate.key for candidate in found] == [first, second]
    assert found[0].score > 0.9
    assert await store.find_by_vector(VectorQuery("other@1", (1.0, 0.0, 0.0), 10)) == []
    assert await store.lacking_vectors("m@1", 10) == [third]
    assert await store.lacking_vectors("other@1", 2) == [third, second]
    assert await store.count_lacking_vectors("m@1") == 1
    assert await store.count_lacking_vectors("other@1") == 3


async def test_a_new_document_is_not_found_by_the_vectors_of_one_that_was_deleted(store: Store) -> None:
    (deleted,) = await _keep_texts(store, "one")
    await _read(store, deleted, (1.0, 0.0, 0.1))
    question = VectorQuery("m@1", (1.0, 0.0, 0.1), 10)
    assert [candidate.key for candidate in await store.find_by_vector(question)] == [deleted]
    await store.remove([deleted])
    new = snapshot("https://new.example/", text="two")
    await keep(store, new)
    for also in ((), (new.key,)):
        assert await store.find_by_vector(dataclasses.replace(question, also=also)) == []


async def test_documents_that_lack_vectors_are_known_as_they_come_and_go(store: Store) -> None:
    first, second = await _keep_texts(store, "one", "two")
    assert set(await store.lacking_vectors("m@1", 10)) == {first, second}
    await _read(store, first, (1.0, 0.0))
    late, empty = snapshot("https://late.example/"), snapshot("https://empty.example/", text="")
    await keep(store, late)
    await keep(store, empty)
    assert await store.lacking_vectors("m@1", 10) == [late.key, second]
    await store.remove([late.key])
    assert await store.lacking_vectors("m@1", 10) == [second]
    await store.drop_vectors(keep=[])
    assert set(await store.lacking_vectors("m@1", 10)) == {first, second}


async def test_a_page_with_a_new_text_or_half_read_lacks_vectors(store: Store) -> None:
    old, new = snapshot(text="old"), snapshot(text="new", at=2000.0)
    await keep(store, old)
    await _read(store, old.key, (1.0, 0.0))
    assert await store.lacking_vectors("m@1", 10) == []
    await keep(store, new)
    assert await store.lacking_vectors("m@1", 10) == [old.key]
    assert [one.key for one in await store.find_by_vector(VectorQuery("m@1", (1.0, 0.0), 1))] == [
        old.key
    ]  # better than none
    await store.keep_vectors({old.key: _packed((0.0, 1.0))})  # a part of the new text
    assert await store.lacking_vectors("m@1", 10) == [old.key]
    await _read(store, old.key, (0.0, 1.0), (1.0, 1.0))
    assert await store.lacking_vectors("m@1", 10) == []


async def test_vectors_keep_their_directions_and_say_which_text_they_are_of(store: Store) -> None:
    kept = snapshot()
    await keep(store, kept)
    await _read(store, kept.key, (0.6, -0.8, 0.0, 0.001), (0.0, 0.0, 0.0, 0.0), (1e-6, 0.0, 0.0, 0.0))
    found = await store.vectors(kept.key, "m@1")
    assert found is not None
    assert (found.snapshot, found.digests) == (kept.hash, ("d0", "d1", "d2"))
    assert struct.unpack("<12f", found.data) == pytest.approx((0.6, -0.8, 0, 0, 0, 0, 0, 0, 1e-6, 0, 0, 0), abs=0.004)


async def test_a_narrow_filter_still_finds_by_meaning(store: Store) -> None:
    saved = snapshot("https://saved.example/", source="research", path="notes/a.md")
    await keep(store, saved)
    await _read(store, saved.key, (0.1, 1.0))
    keys = await _keep_texts(store, *(f"text {number}" for number in range(150)))
    for key in keys:
        await store.keep_vectors({key: _packed(*[(1.0, 0.0)] * 8)})
    found = await store.find_by_vector(VectorQuery("m@1", (1.0, 0.0), 5, DocumentFilter(source="research")))
    assert [one.key for one in found] == [saved.key]
    await store.remove(keys[:140])
    assert len(await store.find_by_vector(VectorQuery("m@1", (1.0, 0.0), 20))) == 11


async def test_several_documents_are_kept_at_once_or_not_at_all(store: Store) -> None:
    made = [snapshot(f"https://{number}.example/", text=f"text {number}") for number in range(300)]
    await store.keep_many([(one, derive(one)) for one in made])
    assert (await store.size()).pages == 300
    assert len((await store.find_by_words(WordQuery(("text",)), 400)).candidates) == 300
    await store.keep_many([])
    broken = dataclasses.replace(made[1], hash=made[0].hash, key="no key")
    with pytest.raises(CacheError):
        await store.keep_many([(snapshot("https://new.example/"), NOTHING), (broken, NOTHING)])
    assert (await store.size()).pages == 300


async def test_collections_are_tags_and_synced_folders(store: Store) -> None:
    first = snapshot("https://a.example/", text="shared word", tags=("Papers", "ml"))
    second = snapshot("https://b.example/", text="shared word", source="research", path="notes/b.md", tags=("papers",))
    third = snapshot("https://c.example/", text="shared word")
    for one in (first, second, third):
        await keep(store, one)
    assert await store.collections() == {"Papers": 2, "ml": 1, "notes": 1}

    async def found(collection: str) -> set[str]:
        asked = WordQuery(("shared",), filter=DocumentFilter(collection=collection))
        return {one.key for one in (await store.find_by_words(asked, 10)).candidates}

    assert await found("PAPERS") == {first.key, second.key}
    assert await found("notes") == {second.key}
    assert await found("unknown") == set()
    assert await store.keys(collection="papers") == sorted([first.key, second.key])
    await keep(store, dataclasses.replace(first, tags=("ml",)))
    assert await found("papers") == {second.key}
    await store.remove([second.key])
    assert await store.collections() == {"ml": 1}


async def test_nearest_follows_changes_limits_and_filters(store: Store) -> None:
    first, second = await _keep_texts(store, "one", "two")
    await store.keep_vectors({first: _packed((1.0, 0.0))})
    await store.keep_vectors({second: _packed((0.9, 0.4))})
    near = await store.find_by_vector(VectorQuery("m@1", (1.0, 0.0), 1))
    assert [candidate.key for candidate in near] == [first]
    also = await store.find_by_vector(VectorQuery("m@1", (1.0, 0.0), 1, also=[second]))
    assert [candidate.key for candidate in also] == [first, second]
    await store.keep_vectors({first: _packed((0.0, 1.0))})
    assert [candidate.key for candidate in await store.find_by_vector(VectorQuery("m@1", (1.0, 0.0), 1))] == [second]
    assert await store.find_by_vector(VectorQuery("m@1", (1.0, 0.0), 9, DocumentFilter(source="research"))) == []
    await store.remove([second])
    assert [candidate.key for candidate in await store.find_by_vector(VectorQuery("m@1", (1.0, 0.0), 9))] == [first]
    await store.keep_vectors({first: PackedVectors("m@1", 1, (), b"")})  # its new text has no passage
    assert await store.find_by_vector(VectorQuery("m@1", (1.0, 0.0), 9, also=[first])) == []


def _mention(name: str, start: int = 0, confidence: float = 1.0) -> Mention:
    return Mention(name, name, "link", start, start + 5, confidence)


async def test_citations_are_resolved_in_both_directions_whoever_came_first(store: Store) -> None:
    citing, cited = snapshot("https://a.example/"), snapshot("https://b.example/")
    await keep(store, citing, names=("a",), mentions=(_mention("b", 3), _mention("elsewhere")))
    before = await store.cites([citing.key], 10)
    assert {(edge.url, edge.target) for edge in before} == {("elsewhere", None), ("b", None)}
    await keep(store, cited, names=("b", "doi:10.1/x"))
    edge = (await store.cites([citing.key], 10))[0]
    assert (edge.source, edge.target, edge.start, edge.end) == (citing.key, cited.key, 3, 8)
    assert await store.cited_by([cited.key], 10) == [edge]
    assert await store.cited_by([citing.key], 10) == []


async def test_citations_follow_new_versions_and_removals(store: Store) -> None:
    citing, cited = snapshot("https://a.example/"), snapshot("https://b.example/")
    await keep(store, citing, names=("a",), mentions=(_mention("b"), _mention("a")))
    await keep(store, cited, names=("b",))
    assert [edge.target for edge in await store.cites([citing.key], 10)] == [cited.key]
    await store.remove([cited.key])
    assert [edge.target for edge in await store.cites([citing.key], 10)] == [None]
    await keep(store, snapshot("https://a.example/", text="new"), names=("a",))
    assert await store.cites([citing.key], 10) == []


async def test_a_listing_names_the_documents_of_a_folder(store: Store) -> None:
    kept = [snapshot(f"file:///{path}", source="research", path=path) for path in ("b/2.md", "a/1.md", "b/1.md")]
    for page in kept:
        await keep(store, page)
    await keep(store, snapshot())
    assert [row[0] for row in await store.listing("research")] == ["a/1.md", "b/1.md", "b/2.md"]
    assert await store.listing("research", "b/2") == [("b/2.md", kept[0].key, kept[0].hash, kept[0].etag)]
    assert await store.keys(source="research") == sorted(page.key for page in kept)
    everything = await store.keys()
    assert await store.keys(after=everything[1], limit=1) == [everything[2]]
