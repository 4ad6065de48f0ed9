"""The kind of a page, by its own declarations."""

from __future__ import annotations

from mcp_web.extract.structured import types_of
from mcp_web.model.page import Metadata, PageKind

# schema.org types that name the kind of the whole page.
_TYPES: tuple[tuple[str, PageKind], ...] = (
    ("qapage", "forum"), ("discussionforumposting", "forum"), ("newsarticle", "article"), ("blogposting", "article"),
    ("reportagenewsarticle", "article"), ("techarticle", "documentation"), ("apireference", "documentation"),
    ("product", "product"), ("productgroup", "product"), ("og:product", "product"), ("article", "article"),
    ("scholarlyarticle", "article"), ("recipe", "article"), ("collectionpage", "collection"),
    ("searchresultspage", "listing"), ("itemlist", "listing"), ("service", "service"),
)  # fmt: skip


def declared_kind(metadata: Metadata) -> PageKind | None:
    """The kind that the page declares by JSON-LD, microdata or OpenGraph; None if it declares none."""
    data = [entry["data"] for entry in metadata.structured_data]
    names = {str(name).lower() for each in data for name in (*types_of(each), each.get("type"))}
    return next((kind for name, kind in _TYPES if name in names), None)
