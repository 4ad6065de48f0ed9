"""Media types by file extension."""

from __future__ import annotations

import pytest

from mcp_web.text.media_types import extension, refined, type_of_name


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("https://a.example/b/Notes.MD?raw=1#top", "md"),
        ("https://a.example/b/data%2Ecsv", "csv"),
        ("https://a.rs/", ""),
        ("https://a.rs", ""),
        ("https://a.example/v1.2/readme", ""),
        ("http://[broken/x.pdf", "pdf"),
        ("folder/paper.tar.gz", "gz"),
        (".md", "md"),
    ],
)
def test_extension_is_that_of_the_last_part_of_the_path(place: str, expected: str) -> None:
    assert extension(place) == expected


def test_a_type_that_says_little_is_replaced_by_that_of_the_name() -> None:
    assert refined("text/plain", "https://a.example/feed.rss") == "application/rss+xml"
    assert refined("application/octet-stream", "https://a.example/paper.pdf") == "application/pdf"
    assert refined("", "https://a.example/unknown.bin") == ""


def test_text_is_never_taken_for_a_binary_file_nor_for_a_page_by_its_name() -> None:
    assert refined("text/plain", "https://a.example/paper.pdf") == "text/plain"
    assert refined("text/plain", "https://a.example/source.html") == "text/plain"


def test_a_type_that_was_sent_wins_over_the_name() -> None:
    assert refined("text/html", "https://a.example/list.csv") == "text/html"
    assert type_of_name("https://a.example/list.csv") == "text/csv"
