"""The media type of a body, by its header where that is reliable, else by its first bytes, and its character set."""

from __future__ import annotations

import re

from mcp_web.text.media_types import UNTYPED, refined, text_type_of_name

_LOOK = 1445  # bytes a browser looks at (WHATWG MIME sniffing)
_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"%PDF-", "application/pdf"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"GIF8", "image/gif"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"\x1f\x8b\x08", "application/gzip"),
    (b"Rar!\x1a\x07", "application/vnd.rar"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-ole-storage"),
    (b"{\\rtf", "application/rtf"),
    (b"\x7fELF", "application/x-elf"),
    (b"OggS\x00", "application/ogg"),
    *((b"ID3" + version, "audio/mpeg") for version in (b"\x02", b"\x03", b"\x04")),
    (b"wOFF", "font/woff"),
    (b"wOF2", "font/woff2"),
    (b"SQLite format 3\x00", "application/vnd.sqlite3"),
)
_HTML_START = re.compile(
    rb"(?i)<(?:!doctype html|html|head|body|script|iframe|h1|div|font|table|a|style|title|b|br|p|meta|main|article|!--)"
    rb"[\s>/!-]"
)
_FEED = re.compile(rb"(?is)<(?:rss|feed|rdf:RDF)[\s>]")
_OFFICE = {
    b"word/": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    b"xl/": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    b"ppt/": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
}
_STORED_TYPE = re.compile(rb"mimetype(application/[a-z0-9.+-]+?)(?=PK|[^a-z0-9.+-])")
_TYPE = re.compile(r"[a-z0-9!#$&^_.+-]+/[a-z0-9!#$&^_.+-]+")
_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([^\s\"';]+)", re.IGNORECASE)


def media_type(content_type: str | None, body: bytes, url: str) -> str:
    """The media type of a body by its Content-Type header, its first bytes and its URL; lower case, no parameters.

    `application/octet-stream` for bytes of an unknown format.
    """
    claimed = (content_type or "").partition(";")[0].strip().lower()
    claimed = claimed if _TYPE.fullmatch(claimed) else ""
    head = body[:_LOOK].lstrip(b"\xef\xbb\xbf \t\r\n\f")
    found = _by_magic(body, head)
    if found and (claimed in UNTYPED or not _is_more_specific(claimed, found)):
        return found
    if claimed in UNTYPED:
        return _by_text(body, head, url)
    claimed = refined(claimed, url)
    return (_feed_type(head) if claimed in ("text/xml", "application/xml") else "") or claimed


def charset_of(content_type: str | None) -> str | None:
    """The charset parameter of a Content-Type header, in lower case and unchecked; None if there is none."""
    found = _CHARSET.search(content_type or "")
    return found[1].lower() if found else None


def _is_more_specific(claimed: str, found: str) -> bool:
    """Whether `claimed`, the type in the header, is the type that the bytes show, or a more specific name for it."""
    if found == "application/zip":
        return "zip" in claimed or claimed.startswith(("application/vnd.", "application/epub", "application/java"))
    if found == "application/x-ole-storage":
        return claimed.startswith(("application/vnd.ms-", "application/msword"))
    return claimed == found or (claimed == "text/rtf" and found == "application/rtf")


def _by_magic(body: bytes, head: bytes) -> str | None:
    """The media type of a binary format by its first bytes (`head`: without leading space); None for others."""
    for magic, kind in _MAGIC:
        if head.startswith(magic) or body.startswith(magic):
            return kind
    if body.startswith(b"RIFF") and body[8:12] == b"WEBP":
        return "image/webp"
    if body[4:8] == b"ftyp":
        return "image/avif" if body[8:12] == b"avif" else "video/mp4"
    if body.startswith(b"\x1aE\xdf\xa3"):
        return "video/webm"
    return _inside_zip(body) if body.startswith(b"PK\x03\x04") else None


def _inside_zip(body: bytes) -> str:
    """The media type of a ZIP archive: an office document, an e-book, or a plain archive."""
    stored = _STORED_TYPE.search(body[:200])
    if stored:  # OpenDocument and EPUB name themselves in their first entry
        return stored[1].decode("ascii")
    names = body[:4096] + body[-65536:]
    if b"[Content_Types].xml" in names:
        return next((kind for folder, kind in _OFFICE.items() if folder in names), "application/zip")
    return "application/zip"


def _by_text(body: bytes, head: bytes, url: str) -> str:
    """The media type of a text by its beginning (`head`: no leading space) or file name; octet-stream if binary."""
    if body.startswith((b"\xfe\xff", b"\xff\xfe")):
        return "text/html" if b"<\x00h" in body[:200].lower() or b"\x00<\x00h" in body[:200].lower() else "text/plain"
    # Control characters that no text has are less than a tenth.
    odd = sum(byte < 9 or 14 <= byte < 27 or 28 <= byte < 32 for byte in body[:_LOOK])
    if b"\x00" in body[:_LOOK] or 10 * odd > len(body[:_LOOK]):
        return "application/octet-stream"
    if head.startswith(b"<") and (feed := _feed_type(head)):
        return feed
    if _HTML_START.match(head) or re.search(rb"(?i)<html[\s>]", head):
        return "text/html"
    if head.startswith(b"<?xml"):
        return "application/xml"
    if by_name := text_type_of_name(url):
        return by_name
    if head[:1] in (b"{", b"[") and body.rstrip()[-1:] in (b"}", b"]"):
        return "application/json"
    return "text/plain"


def _feed_type(head: bytes) -> str:
    """The media type of an Atom or RSS feed, by the first bytes of XML; empty for everything else."""
    if not _FEED.search(head):
        return ""
    return "application/atom+xml" if re.search(rb"(?i)<feed[\s>]", head) else "application/rss+xml"
