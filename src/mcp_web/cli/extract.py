"""`mcp-web extract`."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import click

from mcp_web.cli.exit_codes import FAILED, NOTHING_FOUND
from mcp_web.cli.output import empty, json_option, paged, print_json
from mcp_web.cli.pages import failing_alone, is_empty, print_page, view_options
from mcp_web.cli.session import with_app
from mcp_web.errors import InvalidInput, WebError
from mcp_web.text.json_fields import read_json

if TYPE_CHECKING:
    from mcp_web.app import App
    from mcp_web.model.page import Document, ExtractRequest

STDIN = "-"
_ONE_OBJECT_A_LINE = 'Write one object a line: {"html": "…", "url": "…"}.'


@click.command("extract")
@click.argument("sources", nargs=-1, metavar="[FILE|FOLDER|-]...")
@click.option("--base-url", default="", help="Address the HTML came from; makes links absolute.")
@click.option("--selector", help="CSS selector of the part to extract.")
@click.option("--images", "include_images", is_flag=True, help="Keep images.")
@click.option("--siteconfig", help="Site config to use: an id or a file.")
@click.option("--explain", is_flag=True, help="Show on stderr how the content was chosen.")
@click.option("--front-matter", is_flag=True, help="Begin with title, source and extractor.")
@click.option("--jsonl", is_flag=True, help='Lines {"html","url"} in, lines {"markdown","title","metadata"} out.')
@json_option
def command(
    sources: tuple[str, ...], base_url: str, front_matter: bool, jsonl: bool, as_json: bool, **given: Any
) -> None:
    """Turn files into clean Markdown: HTML, PDF, office documents, notebooks, text. Nothing is fetched.

    Several files, or the files of a folder, are printed one after the other. Exits 1 when one could not be read, 3 when
    one is empty.
    """
    from mcp_web.model.page import ExtractRequest

    request = ExtractRequest(**given)
    places = sources or (STDIN,)
    if STDIN in places and sys.stdin.isatty():
        empty("Reading HTML from the terminal until Ctrl-D; `mcp-web extract FILE` reads a file.")
    if jsonl:
        code = with_app(lambda app: _lines(app, places, base_url, request))
    else:
        files = list(_files(places))
        with paged():
            code = with_app(lambda app: _each(app, files, base_url, request, as_json=as_json, with_facts=front_matter))
    if code:
        raise SystemExit(code)


def _files(places: tuple[str, ...]) -> Iterator[Path | None]:
    """The named files, and the files of known types in the named folders and below; None is standard input."""
    from mcp_web.archive.folder import is_synced

    for place in places:
        path = Path(place)
        if place == STDIN:
            yield None
        elif path.is_dir():
            yield from sorted(file for file in path.rglob("*") if file.is_file() and is_synced(file))
        else:
            yield path


async def _each(
    app: App, files: list[Path | None], base_url: str, request: ExtractRequest, *, as_json: bool, with_facts: bool
) -> int:
    """Print each file, or why it failed; returns the exit code. If there is only one file, its failure is raised."""
    from mcp_web.model.wire import document_to_json
    from mcp_web.tools.page_view import PageView

    if not files:
        empty("There is no file that can be read.")
        if as_json:
            print_json({"files": []})
        return NOTHING_FOUND
    rows: list[dict[str, Any]] = []
    code = 0
    for file in files:
        name = STDIN if file is None else str(file)
        with failing_alone("file", name, rows, is_only=len(files) == 1, as_json=as_json):
            document = await _document(app, file, base_url, request)
            view = PageView(document, base_url or (name if file else None))
            code = NOTHING_FOUND if is_empty(view) else code
            if as_json:
                rows.append({"file": name} | document_to_json(document))
            else:
                print_page(view, view_options(as_json=False), with_facts=with_facts or len(files) > 1)
    if as_json:
        print_json({"files": rows} if len(files) > 1 else rows[0])
    return FAILED if any("error" in row for row in rows) else code


async def _document(app: App, file: Path | None, base_url: str, request: ExtractRequest) -> Document:
    from mcp_web.fetch.sniff import media_type
    from mcp_web.model.page import Fetched
    from mcp_web.text.media_types import type_of_name

    read = sys.stdin.buffer.read if file is None else file.read_bytes
    body = await anyio.to_thread.run_sync(read)
    declared = type_of_name(file.suffix) if file is not None else None
    kind = media_type(declared, body, file.name if file is not None else "page.html")
    page = Fetched(base_url, base_url, 200, (), body, kind, None, time.time())
    return await app.extract(page, request)


async def _lines(app: App, places: tuple[str, ...], base_url: str, request: ExtractRequest) -> int:
    """Read files whose lines are pages as JSON; print for each line its document or error. Returns the exit code."""
    code = 0
    for place in places:
        with click.open_file(place, "rb") as source:
            for number, line in enumerate(source, start=1):
                if line.strip():
                    answer = await _line(app, line, number, base_url, request)
                    code = FAILED if "error" in answer else code
                    print_json(answer, indent=None)
    return code


async def _line(app: App, line: bytes, number: int, base_url: str, request: ExtractRequest) -> dict[str, Any]:
    """The output object for an input line: the document, or {"error": …}; `base_url` is for a line without a URL."""
    from mcp_web.model.wire import document_to_json
    from mcp_web.services.extract_html import extract_html
    from mcp_web.text.summary import summary_of

    try:
        asked = _asked(line, number)
        document = await extract_html(app, asked["html"], str(asked.get("url") or base_url), request)
    except WebError as error:
        return {"error": error.as_dict()}
    whole = document_to_json(document)
    optional = {name: whole[name] for name in ("kind", "notes", "explain") if name in whole}
    facts = {"title": document.title, "metadata": whole.get("metadata", {}), "summary": summary_of(document)}
    return {"markdown": document.markdown} | facts | optional


def _asked(line: bytes, number: int) -> dict[str, Any]:
    """The object in an input line; raises InvalidInput, which names the line by its number, for other content."""
    try:
        asked = read_json(line)
    except ValueError as error:
        raise InvalidInput(f"Line {number} is not JSON: {error}.", suggestion=_ONE_OBJECT_A_LINE) from error
    if not isinstance(asked, dict) or not isinstance(asked.get("html"), str):
        raise InvalidInput(
            f'Line {number} must be an object with "html" and, if known, "url".', suggestion=_ONE_OBJECT_A_LINE
        )
    return asked
