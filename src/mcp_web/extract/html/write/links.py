"""Links: made absolute, checked for safety, each recorded once."""

from __future__ import annotations

import re
from urllib.parse import urljoin

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
    """Resolves URLs against that of the page, and records the links of its content in order."""

    def __init__(self, base_url: str) -> None:
        self._base = base_url
        self._here = bare(_written(base_url.partition("#")[0]))
        self._folder = urljoin(base_url, ".")
        self.recorded: dict[str, str] = {}

    def resolve(self, href: str) -> str | None:
        """The absolute URL, as it is written in a Markdown link; None if a reader could not follow it."""
        href = href.strip()
        if href.startswith("#"):
            return _written(self._here + href) if len(href) > 1 and href != "#!" else None
        if not href:
            return None
        # Browsers ignore tabs and line ends in a URL: "java\nscript:" is a script too.
        scheme = _SCHEME.match(_CONTROL.sub("", href))
        target = _LINE_ENDS.sub("", href).strip(_EDGES)
        if scheme is not None:
            if scheme[0].lower() not in _KEPT_SCHEMES:
                return None
            if "/../" not in target and "/./" not in target:
                return _written(target)
        if not target:
            return None
        if "//" in target and "/." not in target and target[0] not in "/.?#" and "://" in self._folder:
            return _written(self._folder + target)  # in a path, `urljoin` would take two slashes for one
        try:
            return _written(urljoin(self._base, target))
        except ValueError:
            return None

    def is_here(self, url: str) -> bool:
        """Whether a resolved target is a place on this page."""
        return "#" in url and bare(url).partition("#")[0] == self._here

    def remember(self, url: str, text: str) -> None:
        """Record a link of the page; the first text of a URL counts."""
        self.recorded.setdefault(url, text)

    def all(self) -> tuple[Link, ...]:
        """The recorded links, each URL once, in the order of their first occurrence."""
        return tuple(Link(inline_text(text), bare(url)) for url, text in self.recorded.items())


def _written(url: str) -> str:
    """The URL without control characters, percent-encoded or in angle brackets so that it cannot end the link."""
    if _NEEDS_CARE.search(url) is None:
        return url
    url = "".join(_UNSAFE.get(char, char) for char in url)
    url = _CONTROL.sub("", url)
    # Parentheses are valid in a URL, but many parsers end the link at them; in angle brackets they do not.
    return f"<{url}>" if "(" in url or ")" in url else url


def bare(url: str) -> str:
    """The URL without the angle brackets of its Markdown form."""
    return url[1:-1] if url.startswith("<") else url
