"""JSON lines: one version per line, complete, with its hash."""

from __future__ import annotations

import json
from pathlib import Path

import anyio

from mcp_web.archive.exchange.records import Exchanged, Importer, all_versions, record_of, snapshot_of
from mcp_web.errors import InvalidInput
from mcp_web.model.snapshot import Source
from mcp_web.store.protocol import Store


async def export_jsonl(
    store: Store, file: Path, source: Source | None = None, collection: str | None = None
) -> Exchanged:
    """Write every document with all its versions."""
    documents = versions = 0
    async with await anyio.open_file(file, "wb") as out:
        async for history in all_versions(store, source, collection):
            documents += 1
            for snapshot in history:
                versions += 1
                line = record_of(snapshot) | {"text": snapshot.document.markdown}
                # ASCII keeps lone surrogates, and every tool reads it.
                await out.write(json.dumps(line, separators=(",", ":")).encode() + b"\n")
    return Exchanged(documents, versions)


async def import_jsonl(store: Store, file: Path) -> Exchanged:
    """Import what `export_jsonl` wrote; a damaged line is reported and the others are imported."""
    importer, number = Importer(store), 0
    async with await anyio.open_file(file, "rb") as lines:
        async for line in lines:
            number += 1
            if not line.strip():
                continue
            try:
                record = json.loads(line)
                snapshot = snapshot_of(record, record.pop("text"))
            except (InvalidInput, RecursionError, ValueError, KeyError, AttributeError, TypeError) as error:
                importer.fail(f"line {number}", error)
                continue
            await importer.keep(snapshot)
    return importer.done()
