"""Find a kept page by any reference to it: a hash or the beginning of one, a passage id, a resource or a URL."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcp_web.errors import NotFound
from mcp_web.model.snapshot import Snapshot, page_key
from mcp_web.text.urls import parse_url

if TYPE_CHECKING:
    from mcp_web.app import App

_KEY = re.compile(r"[0-9a-f]{64}")
_PREFIXES = ("resource://cache/", "resource://meta/", "resource://picture/")


async def find_snapshot(app: App, name: str) -> Snapshot:
    """The snapshot; NotFound says what to do."""
    name = name.strip()
    for prefix in _PREFIXES:
        name = name.removeprefix(prefix)
    store = await app.store()
    if "." in name or "://" in name:
        return await _by_url(app, parse_url(name).href)
    found = await store.snapshot(name.partition("#")[0].lower())
    if found is None and _KEY.fullmatch(name.lower()):
        found = await store.latest(name.lower())  # the name of a page rather than of one version of it
    if found is None:
        raise NotFound(
            f"No snapshot has the hash {name[:80]!r}.",
            suggestion="Give at least 8 digits of a hash from an earlier answer, or the page's URL.",
        )
    return found


async def _by_url(app: App, url: str) -> Snapshot:
    keeper = await app.keeper()
    for variant in ("readable", "rendered", "raw"):
        if (found := await keeper.latest(page_key(url, variant))) is not None:
            return found
    raise NotFound(f"No copy of {url} is kept.", suggestion=f'Open it first: web_open(url="{url}").', url=url)
