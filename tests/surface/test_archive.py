"""The archive as a person fills and carries it: folders, sites, exports, watching."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mcp_web.services.embed_documents import embed_documents
from miniweb import MiniWeb, Reply

from .test_cli import Shell
from .test_open import article
from .tool_caller import ToolCaller, tool_caller

NOTES = {
    "2025-05-20/machine_learning_intro.md": (
        "# Introduction to Machine Learning\n\nMachine learning is a subset of artificial intelligence.\n\n"
        "For more information on ML algorithms, see [this resource](https://example.com/ml-algorithms).\n"
    ),
    "2025-05-21/algorithms.md": (
        "---\ntitle: Machine Learning Algorithms\nurl: https://example.com/ml-algorithms\ntags: [ml]\n---\n\n"
        "Gradient boosting and random forests, see also [the intro](../2025-05-20/machine_learning_intro.md).\n"
    ),
    "plain.txt": "A plain text about gardening and tomatoes.\n",
    "page.html": article("Saved page", "Compost"),
}


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "research-archive"
    for name, text in NOTES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path / "data", MCP_WEB_EMBEDDINGS="none")


def test_a_folder_is_synced_searched_and_synced_again_for_changes_only(shell: Shell, notes: Path) -> None:
    assert shell.json("archive", "sync", str(notes))["added"] == 4
    again = shell.json("archive", "sync", str(notes))
    assert (again["added"], again["unchanged"]) == (0, 4)
    (notes / "plain.txt").write_text("Now it is about cucumbers.\n")
    (notes / "page.html").unlink()
    third = shell.json("archive", "sync", str(notes))
    assert (third["changed"], third["removed"]) == (1, 1)
    found = shell.json("archive", "search", "cucumbers")
    assert found["results"][0]["document"]["path"] == "research-archive/plain.txt"
    shell.run("archive", "search", "tomatoes", "--exact", code=3)


def test_the_seed_s_example_gives_its_facts(shell: Shell, notes: Path) -> None:
    shell.run("archive", "sync", str(notes))
    found = shell.json("archive", "search", "machine learning", "--citations", "--limit", "5")
    first = next(row for row in found["results"] if "intro" in row["document"]["path"])
    assert first["document"]["path"] == "research-archive/2025-05-20/machine_learning_intro.md"
    assert first["document"]["source"] == "research"
    assert first["document"]["date"] == "2025-05-20"
    assert first["highlights"][0] == {
        "field": "title",
        "snippets": [{"text": "Introduction to Machine Learning", "spans": [[16, 32]]}],
    }
    citing = first["citations"]["citing"][0]
    assert citing["target_url"] == "https://example.com/ml-algorithms"
    assert citing["target_id"] is not None
    assert "For more information on ML algorithms" in citing["context"]
    assert {node["label"] for node in found["citation_graph"]["nodes"]} >= {"Machine Learning Algorithms"}
    assert "graph LR" in shell.run("archive", "graph", "machine", "learning").stdout


def test_collections_are_filled_listed_searched_and_carried_out(shell: Shell, notes: Path, tmp_path: Path) -> None:
    shell.run("archive", "sync", str(notes), "--collection", "Thesis")
    shell.run("archive", "add", "Tomatoes need sun.", "--title", "Sun", "--collection", "garden")
    listed = {row["name"]: row["documents"] for row in shell.json("archive", "collections")["collections"]}
    assert listed == {"Thesis": 4, "research-archive": 4, "garden": 1, "ml": 1, "saved": 1}
    assert "4  Thesis" in shell.run("archive", "collections").stdout
    both = shell.json("archive", "search", "tomatoes")
    assert len(both["results"]) == 2
    found = shell.json("archive", "search", "tomatoes", "--collection", "garden")
    assert [row["document"]["title"] for row in found["results"]] == ["Sun"]
    out = tmp_path / "thesis.jsonl"
    assert shell.json("archive", "export", str(out), "--collection", "thesis")["documents"] == 4
    assert shell.json("archive", "export", str(tmp_path / "x.bib"), "--collection", "garden")["documents"] == 1


def test_a_misspelt_query_is_corrected_and_told(shell: Shell, notes: Path) -> None:
    shell.run("archive", "sync", str(notes))
    found = shell.json("archive", "search", "machne lerning")
    assert found["corrected_query"] == "machine learning"
    assert found["results"]


@pytest.mark.parametrize("place", ["out", "out.jsonl", "out.warc"])
def test_what_is_exported_comes_back_whole(tmp_path: Path, shell: Shell, notes: Path, place: str) -> None:
    shell.run("archive", "sync", str(notes))
    shell.run("archive", "export", str(tmp_path / place))
    other = Shell(tmp_path / "other", MCP_WEB_EMBEDDINGS="none")
    assert other.json("archive", "import", str(tmp_path / place))["documents"] == 4
    kept, taken = shell.json("cache", "list"), other.json("cache", "list")
    assert {(row["snapshot"], row["title"]) for row in kept} == {(row["snapshot"], row["title"]) for row in taken}


@pytest.mark.parametrize(("place", "mark"), [("out.bib", "@"), ("out.json", "[")])
def test_bibliographies_are_written_and_read(tmp_path: Path, shell: Shell, notes: Path, place: str, mark: str) -> None:
    shell.run("archive", "sync", str(notes))
    shell.run("archive", "export", str(tmp_path / place))
    assert (tmp_path / place).read_text().lstrip().startswith(mark)
    other = Shell(tmp_path / "other", MCP_WEB_EMBEDDINGS="none")
    assert other.json("archive", "import", str(tmp_path / place))["documents"] >= 1


def test_a_site_is_crawled_into_the_archive_and_again_only_for_what_changed(miniweb: MiniWeb, tmp_path: Path) -> None:
    site = miniweb.site("docs.example")
    base = site.loopback_url("/").rstrip("/")
    listed = "".join(f"<url><loc>{base}/docs/{name}</loc></url>" for name in ("a", "b"))
    site.page("/sitemap.xml", f"<urlset>{listed}</urlset>", headers={"content-type": "application/xml"})
    site.page(
        "/docs/",
        article("Index", "Start").replace(
            "</article>", "<p>See <a href=/docs/c>c</a> and <a href=/x>x</a>.</p></article>"
        ),
    )
    for name in "abc":
        site.page(f"/docs/{name}", article(f"Page {name}", "Part"), headers={"etag": f'"{name}1"'})
    shell = Shell(tmp_path / "data", MCP_WEB_ALLOW_PRIVATE=site.exemption, MCP_WEB_EMBEDDINGS="none")
    first = shell.json("archive", "crawl", f"{base}/docs/")
    assert (first["pages"], first["new"], first["failed"]) == (4, 4, [])
    assert not site.asked("/x")
    site.page("/docs/b", article("Page b", "New part"))
    second = shell.json("archive", "crawl", f"{base}/docs/")
    assert (second["changed"], second["unchanged"], second["new"]) == (1, 3, 0)
    part = shell.json("archive", "crawl", f"{base}/docs/", "--max-pages", "2")
    assert part["left"] >= 1
    rest = shell.json("archive", "crawl", f"{base}/docs/")
    assert part["pages"] + rest["pages"] == 4


def test_a_watched_page_reports_what_changed_by_section(miniweb: MiniWeb, tmp_path: Path) -> None:
    site = miniweb.site("docs.example")
    site.page("/w", article("Watched", "Alpha"))
    url = site.loopback_url("/w")
    shell = Shell(tmp_path / "data", MCP_WEB_ALLOW_PRIVATE=site.exemption)
    assert shell.json("watch", url)["state"] == "new"
    assert shell.json("watch")["state"] == "same"
    site.page("/w", article("Watched", "Beta"))
    feed = tmp_path / "feed.xml"
    changed = shell.json("watch", "--feed", str(feed))
    assert changed["state"] == "changed"
    assert {row["change"] for row in changed["changes"]} == {"added", "removed"}
    assert "<feed" in feed.read_text()
    site.page("/w", "gone", status=500)
    assert shell.json("watch", code=1)["state"] == "failed"
    assert shell.json("watch", "--remove", url) == []


@pytest.fixture
async def caller(miniweb: MiniWeb, tmp_path: Path) -> object:
    async with tool_caller(miniweb, tmp_path) as made:
        yield made


@pytest.mark.anyio
async def test_what_was_read_is_found_by_meaning_and_marked_as_seen(caller: ToolCaller, miniweb: MiniWeb) -> None:
    page = "<main><h1>Felines</h1><p>" + "Cats sleep most of the day and hunt at dusk. " * 8 + "</p></main>"
    url = miniweb.site("pets.example").page("/cats", page)
    await caller.call("web_open", url=url)
    await embed_documents(caller.app)
    found = await caller.data("archive_search", query="when do kittens rest", mode="semantic")
    assert found["results"][0]["document"]["url"] == url
    assert found["metadata"]["mode"] == "semantic"
    for mode in ("hybrid", "semantic"):
        nothing = await caller.data("archive_search", query="zzzznothing", mode=mode)
        assert nothing["results"] == []
        assert any(note.endswith("is near in meaning.") for note in nothing["notes"])
    assert (await caller.data("archive_search", query="slepe moost", fuzzy=False))["results"] == []


@pytest.mark.anyio
async def test_only_what_answers_is_read_and_every_passage_can_be_checked(caller: ToolCaller, miniweb: MiniWeb) -> None:
    parts = ["Installation", "Configuration", "Licence"]
    url = miniweb.site("docs.example").page("/long", article("Manual", *parts))
    answer = await caller.data("web_read", url=url, query=["how is configuration explained", "capital of France"])
    first, second = answer["queries"]
    assert first["answered"]
    assert "Configuration is explained" in first["results"][0]["text"]
    assert not second["answered"]
    assert all(one["score"] < 0.1 for one in second["results"])
    passage = first["results"][0]
    kept = await (await caller.app.store()).snapshot(answer["snapshot"])
    assert kept is not None
    assert kept.document.markdown[passage["start"] : passage["end"]] == passage["text"]
    quotes = [passage["text"].strip().partition(". ")[0], "Configuration was never mentioned in any manual"]
    checked = await caller.data("verify_quotes", source=passage["id"].split("#")[0], quotes=json.dumps(quotes))
    assert [row["verdict"] for row in checked["quotes"]] == ["exact", "absent"]
    unknown = await caller.call("verify_quotes", source="resource://cache/deadbeef", quotes=quotes)
    assert unknown.meta["error"]["code"] == "NOT_FOUND"


@pytest.mark.anyio
async def test_protected_pages_say_so(caller: ToolCaller, miniweb: MiniWeb) -> None:
    site = miniweb.site("closed.example")
    site.route("/secret", lambda request: Reply("no", status=403))
    result = await caller.call("web_read", url="https://closed.example/secret", query="anything")
    assert result.meta["error"]["status_code"] == 403
    assert result.meta["error"]["details"]["note"] == "content protected"


@pytest.mark.anyio
async def test_an_address_is_saved_as_a_page_however_its_scheme_is_written(miniweb: MiniWeb, tmp_path: Path) -> None:
    url = miniweb.site("docs.example").page("/valves", article("Valves", "Setup"))
    async with tool_caller(miniweb, tmp_path, MCP_WEB_EMBEDDINGS="none") as caller:
        saved = await caller.data("archive_add", content=url.replace("https", "HTTPS"), title="Valves")
    assert saved["url"] == url
