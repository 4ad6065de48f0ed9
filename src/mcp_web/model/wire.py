"""Documents as plain JSON values: what a worker process answers and what a store keeps."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from mcp_web.model.page import Document, Heading, Link, Metadata


def document_to_json(document: Document) -> dict[str, Any]:
    """All fields of a document as JSON values; empty ones are left out."""
    return {
        name: value
        for field in dataclasses.fields(document)
        if (value := _plain(getattr(document, name := field.name))) not in (None, (), [], {}, "") or name == "markdown"
    }


def document_from_json(facts: Mapping[str, Any]) -> Document:
    """The document that `document_to_json` described; unknown fields of a newer version are ignored."""
    known = {field.name for field in dataclasses.fields(Document)}
    made: dict[str, Any] = {name: value for name, value in facts.items() if name in known}
    made.setdefault("title", "")
    made["headings"] = tuple(Heading(**heading) for heading in facts.get("headings", ()))
    made["links"] = tuple(Link(**link) for link in facts.get("links", ()))
    made["images"] = tuple(Link(**image) for image in facts.get("images", ()))
    made["notes"] = tuple(facts.get("notes", ()))
    metadata = dict(facts.get("metadata", {}))
    metadata["structured_data"] = tuple(metadata.get("structured_data", ()))
    made["metadata"] = Metadata(**metadata)
    return Document(**made)


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            field.name: plain
            for field in dataclasses.fields(value)
            if (plain := _plain(getattr(value, field.name))) not in (None, (), [], {})
        }
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    return value
