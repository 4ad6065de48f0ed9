"""Makes a hit from a provider's result: text on one clean line without markup, and an address that can be shown."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from html import unescape
from urllib.parse import quote

from mcp_web.model.search import Hit
from mcp_web.search.dates import published
from mcp_web.text.shorten import shortened_at_word
from mcp_web.text.urls import domain_of

# Long enough to recognise near-duplicates; what an agent sees is cut once more at the end.
_KEPT_CHARS = 1200


def make_hit(
    title: object,
    url: object,
    text: object = "",
    *,
    engines: Iterable[str] = (),
    date: object = None,
    extra: Iterable[object] = (),
    thumbnail: object = None,
    image: object = None,
    source: object = None,
    language: str | None = None,
) -> Hit | None:
    """A hit from the fields of a provider's result, with cleaned texts; None if `url` is not an http(s) URL. `date`
    (text or seconds since 1970) becomes an ISO date; `language` is for one such as "vor 2 Tagen"."""
    address = _address(url)
    domain = domain_of(address) if address else ""
    if not address or not domain:
        return None
    return Hit(
        title=clean(str(title) if isinstance(title, (str, int)) else "", 300) or domain,
        url=address,
        snippet=snippet(text if isinstance(text, str) else "", _KEPT_CHARS),
        domain=domain,
        extra_snippets=tuple(snippet(part, _KEPT_CHARS) for part in extra if isinstance(part, str) and part.strip()),
        published=published(date, language=language),
        engines=tuple(name for one in engines if (name := clean(one, 40))),
        thumbnail=_address(unescape(thumbnail) if isinstance(thumbnail, str) else None),  # often taken out of a page
        image=_address(unescape(image) if isinstance(image, str) else None),
        source_name=clean(source, 80) if isinstance(source, str) and source else None,
    )


_REMOVED = re.compile(r"[\t\r\n]")  # from URLs, as every URL parser does
# Characters that must be percent-encoded in a URL; unencoded, they could break a line or reverse the text around them.
_UNSAFE = re.compile(r"[\x00-\x20\"<>`\x7f-\xa0\u00ad\u061c\u2000-\u200f\u2028-\u202f\u205f-\u206f\ufeff\ud800-\udfff]")


def _address(value: object) -> str | None:
    """The http(s) URL in a field of a provider, with unsafe characters encoded; `//host` is taken as https. None for
    anything else: another scheme, a relative URL, a value that is not text."""
    if not isinstance(value, str):
        return None
    address = _REMOVED.sub("", value.strip())
    address = f"https:{address}" if address.startswith("//") else address
    if not address.lower().startswith(("http://", "https://")):
        return None
    try:
        return _UNSAFE.sub(lambda found: quote(found[0]), address)
    except UnicodeEncodeError:  # a lone surrogate
        return None


SNIPPET_CHARS = 200

_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,500}>|<!--.*?-->", re.DOTALL)
_SPACES = re.compile(r"\s+")
_TRAILING_DOTS = re.compile(r"(?:\s*(?:\.{3,}|…)\s*)+$")
_INNER_DOTS = re.compile(r"(?:\s*(?:\.{3,}|…)\s*){2,}")


def clean(text: str, limit: int | None = None) -> str:
    """The text on one line, without tags, control and zero-width characters, entities decoded, cut at a word to `limit`
    characters."""
    if not text:
        return ""
    plain = unescape(_TAG.sub("", text))
    if "&" in plain or "<" in plain:
        # Providers escape text that was escaped before ("&amp;#39;"), so a second round; a tag that appears only
        # now was text on the page ("how to use &lt;b&gt;") and stays.
        plain = unescape(plain)
    visible = plain
    if not plain.isprintable():
        visible = "".join(_SPACE_OR_NOTHING.get(unicodedata.category(char), char) for char in plain)
    line = _SPACES.sub(" ", unicodedata.normalize("NFC", visible)).strip()
    return line if limit is None else shortened_at_word(line, limit)


_SPACE_OR_NOTHING = {"Cc": " ", "Zs": " ", "Zl": " ", "Zp": " ", "Cf": "", "Cs": "", "Co": "", "Cn": ""}


def snippet(text: str, limit: int = SNIPPET_CHARS) -> str:
    """A snippet, cleaned and cut at a word to `limit` characters; repeated or trailing "..." become one "…"."""
    line = _INNER_DOTS.sub(" … ", clean(text))
    ended = _TRAILING_DOTS.sub(" …", line).strip()
    return "" if ended == "…" else shortened_at_word(ended, limit)
