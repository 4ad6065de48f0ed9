"""`mcp-web stats`."""

from __future__ import annotations

import click

from mcp_web.cli.output import json_option, print_json, print_table
from mcp_web.cli.session import with_app
from mcp_web.text.amounts import amount


@click.command("stats")
@json_option
def command(as_json: bool) -> None:
    """Show the statistics of this installation: calls, cache, fetches, errors, times."""
    from mcp_web.services.show_stats import show_stats

    stats = with_app(show_stats)
    if as_json:
        print_json(stats)
        return
    store = stats["store"]
    click.echo(
        f"{amount(store['pages'], 'page')} in {amount(store['snapshots'], 'version')}, "
        f"{store['text_bytes']:,} bytes of text"
    )
    for row in stats["vectors"]:
        click.echo(f"{row['covered']:,} of {row['documents']:,} documents have vectors of {row['model']}")
    print_table(("step", "times", "mean ms", "p50 ≤ ms", "p95 ≤ ms"), [tuple(row.values()) for row in stats["steps"]])
    if stats["cache_hit_rates"]:
        rows = [tuple(row.values()) for row in stats["cache_hit_rates"]]
        print_table(("tool", "calls", "cache hit rate"), rows)
    print_table(("count", "of", "value"), [(row["name"], row["labels"], row["value"]) for row in stats["counts"]])
