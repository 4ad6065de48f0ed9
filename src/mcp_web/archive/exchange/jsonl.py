"""JSON lines: one version per line, complete, with its hash."""

from __future__ import annotations

import json
from pathlib import Path

import anyio

from mcp_web.archive.exchange.records import Exporter, Importer, record_of, snapshot_of
from mcp_web.model.snapshot import Snapshot
from mcp_web.text.json_fields import read_json


async def export_jsonl(exporter: Exporter, file: Path) -> None:
    """Write every version of every document to a file, each as a line of JSON."""
    async with await anyio.open_file(file, "wb") as out:
        async for snapshot, _ in exporter.versions():
            line = record_of(snapshot) | {"text": snapshot.document.markdown}
            # ASCII keeps lone surrogates, and every tool reads it.
            await out.write(json.dumps(line, separators=(",", ":")).encode() + b"\n")


async def import_jsonl(importer: Importer, file: Path) -> None:
    """Import what `export_jsonl` wrote; a damaged line is reported and the others are imported."""
    number = 0
    async with await anyio.open_file(file, "rb") as lines:
        async for line in lines:
            number += 1
            if line.strip():
                await importer.read(f"line {number}", _read, line)


def _read(line: bytes) -> Snapshot:
    record = read_json(line)
    return snapshot_of(record, record.pop("text"))
