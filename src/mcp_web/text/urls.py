"""Parses URLs (WHATWG, by ada), and compares pages and domains. Guard, client and cache all use this `href`.

A guard can be bypassed when two parsers disagree about a host, so no other module parses URLs,
and a spelling that other parsers are known to read differently is refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import parse_qsl, quote, unquote, urlencode, urljoin, urlsplit

from mcp_web.errors import InvalidUrl

MAX_CHARS = 8192
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:|[^/?#]*://")  # the second: an invalid scheme
_HOST_AND_PORT = re.compile(r"(?:[^/?#:@\s]+\.[^/?#:@\s]+|localhost|\[[0-9A-Fa-f:.]+\]):\d{1,5}(?:[/?#]|$)", re.I)
_CONTROL = re.compile(r"[\x00-\x1f\x7f\x80-\x9f]")
_DEFAULT_PORTS = {"http": 80, "https": 443}

# Query parameters that record where a click came from and never change the page. Our own list: public ones carry other
# licences.
_TRACKERS = frozenset(
    """gclid gclsrc dclid gbraid wbraid srsltid fbclid msclkid yclid ysclid twclid ttclid li_fat_id igshid igsh
    mc_eid mc_cid mkt_tok _ga _gl _hsenc _hsmi hsctatracking rb_clickid s_cid spm wt_mc wt.mc_id cmpid ref_src ref_url
    _openstat epik vgo_ee sc_cid trk_contact dm_i guccounter guce_referrer guce_referrer_sig""".split()  # noqa: SIM905
)
_TRACKER_PREFIXES = tuple(
    "utm_ mtm_ pk_ piwik_ ga_ fb_ __hs vero_ oly_ otm_ itm_ at_campaign ml_subscriber".split()  # noqa: SIM905
)
_COPY_HOST = re.compile(r"^(?:www\d?|m|mobile|amp)\.(?=[^.]+\.)")  # serves the pages of the host without it
_MOBILE_LABEL = re.compile(r"^([a-z-]+)\.m\.(?=[^.]+\.)")  # en.m.wikipedia.org is en.wikipedia.org
_ENCODED_SLASH = re.compile("%2f", re.IGNORECASE)  # a part of a name, not the end of one
_INDEX_PAGE = re.compile(r"/(?:index\.(?:html?|php|aspx?)|default\.aspx?)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Url:
    """An absolute http(s) URL, canonical: no fragment, no default port, no credentials, host in ASCII. Made by
    `parse_url` and `join`, which raise InvalidUrl; the class itself checks nothing."""

    href: str
    scheme: str
    host: str  # as a socket wants it: IPv6 without brackets
    port: int
    path: str
    query: str  # without the question mark
    origin: str

    @property
    def authority(self) -> str:
        """The value of the Host header: the host and, unless it is the default one, the port."""
        return self.origin.partition("://")[2]

    @property
    def target(self) -> str:
        """The request target: path and query."""
        return f"{self.path}?{self.query}" if self.query else self.path

    def __str__(self) -> str:
        return self.href


@lru_cache(maxsize=256)  # the steps of a call each read its address
def parse_url(text: str) -> Url:
    """Parse the URL that a caller passed: trimmed, with https if it has no scheme, canonical; raises InvalidUrl."""
    trimmed = text.strip(" \t\r\n\f")
    if not trimmed:
        raise InvalidUrl("The URL is empty.")
    _refuse_ambiguous(trimmed)
    return _canonical(_with_scheme(trimmed), None, trimmed)


def join(base: Url, reference: str) -> Url:
    """Resolve a link or a Location header against the URL of its page; raises InvalidUrl."""
    trimmed = reference.strip(" \t\r\n\f")
    _refuse_ambiguous(trimmed)
    return _canonical(trimmed, base.href, trimmed)


def _refuse_ambiguous(text: str) -> None:
    """Raise InvalidUrl for a URL that is too long, or that other parsers may read differently."""
    if len(text) > MAX_CHARS:
        raise InvalidUrl(f"The URL has {len(text)} characters; at most {MAX_CHARS} are allowed.")
    if _CONTROL.search(text):
        raise InvalidUrl(f"The URL {_shown(text)} contains a control character, such as a tab or a line break.")
    # A browser reads a backslash as a slash, other clients as a part of the host: a common way to bypass a guard.
    if "\\" in text:
        raise InvalidUrl(
            f"The URL {_shown(text)} contains a backslash.", suggestion="Write %5C for a backslash that is meant."
        )


def _with_scheme(text: str) -> str:
    """The URL with `https:` in front if it has no scheme, as `example.org/a` and `//example.org/a` have none.

    Raises InvalidUrl for a path, a query or a fragment alone.
    """
    if text.startswith("//"):
        return "https:" + text
    if text[0] in "/?#.":
        raise InvalidUrl(f"{_shown(text)} is not an absolute URL.")
    if _HOST_AND_PORT.match(text):
        return "https://" + text
    return text if _SCHEME.match(text) else "https://" + text


def _canonical(text: str, base: str | None, shown: str) -> Url:
    """Parse a URL, relative to `base` if one is given; raises InvalidUrl with messages that quote `shown`."""
    from ada_url import URL

    try:
        parsed = URL(text, base)
    except (ValueError, UnicodeError) as error:
        raise InvalidUrl(f"{_shown(shown)} is not a valid URL.") from error
    scheme = parsed.protocol.rstrip(":")
    if scheme not in _DEFAULT_PORTS:
        raise InvalidUrl(f"The scheme {scheme!r} of {_shown(shown)} is not allowed; only http and https are.")
    if parsed.username or parsed.password:
        raise InvalidUrl(f"The URL for {parsed.hostname} carries credentials (user:password@); they are never sent.")
    host = parsed.hostname.removesuffix(".")
    if not host or any(not label for label in host.split(".")) or len(host) > 253 or "%" in host:
        raise InvalidUrl(f"The URL {_shown(shown)} has no usable host name.")
    if host != parsed.hostname:
        parsed.hostname = host
    parsed.hash = ""
    port = int(parsed.port) if parsed.port else _DEFAULT_PORTS[scheme]
    if port == 0:
        raise InvalidUrl(f"Port 0 of {_shown(shown)} does not exist.")
    return Url(
        href=parsed.href,
        scheme=scheme,
        host=host.strip("[]"),
        port=port,
        path=parsed.pathname,
        query=parsed.search.removeprefix("?"),
        origin=f"{scheme}://{parsed.host}",
    )


def _shown(text: str) -> str:
    """A text in quotation marks for an error message: escaped, at most 120 characters, on one line."""
    safe = text.encode("unicode_escape").decode("ascii")
    return f"“{safe[:120]}…”" if len(safe) > 120 else f"“{safe}”"


def url_key(url: str) -> str:
    """One key for all spellings of the URL of a page: for comparing pages, never shown or opened.

    Host without `www.`, `m.` and the like, path without trailing slash, query without trackers and in order; no scheme,
    and a fragment only if it is the route of an application (`#/…`, `#!…`). A URL that cannot be parsed is its own key.
    """
    url = url.strip().encode("utf-8", "backslashreplace").decode()  # lone surrogates cannot be encoded
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return url
    host = (parts.hostname or "").rstrip(".")
    while (shorter := _MOBILE_LABEL.sub(r"\1.", _COPY_HOST.sub("", host))) != host:
        host = shorter
    if port is not None and port not in _DEFAULT_PORTS.values():
        host = f"{host}:{port}"
    # Percent-encoding is normalised, so that a link that was decoded somewhere has the same key.
    path = _ENCODED_SLASH.sub("%252F", _INDEX_PAGE.sub("/", parts.path))
    path = quote(unquote(path), safe="/()!*'~:@,;=+$&").rstrip("/")
    pairs = parse_qsl(parts.query, keep_blank_values=True) if parts.query else ()
    query = urlencode(sorted((name, value) for name, value in pairs if not _tracks(name.lower())))
    # A fragment is a position on the page, unless it is the route of an application.
    route = f"#{parts.fragment}" if parts.fragment.startswith(("!", "/")) else ""
    return host + path + (f"?{query}" if query else "") + route


def _tracks(name: str) -> bool:
    """Whether a query parameter, in lower case, only records where a click came from."""
    return name in _TRACKERS or name.startswith(_TRACKER_PREFIXES)


def absolute(base: str, link: str | None) -> str | None:
    """A link of the page with the URL `base` as an absolute http(s) URL, not normalised; None if it is not one."""
    try:
        url = urljoin(base, (link or "").strip()) if link else ""
        return url if urlsplit(url).scheme in ("http", "https") and urlsplit(url).hostname else None
    except ValueError:
        return None


def host_of(url: str) -> str:
    """The host of a URL in lower case, "" where it has none."""
    try:
        return (urlsplit(url.strip()).hostname or "").rstrip(".")
    except ValueError:
        return ""


def domain_of(url: str) -> str:
    """The host of a URL in lower case, without `www.`; "" where it has none."""
    return host_of(url).removeprefix("www.")


def in_domain(url: str, domain: str) -> bool:
    """Whether the host of a URL is the domain or a subdomain and, if the domain has a path (`example.org/docs`), its
    path is that or below it."""
    name, _, folder = domain.strip().lower().removeprefix("https://").removeprefix("http://").partition("/")
    wanted = name.removeprefix("*.").removeprefix("www.").strip(".")
    if not wanted or not host_matches(host_of(url), wanted):
        return False
    return not folder or f"{urlsplit(url).path}/".lower().startswith(f"/{folder.rstrip('/')}/")


def host_matches(host: str, pattern: str) -> bool:
    """Whether a host is the domain or a subdomain of it; the pattern `*.d` matches only subdomains, `*` every host.
    Compares whole labels."""
    wanted = domain_pattern(pattern)
    name = host.lower().strip("[]").rstrip(".")
    if wanted == "*":
        return True
    if wanted.startswith("*."):
        return name.endswith(wanted[1:])
    return name == wanted or (name.endswith("." + wanted) and re.fullmatch(r"[\d.]+|.*:.*", name) is None)


def domain_pattern(text: str) -> str:
    """A domain as an operator may write it (`Example.org`, `.example.org`, `https://example.org/`, `*.example.org`) in
    one form: lower-case ASCII, only the host, and `*.` if it was given."""
    name = text.strip().lower()
    name = name.partition("://")[2] or name
    name = re.split(r"[/?#]", name, maxsplit=1)[0].strip("[]").rstrip(".")
    wildcard = name.startswith("*.")
    name = name.removeprefix("*.").removeprefix(".")
    if not name.isascii():
        from ada_url import idna_to_ascii

        name = idna_to_ascii(name).decode("ascii")
    return f"*.{name}" if wildcard else name
