"""A document as plain JSON values: returned by a worker, kept by a store, exported, printed with `--json`."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from mcp_web.model.page import Document, Heading, Link, Metadata

_EMPTY: tuple[Any, ...] = (None, (), [], {}, "")
_FIELDS = tuple(field.name for field in dataclasses.fields(Document))
_METADATA = tuple(field.name for field in dataclasses.fields(Metadata))
_LISTS = {"headings": Heading, "links": Link, "images": Link}


def document_to_json(document: Document) -> dict[str, Any]:
    """All fields of a document as JSON values; empty ones, except the Markdown, are left out."""
    values = {name: getattr(document, name) for name in _FIELDS}
    metadata = {name: getattr(document.metadata, name) for name in _METADATA}
    values["metadata"] = {name: _plain(value) for name, value in metadata.items() if value not in _EMPTY}
    values["headings"] = [
        {"level": one.level, "text": one.text, "start": one.start} | ({"anchor": one.anchor} if one.anchor else {})
        for one in document.headings
    ]
    values["links"] = [{"text": one.text, "url": one.url} for one in document.links]
    values["images"] = [{"text": one.text, "url": one.url} for one in document.images]
    values["notes"] = list(document.notes)
    values["explain"] = _plain(document.explain)
    return {name: value for name, value in values.items() if value not in _EMPTY or name == "markdown"}


def facts_to_json(document: Document) -> dict[str, Any]:
    """A document as JSON values, without its Markdown, and without `explain`, which is about one call only."""
    whole = document_to_json(document)
    return {name: value for name, value in whole.items() if name not in ("markdown", "explain")}


def document_from_json(values: Mapping[str, Any], markdown: str | None = None) -> Document:
    """The document from what `document_to_json` returned; `markdown`, if given, replaces its Markdown.

    Of a newer version, unknown fields are ignored; in earlier ones, headings and links are lists of values, and
    structured data is beside the metadata.
    """
    made: dict[str, Any] = {"title": "", "extractor": "", "markdown": ""}
    made |= {name: value for name, value in values.items() if name in _FIELDS}
    if markdown is not None:
        made["markdown"] = markdown
    for name, kind in _LISTS.items():
        made[name] = tuple(kind(**one) if isinstance(one, Mapping) else kind(*one) for one in values.get(name, ()))
    made["notes"] = tuple(values.get("notes", ()))
    metadata = {name: value for name, value in values.get("metadata", {}).items() if name in _METADATA}
    metadata["structured_data"] = tuple(metadata.get("structured_data") or values.get("structured", ()))
    made["metadata"] = Metadata(**metadata)
    return Document(**made)


def _plain(value: Any) -> Any:
    """The value with lists for tuples, dicts for mappings and strings for keys, at every depth."""
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    return value
