"""Bytes → characters: who is believed, in which order."""

from __future__ import annotations

import pytest

from mcp_web.extract.decode import decode, known_label
from mcp_web.model.page import Fetched

TEXT = "Grüße aus Köln – schöne Straßen"


def page(
    body: bytes, charset: str | None = None, media_type: str = "text/plain", url: str = "https://x.de/"
) -> Fetched:
    return Fetched(url, url, 200, (), body, media_type, charset, 0.0)


def test_byte_order_mark_wins_over_the_header() -> None:
    assert decode(page(b"\xef\xbb\xbf" + TEXT.encode(), "windows-1252")).text == TEXT
    assert decode(page(b"\xff\xfe" + TEXT.encode("utf-16-le"), "utf-8")).text == TEXT


def test_header_is_believed_by_its_web_meaning() -> None:
    read = decode(page(TEXT.encode("windows-1252"), "ISO-8859-1"))
    assert (read.text, read.damaged) == (TEXT, 0)


def test_xml_declaration_is_believed() -> None:
    body = '<?xml version="1.0" encoding="windows-1252"?><a>é</a>'.encode("windows-1252")
    assert "<a>é</a>" in decode(page(body, None, "application/xml")).text


def test_declaration_of_utf_16_that_can_be_read_in_ascii_is_utf_8() -> None:
    body = '<?xml version="1.0" encoding="utf-16"?><a>é</a>'.encode()
    assert "<a>é</a>" in decode(page(body, None, "application/xml")).text


def test_meta_declaration_of_html_is_believed() -> None:
    body = b"<meta charset=windows-1251><p>" + "Привет".encode("windows-1251")
    assert "Привет" in decode(page(body, None, "text/html")).text


@pytest.mark.parametrize(
    ("text", "encoding", "url"),
    [
        (TEXT * 5, "utf-8", "https://x.org/"),
        ("Съешь же ещё этих мягких французских булок, да выпей чаю. " * 5, "windows-1251", "https://x.ru/"),
        ("これは日本語の文章です。文字コードを判定します。" * 5, "shift_jis", "https://x.jp/"),
        ("这是一个中文网页的内容，用来检测编码。" * 5, "gb18030", "https://x.cn/"),
    ],
)
def test_undeclared_text_is_detected(text: str, encoding: str, url: str) -> None:
    assert decode(page(text.encode(encoding), None, url=url)).text == text


@pytest.mark.parametrize(
    ("label", "encoding"),
    [
        ("latin1", "windows-1252"),
        ("ascii", "windows-1252"),
        ("gb2312", "gbk"),
        ("cp1251", "windows-1251"),
        ("koi8-r", "koi8-r"),
        ("ks_c_5601-1987", "euc-kr"),
        ("utf8", "utf-8"),
    ],
)
def test_labels_mean_what_browsers_take_them_for(label: str, encoding: str) -> None:
    text = {"gbk": "中文", "euc-kr": "한글", "windows-1251": "да", "koi8-r": "да"}.get(encoding, "é")
    assert decode(page(text.encode(encoding), label)).text == text


@pytest.mark.parametrize("label", ["zlib_codec", "rot13", "unicode_escape", "../x", "", "utf-99", "a" * 500])
def test_labels_the_web_does_not_know_are_not_believed(label: str) -> None:
    assert known_label(label) is None
    assert decode(page(TEXT.encode(), label)).text == TEXT


def test_broken_bytes_are_counted_and_noted() -> None:
    read = decode(page(b"ok \xff\xfe\xfa", "utf-8"))
    assert read.damaged == 3
    assert "3 characters" in read.notes[0]


@pytest.mark.parametrize(("mark", "encoding"), [(b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"", "utf-8")])
def test_replacement_characters_of_the_text_are_not_counted_as_broken(mark: bytes, encoding: str) -> None:
    read = decode(page(mark + "U+FFFD is \ufffd.".encode(encoding)))
    assert (read.text, read.notes) == ("U+FFFD is \ufffd.", ())


def test_empty_body_is_empty_text() -> None:
    assert decode(page(b"")).text == ""
