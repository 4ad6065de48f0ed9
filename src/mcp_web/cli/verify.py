"""`mcp-web verify`."""

from __future__ import annotations

import click

from mcp_web.cli.calling import answer_of
from mcp_web.cli.exit_codes import NOTHING_FOUND
from mcp_web.cli.output import echo, json_option, print_json

_COLOURS = {"exact": "green", "normalised": "green", "fuzzy": "yellow", "absent": "red"}


@click.command("verify")
@click.argument("source")
@click.argument("quotes", nargs=-1, required=True, metavar="QUOTE...")
@json_option
def command(source: str, quotes: tuple[str, ...], as_json: bool) -> None:
    """Check whether quotes appear in a page: SOURCE is a URL, a snapshot hash or an archive id.

    Exits 3 unless every quote has the words of the page: a fuzzy quote has others, which are shown.
    """
    data, _ = answer_of("verify_quotes", {"source": source, "quotes": quotes})
    if as_json:
        print_json(data)
    else:
        for row in data["quotes"]:
            echo(f"{row['verdict']:11} ", nl=False, fg=_COLOURS[row["verdict"]])
            echo(row["quote"])
            for change in row.get("differences", ()):
                echo(f"{'':11} {change['quoted']!r} → {change['found']!r}")
            if row["verdict"] == "fuzzy" and not row["differences"]:  # only signs differ, such as a hyphen
                echo(f"{'':11} {row['found']!r}")
            if "quote_url" in row:
                echo(f"{'':11} {row['quote_url']}")
    if any(row["verdict"] in ("fuzzy", "absent") for row in data["quotes"]):
        raise SystemExit(NOTHING_FOUND)
