"""`mcp-web stats`."""

from __future__ import annotations

from typing import Any

import click

from mcp_web.cli.output import json_option, print_json, print_table


@click.command("stats")
@json_option
def command(as_json: bool) -> None:
    """Show the kept figures of this installation: calls, cache, fetches, errors, times."""
    import anyio

    from mcp_web.services.show_stats import show_stats

    async def work() -> dict[str, Any]:
        from mcp_web.app import App
        from mcp_web.settings import load

        async with App(load()) as app:
            return await show_stats(app)

    stats = anyio.run(work)
    if as_json:
        print_json(stats)
        return
    store = stats["store"]
    click.echo(f"{store['pages']} pages in {store['snapshots']} versions, {store['text_bytes']:,} bytes of text")
    print_table(("step", "times", "mean ms", "p50 ≤ ms", "p95 ≤ ms"), [tuple(row.values()) for row in stats["steps"]])
    print_table(("count", "of", "value"), [(row["name"], row["labels"], row["value"]) for row in stats["counts"]])
