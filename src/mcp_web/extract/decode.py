"""Decodes text. The encoding is that of the byte-order mark, the header, the declaration in the text, or detected.

Only the labels of the WHATWG Encoding Standard are accepted: "iso-8859-1" means windows-1252, "gb2312" means gbk. A
label such as "zlib_codec" never reaches Python's codec registry.
"""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from mcp_web.model.page import Fetched
from mcp_web.text.amounts import amount

_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16le"), (b"\xfe\xff", "utf-16be"))
_XML_DECLARATION = re.compile(rb"""^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9._:-]{1,40})["']""")
_UTF_8 = ("utf-8", "utf8")  # if the bytes are valid, Python's decoder reads them, which is faster
_UNICODE = (*_UTF_8, "utf-16le", "utf-16be")  # Python's codecs raise for invalid bytes, those of WHATWG never do
_LABEL = re.compile(r"[A-Za-z0-9._:-]{1,40}")


@dataclass(frozen=True, slots=True)
class Decoded:
    """A text decoded from bytes, with its encoding and how many byte sequences were not valid in it."""

    text: str
    encoding: str  # WHATWG name
    damaged: int  # byte sequences that are not valid in that encoding

    @property
    def notes(self) -> tuple[str, ...]:
        """One note that says how many characters could not be decoded; empty if all could."""
        if not self.damaged:
            return ()
        return (f"{amount(self.damaged, 'character')} could not be decoded as {self.encoding}, shown as \ufffd.",)


def decode(page: Fetched) -> Decoded:
    """Decode the body of a page, with U+FFFD for invalid bytes; never raises.

    The encoding is that of the byte-order mark, the header or the declaration in the text, whichever comes first; else
    UTF-8 if the bytes are valid, else a detected one.
    """
    body = page.body
    for mark, name in _BOMS:
        if body.startswith(mark):
            return _read(body[len(mark) :], name)
    declared = known_label(page.charset) or _declared(body, page.media_type)
    if declared and declared not in _UTF_8:
        return _read(body, declared)
    try:
        return Decoded(body.decode("utf-8"), "utf-8", 0)
    except UnicodeDecodeError:
        return _read(body, declared or _detected(body, page.final_url))


def known_label(label: str | None) -> str | None:
    """The label of an encoding in lower case if the WHATWG Encoding Standard has it, else None."""
    import codecs

    import turbohtml.detect  # noqa: F401  importing it registers the whatwg-* codecs

    name = (label or "").strip().lower()
    name = "euc-kr" if name.startswith("ks_c_5601-") else name  # the only label that the codecs lack
    if not _LABEL.fullmatch(name):
        return None
    try:
        codecs.lookup(f"whatwg-{name}")
    except LookupError:
        return None
    return name


def _declared(body: bytes, media_type: str) -> str | None:
    """The encoding that an HTML or XML text declares in itself, in lower case, or None. A declaration of UTF-16 counts
    as UTF-8, because it could not be read as ASCII if it were true."""
    found: str | None = None
    if media_type in ("text/html", "application/xhtml+xml"):
        from turbohtml import parse

        found = parse(body[:1024]).encoding if b"charset" in body[:1024].lower() else None
    elif match := _XML_DECLARATION.match(body[:400]):
        found = known_label(match.group(1).decode("ascii"))
    if found and found.lower().startswith("utf-16"):
        return "utf-8"
    return found.lower() if found else None


def _detected(body: bytes, url: str) -> str:
    """The encoding that the bytes are likely in, by default windows-1252; the top-level domain of `url` is a hint."""
    from turbohtml.detect import Detection, detect

    tld = (urlsplit(url).hostname or "").rpartition(".")[2].lower()
    hint = tld if tld.isascii() and tld.isalpha() else None
    # The first 256 KiB are enough to detect it, and limit the time.
    return (detect(body[: 1 << 18], Detection(tld=hint)).encoding or "windows-1252").lower()


def _read(body: bytes, name: str) -> Decoded:
    """The bytes decoded from the encoding `name`, with U+FFFD for those that are not valid in it."""
    import turbohtml.detect  # noqa: F401  importing it registers the whatwg-* codecs

    if name in _UNICODE:
        with contextlib.suppress(UnicodeDecodeError):
            return Decoded(body.decode(name), name, 0)  # a U+FFFD in it is a character of the text
    text = body.decode(f"whatwg-{name}")
    return Decoded(text, name, text.count("\ufffd"))
