"""Makes a hit from a provider's result."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import unescape
from urllib.parse import quote

from mcp_web.model.search import Hit
from mcp_web.search.dates import published
from mcp_web.search.snippets import clean, snippet
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
    """A hit from the fields of a provider, with cleaned text; None if the result has no page to open."""
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
    """The http(s) URL in a field of a provider; None for other schemes, fragments and invalid text."""
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


def present(hits: Iterable[Hit | None]) -> tuple[Hit, ...]:
    """The hits without the Nones, which are results without a page to open."""
    return tuple(hit for hit in hits if hit is not None)
