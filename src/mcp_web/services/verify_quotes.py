"""Check quotes against a kept page, or against a page that is opened for the check."""

from __future__ import annotations

from collections.abc import Sequence

import anyio

from mcp_web.app import App
from mcp_web.model.snapshot import Snapshot, SnapshotInfo
from mcp_web.read.quote import QuoteCheck, verify, word_for_word
from mcp_web.services.find_snapshot import find_or_open
from mcp_web.store.protocol import Store

MOST_VERSIONS = 10  # that are searched for a quote which is not in the one that was asked for


async def verify_quotes(
    app: App, source: str, quotes: Sequence[str], *, deadline: float
) -> tuple[Snapshot, list[QuoteCheck]]:
    """Check quotes against the kept page that `source` (a hash, an id or a URL) names, or else against the page at that
    URL, which is opened. Returns the snapshot that was checked, and one result for each quote."""
    kept = await find_or_open(app, source, deadline)
    checks = await anyio.to_thread.run_sync(verify, kept.document.markdown, list(quotes), kept.document.headings)
    return kept, checks


async def other_versions(store: Store, kept: Snapshot, checks: Sequence[QuoteCheck]) -> dict[str, SnapshotInfo]:
    """For each quote that is not word for word in the version `kept`, the newest other version that contains it, by
    quote; without quotes that are in none of the MOST_VERSIONS newest."""
    missing = [check.quote for check in checks if check.verdict in ("fuzzy", "absent")]
    infos = await store.versions(kept.key) if missing else []
    found: dict[str, SnapshotInfo] = {}
    for info in [one for one in infos if one.hash != kept.hash][:MOST_VERSIONS]:
        version = await store.snapshot(info.hash) if missing else None
        if version is not None:
            there = await anyio.to_thread.run_sync(word_for_word, version.document.markdown, missing)
            found |= dict.fromkeys(there, info)
            missing = [quote for quote in missing if quote not in found]
    return found
