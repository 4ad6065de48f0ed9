"""Kept pages as MCP resources: text, metadata, screenshot, completion of hashes. Tools offer all of this too."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from typing import Any

import mcp_types as types
from mcp import MCPError

from mcp_web import trace
from mcp_web.app import App
from mcp_web.errors import WebError
from mcp_web.model.snapshot import Snapshot, SnapshotInfo
from mcp_web.services.find_snapshot import find_document
from mcp_web.store.protocol import Store
from mcp_web.text.dates import iso
from mcp_web.text.untrusted import quoted
from mcp_web.tools import budget
from mcp_web.tools.clean_output import META_CHARS, clean_error, clean_text, clean_value, error_line
from mcp_web.tools.envelope import Envelope
from mcp_web.tools.page_view import PageView, front_matter

_CACHE = "resource://cache/"
_META = "resource://meta/"
_SCREENSHOT = "resource://picture/"
_LISTED = 30  # pages in the list of resources

TEMPLATES = [
    types.ResourceTemplate(
        name=name, title=title, uri_template=prefix + "{sha256}", description=description, mime_type=media_type
    )
    for name, title, prefix, media_type, description in (
        ("snapshot", "A kept page as Markdown", _CACHE, "text/markdown",
         "The text of a snapshot with its front matter; long pages are cut, cache_get pages through them."),
        ("snapshot-facts", "How a kept page was read", _META, "application/json",
         "Address, headers, timings, extractor and versions of a snapshot."),
        ("snapshot-picture", "Screenshot of a rendered page", _SCREENSHOT, "image/png",
         "The screenshot of a snapshot, where the operator keeps them."),
    )
]  # fmt: skip


async def list_resources(app: App) -> list[types.Resource]:
    """The thirty most recently used pages of the archive, as MCP resources."""
    return [
        types.Resource(
            # Clients show names to people: the URL without its scheme.
            name=trace.redact(info.url.partition("://")[2].rstrip("/")[:120] or info.url[:120]),
            title=quoted(trace.redact(info.title or info.url), 120),
            uri=_CACHE + info.hash,
            description=f"{quoted(trace.redact(info.url), 200)} read {iso(info.fetched_at)}",
            mime_type="text/markdown",
        )
        for info in (await (await app.store()).browse(_LISTED))[0]
    ]


async def read_resource(app: App, uri: str) -> types.ReadResourceResult:
    """The resource at a URI; raises MCPError for an unknown one."""
    if not uri.startswith((_CACHE, _META, _SCREENSHOT)):
        raise MCPError(types.INVALID_PARAMS, f"Unknown resource: {quoted(uri, 200)}", data={"uri": uri})
    try:
        found = await find_document(app, uri)
    except WebError as error:
        raise MCPError(types.INVALID_PARAMS, error_line(clean_error(error)), data={"uri": uri}) from error
    kept = found.snapshot
    if uri.startswith(_SCREENSHOT):
        return await _screenshot(found.store, kept, uri)
    if uri.startswith(_META):
        facts = clean_value(_facts(kept, await found.store.versions(kept.key)), META_CHARS)
        text, kind = json.dumps(facts, ensure_ascii=False, indent=1), "application/json"
    else:
        view = PageView(kept.document, kept.url, kept.final_url, fetched_at=kept.fetched_at)
        page = front_matter(view) + "\n\n" + budget.cut(kept.document.markdown, budget.AIM - 400)
        envelope = Envelope()
        text, kind = clean_text(envelope.wrap(page), envelope), "text/markdown"
    return types.ReadResourceResult(contents=[types.TextResourceContents(uri=uri, mime_type=kind, text=text)])


async def _screenshot(store: Store, kept: Snapshot, uri: str) -> types.ReadResourceResult:
    """The screenshot of a version as a resource; raises MCPError if none is kept."""
    png = await store.screenshot(kept.hash)
    if png is None:
        raise MCPError(types.INVALID_PARAMS, f"There is no screenshot of {quoted(kept.url, 200)}.", data={"uri": uri})
    blob = base64.b64encode(png).decode("ascii")
    return types.ReadResourceResult(contents=[types.BlobResourceContents(uri=uri, mime_type="image/png", blob=blob)])


def _facts(kept: Snapshot, versions: Sequence[SnapshotInfo]) -> dict[str, Any]:
    """How a kept page was fetched and extracted, and the hashes of its versions, as JSON values."""
    names = ("url", "final_url", "variant", "status", "media_type")
    facts = {"snapshot": kept.hash} | {name: getattr(kept, name) for name in names}
    times = {name: iso(getattr(kept, name)) for name in ("fetched_at", "checked_at", "fresh_until")}
    return {
        **facts,
        **times,
        "extractor": kept.document.extractor,
        "siteconfig": kept.document.siteconfig,
        "headers": {name: value[:500] for name, value in kept.headers[:60]},
        "timings": dict(kept.timings),
        "versions": [info.hash for info in versions[:20]],
    }


async def complete(app: App, params: types.CompleteRequestParams) -> types.CompleteResult:
    """Complete the hash in a resource URI: at most fifty hashes of kept pages that begin with the typed digits."""
    found: list[str] = []
    if isinstance(params.ref, types.ResourceTemplateReference) and params.argument.name == "sha256":
        typed = params.argument.value.strip().lower()
        if all(char in "0123456789abcdef" for char in typed):
            found = await (await app.store()).complete(typed, 50)
    return types.CompleteResult(completion=types.Completion(values=found, total=len(found), has_more=len(found) >= 50))
