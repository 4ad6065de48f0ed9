"""The encoding of a text by its byte-order mark or its header; without either, the parser detects it."""

from __future__ import annotations

import codecs
import re

# Python's name of a codec → the WHATWG name. A label that leads elsewhere (zlib, rot13, utf-7 …) is not an encoding
# of the web and is ignored; latin-1 and ascii mean windows-1252 there.
_WHATWG = {
    "utf-8": "utf-8",
    "utf-16": "utf-16le",
    "utf-16-le": "utf-16le",
    "utf-16-be": "utf-16be",
    "ascii": "windows-1252",
    "iso8859-1": "windows-1252",
    "cp1252": "windows-1252",
    "cp866": "ibm866",
    "iso8859-9": "windows-1254",
    "iso8859-11": "windows-874",
    "cp874": "windows-874",
    "tis-620": "windows-874",
    "koi8-r": "koi8-r",
    "koi8-u": "koi8-u",
    "mac-roman": "macintosh",
    "mac-cyrillic": "x-mac-cyrillic",
    "gb2312": "gbk",
    "gbk": "gbk",
    "gb18030": "gb18030",
    "big5": "big5",
    "big5hkscs": "big5",
    "euc_jp": "euc-jp",
    "iso2022_jp": "iso-2022-jp",
    "shift_jis": "shift_jis",
    "cp932": "shift_jis",
    "euc_kr": "euc-kr",
    "cp949": "euc-kr",
}
_WHATWG |= {f"iso8859-{part}": f"iso-8859-{part}" for part in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)}
_WHATWG |= {f"cp125{digit}": f"windows-125{digit}" for digit in (0, 1, 3, 4, 5, 6, 7, 8)}
_SPELLINGS = {"utf8": "utf-8", "unicode-1-1-utf-8": "utf-8", "x-sjis": "shift_jis", "windows-31j": "shift_jis"}
_SPELLINGS |= {"x-gbk": "gbk", "x-x-big5": "big5", "ks_c_5601-1987": "euc-kr", "windows-949": "euc-kr"}
_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xfe\xff", "utf-16be"), (b"\xff\xfe", "utf-16le"))
_LABEL = re.compile(r"charset\s*=\s*[\"']?\s*([^\s\"';]+)", re.IGNORECASE)


def charset_of(content_type: str | None, body: bytes) -> str | None:
    """A WHATWG encoding name from the byte-order mark or the header, or None."""
    for mark, name in _MARKS:
        if body.startswith(mark):
            return name
    found = _LABEL.search(content_type or "")
    return whatwg_name(found[1]) if found else None


def whatwg_name(label: str) -> str | None:
    """The encoding a label means on the web, or None for a label that means none."""
    lowered = label.strip().lower()
    lowered = _SPELLINGS.get(lowered, lowered)
    if not re.fullmatch(r"[a-z0-9_.:()-]{1,40}", lowered):
        return None
    try:
        return _WHATWG.get(codecs.lookup(lowered).name)
    except (LookupError, ValueError):
        return None
