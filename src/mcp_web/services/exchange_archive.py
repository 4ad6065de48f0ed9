"""Export the archive and import it again, in formats that other programs read."""

from __future__ import annotations

import importlib
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Literal

import anyio

from mcp_web.app import App
from mcp_web.archive.exchange.records import Exchanged, Exporter, Importer
from mcp_web.errors import InvalidInput, NotFound
from mcp_web.model.snapshot import Source

ExchangeFormat = Literal["markdown", "jsonl", "bibtex", "csl", "warc"]
ENDINGS: dict[str, ExchangeFormat] = {
    ".jsonl": "jsonl", ".ndjson": "jsonl", ".bib": "bibtex", ".json": "csl", ".warc": "warc", ".gz": "warc",
}  # fmt: skip


async def export_archive(
    app: App, place: Path, form: ExchangeFormat | None, source: Source | None = None, collection: str | None = None
) -> Exchanged:
    """Write all documents, or those of one source or collection, to `place`; without `form`, its name decides the
    format. Raises NotFound if the collection has no document."""
    work = _exchange("export", form or format_of(place))
    store = await app.store()
    if collection and not await store.keys("", 1, source, collection):
        raise NotFound(
            f"No document is in the collection {collection!r}.", suggestion="`mcp-web archive collections` lists them."
        )
    exporter = Exporter(store, source, collection)
    await work(exporter, place)
    return exporter.done()


async def import_archive(app: App, place: Path, form: ExchangeFormat | None) -> Exchanged:
    """Import what was exported here or elsewhere; without `form`, the name of `place` decides the format. Raises
    InvalidInput if `place` does not exist or its format is unknown."""
    await app.require_kept_store()
    if not await anyio.Path(place).exists():
        raise InvalidInput(f"There is no {place}.")
    chosen = form or format_of(place)
    work = _exchange("import", chosen)
    importer = Importer(await app.store())
    await (work(importer, place, app.extract) if chosen == "warc" else work(importer, place))
    return importer.done()


def format_of(place: Path) -> ExchangeFormat:
    """The format for the file extension, "markdown" for none or a folder. Raises InvalidInput for an unknown one."""
    if place.is_dir() or not place.suffix:
        return "markdown"
    found = ENDINGS.get(place.suffix.lower())
    if found is None:
        known = ", ".join(sorted(ENDINGS))
        raise InvalidInput(
            f"{place.name!r} does not say its format; known endings are {known}.",
            suggestion="Use one of these endings, or name the format with --format.",
        )
    return found


def _exchange(verb: str, form: ExchangeFormat) -> Callable[..., Awaitable[None]]:
    """The function that exports or imports a format (`verb` is "export" or "import"), such as `export_jsonl`."""
    module = importlib.import_module(f"mcp_web.archive.exchange.{form}")
    found: Callable[..., Awaitable[None]] = getattr(module, f"{verb}_{form}")
    return found
