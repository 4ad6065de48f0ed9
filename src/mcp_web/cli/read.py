"""`mcp-web read`."""

from __future__ import annotations

import sys
from typing import Any

import click

from mcp_web.cli.calling import answer_of
from mcp_web.cli.exit_codes import NOTHING_FOUND
from mcp_web.cli.output import echo, empty, joined_words, json_option, note, paged, print_json, print_markdown, wrapped


@click.command("read")
@click.argument("url")
@click.argument("question", nargs=-1, required=True, callback=joined_words)
@click.option("--max-results", type=int, help="Maximum number of passages; default: until the question is answered.")
@click.option("--max-tokens", type=int, default=3000, show_default=True)
@click.option("--min-score", type=float, help="Leave out passages below this, 0 to 1.")
@click.option("--max-age", type=click.IntRange(0), help="Maximum age of a kept copy in seconds; 0 fetches again.")
@json_option
def command(url: str, question: str, as_json: bool, **given: Any) -> None:
    """Show only the passages of a page that answer a question."""
    data, _ = answer_of("web_read", given | {"url": [url], "query": [question]})
    (answer,) = data["queries"]
    for line in data["notes"]:
        note(line)
    print_json(data) if as_json else _show(answer)
    if answer["verdict"] == "not answered":
        raise SystemExit(NOTHING_FOUND)


@paged()
def _show(answer: dict[str, Any]) -> None:
    if answer["verdict"] != "answered":
        said = "Not answered here" if answer["verdict"] == "not answered" else "This may not answer; check it"
        empty(f"{said} (best score {answer['best_score']:.2f}).")
    for at, passage in enumerate(answer["results"]):
        where = " > ".join((*passage["section_path"], *filter(None, [passage.get("entry")])))
        head = wrapped(f"[{passage['id']}] {passage['score']:.2f} {where}".rstrip(), 2, stream=sys.stdout)
        echo(("\n" if at else "") + head, fg="cyan")
        print_markdown(passage["text"], list_links=False)
