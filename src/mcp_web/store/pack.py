"""Documents as bytes: compact JSON for the facts, zstd over both facts and text.

Measured on real pages: zstd halves the file or better and costs 0.05 ms to undo for 50 KB, a third of zlib.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from mcp_web.model.page import Document, Heading, Kind, Link, Metadata, Wall

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_PLAIN, _ZSTD = b"\x00", b"\x01"
_METADATA = (
    "description",
    "author",
    "published",
    "modified",
    "site_name",
    "page_title",
    "language",
    "canonical_url",
    "content_type",
)


@dataclass(frozen=True, slots=True)
class Packed:
    """A document in the two blobs that a row holds."""

    facts: bytes
    text: bytes


def pack_text(text: str) -> bytes:
    """A text as bytes, compressed where that helps; lone surrogates survive."""
    raw = text.encode("utf-8", "surrogatepass")
    if len(raw) >= 200:
        small = zstd.compress(raw, level=3)
        if len(small) < len(raw):
            return _ZSTD + small
    return _PLAIN + raw


def unpack_text(blob: bytes) -> str:
    """The text that `pack_text` was given."""
    if blob[:1] == _ZSTD:
        return zstd.decompress(memoryview(blob)[1:]).decode("utf-8", "surrogatepass")
    return blob[1:].decode("utf-8", "surrogatepass")


def pack_json(value: Any) -> bytes:
    return pack_text(json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str))


def unpack_json(blob: bytes) -> Any:
    return json.loads(unpack_text(blob))


def document_facts(document: Document) -> dict[str, Any]:
    """Everything of a document except its text. `explain` is about one call, not about the page: it is not kept."""
    metadata = document.metadata
    facts: dict[str, Any] = {
        "title": document.title,
        "extractor": document.extractor,
        "kind": document.kind,
        "metadata": {name: value for name in _METADATA if (value := getattr(metadata, name)) is not None},
        "structured": [dict(item) for item in metadata.structured_data],
        "headings": [[item.level, item.text, item.start, item.anchor] for item in document.headings],
        "links": [[item.text, item.url] for item in document.links],
        "images": [[item.text, item.url] for item in document.images],
        "siteconfig": document.siteconfig,
        "summary": document.summary,
        "wall": document.wall,
        "hidden": document.hidden,
        "notes": list(document.notes),
        "next_page": document.next_page,
    }
    return {name: value for name, value in facts.items() if value not in (None, "", 0, [], {})}


def document_of(facts: Mapping[str, Any], markdown: str) -> Document:
    """The document that `document_facts` described."""
    structured = tuple(facts.get("structured", ()))
    return Document(
        title=facts.get("title", ""),
        markdown=markdown,
        extractor=facts.get("extractor", ""),
        kind=cast(Kind, facts.get("kind", "unknown")),
        metadata=Metadata(**facts.get("metadata", {}), structured_data=structured),
        headings=tuple(Heading(*item) for item in facts.get("headings", ())),
        links=tuple(Link(*item) for item in facts.get("links", ())),
        images=tuple(Link(*item) for item in facts.get("images", ())),
        siteconfig=facts.get("siteconfig"),
        summary=facts.get("summary", ""),
        wall=cast("Wall | None", facts.get("wall")),
        hidden=facts.get("hidden", 0),
        notes=tuple(facts.get("notes", ())),
        next_page=facts.get("next_page"),
    )
