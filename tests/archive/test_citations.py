from __future__ import annotations

import time

import pytest

from mcp_web.archive.citations import MOST, joined_path, mentions, names_of, url_name
from mcp_web.archive.derive import document_date
from mcp_web.model.page import Document, Metadata
from mcp_web.text.papers import identifier_in

from contracts.store_samples import snapshot  # isort: skip


def _found(
    text: str, base: str = "https://site.example/dir/page", path: str | None = None
) -> dict[str, tuple[str, float]]:
    return {item.name: (item.kind, item.confidence) for item in mentions(text, base, path)}


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("See [it](https://www.a.example/x/).", "//a.example/x", "link"),
        ('See [it](<https://a.example/x> "Title").', "//a.example/x", "link"),
        ("See [it](../other?utm_source=x&b=1#frag).", "//site.example/other?b=1", "link"),
        ("See [wiki](https://en.wikipedia.example/A_(b)).", "//en.wikipedia.example/A_(b)", "link"),
        ("See [it][1].\n\n[1]: https://a.example/x", "//a.example/x", "reference"),
        ("See [it][].\n\n[It]: <https://a.example/x> 'T'", "//a.example/x", "reference"),
        ("See [[Some Page|label]].", "wiki:some page", "wiki"),
        ("Look at https://a.example/x, or not.", "//a.example/x", "url"),
        ("Look <https://a.example/x>.", "//a.example/x", "url"),
        ("(https://a.example/x)", "//a.example/x", "url"),
        ("As in doi:10.1000/Xyz.(2020)12.", "doi:10.1000/xyz.(2020)12", "doi"),
        ("[paper](https://doi.org/10.1000/ABC)", "doi:10.1000/abc", "doi"),
        ("arXiv:2101.12345v2 shows", "arxiv:2101.12345", "arxiv"),
        ("[p](https://arxiv.org/pdf/2101.12345v1.pdf)", "arxiv:2101.12345", "arxiv"),
    ],
)
def test_each_way_of_citing_is_read(text: str, name: str, kind: str) -> None:
    assert _found(text)[name][0] == kind


@pytest.mark.parametrize(
    "text",
    [
        "`[code](https://a.example/)`",
        "```\n[code](https://a.example/)\nhttps://b.example/\n```",
        "![image](https://a.example/i.png)",
        "[top](#section) [mail](mailto:a@b.example) [js](javascript:alert(1))",
        "version 10.1 of 2020/21",
    ],
)
def test_what_is_no_citation_is_left_alone(text: str) -> None:
    assert _found(text) == {}


def test_the_sentence_around_a_citation_is_its_context() -> None:
    text = "First one. For more, see [this resource](https://a.example/ml). Then another."
    item = mentions(text)[0]
    assert text[item.start : item.end] == "For more, see [this resource](https://a.example/ml)."


def test_one_target_is_one_citation_by_its_surest_mention() -> None:
    assert _found("https://a.example/x and [it](http://www.a.example/x)") == {"//a.example/x": ("link", 1.0)}


def test_a_definition_that_nothing_uses_is_weak_evidence() -> None:
    definition = "[1]: https://a.example/x"
    assert _found(definition)["//a.example/x"] == ("reference", 0.6)
    assert _found(f"{definition}\n\nSee https://a.example/x now.")["//a.example/x"] == ("url", 0.8)
    assert _found("[1]: <https://doi.org/10.1000/x>\n\nAs in doi:10.1000/x.") == {"doi:10.1000/x": ("doi", 0.9)}


def test_files_cite_each_other_by_relative_paths_that_stay_inside() -> None:
    found = _found("[a](../b/c%20d.md#x) [out](../../../etc/passwd) [abs](/etc/passwd)", path="notes/a/x.md")
    assert found == {"path:notes/b/c d.md": ("link", 1.0)}
    assert joined_path("a/b.md", "../..") is None
    # The folder beside this one on the disk need not be the one that was synced under its name.
    assert joined_path("a/b.md", "../c/d.md") is None
    assert joined_path("a/c/b.md", "..") == "a"


def test_absolute_paths_in_the_sources_of_a_site_are_pages_of_the_same_folder() -> None:
    # As extraction writes `/guide/start#x`, `../api/` and `../` in site/guide/more.md
    found = _found("[a](file:///guide/start#x) [b](file:///site/api/) [c](file:///site/)", path="site/guide/more.md")
    assert set(found) == {"path:site/guide/start", "path:site/api", "path:site"}
    index = snapshot("file:///site/api/index.md", source="research", path="site/api/index.md")
    assert "path:site/api" in names_of(index)


def test_a_document_is_known_by_every_name_it_goes_by() -> None:
    document = Document(
        "My Title",
        "",
        "x",
        metadata=Metadata(canonical_url="https://c.example/", structured_data=({"doi": "10.1234/AB"},)),
    )
    made = snapshot("https://arxiv.org/abs/2101.12345v2", document=document, source="research", path="d/my-note.md")
    assert set(names_of(made)) >= {
        "//arxiv.org/abs/2101.12345v2",
        "arxiv:2101.12345",
        "//c.example",
        "doi:10.1234/ab",
        "path:d/my-note.md",
        "path:d/my-note",
        "wiki:my note",
        "wiki:my title",
    }


def test_names_of_urls_agree_over_spellings() -> None:
    assert url_name("HTTP://WWW.A.example:80/x/#y") == url_name("https://a.example/x?utm_medium=z") == "//a.example/x"
    assert url_name("ftp://a.example/") is None
    assert url_name("https://[bad") is None
    assert identifier_in("https://doi.org/") is None


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        "[a](" * 50_000,
        "[[" * 50_000,
        "`" * 99_999,
        "https://" * 30_000,
        "10.1234/" * 30_000,
        "[a][b]" * 30_000 + "\n\n[b]: x",
        "x" * 2_000_000,
    ],
)
def test_hostile_text_ends_soon(text: str) -> None:
    begun = time.process_time()
    mentions(text)
    # Linear patterns take well under a second of CPU; a quadratic one would take minutes.
    assert time.process_time() - begun < 20


def test_a_link_farm_is_cut_off() -> None:
    assert len(mentions("\n".join(f"[{n}](https://a.example/{n})" for n in range(50_000)))) == MOST


@pytest.mark.parametrize(
    ("published", "path", "expected"),
    [
        ("2025-05-20T10:00:00Z", None, "2025-05-20"),
        (None, "archive/2025-05-20/intro.md", "2025-05-20"),
        (None, "archive/20250520_intro.md", "2025-05-20"),
        (None, "archive/2025-13-40/intro.md", None),
        ("nonsense", "a.md", None),
    ],
)
def test_the_date_of_a_document(published: str | None, path: str | None, expected: str | None) -> None:
    assert document_date(Document("", "", "x", metadata=Metadata(published=published)), path) == expected
