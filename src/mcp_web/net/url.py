"""The one reading of a URL: WHATWG, by ada. Guard, client and cache all use the `href` made here.

Two parsers that disagree about a host are how guards are fooled, so nothing else in the package
takes a URL apart, and a spelling that other parsers are known to read differently is refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode

from mcp_web.errors import InvalidUrl

MAX_CHARS = 8192
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:|[^/?#]*://")  # the second: what is no scheme but wants to be one
_HOST_AND_PORT = re.compile(r"(?:[^/?#:@\s]+\.[^/?#:@\s]+|localhost|\[[0-9A-Fa-f:.]+\]):\d{1,5}(?:[/?#]|$)", re.I)
_CONTROL = re.compile(r"[\x00-\x1f\x7f\x80-\x9f]")
_DEFAULT_PORTS = {"http": 80, "https": 443}

# Parameters that say how a reader came, never what the page is. Own list: public ones carry other licences.
_TRACKING = frozenset(
    """gclid gclsrc dclid gbraid wbraid srsltid fbclid msclkid yclid ysclid twclid ttclid li_fat_id igshid igsh
    mc_eid mc_cid mkt_tok _ga _gl _hsenc _hsmi hsctatracking rb_clickid s_cid spm wt_mc cmpid ref_src ref_url
    _openstat epik vgo_ee sc_cid trk_contact dm_i guccounter guce_referrer guce_referrer_sig ml_subscriber
    ml_subscriber_hash""".split()  # noqa: SIM905  one name a line would hide the rest of the file
)
_TRACKING_PREFIXES = ("utm_", "mtm_", "pk_", "ga_", "fb_", "__hs", "vero_", "oly_", "otm_", "itm_", "at_campaign")
_COPY_HOSTS = ("www.", "m.", "amp.")


@dataclass(frozen=True, slots=True)
class Url:
    """An absolute http(s) URL, canonical: no fragment, no default port, no credentials, host in ASCII."""

    href: str
    scheme: str
    host: str  # as a socket wants it: IPv6 without brackets
    port: int
    path: str
    query: str  # without the question mark
    origin: str

    @property
    def authority(self) -> str:
        """The value of the Host header."""
        return self.origin.partition("://")[2]

    @property
    def target(self) -> str:
        """What stands on the request line."""
        return f"{self.path}?{self.query}" if self.query else self.path

    def __str__(self) -> str:
        return self.href


def parse_url(text: str) -> Url:
    """Read what a caller typed: trimmed, https where no scheme is given, canonical."""
    trimmed = text.strip(" \t\r\n\f")
    if not trimmed:
        raise InvalidUrl("The URL is empty.")
    _refuse_ambiguous(trimmed)
    return _canonical(_with_scheme(trimmed), None, trimmed)


def join(base: Url, reference: str) -> Url:
    """Resolve a link or a Location header against the page it stands on."""
    trimmed = reference.strip(" \t\r\n\f")
    _refuse_ambiguous(trimmed)
    return _canonical(trimmed, base.href, trimmed)


def _refuse_ambiguous(text: str) -> None:
    if len(text) > MAX_CHARS:
        raise InvalidUrl(f"The URL has {len(text)} characters; at most {MAX_CHARS} are allowed.")
    if _CONTROL.search(text):
        raise InvalidUrl(f"The URL {_shown(text)} contains a control character, such as a tab or a line break.")
    # A browser reads a backslash as a slash, other clients as a part of the host: the classic way past a guard.
    if "\\" in text:
        raise InvalidUrl(
            f"The URL {_shown(text)} contains a backslash.", suggestion="Write %5C for a backslash that is meant."
        )


def _with_scheme(text: str) -> str:
    if text.startswith("//"):
        return "https:" + text
    if text[0] in "/?#.":
        raise InvalidUrl(f"{_shown(text)} is not an absolute URL.")
    if _HOST_AND_PORT.match(text):
        return "https://" + text
    return text if _SCHEME.match(text) else "https://" + text


def _canonical(text: str, base: str | None, shown: str) -> Url:
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
    """The text as it may stand in a message: short, one line."""
    safe = text.encode("unicode_escape").decode("ascii")
    return f"“{safe[:120]}…”" if len(safe) > 120 else f"“{safe}”"


def canonical_for_dedupe(url: str | Url) -> str:
    """One key for the spellings of one page: for comparing results, never for fetching."""
    try:
        parsed = url if isinstance(url, Url) else parse_url(url)
    except InvalidUrl:
        return str(url).strip()
    host = _main_host(parsed.host)
    port = "" if parsed.port in _DEFAULT_PORTS.values() else f":{parsed.port}"
    pairs = [(name, value) for name, value in parse_qsl(parsed.query, keep_blank_values=True) if not is_tracking(name)]
    query = urlencode(sorted(pairs))
    return f"{host}{port}{parsed.path.rstrip('/')}" + (f"?{query}" if query else "")


def is_tracking(name: str) -> bool:
    """Whether a query parameter only records how a reader came."""
    lowered = name.lower()
    return lowered in _TRACKING or lowered.startswith(_TRACKING_PREFIXES)


def _main_host(host: str) -> str:
    for prefix in _COPY_HOSTS:
        rest = host.removeprefix(prefix)
        if rest != host and "." in rest:
            return _main_host(rest)
    labels = host.split(".")
    # en.m.wikipedia.org is en.wikipedia.org
    if len(labels) >= 4 and labels[1] == "m":
        return ".".join([labels[0], *labels[2:]])
    return host


def host_matches(host: str, pattern: str) -> bool:
    """Whether a host is the named domain or below it; `*.d` is only what lies below; whole labels, never prefixes."""
    wanted = domain_pattern(pattern)
    name = host.lower().strip("[]").rstrip(".")
    if wanted == "*":
        return True
    if wanted.startswith("*."):
        return name.endswith(wanted[1:])
    return name == wanted or (name.endswith("." + wanted) and re.fullmatch(r"[\d.]+|.*:.*", name) is None)


def domain_pattern(text: str) -> str:
    """A domain as an operator may write it (`Example.org`, `.example.org`, `https://example.org/`), made comparable."""
    name = text.strip().lower()
    name = name.partition("://")[2] or name
    name = re.split(r"[/?#]", name, maxsplit=1)[0].strip("[]").rstrip(".")
    wildcard = name.startswith("*.")
    name = name.removeprefix("*.").removeprefix(".")
    if not name.isascii():
        from ada_url import idna_to_ascii

        name = idna_to_ascii(name).decode("ascii")
    return f"*.{name}" if wildcard else name
