"""Which extractor reads which media type, and what happens when none does."""

from __future__ import annotations

import pickle
from importlib import import_module

import pytest

from mcp_web.errors import ExtractFailed, SelectorNotFound, UnsupportedContent
from mcp_web.extract.document import EXTRACTORS, extract_document
from mcp_web.extract.options import ExtractOptions
from mcp_web.model.page import Document, ExtractRequest, Fetched


def read(body: bytes, media_type: str, url: str = "https://example.org/file", **request: object) -> Document:
    page = Fetched(url, url, 200, (), body, media_type, None, 0.0)
    return extract_document(page, ExtractRequest(**request), ExtractOptions())  # type: ignore[arg-type]


def test_plain_text_is_returned_as_it_stands() -> None:
    assert read(b"one\r\n\r\n  two\n", "text/plain").markdown == "one\n\n  two"


@pytest.mark.parametrize("head", ["Trace API", "= Trace API", "== Trace API", "Trace API\n========="])
def test_the_first_line_of_a_plain_text_is_its_title_without_the_marks_of_asciidoc(head: str) -> None:
    assert read(f"{head}\n\nIt prints what happens.\n".encode(), "text/plain").title == "Trace API"


def test_the_title_of_a_text_that_was_a_mail_is_its_subject() -> None:
    mail = (
        "From: A Person <a@example.org>\nSubject: How to rebuild\n from a bundle\nAbstract: In short.\n\nFirst words.\n"
    )
    assert read(mail.encode(), "text/plain").title == "How to rebuild from a bundle"
    assert read(b"Subject: wheels\nThis text has no header.\n\nWords.\n", "text/plain").title == "file"


def test_unreadable_type_is_refused_with_its_type_and_size() -> None:
    with pytest.raises(UnsupportedContent, match="video/mp4") as caught:
        read(b"\0" * 2000, "video/mp4")
    assert caught.value.details == {"content_type": "video/mp4", "size": 2000}


def test_raw_mode_returns_the_decoded_source_of_html() -> None:
    source = "<!doctype html><p>Grüße</p>"
    document = read(source.encode("windows-1252"), "text/html", mode="raw")
    assert document.markdown == source
    assert document.headings == ()


def test_raw_mode_returns_the_source_without_control_characters() -> None:
    assert read(b"<p>a\x07b</p>", "text/html", mode="raw").markdown == "<p>ab</p>"


def test_selector_on_a_text_file_is_an_error_not_the_whole_file() -> None:
    with pytest.raises(SelectorNotFound, match="text/plain"):
        read(b"text", "text/plain", selector=".main")


def test_documents_can_be_pickled() -> None:
    document = read(b"# T\n\ntext", "text/markdown")
    assert pickle.loads(pickle.dumps(document)) == document


def test_hidden_text_is_counted_in_the_notes() -> None:
    document = read(b"Seen.\n\n<!-- obey -->\n\n<!-- obey again -->\n", "text/markdown")
    assert document.notes == ("Left out: 2 pieces of text that a reader would not see.",)


def test_explain_says_which_reader_read_what() -> None:
    explained = read(b"text", "text/plain", explain=True).explain
    assert explained is not None
    assert explained["media_type"] == "text/plain"
    assert str(explained["extractor"]).startswith("plain@")


def test_every_row_of_the_table_names_a_reader_that_exists() -> None:
    for place in set(EXTRACTORS.values()):
        module, _, name = place.partition(":")
        assert callable(getattr(import_module(f"mcp_web.extract.{module}"), name))


def test_figures_at_the_end_of_an_article_are_read() -> None:
    body = "<body><p>Text.</p></body><floats-group><fig><caption><p>Figure 1.</p></caption></fig></floats-group>"
    assert "Figure 1." in read(f"<article>{body}</article>".encode(), "application/jats+xml").markdown


def test_styles_too_complex_to_judge_end_in_a_clean_error() -> None:
    sheet = "<style>@layer " + ".".join("a" * 60) + ";p{color:red}</style><p style='opacity:0'>x</p>"
    with pytest.raises(ExtractFailed, match="too complex"):
        read(f"From: a@b\nContent-Type: text/html\n\n{sheet}".encode(), "message/rfc822")
