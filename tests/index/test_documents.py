"""What the model embeds of a document."""

from __future__ import annotations

from mcp_web.index.documents import SHORT_CHARS, section_texts, summary

from contracts.store_samples import snapshot  # isort: skip

FILLER = "Other things are told here at length. " * 20
SECTIONS = "".join(f"\n\n## Part {number}\n\n{FILLER}" for number in range(12))


def test_a_long_document_is_embedded_by_its_summary_and_its_first_sections() -> None:
    page = snapshot(text=f"# Manual\n\nBegins here.{SECTIONS}", title="Manual")
    texts = section_texts(page)
    assert [text.splitlines()[1] for text in texts] == ["Begins here.", *(f"Part {number}" for number in range(7))]
    assert all(text.startswith("Manual\n") for text in texts)
    assert max(map(len, texts)) < len(summary(page))


def test_a_short_document_is_embedded_as_a_whole() -> None:
    page = snapshot(text="## One\n\nShort.\n\n## Two\n\nShort too.")
    assert section_texts(page) == []
    assert "Short too." in summary(page)


def test_sections_that_say_the_same_are_embedded_once() -> None:
    page = snapshot(text="\n\n".join(["## Note", "See above."] * 4) + FILLER * 3, title="")
    assert len(page.document.markdown) > SHORT_CHARS
    assert len(section_texts(page)) == 2
