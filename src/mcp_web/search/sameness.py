"""When two URLs are the same page for a reader: the key results are merged by. Never shown, never opened."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

# Written for this project: names that say where a click came from and never change the page.
_TRACKERS = re.compile(
    r"^(?:utm_.*|mtm_.*|ga_.*|_ga|_gl|gclid|gclsrc|dclid|gbraid|wbraid|srsltid|fbclid|fb_.*|msclkid|yclid|ysclid|"
    r"twclid|ttclid|igsh(?:id)?|mc_[ce]id|mkt_tok|_hsenc|_hsmi|__hs.*|hsctatracking|vero_.*|oly_.*|rb_clickid|s_cid|"
    r"spm|wt_mc|wt\.mc_id|cmpid|ref_src|ref_url|_openstat|[oi]tm_.*|ml_subscriber.*|piwik_.*|pk_.*|epik|li_fat_id)$",
    re.IGNORECASE,
)
_FRONT = re.compile(r"^(?:www\d?|m|mobile|amp)\.(?=[^.]+\.)")
_INDEX = re.compile(r"/(?:index\.(?:html?|php|aspx?)|default\.aspx?)$", re.IGNORECASE)
_PORTS = {"http": "80", "https": "443"}


def url_key(url: str) -> str:
    """Host without www, path without trailing slash, query without trackers and in order; no scheme, no fragment."""
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError:
        return url.strip()
    host = _FRONT.sub("", (parts.hostname or "").rstrip("."))
    if port is not None and str(port) != _PORTS.get(parts.scheme):
        host = f"{host}:{port}"
    # Percent signs are evened out so that a link that was decoded on its way still meets its twin.
    path = quote(unquote(_INDEX.sub("/", parts.path)), safe="/").rstrip("/")
    pairs = [pair for pair in parse_qsl(parts.query, keep_blank_values=True) if not _TRACKERS.match(pair[0])]
    query = urlencode(sorted(pairs))
    # A fragment is a place on the page, except where an application routes by it.
    route = f"#{parts.fragment}" if parts.fragment.startswith(("!", "/")) else ""
    return host + path + (f"?{query}" if query else "") + route


def domain_of(url: str) -> str:
    """The host a reader recognises: lower case, without www."""
    try:
        host = urlsplit(url.strip()).hostname or ""
    except ValueError:
        return ""
    return host.removeprefix("www.")


def in_domain(url: str, domain: str) -> bool:
    """Whether a page lies on a domain, one of its subdomains, or under a path given with it."""
    wanted, _, folder = domain.strip().lower().removeprefix("https://").removeprefix("http://").partition("/")
    wanted = wanted.removeprefix("*.").removeprefix("www.").strip(".")
    host = domain_of(url)
    if not wanted or not (host == wanted or host.endswith("." + wanted)):
        return False
    return not folder or urlsplit(url).path.lstrip("/").startswith(folder.rstrip("/"))
