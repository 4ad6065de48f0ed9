"""`mcp-web extract`."""

from __future__ import annotations

import json
import sys
from typing import IO, Any

import click

from mcp_web.cli.output import json_option, print_json, print_markdown


@click.command("extract")
@click.argument("source", type=click.File("rb"), default="-", metavar="[FILE|-]")
@click.option("--base-url", default="", help="Address the HTML came from; makes links absolute.")
@click.option("--selector", help="CSS selector of the part wanted.")
@click.option("--images", is_flag=True, help="Keep images.")
@click.option("--siteconfig", help="Site config to use: an id or a file.")
@click.option("--explain", is_flag=True, help="Show on stderr how the content was chosen.")
@click.option("--front-matter", is_flag=True, help="Begin with title, source and extractor.")
@click.option("--jsonl", is_flag=True, help='Lines {"html","url"} in, lines {"markdown","title","metadata"} out.')
@json_option
def command(
    source: IO[bytes],
    base_url: str,
    selector: str | None,
    images: bool,
    siteconfig: str | None,
    explain: bool,
    front_matter: bool,
    jsonl: bool,
    as_json: bool,
) -> None:
    """Turn HTML into clean Markdown: main content only, nothing is fetched."""
    import anyio

    from mcp_web.model.page import ExtractRequest

    request = ExtractRequest(selector=selector, include_images=images, siteconfig=siteconfig, explain=explain)
    if jsonl:
        anyio.run(_lines, source, request)
        return
    document = anyio.run(_one, source.read(), base_url, request)
    from mcp_web.model.wire import document_to_json

    if as_json:
        print_json(document_to_json(document))
        return
    if explain and document.explain is not None:
        click.echo(json.dumps(document.explain, ensure_ascii=False, indent=2, default=str), err=True)
    if front_matter:
        from mcp_web.tools.page_view import PageView
        from mcp_web.tools.page_view import front_matter as head

        click.echo(head(PageView(document, base_url or None)) + "\n")
    print_markdown(document.markdown)


async def _one(html: bytes, base_url: str, request: Any) -> Any:
    from mcp_web.app import App
    from mcp_web.services.extract_html import extract_html
    from mcp_web.settings import load

    async with App(load()) as app:
        return await extract_html(app, html, base_url, request)


async def _lines(source: IO[bytes], request: Any) -> None:
    """One answer line for every input line; a bad line answers with its error and the rest goes on."""
    from mcp_web.app import App
    from mcp_web.errors import WebError
    from mcp_web.extract.summary import summary_of
    from mcp_web.model.wire import document_to_json
    from mcp_web.services.extract_html import extract_html
    from mcp_web.settings import load

    async with App(load()) as app:
        for number, line in enumerate(source, start=1):
            if not line.strip():
                continue
            try:
                asked = _asked(line, number)
                document = await extract_html(app, asked["html"], str(asked.get("url") or ""), request)
                whole = document_to_json(document)
                answer = {"markdown": document.markdown, "title": document.title} | {
                    name: whole[name] for name in ("metadata", "kind", "notes") if name in whole
                }
                answer.setdefault("metadata", {})
                answer["summary"] = summary_of(document)
            except WebError as error:
                answer = {"error": error.as_dict()}
            sys.stdout.write(json.dumps(answer, ensure_ascii=False) + "\n")
            sys.stdout.flush()


def _asked(line: bytes, number: int) -> dict[str, Any]:
    from mcp_web.errors import InvalidInput

    try:
        asked = json.loads(line)
    except ValueError as error:
        raise InvalidInput(f"Line {number} is not JSON: {error}.") from error
    if not isinstance(asked, dict) or not isinstance(asked.get("html"), str):
        raise InvalidInput(f'Line {number} must be an object with "html" and, if known, "url".')
    return asked
