"""`mcp-web stats`."""

from __future__ import annotations

import sys
from typing import Any

import click

from mcp_web.cli.output import echo, json_option, paged, print_json, print_table, wrapped
from mcp_web.cli.session import with_app
from mcp_web.text.amounts import amount


@click.command("stats")
@json_option
def command(as_json: bool) -> None:
    """Show the statistics of this installation: calls, cache, fetches, errors, times."""
    from mcp_web.services.show_stats import show_stats

    stats = with_app(show_stats)
    print_json(stats) if as_json else _show(stats)


@paged()
def _show(stats: dict[str, Any]) -> None:
    store = stats["store"]
    echo(
        f"{amount(store['pages'], 'page')} in {amount(store['snapshots'], 'version')}, "
        f"{store['text_bytes']:,} bytes of text"
    )
    for row in stats["vectors"]:
        line = f"{row['covered']:,} of {row['documents']:,} documents have vectors of {row['model']}"
        echo(wrapped(line, stream=sys.stdout))
    rates = [(row["tool"], row["calls"], f"{row['cache_hit_rate']:.0%}") for row in stats["cache_hit_rates"]]
    steps = [(_plain(name), *times) for name, *times in (row.values() for row in stats["steps"])]
    counts = [
        (
            _plain(row["name"]),
            " ".join(label.partition("=")[2] for label in row["labels"].split()),
            f"{row['value']:,.0f}",
        )
        for row in stats["counts"]
        if row["name"] != "tool_cache_total"  # the table above has them
    ]
    for columns, rows in (
        (("step", "times", "mean ms", "p50 ≤ ms", "p95 ≤ ms"), steps),
        (("tool", "calls", "from the archive"), rates),
        (("count", "of", "value"), counts),
    ):
        if rows:
            echo()
            print_table(columns, rows)


def _plain(name: str) -> str:
    """The name of a metric as words: "embed load" for `embed_load_total`."""
    return name.removesuffix("_total").replace("_", " ")
