"""Links: made absolute, checked for safety, each recorded once."""

from __future__ import annotations

import re
from urllib.parse import urljoin, urlsplit

from mcp_web.model.page import Link
from mcp_web.text.inline import inline_text

_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.\-]*:")
_KEPT_SCHEMES = ("http:", "https:", "mailto:", "tel:", "ftp:", "magnet:", "doi:", "geo:", "sms:", "xmpp:", "irc:")
_CONTROL = re.compile(r"[\x00-\x20\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_LINE_ENDS = re.compile(r"[\t\n\r]")
_EDGES = "".join(map(chr, range(33)))
_UNSAFE = {" ": "%20", "<": "%3C", ">": "%3E", '"': "%22", "`": "%60", "\\": "%5C", "|": "%7C"}
_NEEDS_CARE = re.compile(r'[\x00-\x20\x7f-\x9f<>"`\\|()\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]')


class Links:
    """Resolves targets against the page's address and remembers what was linked, in order."""

    __slots__ = ("_base", "_cache", "_folders", "_here", "_origin", "met")

    def __init__(self, base_url: str) -> None:
        self._base = base_url
        self._here = base_url.partition("#")[0]
        parts = urlsplit(base_url)
        self._origin = f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""
        # The folder of the page and the one above it, each ending in a slash.
        folder = parts.path.rpartition("/")[0]
        plain_path = parts.path.startswith("/") and "/." not in parts.path and "//" not in parts.path
        self._folders = [f"{self._origin}{folder}/"] if plain_path else []
        if folder and plain_path:
            self._folders.append(f"{self._origin}{folder.rpartition('/')[0]}/")
        self._cache: dict[str, str | None] = {}
        self.met: dict[str, str] = {}

    def resolve(self, href: str) -> str | None:
        """The absolute target as a Markdown link holds it, or None where a reader could not follow it."""
        try:
            return self._cache[href]
        except KeyError:
            target = self._cache[href] = self._resolve(href.strip())
            return target

    def _resolve(self, href: str) -> str | None:
        if href.startswith("#"):
            return _written(self._here + href) if len(href) > 1 and href != "#!" else None
        if not href:
            return None
        # Browsers drop tabs and line ends inside a URL: "java\nscript:" is a script all the same.
        odd = _NEEDS_CARE.search(href) is not None
        scheme = _SCHEME.match(_CONTROL.sub("", href) if odd else href)
        target = _LINE_ENDS.sub("", href).strip(_EDGES) if odd else href
        if scheme is not None:
            if scheme[0].lower() not in _KEPT_SCHEMES:
                return None
            if "/../" not in target and "/./" not in target:
                return _written(target) if odd else target
        if not target:
            return None
        try:
            return _written(self._joined(target))
        except ValueError:
            return None

    def _joined(self, target: str) -> str:
        """`urljoin`, with the plain cases that make up nearly all links of a page done by hand."""
        if self._origin and "/." not in target[3:] and "\\" not in target:
            if target[0] == "/" and target[1:2] not in ("/", "."):
                return self._origin + target
            up = 1 if target.startswith("../") else 0
            rest = target[3:] if up else target
            if rest and rest[0] not in "/?#." and up < len(self._folders):
                return self._folders[up] + rest
        return urljoin(self._base, target)

    def remember(self, url: str, text: str) -> None:
        if url not in self.met:
            self.met[url] = text

    def all(self) -> tuple[Link, ...]:
        return tuple(Link(inline_text(text), bare(url)) for url, text in self.met.items())


def _written(url: str) -> str:
    """The URL in a form that cannot leave the parentheses of a Markdown link."""
    if _NEEDS_CARE.search(url) is None:
        return url
    url = "".join(_UNSAFE.get(char, char) for char in url)
    url = _CONTROL.sub("", url)
    # Parentheses are legal in a URL and end a Markdown link for many a reader: angle brackets hold them.
    return f"<{url}>" if "(" in url or ")" in url else url


def bare(url: str) -> str:
    """The URL without the angle brackets of its Markdown form."""
    return url[1:-1] if url.startswith("<") else url
