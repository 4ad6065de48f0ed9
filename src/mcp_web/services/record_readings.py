"""Record what a caller was shown of a kept page, so that people can see which passages an agent relied on."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence

from mcp_web.app import App
from mcp_web.model.passage import Span
from mcp_web.model.snapshot import ReadingRecord, Snapshot

MOST_QUESTION = 500  # characters of a question or a quote
MOST_SPANS = 20  # passages of one question


async def record_readings(
    app: App, kept: Snapshot, asked: Iterable[tuple[str, str, Sequence[Span]]], *, tool: str, client: str
) -> None:
    """Store what was shown of a page: for each (question or quote, verdict, spans) of `asked` a reading, with the tool
    and the client that asked. Nothing is stored for a web page that the options do not allow to be kept."""
    if kept.source == "web" and not (await app.keeper()).may_store(kept.url):
        return
    now = time.time()
    readings = [
        ReadingRecord(now, tool, question[:MOST_QUESTION], client, kept.hash, tuple(spans[:MOST_SPANS]), verdict)
        for question, verdict, spans in asked
    ]
    if readings:
        await (await app.store()).add_readings(kept.key, readings)
