"""`mcp-web search`."""

from __future__ import annotations

import shlex
import sys
from typing import Any

import click

from mcp_web.cli.calling import answer_of
from mcp_web.cli.exit_codes import NOTHING_FOUND
from mcp_web.cli.output import console, echo, empty, joined_words, json_option, note, paged, print_json, print_markdown
from mcp_web.cli.wording import for_person
from mcp_web.text.markdown import with_closed_fence


@click.command("search")
@click.argument("query", nargs=-1, required=True, callback=joined_words)
@click.option("--provider", multiple=True, help="Provider to ask; several are merged.")
@click.option("--count", type=int, default=10, show_default=True)
@click.option("--page", type=int, default=0, help="Page of results, from 0.")
@click.option("--category", default="general", help="general, images, videos, news, it, science …")
@click.option("--language", help="en or en-US.")
@click.option("--country", help="Two letters.")
@click.option("--freshness", help="day, week, month, year or YYYY-MM-DD..YYYY-MM-DD.")
@click.option("--safe-search", type=click.Choice(["off", "moderate", "strict"]), default="moderate")
@click.option("--site", "include_domains", multiple=True, help="Only this domain; repeatable.")
@click.option("--not-site", "exclude_domains", multiple=True, help="Exclude this domain; repeatable.")
@click.option("--content", "fetch_content", is_flag=True, help="Also read the results.")
@click.option("--raw", is_flag=True, help="Add the provider's own JSON.")
@click.option("--open", "number", type=int, metavar="N", help="Open result N.")
@json_option
def command(query: str, number: int | None, as_json: bool, **given: Any) -> None:
    """Search the web; the words are one query."""
    data, _ = answer_of("web_search", given | {"query": [query]})
    found = data["queries"][0]
    results = found["results"]
    if number is not None and results:
        from mcp_web.cli.open import command as open_command

        if not 1 <= number <= len(results):
            raise click.UsageError(f"--open is {number}, but there are {len(results)} results.")
        click.get_current_context().invoke(open_command, urls=(results[number - 1]["url"],), as_json=as_json)
    elif as_json:
        print_json(data)
    else:
        _show(found)
    if not results and not found["answers"]:
        raise SystemExit(NOTHING_FOUND)


def _show_contents(results: list[dict[str, Any]]) -> None:
    """Print the text of each result that --content fetched, or why it could not, below its title and address."""
    for hit in results:
        echo(f"{hit['rank']}. {hit['title']}", bold=True)
        echo(hit["url"], fg="green")
        if "content" in hit:
            beginning = hit["content"]["markdown"]
            print_markdown(with_closed_fence(beginning).rstrip() + "\n")
            if hit["content"]["truncated"]:
                echo(f"… more: mcp-web open {shlex.quote(hit['url'])} --start {len(beginning)}\n", dim=True)
        elif "content_error" in hit:
            echo(f"not read: {for_person(hit['content_error']['message'])}\n", fg="red")


@paged()
def _show(found: dict[str, Any]) -> None:
    for line in found["notes"]:
        note(line)
    for answer in found["answers"]:
        echo(f"answer: {answer}")
    if not found["results"]:
        empty(for_person(found["suggestion"] or "No results."))
        return
    if any("content" in hit or "content_error" in hit for hit in found["results"]):
        _show_contents(found["results"])
        return
    if not sys.stdout.isatty():
        for hit in found["results"]:
            echo(f"{hit['rank']}\t{hit['url']}\t{hit['title']}\t{hit['published'] or ''}")
        return
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 1, 1, 0))
    table.add_column(justify="right", style="dim")
    table.add_column(overflow="fold")  # an address stays whole
    for hit in found["results"]:
        entry = Text(hit["title"], style=f"bold link {hit['url']}")
        entry.append(f"\n{hit['url']}", style="green")
        facts = [hit["published"][:10] if hit["published"] else "", "kept" if "seen" in hit else ""]
        entry.append("".join(f"  {fact}" for fact in facts if fact), style="dim")
        if hit["snippet"]:
            entry.append(f"\n{hit['snippet']}", style="default")
        if picture := hit.get("image") or hit.get("thumbnail"):
            entry.append("\nimage", style=f"link {picture}")
        table.add_row(str(hit["rank"]), entry)
    console().print(table)
    console(err=True).print(f"{found['provider']} · {found['cache']} · {found['elapsed_ms']} ms", style="dim")
