"""Find a kept page by any reference to it: a hash or the beginning of one, a passage id, a resource or a URL."""

from __future__ import annotations

import re
from dataclasses import dataclass

from mcp_web.app import App
from mcp_web.errors import NotFound
from mcp_web.model.snapshot import Snapshot, page_key
from mcp_web.store.protocol import Store
from mcp_web.text.urls import parse_url

_KEY = re.compile(r"[0-9a-f]{64}")
_PREFIXES = ("resource://cache/", "resource://meta/", "resource://picture/")


@dataclass(frozen=True, slots=True)
class Found:
    """A kept page, and where it was found."""

    snapshot: Snapshot
    store: Store  # that keeps it
    shared_by: str = ""  # the tenant that shares it; empty for a document of this tenant


async def find_snapshot(app: App, name: str) -> Snapshot:
    """The snapshot that `name` refers to: a hash or its beginning, the id of a passage, a resource URI or a URL. It is
    looked for in the tenant's documents, then in those shared with it; raises NotFound."""
    return (await find_document(app, name)).snapshot


async def find_or_open(app: App, name: str, deadline: float) -> Snapshot:
    """The kept version that `name` (a hash, an id or a URL) refers to, because it is what the caller has read. If there
    is none, the page at the URL, opened by `deadline` (of `anyio.current_time()`), or NotFound if `name` is no URL."""
    from mcp_web.services.open_page import OpenRequest, open_page

    try:
        return await find_snapshot(app, name)
    except NotFound:
        if not _is_url(_plain(name)):  # a resource is no page to open
            raise
    return (await open_page(app, OpenRequest(name), deadline=deadline)).snapshot


async def find_own_snapshot(app: App, name: str) -> Snapshot:
    """The snapshot that `name` (a hash, an id or a URL) refers to among the tenant's own documents; raises NotFound."""
    name = _plain(name)
    found = await _in(await app.store(), name)
    if found is None:
        raise _not_found(name)
    return found


async def find_document(app: App, name: str) -> Found:
    """The snapshot that `name` (a hash, an id or a URL) refers to, and the store that keeps it: the tenant's own, or
    one that another tenant shares with it. Raises NotFound."""
    name = _plain(name)
    own = await app.store()
    if (found := await _in(own, name)) is not None:
        return Found(found, own)
    for shared in await app.shared_stores():
        if (found := await _in(shared.store, name)) is not None:
            return Found(found, shared.store, shared.owner)
    raise _not_found(name)


def _plain(name: str) -> str:
    """A reference to a page without the prefix of a resource URI; a URL in canonical form. Raises InvalidUrl."""
    name = name.strip()
    for prefix in _PREFIXES:
        name = name.removeprefix(prefix)
    return parse_url(name).href if _is_url(name) else name


def _is_url(name: str) -> bool:
    return "." in name or "://" in name


async def _in(store: Store, name: str) -> Snapshot | None:
    """The snapshot in a store that a reference names, or None."""
    if _is_url(name):
        for variant in ("readable", "rendered", "readable;images", "rendered;images", "raw"):
            if (found := await store.latest(page_key(name, variant))) is not None:
                return found
        return None
    found = await store.snapshot(name.partition("#")[0].lower())
    if found is None and _KEY.fullmatch(name.lower()):
        found = await store.latest(name.lower())  # the name of a page rather than of one version of it
    return found


def _not_found(name: str) -> NotFound:
    if _is_url(name):
        return NotFound(f"No copy of {name} is kept.", suggestion=f'Open it first: web_open(url="{name}").', url=name)
    return NotFound(
        f"Nothing that is kept has the id or hash {name[:80]!r}.",
        suggestion="Give at least 8 digits of a hash from an earlier answer, or the page's URL.",
    )
