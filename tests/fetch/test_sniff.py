"""What a body is, and in which encoding."""

from __future__ import annotations

import io
import zipfile

import pytest

from mcp_web.fetch.sniff import charset_of, media_type

HTML = b"<!DOCTYPE html><html><body>x</body></html>"
PDF = b"%PDF-1.7\n%..."
PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 50
JSON = b'{"a": [1, 2]}\n'
RSS = b'<?xml version="1.0"?>\n<rss version="2.0"><channel></channel></rss>'
ATOM = b'<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"></feed>'


def zipped(*names: str, first: bytes = b"x") -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in names:
            archive.writestr(name, first)
    return buffer.getvalue()


WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
DOCX = zipped("[Content_Types].xml", "word/document.xml")
ODT = zipped("mimetype", first=b"application/vnd.oasis.opendocument.text")


@pytest.mark.parametrize(
    ("header", "body", "path", "kind"),
    [
        ("text/html; charset=utf-8", HTML, "/", "text/html"),
        ("TEXT/HTML", HTML, "/", "text/html"),
        ("text/plain", b"ID3 is a container for metadata.", "/id3.txt", "text/plain"),
        (None, b"ID3\x04\x00" + bytes(20), "/", "audio/mpeg"),
        (None, HTML, "/", "text/html"),
        ("", b"\xef\xbb\xbf  <html>", "/", "text/html"),
        ("application/octet-stream", HTML, "/", "text/html"),
        ("nonsense", b"just words", "/", "text/plain"),
        ("text/plain", HTML, "/", "text/plain"),
        ("text/plain", b"# Title", "/README.md", "text/markdown"),
        ("text/markdown; charset=utf-8", b"# Title", "/", "text/markdown"),
        ("text/html", PDF, "/", "application/pdf"),
        ("application/octet-stream", PDF, "/x.pdf", "application/pdf"),
        ("text/html", PNG, "/", "image/png"),
        ("application/json; charset=utf-8", JSON, "/", "application/json"),
        (None, JSON, "/", "application/json"),
        ("text/plain", JSON, "/x.json", "application/json"),
        ("application/ld+json", JSON, "/", "application/ld+json"),
        ("text/xml", RSS, "/", "application/rss+xml"),
        ("application/xml", ATOM, "/", "application/atom+xml"),
        (None, RSS, "/", "application/rss+xml"),
        (None, b"<?xml version='1.0'?><a/>", "/", "application/xml"),
        ("application/octet-stream", DOCX, "/", WORD),
        ("application/zip", DOCX, "/", WORD),
        (None, ODT, "/", "application/vnd.oasis.opendocument.text"),
        (None, zipped("a.txt"), "/", "application/zip"),
        (None, bytes(range(256)), "/", "application/octet-stream"),
        (None, b"", "/", "text/plain"),
        ("image/svg+xml", b"<svg></svg>", "/", "image/svg+xml"),
    ],
)
def test_the_type_is_what_header_and_bytes_say_together(header: str | None, body: bytes, path: str, kind: str) -> None:
    assert media_type(header, body, f"https://x.example{path}") == kind


@pytest.mark.parametrize(
    ("header", "charset"),
    [
        ("text/html; charset=UTF-8", "utf-8"),
        ('text/html; charset="iso-8859-1"', "iso-8859-1"),
        ("text/html;charset=Shift_JIS; x=y", "shift_jis"),
        ("text/html", None),
        (None, None),
    ],
)
def test_the_character_set_is_the_label_of_the_header(header: str | None, charset: str | None) -> None:
    assert charset_of(header) == charset
