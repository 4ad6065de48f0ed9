"""`mcp-web archive`."""

from __future__ import annotations

import dataclasses
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mcp_web.cli.arguments import stdin_text
from mcp_web.cli.cache import get, list_kept
from mcp_web.cli.calling import answer_of, shown_progress
from mcp_web.cli.exit_codes import FAILED, NOTHING_FOUND
from mcp_web.cli.output import (
    echo,
    empty,
    failures,
    joined_words,
    json_option,
    note,
    paged,
    print_json,
    print_marked,
    print_table,
    wrapped,
)
from mcp_web.cli.session import with_app
from mcp_web.text.amounts import amount

if TYPE_CHECKING:
    from mcp_web.app import App

FORMATS = click.Choice(["markdown", "jsonl", "bibtex", "csl", "warc"])


@click.group("archive")
def command() -> None:
    """Everything that was opened or saved: search, list, add, remove, export and import."""


@command.command("search")
@click.argument("query", nargs=-1, required=True, callback=joined_words)
@click.option("--limit", type=int, default=10, show_default=True)
@click.option("--mode", type=click.Choice(["hybrid", "text", "semantic"]), default="hybrid")
@click.option("--source", type=click.Choice(["all", "research", "web"]), default="all")
@click.option("--since", help="Not before YYYY-MM-DD.")
@click.option("--until", help="Not after YYYY-MM-DD.")
@click.option("--collection", help="Only documents with this tag, or of this synced folder.")
@click.option("--exact", is_flag=True, help="Do not correct typos.")
@click.option("--citations", "include_citations", is_flag=True, help="Add the citations of each document.")
@click.option("--depth", "citation_depth", type=int, default=1, help="Citation depth, 1 to 3.")
@json_option
def search(query: str, exact: bool, as_json: bool, **given: Any) -> None:
    """Search what is kept, by words and by meaning; the words are one query."""
    data, _ = answer_of("archive_search", given | {"query": query, "fuzzy": not exact})
    print_json(data) if as_json else _show(data)
    if not data["results"]:
        raise SystemExit(NOTHING_FOUND)


@paged()
def _show(data: dict[str, Any]) -> None:
    from mcp_web.archive.highlight import Snippet

    if "corrected_query" in data:
        echo(f"searched for: {data['corrected_query']}", fg="yellow", err=True)
    for line in data.get("notes", ()):
        note(line)
    if not data["results"]:
        empty("Nothing kept matches. `mcp-web archive list` shows what there is.")
    for at, row in enumerate(data["results"]):
        document = row["document"]
        echo(("\n" if at else "") + document["title"], bold=True)
        echo(f"  {document['path'] or document['url']}", fg="green")
        echo(f"  {document['date']} · {document['source']} · {document['snapshot'][:16]}", dim=True)
        for mark in row["highlights"]:
            for snippet in mark["snippets"] if mark["field"] != "title" else ():
                print_marked(Snippet(snippet["text"], tuple(map(tuple, snippet["spans"]))).parts(), indent=2)


@command.command("add")
@click.argument("content")
@click.option("--title", help="Title of a text.")
@click.option("--date", help="YYYY-MM-DD.")
@click.option("--tag", "--collection", "tags", multiple=True, help="A label, which is a collection; repeatable.")
@json_option
def add(content: str, as_json: bool, **given: Any) -> None:
    """Save CONTENT as research: an address, a text, or - for standard input."""
    if content == "-":
        content = stdin_text()
    elif os.path.isfile(content):  # a long text is no path, and pathlib would raise
        raise click.UsageError(
            f"{content} is a file. `mcp-web extract {content} | mcp-web archive add - --title TITLE` saves its text, "
            "`mcp-web archive sync` a folder."
        )
    data, text = answer_of("archive_add", given | {"content": content})
    print_json(data) if as_json else echo(wrapped(text, stream=sys.stdout))


command.add_command(list_kept)
command.add_command(get, "show")


@command.command("remove")
@click.argument("documents", nargs=-1, metavar="[ID|URL...]")
@click.option("--collection", help="All documents with this tag, or of this synced folder.")
@click.option("--below", "prefix", metavar="URL", help="All pages whose address begins with URL, as after a crawl.")
@click.option("--yes", is_flag=True, help="Delete them; without it they are only listed.")
@json_option
def remove(documents: tuple[str, ...], collection: str | None, prefix: str | None, yes: bool, as_json: bool) -> None:
    """Delete kept documents with all their versions, saved research too."""
    from mcp_web.model.snapshot import document_id
    from mcp_web.services.remove_documents import remove_documents

    if not (documents or collection or prefix):
        raise click.UsageError("Say what to delete: ids or URLs, --collection or --below.")
    chosen = {"collection": collection, "prefix": prefix}
    with shown_progress():
        done = with_app(lambda app: remove_documents(app, documents, dry_run=not yes, **chosen))
    rows = [(document_id(key), title, address) for key, title, address in done.documents]
    if as_json:
        listed = [{"id": id_, "title": title, "address": address} for id_, title, address in rows]
        print_json({"removed": done.removed, "documents": listed})
    elif rows:
        print_table(("id", "title", "address"), rows, wide=("title", "address"))
        end = "deleted." if done.removed else "would be deleted; run it again with --yes."
        echo(f"{amount(len(rows), 'document')} {end}", err=True)
    else:
        empty("Nothing kept matches.")
    if not rows:
        raise SystemExit(NOTHING_FOUND)


_exclude = click.option(
    "--exclude", multiple=True, metavar="PATTERN", help="Leave out what matches, such as 'drafts/*'."
)


@command.command("sync")
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--name", help="Name of the folder in the archive; default: the folder name.")
@_exclude
@click.option("--tag", "--collection", "tags", multiple=True, help="A label for all its documents; repeatable.")
@json_option
def sync(folder: Path, as_json: bool, **given: Any) -> None:
    """Index a folder of Markdown, HTML, text, PDF and notebooks; only what changed is read."""
    from mcp_web.services.sync_folder import sync_folder

    with shown_progress() as progress:
        report = with_app(lambda app: sync_folder(app, folder, on_progress=progress, **given))
    done = f"{report.added} added, {report.changed} changed, {report.unchanged} unchanged, {report.removed} removed"
    _print_report(report, done, as_json)
    for line in () if as_json else report.notes:
        note(line)
    if report.failed and not (report.added or report.changed or report.unchanged):
        raise SystemExit(FAILED)


@command.command("crawl")
@click.argument("url")
@click.option("--prefix", help="Only addresses that begin with this; default: the folder of URL.")
@click.option("--max-pages", type=click.IntRange(1), default=200, show_default=True)
@click.option(
    "--depth", "max_depth", type=click.IntRange(0), default=4, show_default=True, help="Links to follow from URL."
)
@click.option("--tag", "--collection", "tags", multiple=True, help="A label for the pages; repeatable.")
@_exclude
@json_option
def crawl(url: str, as_json: bool, **given: Any) -> None:
    """Add a site to the archive: sitemaps, llms.txt and links below a prefix. Later runs fetch only what changed."""
    from mcp_web.services.crawl_site import crawl_site

    with shown_progress() as progress:
        report = with_app(lambda app: crawl_site(app, url, on_progress=progress, **given))
    counts = f"{report.new} new, {report.changed} changed, {report.unchanged} unchanged, {len(report.failed)} failed"
    rest = f"; {report.left} left: run again" if report.left else ""
    _print_report(report, f"{amount(report.pages, 'page')}: {counts}{rest}", as_json)
    if report.failed and len(report.failed) == report.pages:
        raise SystemExit(FAILED)


def _print_report(report: Any, sentence: str, as_json: bool) -> None:
    """Print the report as JSON, or the sentence and on stderr what failed."""
    if as_json:
        print_json(dataclasses.asdict(report))
    else:
        echo(sentence)
        failures(report.failed)


@command.command("export")
@click.argument("place", type=click.Path(path_type=Path))
@click.option("--format", "form", type=FORMATS, help="Default: by the file extension; a folder is Markdown.")
@click.option("--source", type=click.Choice(["research", "web"]), help="Only this source.")
@click.option("--collection", help="Only documents with this tag, or of this synced folder.")
@json_option
def export(place: Path, form: Any, source: Any, collection: str | None, as_json: bool) -> None:
    """Write everything kept to PLACE: a folder of Markdown, or a .jsonl, .bib, .json (CSL) or .warc file."""
    from mcp_web.services.exchange_archive import export_archive

    with shown_progress():
        report = with_app(lambda app: export_archive(app, place, form, source, collection))
    _exchanged("exported", report, as_json)


@command.command("import")
@click.argument("place", type=click.Path(path_type=Path, exists=True))
@click.option("--format", "form", type=FORMATS, help="Default: by the file extension; a folder is Markdown.")
@json_option
def import_(place: Path, form: Any, as_json: bool) -> None:
    """Import what was exported to PLACE."""
    from mcp_web.services.exchange_archive import import_archive

    with shown_progress():
        report = with_app(lambda app: import_archive(app, place, form))
    _exchanged("imported", report, as_json)
    if not report.documents:
        raise SystemExit(NOTHING_FOUND)


def _exchanged(verb: str, report: Any, as_json: bool) -> None:
    done = f"{verb}: {amount(report.documents, 'document')} in {amount(report.versions, 'version')}"
    _print_report(report, done, as_json)
    if report.failed:
        raise SystemExit(FAILED)


@command.command("collections")
@json_option
def collections(as_json: bool) -> None:
    """List the collections, each with its number of documents: tags, and the folders that were synced."""

    async def work(app: App) -> dict[str, int]:
        return await (await app.store()).collections()

    found = with_app(work)
    if as_json:
        print_json({"collections": [{"name": name, "documents": count} for name, count in found.items()]})
    elif not found:
        empty("There are no collections yet: `archive add --tag`, `archive sync` and `archive crawl --tag` make them.")
    else:
        for name, count in found.items():
            echo(f"{count:>8,}  {name}")


@command.command("reindex")
@json_option
def reindex(as_json: bool) -> None:
    """Embed everything kept with the configured model; an interrupted run resumes where it stopped."""
    from mcp_web.services.embed_documents import reindex_archive

    with shown_progress() as progress:
        documents = with_app(lambda app: reindex_archive(app, progress))
    print_json({"documents": documents}) if as_json else echo(f"{amount(documents, 'document')} embedded")


@command.command("graph")
@click.argument("query", nargs=-1, required=True, callback=joined_words)
@click.option("--depth", type=int, default=2, show_default=True, help="Citation depth, 1 to 3.")
@click.option("--limit", type=int, default=10, show_default=True, help="Documents to start from.")
@click.option("--format", "form", type=click.Choice(["mermaid", "graphml", "json"]), default="mermaid")
def graph(query: str, depth: int, limit: int, form: str) -> None:
    """Print the citation graph around the documents that match a query."""
    from mcp_web.archive.answer import ArchiveQuery
    from mcp_web.services.search_archive import search_archive
    from mcp_web.tools.archive_search import as_data

    wanted = ArchiveQuery(query, include_citations=True, citation_depth=depth, limit=limit)
    with shown_progress():
        answer = with_app(lambda app: search_archive(app, wanted))
    if answer.citation_graph is None:
        empty("No kept document matches, so there is no graph to draw.")
        raise SystemExit(NOTHING_FOUND)
    if form == "json":
        print_json(as_data(answer)["citation_graph"])
    else:
        echo(answer.citation_graph.graphml if form == "graphml" else answer.citation_graph.mermaid)
