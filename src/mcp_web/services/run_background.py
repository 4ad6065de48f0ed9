"""The background work of a long-running server: save metrics, check search instances."""

from __future__ import annotations

import anyio

from mcp_web.app import App
from mcp_web.search.options import SearchOptions

METRICS_EVERY = 60.0  # seconds between two updates of the stored metrics


async def run_background(app: App) -> None:
    """Save the metrics every minute and watch the SearXNG instances, until cancelled."""
    async with anyio.create_task_group() as tasks:
        if app.settings.of(SearchOptions).searxng_urls:
            tasks.start_soon((await app.searcher()).watch)
        while True:
            await anyio.sleep(METRICS_EVERY)
            await app.save_metrics()
