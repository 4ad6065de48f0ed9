"""A folder of Markdown files with front matter, and a manifest for importing it again.

What a Markdown file cannot hold (headers, outline, structured data, older versions) is in `manifest.jsonl`, so an
import loses nothing. A file that was edited in between is imported as a new version.
"""

from __future__ import annotations

import json
import re
import time
from datetime import UTC, datetime
from pathlib import Path

import anyio
import anyio.to_thread

from mcp_web.archive.derive import document_date
from mcp_web.archive.exchange.records import Exporter, Importer, record_of, snapshot_of
from mcp_web.errors import InvalidInput
from mcp_web.model.snapshot import Snapshot, document_id, snapshot_hash
from mcp_web.text import front_matter
from mcp_web.text.json_fields import read_json

MANIFEST = "manifest.jsonl"


async def export_markdown(exporter: Exporter, folder: Path) -> None:
    """Write each document as a Markdown file, older versions under `versions/`, and the manifest for importing them."""
    lines: list[str] = []
    async for snapshot, is_newest in exporter.versions():
        name = _file_name(snapshot) if is_newest else f"versions/{snapshot.hash}.md"
        await anyio.to_thread.run_sync(_write, folder / name, file_text(snapshot))
        lines.append(json.dumps(record_of(snapshot) | {"file": name}, separators=(",", ":")))
    await anyio.to_thread.run_sync(_write, folder / MANIFEST, "\n".join(lines) + "\n")


async def import_markdown(importer: Importer, folder: Path) -> None:
    """Import a folder that `export_markdown` wrote; raises InvalidInput for any other."""
    manifest = folder / MANIFEST
    if not await anyio.Path(manifest).is_file():
        raise InvalidInput(
            f"{folder} has no {MANIFEST}, so mcp-web did not write it.",
            suggestion="Use `mcp-web archive sync` for any other folder of Markdown.",
        )
    for line in (await anyio.Path(manifest).read_bytes()).splitlines():
        await importer.read(line[:60].decode("utf-8", "replace"), _read, folder, line, time.time())


def _read(folder: Path, line: bytes, now: float) -> Snapshot:
    """The version that a line of the manifest describes or, if its file was edited, a new version that was read at the
    Unix time `now`. Raises InvalidInput if the file lies outside the folder, and other errors for a bad line."""
    record, root = read_json(line), folder.resolve()
    place = (root / str(record.pop("file"))).resolve()
    if not place.is_relative_to(root):
        raise InvalidInput(f"The manifest names {place}, which lies outside the folder.")
    _, text = front_matter.read(place.read_bytes().decode("utf-8", "surrogatepass"))
    if (hash_ := snapshot_hash(str(record["key"]), text)) != record["hash"]:
        # The offsets of headings and links no longer match the text.
        document = record["document"] | {"headings": [], "links": []}
        record |= {"document": document, "hash": hash_, "fetched_at": now, "checked_at": now}
    return snapshot_of(record, text)


def _write(place: Path, text: str) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(text.encode("utf-8", "surrogatepass"))


def file_text(snapshot: Snapshot) -> str:
    """The Markdown of a version, with the facts about it as front matter before it."""
    document = snapshot.document
    facts = {
        "id": document_id(snapshot.key),
        "title": document.title,
        "source": snapshot.final_url,
        "date": document_date(document, snapshot.path),
        "fetched_at": datetime.fromtimestamp(snapshot.fetched_at, UTC).isoformat(timespec="seconds"),
        "author": document.metadata.author,
        "tags": snapshot.tags,
        "extractor": document.extractor,
        "siteconfig": document.siteconfig,
        "snapshot": snapshot.hash,
    }
    return front_matter.write(facts) + document.markdown


def _file_name(snapshot: Snapshot) -> str:
    """A descriptive, unique file name that is valid on every operating system."""
    place = snapshot.path or snapshot.url.partition("://")[2] or snapshot.url
    place = re.sub(r"\.(?:md|markdown|html?|txt)$", "", place.partition("#")[0])
    parts = [re.sub(r"[^\w.-]+", "-", part).strip("-.")[:60] for part in place.split("/")]
    name = "/".join(part for part in parts if part)[:150] or "document"
    return f"{snapshot.source}/{name}-{document_id(snapshot.key)}.md"
