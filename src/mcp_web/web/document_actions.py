"""Actions on one kept page: screenshot, export, collections, deleting the page or its readings."""

from __future__ import annotations

import re
import unicodedata

import anyio
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from mcp_web import trace
from mcp_web.app import App
from mcp_web.errors import NotFound
from mcp_web.model.snapshot import Snapshot
from mcp_web.services.find_snapshot import find_own_snapshot
from mcp_web.web.catalogue import gettext as _
from mcp_web.web.csrf import check_confirmed, checked_form
from mcp_web.web.document import EXPORTS, found_document, missing
from mcp_web.web.pages import HEADERS

_MOST_SLUG = 60  # characters of a title in a file's name
_ENDINGS = {"warc": "warc.gz"}


async def screenshot(app: App, request: Request) -> Response:
    found = await found_document(app, request)
    png = await found.store.screenshot(found.snapshot.hash)
    if png is None:
        raise NotFound(_("No screenshot of this page is kept."))
    return Response(png, media_type="image/png", headers=HEADERS)


async def export(app: App, request: Request) -> Response:
    """One document as a file to download."""
    form = request.path_params["form"]
    if form not in EXPORTS:
        raise NotFound(_("There is no such export."))
    kept = (await found_document(app, request)).snapshot
    body = await _exported(kept, form)
    headers = HEADERS | {"content-disposition": f'attachment; filename="{_file_name(kept, form)}"'}
    return Response(body, media_type="application/octet-stream", headers=headers)


async def change_tags(app: App, request: Request) -> Response:
    from mcp_web.archive import add

    form = await checked_form(request)
    tags = [tag.strip()[:100] for tag in str(form.get("tags", "")).split(",")]
    kept = await _own(app, request)
    await add.add_page(await app.store(), kept, tags=tags)
    return RedirectResponse(f"/archive/{kept.hash}", 303)


async def remove(app: App, request: Request) -> Response:
    await check_confirmed(request)
    await (await app.store()).remove([(await _own(app, request)).key])
    return RedirectResponse("/archive?deleted", 303)


async def remove_readings(app: App, request: Request) -> Response:
    """Delete the questions and checked quotes that are recorded for a page; the page is kept."""
    await checked_form(request)
    kept = await _own(app, request)
    await (await app.store()).remove_readings(kept.key)
    return RedirectResponse(f"/archive/{kept.hash}", 303)


async def _own(app: App, request: Request) -> Snapshot:
    """The document in the URL, for changing it; raises NotFound, also for another tenant's that is shared."""
    try:
        return await find_own_snapshot(app, request.path_params["hash"])
    except NotFound as error:
        raise missing() from error


def _file_name(kept: Snapshot, form: str) -> str:
    """A file name: the title in ASCII, the first digits of the hash, and the extension of the format."""
    plain = unicodedata.normalize("NFKD", trace.redact(kept.document.title)).encode("ascii", "ignore").decode()
    slug = re.sub(r"[^a-z0-9]+", "-", plain.lower())[:_MOST_SLUG].strip("-")
    return f"{slug}-{kept.hash[:8]}.{_ENDINGS.get(form, form)}".lstrip("-")


async def _exported(kept: Snapshot, form: str) -> bytes:
    """The document as a file, without secrets; `form` is a key of EXPORTS."""
    from mcp_web.archive.exchange.cite import cite
    from mcp_web.archive.exchange.markdown import file_text
    from mcp_web.archive.exchange.references import reference_of

    if form == "md":
        return trace.redact(file_text(kept)).encode("utf-8", "replace")
    if form in ("bib", "json"):
        cited = cite([reference_of(kept)], "bibtex" if form == "bib" else "csl") + "\n"
        return trace.redact(cited).encode("utf-8", "replace")
    from mcp_web.archive.exchange.records import without_secrets
    from mcp_web.archive.exchange.warc import warc_of

    return await anyio.to_thread.run_sync(warc_of, without_secrets(kept))
