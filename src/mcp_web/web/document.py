"""The reading view of one kept page, its versions, quotes, citations, exports; tagging and deleting it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import anyio

from mcp_web import trace
from mcp_web.errors import InvalidInput, NotFound
from mcp_web.web.csrf import checked_form
from mcp_web.web.pages import HEADERS, moment, page

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from mcp_web.app import App
    from mcp_web.model.page import Document
    from mcp_web.model.snapshot import Snapshot
    from mcp_web.services.find_snapshot import Found

EXPORTS = {"md": "Markdown", "bib": "BibTeX", "json": "CSL-JSON", "warc": "WARC"}
MOST_LINKED = 100


async def reading_view(app: App, request: Request) -> Response:
    from markupsafe import Markup

    from mcp_web.web.markdown import addresses, to_reading

    found = await _found(app, request)
    kept, store = found.snapshot, found.store
    document = kept.document
    seen = await store.seen(addresses(document.markdown)[:1000])
    copies = {url: info.hash for url, info in seen.items()}
    shown = await anyio.to_thread.run_sync(to_reading, _without_title(document), copies)
    versions = [
        {"hash": one.hash, "when": moment(one.since), "chars": one.chars} for one in await store.versions(kept.key)
    ]
    cites, cited = await _citations(found)
    quote = request.query_params.get("quote", "")[:5000]
    return page(
        request,
        "document.html",
        hash=kept.hash,
        title=document.title or kept.url,
        url=kept.final_url,
        author=document.metadata.author,
        published=document.metadata.published,
        fetched_at=kept.fetched_at,
        notes=document.notes,
        body=Markup(shown.html),  # noqa: S704 — made by our Markdown renderer, which escapes all HTML of the page
        contents=shown.contents,
        versions=versions,
        cites=cites,
        cited=cited,
        quote=quote,
        check=await _checked(kept, quote) if quote.strip() else None,
        exports=tuple(EXPORTS.items()),
        tags=kept.tags,
        shared_by=found.shared_by,
        has_picture=await store.picture(kept.hash) is not None,
    )


async def difference(app: App, request: Request) -> Response:
    from mcp_web.services.compare_versions import compare_versions

    newer = (await _found(app, request)).snapshot
    older, changes = await compare_versions(app, newer, request.query_params.get("with", "previous"))
    if older.fetched_at > newer.fetched_at:
        older, newer = newer, older
        _, changes = await compare_versions(app, newer, older.hash)
    listed = [{"change": one.change, "path": one.path, "lines": [_line(line) for line in one.hunk.splitlines()]}
              for one in changes]  # fmt: skip
    return page(
        request,
        "diff.html",
        title=newer.document.title or newer.url,
        newer={"hash": newer.hash, "when": moment(newer.fetched_at)},
        older={"hash": older.hash, "when": moment(older.fetched_at)},
        changes=listed,
    )


async def picture(app: App, request: Request) -> Response:
    from starlette.responses import Response

    found = await _found(app, request)
    png = await found.store.picture(found.snapshot.hash)
    if png is None:
        raise NotFound("No screenshot of this page is kept.")
    return Response(png, media_type="image/png", headers=HEADERS)


async def export(app: App, request: Request) -> Response:
    """One document as a file to download."""
    from starlette.responses import Response

    form = request.path_params["form"]
    if form not in EXPORTS:
        raise NotFound(f"There is no export named {form[:20]!r}.")
    kept = (await _found(app, request)).snapshot
    body = await _exported(kept, form)
    headers = HEADERS | {"content-disposition": f'attachment; filename="{kept.hash[:16]}.{form}"'}
    return Response(body, media_type="application/octet-stream", headers=headers)


async def change_tags(app: App, request: Request) -> Response:
    from starlette.responses import RedirectResponse

    from mcp_web.archive import add

    form = await checked_form(request)
    tags = tuple(dict.fromkeys(tag.strip()[:100] for tag in str(form.get("tags", "")).split(",") if tag.strip()))
    kept = await _own(app, request)
    await add.add_page(await app.store(), kept, tags=tags)
    return RedirectResponse(f"/archive/{kept.hash}", 303)


async def remove(app: App, request: Request) -> Response:
    from starlette.responses import RedirectResponse

    form = await checked_form(request)
    if form.get("sure") != "yes":
        raise InvalidInput("Deleting was not confirmed.", suggestion="Tick the box and try again.")
    await (await app.store()).remove([(await _own(app, request)).key])
    return RedirectResponse("/archive", 303)


async def _found(app: App, request: Request) -> Found:
    from mcp_web.services.find_snapshot import find_document

    try:
        return await find_document(app, request.path_params["hash"])
    except NotFound as error:
        raise _missing() from error


async def _own(app: App, request: Request) -> Snapshot:
    """The document, for changing it: what others share cannot be changed."""
    from mcp_web.services.find_snapshot import find_own_snapshot

    try:
        return await find_own_snapshot(app, request.path_params["hash"])
    except NotFound as error:
        raise _missing() from error


def _missing() -> NotFound:
    return NotFound("Nothing is kept under this name.", suggestion="It may have been deleted; search for it.")


def _without_title(document: Document) -> str:
    """The text without its first heading where that is the title, which the view shows already."""
    first = document.headings[0] if document.headings else None
    if first is None or first.text.strip() != document.title.strip() or document.markdown[: first.start].strip():
        return document.markdown
    return document.markdown[first.start :].partition("\n")[2]


async def _citations(found: Found) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    kept, store = found.snapshot, found.store
    out = await store.cites([kept.key], MOST_LINKED)
    back = await store.cited_by([kept.key], MOST_LINKED)
    keys = [edge.target for edge in out if edge.target] + [edge.source for edge in back]
    rows = await store.documents(list(dict.fromkeys(keys)))
    link = {key: {"href": f"/archive/{row.hash}", "title": row.title or row.url} for key, row in rows.items()}
    cites = [link[edge.target] for edge in out if edge.target in link and edge.target != kept.key]
    cited = [link[edge.source] for edge in back if edge.source in link and edge.source != kept.key]
    return _each_once(cites), _each_once(cited)


def _each_once(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    return list({row["href"]: row for row in rows}.values())


async def _checked(kept: Snapshot, quote: str) -> Any:
    from mcp_web.read.quote import verify

    checks = await anyio.to_thread.run_sync(verify, kept.document.markdown, [quote], kept.document.headings)
    return checks[0]


def _line(line: str) -> tuple[str, str]:
    return {"+": "added", "-": "removed"}.get(line[:1], "same"), line


async def _exported(kept: Snapshot, form: str) -> bytes:
    if form == "md":
        return trace.redact(kept.document.markdown).encode()
    from mcp_web.archive.exchange import bibtex, csl
    from mcp_web.archive.exchange.references import reference_of

    reference = reference_of(kept)
    if form == "bib":
        return trace.redact(bibtex.entry(reference, bibtex.citation_key(reference, set()))).encode()
    if form == "json":
        import json

        return trace.redact(json.dumps([csl.item_of(reference)], ensure_ascii=False, indent=2)).encode()
    from mcp_web.archive.exchange.warc import warc_of

    return await anyio.to_thread.run_sync(warc_of, kept)
