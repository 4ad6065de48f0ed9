"""CSL-JSON, which Zotero, pandoc and the like read and write."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anyio

from mcp_web.archive.exchange.records import Exporter, Importer
from mcp_web.archive.exchange.references import CSL_FIELDS, Reference, csl_names, reference_of, snapshot_of_reference
from mcp_web.errors import InvalidInput
from mcp_web.text.json_fields import read_json
from mcp_web.text.papers import csl_date, written_date

# Fields of a reference → their CSL names.
_SAME = {
    "id": "id", "title": "title", "url": "URL", "site": "container-title", **CSL_FIELDS, "note": "note",
    "abstract": "abstract",
}  # fmt: skip


async def export_csl(exporter: Exporter, file: Path) -> None:
    """Write a CSL-JSON file with an item for the newest version of each document."""
    items = [item_of(reference_of(snapshot)) async for snapshot in exporter.newest()]
    text = json.dumps(items, ensure_ascii=False, indent=1)
    await anyio.Path(file).write_bytes(text.encode("utf-8", "replace"))


async def import_csl(importer: Importer, file: Path) -> None:
    """Store a document for every item of a CSL-JSON file; items without a title or with invalid
    text are reported as failed. Raises InvalidInput if the file is not a JSON list."""
    try:
        items = read_json(await anyio.Path(file).read_bytes())
    except ValueError as error:
        raise InvalidInput(f"{file} is not JSON: {str(error).rstrip('.')}.") from error
    if not isinstance(items, list):
        raise InvalidInput(f"{file} is not CSL-JSON: a list of references is expected.")
    for number, item in enumerate(items):
        await importer.read(
            f"item {number}", lambda item=item: snapshot_of_reference(reference_from(item), time.time())
        )


def item_of(reference: Reference) -> dict[str, Any]:
    """A reference as a CSL item, without empty fields."""
    item: dict[str, Any] = {name: getattr(reference, field) for field, name in _SAME.items()} | {
        "type": reference.kind or ("article-journal" if reference.doi else "webpage"),
        "author": [_name(name) for name in reference.authors],
        "issued": csl_date(reference.date),
        "accessed": csl_date(reference.accessed),
        "DOI": reference.doi,
        "number": f"arXiv:{reference.arxiv}" if reference.arxiv else "",
        "keyword": ", ".join(reference.tags),
    }
    return {name: value for name, value in item.items() if value}


def reference_from(item: Mapping[str, Any]) -> Reference:
    """The reference in a CSL item; raises InvalidInput without a title."""
    if not isinstance(item, Mapping) or not item.get("title"):
        raise InvalidInput("It has no title.")
    number = str(item.get("number") or "")
    same = {field: str(item.get(name) or "") for field, name in _SAME.items()}  # null is an empty field
    same["id"] = str(item.get("id") or item["title"])[:100]
    return Reference(
        **same,
        authors=csl_names(item.get("author")),
        date=written_date(item.get("issued")),
        doi=str(item.get("DOI") or "").lower(),
        arxiv=number.removeprefix("arXiv:") if number.startswith("arXiv:") else "",
        tags=tuple(part.strip() for part in str(item.get("keyword") or "").split(",") if part.strip()),
        accessed=written_date(item.get("accessed")),
    )


def _name(author: str) -> dict[str, str]:
    """A CSL name: family and given name, or a literal for a name in braces or without a comma."""
    family, comma, given = author.partition(", ")
    if author.startswith("{") or not comma:
        return {"literal": author.strip("{}")}
    return {"family": family, "given": given}
