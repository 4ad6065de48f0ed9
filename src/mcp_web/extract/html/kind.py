"""The kind of a page: what it declares, else what its URL says."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from mcp_web.extract.structured import types_of
from mcp_web.model.page import Metadata, PageKind
from mcp_web.text.urls import host_of

# schema.org types that name the kind of the whole page.
_TYPES: tuple[tuple[str, PageKind], ...] = (
    ("qapage", "forum"), ("discussionforumposting", "forum"), ("newsarticle", "article"), ("blogposting", "article"),
    ("reportagenewsarticle", "article"), ("techarticle", "documentation"), ("apireference", "documentation"),
    ("product", "product"), ("productgroup", "product"), ("og:product", "product"), ("article", "article"),
    ("scholarlyarticle", "article"), ("recipe", "article"), ("collectionpage", "collection"),
    ("searchresultspage", "listing"), ("itemlist", "listing"), ("service", "service"),
)  # fmt: skip
_PATHS: tuple[tuple[re.Pattern[str], PageKind], ...] = (
    (
        re.compile(r"/(forums?|threads?|topics?|discussions?|showthread|viewtopic|questions/\d+)\b|/t/[^/]+/\d+"),
        "forum",
    ),
    (re.compile(r"/(docs?|documentation|reference|manual|api|guide|handbook|javadoc)(/|$)|/man\d?/"), "documentation"),
    (re.compile(r"/(products?|dp|itm|item|p)/[^/]+"), "product"),
    (re.compile(r"/(collections?|category|categories|shop|catalog)(/|$)"), "collection"),
    (re.compile(r"/(blog|news|article|articles|story|posts?|opinion|\d{4}/\d{2})(/|$)"), "article"),
    (re.compile(r"/(services?|solutions?|pricing|features)(/|$)"), "service"),
)


def declared_kind(metadata: Metadata) -> PageKind | None:
    """The kind that the page declares by JSON-LD, microdata or OpenGraph; None if it declares none."""
    data = [entry["data"] for entry in metadata.structured_data]
    names = {str(name).lower() for each in data for name in (*types_of(each), each.get("type"))}
    return next((kind for name, kind in _TYPES if name in names), None)


def kind_of(url: str) -> PageKind:
    """The kind of a page that declares none, guessed from its URL; "unknown" if that does not tell."""
    host = host_of(url)
    if host.startswith(("docs.", "doc.", "api.", "developer.")) or host.endswith((".readthedocs.io", ".rtfd.io")):
        return "documentation"
    if host.startswith(("forum.", "forums.", "community.", "discuss.", "discourse.")):
        return "forum"
    path = urlsplit(url.lower()).path if host else ""
    return next((kind for pattern, kind in _PATHS if pattern.search(path)), "unknown")
