"""The library out and in again."""

from __future__ import annotations

import dataclasses
import gzip
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_web import trace
from mcp_web.archive.answer import ArchiveQuery
from mcp_web.archive.archive import Archive
from mcp_web.archive.derive import derive
from mcp_web.archive.exchange import bibtex, csl
from mcp_web.archive.exchange.bibtex import export_bibtex, import_bibtex
from mcp_web.archive.exchange.cite import cite
from mcp_web.archive.exchange.csl import export_csl, import_csl
from mcp_web.archive.exchange.jsonl import export_jsonl, import_jsonl
from mcp_web.archive.exchange.markdown import export_markdown, import_markdown
from mcp_web.archive.exchange.records import Exchanged, Exporter, Importer
from mcp_web.archive.exchange.references import Reference, reference_of
from mcp_web.archive.exchange.warc import export_warc, import_warc
from mcp_web.errors import InvalidInput
from mcp_web.model.page import Document, Fetched
from mcp_web.model.snapshot import Snapshot, page_key
from mcp_web.store.protocol import Store
from mcp_web.store.sqlite.store import SqliteStore
from mcp_web.text import front_matter

from contracts.store_samples import DOCUMENT, snapshot  # isort: skip

pytestmark = pytest.mark.anyio
FORMATS = {
    "jsonl": (export_jsonl, import_jsonl),
    "markdown": (export_markdown, import_markdown),
    "warc": (export_warc, import_warc),
}


@pytest.fixture
async def stores(tmp_path: Path) -> AsyncIterator[tuple[Store, Store]]:
    opened = [await SqliteStore.open(tmp_path / f"{name}.sqlite") for name in ("one", "two")]
    yield opened[0], opened[1]
    for store in opened:
        await store.close()


async def _fill(store: Store) -> None:
    versions = [
        snapshot(document=DOCUMENT, headers=(("x", "y"),), timings={"a": 1.0}, etag='"e"'),
        snapshot(text="---\nnot: front matter\n---\nsecond version\r\n", at=2000.0),
        snapshot("https://example.org/../päge?x=1&y=../..", text="Other. See [it](https://example.org/page)."),
        snapshot("file:///notes/a.md", text="", source="research", path="notes/a.md", tags=("x, y", "z")),
    ]
    for version in versions:
        await store.keep(version, derive(version))


async def _state(store: Store) -> dict[str, list[Snapshot]]:
    found: dict[str, list[Snapshot]] = {}
    async for version, _ in Exporter(store).versions():
        found.setdefault(version.key, []).append(version)
    return found


async def exported(work: Callable[..., Awaitable[None]], store: Store, place: Path) -> Exchanged:
    exporter = Exporter(store)
    await work(exporter, place)
    return exporter.done()


async def imported(work: Callable[..., Awaitable[None]], store: Store, *given: object, **options: object) -> Exchanged:
    importer = Importer(store)
    await work(importer, *given, **options)
    return importer.done()


@pytest.mark.parametrize("name", list(FORMATS))
async def test_a_round_trip_loses_nothing(name: str, stores: tuple[Store, Store], tmp_path: Path) -> None:
    one, two = stores
    await _fill(one)
    out, back = FORMATS[name]
    written = await exported(out, one, tmp_path / "library")
    assert (written.documents, written.versions) == (3, 4)
    assert await imported(back, two, tmp_path / "library") == written
    assert await _state(two) == await _state(one)
    assert await two.cited_by([snapshot().key], 10) == await one.cited_by([snapshot().key], 10) != []


@pytest.mark.parametrize("name", [*FORMATS, "bibtex", "csl"])
async def test_no_export_holds_a_configured_secret_that_a_page_echoed(
    name: str, stores: tuple[Store, Store], tmp_path: Path
) -> None:
    secret = "sk-echo/ed+3f9a7c51"
    kept = snapshot(
        document=dataclasses.replace(DOCUMENT, title=f"Key {secret}", markdown=f"It says {secret} twice: {secret}."),
        headers=(("x-key", secret),),
    )
    await stores[0].keep(kept, derive(kept))
    exports = {**{form: pair[0] for form, pair in FORMATS.items()}, "bibtex": export_bibtex, "csl": export_csl}
    place = tmp_path / f"out.{name}"
    trace.configure("error", (secret,))
    try:
        await exported(exports[name], stores[0], place)
    finally:
        trace.configure("error")
    files = [file for file in (place.rglob("*") if place.is_dir() else [place]) if file.is_file()]
    written = b"".join(
        gzip.decompress(data) if (data := file.read_bytes())[:2] == b"\x1f\x8b" else data for file in files
    )
    assert b"echo" not in written.replace(b"\\", b"")
    assert "•••".encode() in written or b"\\u2022" in written
    if name in FORMATS:
        taken = await imported(FORMATS[name][1], stores[1], place)
        assert (taken.documents, taken.failed) == (1, ())


async def test_importing_an_old_library_does_not_turn_pages_back(stores: tuple[Store, Store], tmp_path: Path) -> None:
    one, two = stores
    await _fill(one)
    await exported(export_jsonl, one, tmp_path / "x.jsonl")
    newer = snapshot(text="newest", at=9000.0)
    await two.keep(newer)
    await imported(import_jsonl, two, tmp_path / "x.jsonl")
    assert await two.latest(newer.key) == newer
    assert len(await two.versions(newer.key)) == 3


async def test_importing_a_web_page_leaves_saved_research_research(stores: tuple[Store, Store], tmp_path: Path) -> None:
    one, two = stores
    await one.keep(snapshot(text="newer", at=9000.0))
    await exported(export_jsonl, one, tmp_path / "x.jsonl")
    saved = snapshot(text="saved", source="research", tags=("mine",))
    await two.keep(saved)
    await imported(import_jsonl, two, tmp_path / "x.jsonl")
    latest = await two.latest(saved.key)
    assert latest is not None
    assert (latest.document.markdown, latest.source, latest.tags) == ("newer", "research", ("mine",))


async def test_a_damaged_line_is_named_and_the_rest_is_taken(stores: tuple[Store, Store], tmp_path: Path) -> None:
    one, two = stores
    await _fill(one)
    file = tmp_path / "x.jsonl"
    await exported(export_jsonl, one, file)
    lines = file.read_text().splitlines()
    changed = json.loads(lines[1]) | {"text": "another text"}
    file.write_text("\n".join([lines[0], json.dumps(changed), "{broken", "[]", lines[3]]))
    done = await imported(import_jsonl, two, file)
    assert done.versions == 2
    assert [where for where, _ in done.failed] == ["line 2", "line 3", "line 4"]
    assert "damaged" in done.failed[0][1]


async def test_a_markdown_file_edited_meanwhile_comes_back_as_a_new_version(
    stores: tuple[Store, Store], tmp_path: Path
) -> None:
    one, _ = stores
    kept = snapshot(text="The text.")
    await one.keep(kept)
    await exported(export_markdown, one, tmp_path / "out")
    file = next((tmp_path / "out" / "web").rglob("*.md"))
    facts, text = front_matter.read(file.read_text())
    assert (facts["title"], facts["source"], text) == ("A page", "https://example.org/page", "The text.")
    file.write_text(file.read_text().replace("The text.", "The better text."))
    await imported(import_markdown, one, tmp_path / "out")
    latest = await one.latest(kept.key)
    assert latest is not None
    assert (latest.document.markdown, len(await one.versions(kept.key))) == ("The better text.", 2)
    file.write_text("Äpfel", "latin-1")
    assert [why for _, why in (await imported(import_markdown, one, tmp_path / "out")).failed] == [
        "It is not UTF-8 text."
    ]


async def test_a_manifest_cannot_reach_outside_its_folder(stores: tuple[Store, Store], tmp_path: Path) -> None:
    one, two = stores
    await one.keep(snapshot())
    await exported(export_markdown, one, tmp_path / "out")
    manifest = tmp_path / "out" / "manifest.jsonl"
    record = json.loads(manifest.read_text()) | {"file": "../secret.md"}
    (tmp_path / "secret.md").write_text("secret")
    manifest.write_text(json.dumps(record))
    done = await imported(import_markdown, two, tmp_path / "out")
    assert "outside" in done.failed[0][1]
    assert (await two.size()).pages == 0


@pytest.mark.parametrize(
    "line", ["1", '"x"', "[]", "{}", "\udcff", '{"file": "a.md", "key": "00", "hash": "", "document": 1}']
)
async def test_a_line_that_is_no_record_is_named_and_the_others_are_imported(
    stores: tuple[Store, Store], tmp_path: Path, line: str
) -> None:
    one, two = stores
    await one.keep(snapshot())
    await exported(export_markdown, one, tmp_path / "out")
    await exported(export_jsonl, one, tmp_path / "out.jsonl")
    (tmp_path / "out" / "a.md").write_text("Text.")
    for place, work in ((tmp_path / "out", import_markdown), (tmp_path / "out.jsonl", import_jsonl)):
        records = place / "manifest.jsonl" if place.is_dir() else place
        records.write_text(f"{line}\n{records.read_text()}", errors="surrogateescape")
        done = await imported(work, two, place)
        assert done.documents == 1
        ((_, why),) = done.failed
        assert why.startswith(("The record was not written by mcp-web: ", "It is not"))


async def test_a_folder_without_a_manifest_is_refused(stores: tuple[Store, Store], tmp_path: Path) -> None:
    with pytest.raises(InvalidInput) as caught:
        await imported(import_markdown, stores[0], tmp_path)
    assert "archive sync" in caught.value.suggestion


async def test_a_foreign_web_archive_is_read_by_the_extraction(stores: tuple[Store, Store], tmp_path: Path) -> None:
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<h1>Hello zebra</h1>"
    head = (
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://a.example/x\r\nWARC-Date: 2024-01-02T03:04:05Z\r\n"
        "WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-000000000001>\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(http)}\r\n\r\n"
    )
    file = tmp_path / "x.warc.gz"
    file.write_bytes(gzip.compress(head.encode() + http + b"\r\n\r\n"))

    async def extract(page: Fetched) -> Document:
        assert page.media_type == "text/html"
        return Document("Hello", page.body.decode().replace("<h1>", "").replace("</h1>", ""), "test@1")

    assert (await imported(import_warc, stores[0], file, extract)).documents == 1
    found = await Archive(stores[0]).search(ArchiveQuery("zebra", mode="text"))
    assert (found.results[0].document.url, found.results[0].document.date) == ("https://a.example/x", "2024-01-02")


def warc_response(number: int, http: bytes) -> bytes:
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://a.example/{number}\r\n"
        "WARC-Date: 2024-01-02T03:04:05Z\r\nContent-Type: application/http; msgtype=response\r\n"
        f"WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-00000000000{number}>\r\nContent-Length: {len(http)}\r\n\r\n"
    )
    return gzip.compress(head.encode() + http + b"\r\n\r\n")


async def read_as_text(page: Fetched) -> Document:
    return Document("Page", page.body.decode()[:100], "test@1")


async def test_an_oversized_record_is_named_and_the_others_are_taken(
    stores: tuple[Store, Store], tmp_path: Path
) -> None:
    ok = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
    file = tmp_path / "x.warc.gz"
    records = [ok + b"first", ok + b" " * 50_000_001, ok + b"third"]
    file.write_bytes(b"".join(warc_response(at, record) for at, record in enumerate(records)))
    done = await imported(import_warc, stores[0], file, read_as_text)
    assert done.documents == 2
    assert [url for url, _ in done.failed] == ["https://a.example/1"]
    assert "50,000,000 bytes" in done.failed[0][1]


async def test_headers_without_end_are_refused(stores: tuple[Store, Store], tmp_path: Path) -> None:
    file = tmp_path / "x.warc.gz"
    file.write_bytes(warc_response(1, b"HTTP/1.1 200 OK\r\n" + b"x: y\r\n" * 1_000_000 + b"\r\nbody"))
    with pytest.raises(InvalidInput) as caught:
        await imported(import_warc, stores[0], file, read_as_text)
    assert "256,000 bytes of headers" in caught.value.message


async def test_a_line_of_json_nested_without_end_is_named(stores: tuple[Store, Store], tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl"
    file.write_bytes(b"[" * 100_000 + b"\n")
    done = await imported(import_jsonl, stores[0], file)
    assert done.failed == (("line 1", "It is nested too deeply."),)


async def test_a_web_archive_with_facts_nested_without_end_is_named(
    stores: tuple[Store, Store], tmp_path: Path
) -> None:
    def record(kind: str, media_type: str, body: bytes) -> bytes:
        head = (
            f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: https://a.example/\r\nContent-Type: {media_type}\r\n"
            "WARC-Date: 2024-01-02T03:04:05Z\r\nWARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-000000000001>\r\n"
            "WARC-Refers-To: <urn:uuid:00000000-0000-0000-0000-000000000001>\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        return gzip.compress(head.encode() + body + b"\r\n\r\n")

    file = tmp_path / "x.warc.gz"
    facts = record("metadata", "application/vnd.mcp-web.snapshot+json", b"[" * 100_000)
    file.write_bytes(record("conversion", "text/markdown", b"Text.") + facts)
    done = await imported(import_warc, stores[0], file)
    assert done.failed == (("https://a.example/", "It is nested too deeply."),)


async def test_references_nested_without_end_are_refused(stores: tuple[Store, Store], tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    file.write_bytes(b"[" * 100_000)
    with pytest.raises(InvalidInput, match=r"nested too deeply\.$"):
        await imported(csl.import_csl, stores[0], file)


async def test_a_file_that_is_no_web_archive_is_refused(stores: tuple[Store, Store], tmp_path: Path) -> None:
    (tmp_path / "x.warc").write_bytes(b"nothing of the kind\n" * 50)
    with pytest.raises(InvalidInput):
        await imported(import_warc, stores[0], tmp_path / "x.warc")


REFERENCE = Reference(
    id="smith2020",
    title="On {Braces}, 100% & C# \\ $x_1$ ~ ^",
    authors=("Smith, Jane", "Müller, Jörg", "{Salt and Pepper, Inc.}"),
    date="2020-03-04",
    url="https://journal.example/a_b?x=1%20y",
    doi="10.1234/ab_c.(2020)5",
    site="Journal",
    abstract="An abstract.",
    tags=("one", "two words"),
    accessed="2024-05-06",
    kind="article-journal",
    volume="12",
    issue="3",
    pages="45-67",
    publisher="Shell & Sons",
    note="retracted",
)


def test_a_reference_survives_bibtex_and_csl() -> None:
    assert list(bibtex.entries(bibtex.entry(REFERENCE))) == [REFERENCE]
    assert csl.reference_from(json.loads(json.dumps(csl.item_of(REFERENCE)))) == REFERENCE


def test_a_reference_is_cited_in_one_line() -> None:
    assert cite([REFERENCE], "text") == (
        "Smith, Jane; Müller, Jörg; Salt and Pepper, Inc. (2020-03-04). On {Braces}, 100% & C# \\ $x_1$ ~ ^. "
        "Journal, 12(3), 45-67, Shell & Sons. retracted. https://doi.org/10.1234/ab_c.(2020)5 (read on 2024-05-06)"
    )
    assert cite([Reference("b", "Why?", accessed="2024-05-06")], "text") == "Why? (read on 2024-05-06)"


async def test_empty_and_wrong_fields_of_csl_spoil_no_other_reference(
    stores: tuple[Store, Store], tmp_path: Path
) -> None:
    empty = dict.fromkeys(("URL", "DOI", "volume", "type", "keyword", "container-title", "number", "abstract"))
    items = [{"id": name, "title": f"Title {name}", **empty} for name in "ab"]
    (tmp_path / "x.json").write_text(json.dumps([*items, {"title": "x", "URL": "https://\ud800.example/"}]))
    store = stores[0]
    done = await imported(import_csl, store, tmp_path / "x.json")
    assert (done.documents, [what for what, _ in done.failed]) == (2, ["item 2"])
    for name in "ab":
        kept = await store.latest(page_key(f"file:///references/{name}", "reference"))
        assert kept is not None
        assert dataclasses.replace(reference_of(kept), accessed="") == Reference(name, f"Title {name}")


async def _unchecked(store: Store) -> dict[str, list[Snapshot]]:
    """The state without its times: that of the last check is a day in these formats, that of the import is not kept."""
    times = dict.fromkeys(("fetched_at", "checked_at", "fresh_until"), 0.0)
    state = await _state(store)
    return {key: [dataclasses.replace(item, **times) for item in items] for key, items in state.items()}


@pytest.mark.parametrize(
    ("url", "title", "key"),
    [
        ("https://www.postgresql.org/hot-standby.html", "27.4. Hot Standby", "postgresqlorghot"),
        ("http://192.0.2.7/a", "The 7 Bridges", "bridges"),
        ("https://a.example/", "1984", "aexample1984"),
        ("http://[of front matter", "Some Notes", "some"),
    ],
)
def test_a_key_is_made_of_words(url: str, title: str, key: str) -> None:
    reference = Reference(id="0123456789ab", url=url, title=title)
    assert bibtex.citation_key(reference, set()) == key


@pytest.mark.parametrize(("out", "back"), [(export_bibtex, import_bibtex), (export_csl, import_csl)])
async def test_references_come_in_and_go_out_as_they_were(
    out: object, back: object, stores: tuple[Store, Store], tmp_path: Path
) -> None:
    one, two = stores
    first, second = tmp_path / "first", tmp_path / "second"
    if back is import_bibtex:
        first.write_text(bibtex.entry(REFERENCE) + "\n@comment{x, y}\n" + "@book{b, title={Only a title}, year=1999}")
    else:
        items = [REFERENCE, Reference("b", "Only a title", date="1999")]
        first.write_text(json.dumps([csl.item_of(item) for item in items]))
    assert (await imported(back, one, first)).documents == 2
    await exported(out, one, second)
    assert (await imported(back, two, second)).documents == 2
    assert await _unchecked(one) == await _unchecked(two)
    found = await Archive(two).search(ArchiveQuery("abstract", mode="text"))
    assert found.results[0].document.title == REFERENCE.title
    assert await two.cited_by([found.results[0].document.id], 5) == []


@given(st.text(max_size=500))
def test_any_bibtex_is_read_without_error(text: str) -> None:
    list(bibtex.entries(text))
    list(bibtex.entries("@x{a, title = {" + text))
    list(bibtex.entries("@x{a, title = {\0" + "9" * 9 + "\0" + text))


@given(
    st.dictionaries(st.from_regex(r"[a-z]{1,8}", fullmatch=True), st.text(max_size=50) | st.lists(st.text(max_size=20)))
)
def test_front_matter_is_read_as_it_was_written(facts: dict[str, str | list[str]]) -> None:
    read, rest = front_matter.read(front_matter.write(facts) + "text")
    kept = {name: value for name, value in facts.items() if value}
    assert rest == "text"
    for name, value in kept.items():
        expected = value if isinstance(value, str) else tuple(item for item in value if item)
        assert read[name] == expected
