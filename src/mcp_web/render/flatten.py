"""Serialises the settled document as HTML: the visible parts, with frames and shadow roots in place."""

from __future__ import annotations

import html
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import anyio

from mcp_web.errors import InvalidUrl
from mcp_web.net.address import site_of
from mcp_web.render.driver import within
from mcp_web.render.isolated_world import IsolatedWorld, KeptNavigating, ScriptFailed
from mcp_web.text.urls import parse_url

if TYPE_CHECKING:
    from playwright.async_api import Page

# Larger than any page worth reading; the parser takes at most 5 MB.
LIMITS = {"chars": 5_000_000, "nodes": 300_000, "depth": 800}
_MAX_FRAMES = 10
_NOTES = (
    ("cut", "The document is larger than can be kept; its end is missing."),
    ("consent", "A consent banner was left out."),
)


@dataclass(frozen=True, slots=True)
class Flat:
    """A document as HTML that can be read without a browser."""

    html: str
    url: str
    hidden: int = 0  # pieces of invisible text left out
    notes: tuple[str, ...] = ()


async def flatten(page: Page, world: IsolatedWorld, until: float) -> Flat:
    """Serialise what a page shows as HTML, or if that fails its plain text, before `until` on anyio's clock.

    Raises TimeoutError, KeptNavigating, PageGone, ScriptFailed or Playwright's Error.
    """
    try:
        seen = await world.call("flatten", LIMITS, seconds=until - anyio.current_time() - 0.5)
    except (ScriptFailed, TimeoutError):
        return await _plain(world, until)
    text, parts = seen["html"], await _frames(page, world, int(seen["unread"]), until - 0.5)
    for number, part in parts.items():
        text = text.replace(f"<!--mcp-web-frame-{number}-->", f"<div>{part['html']}</div>", 1)
    every = (seen, *parts.values())
    notes = tuple(note for name, note in _NOTES if any(part[name] for part in every))
    return Flat(text, seen["url"], sum(int(part["hidden"]) for part in every), notes)


async def _plain(world: IsolatedWorld, until: float) -> Flat:
    """The plain text of the page as paragraphs of HTML."""
    seen = await world.call("text", seconds=max(0.5, until - anyio.current_time()))
    paragraphs = "".join(f"<p>{html.escape(line)}</p>" for line in seen["text"].splitlines() if line.strip())
    title = html.escape(seen["title"])
    note = "The document could not be serialised; this is its plain text."
    return Flat(f'<!doctype html><meta charset="utf-8"><title>{title}</title>{paragraphs}', seen["url"], notes=(note,))


async def _frames(page: Page, world: IsolatedWorld, unread: int, until: float) -> dict[int, dict[str, Any]]:
    """What `flatten.js` returns for each frame that it could not read from the page, by the frame's number: only for
    frames of the page's site, and those with their text in an attribute of the page (`srcdoc`).

    `unread` is how many it could not read, of which the first ten are tried; those that fail are left out.
    """
    from playwright.async_api import Error

    parts: dict[int, dict[str, Any]] = {}
    with suppress(Error, TimeoutError, KeptNavigating):
        known = await world.frames(until) if unread else {}
        for number in range(min(unread, _MAX_FRAMES)):
            frame = await world.frame_of(f"unread[{number}]", until)
            if frame not in known:  # the browser runs a frame of another origin in a process of its own
                known |= await _frames_elsewhere(page, world, until)
            inner, url = known.get(frame, (world, ""))
            if url == "about:srcdoc" or _site(url) == _site(page.url) != "":
                with suppress(Error, TimeoutError, KeptNavigating, ScriptFailed):
                    seconds = min(1.5, until - anyio.current_time())
                    parts[number] = await inner.call("flatten", {**LIMITS, "partOnly": True}, seconds=seconds)
    return parts


async def _frames_elsewhere(page: Page, world: IsolatedWorld, until: float) -> dict[str, tuple[IsolatedWorld, str]]:
    """As `IsolatedWorld.frames`, for the first ten frames of the page that run in a process of their own."""
    from playwright.async_api import Error

    found: dict[str, tuple[IsolatedWorld, str]] = {}
    for frame in page.frames[1 : _MAX_FRAMES + 1]:
        with suppress(Error):  # the frame is in the page's process
            session = await within(until - anyio.current_time(), page.context.new_cdp_session(frame))
            found |= await world.of_session(session).frames(until)
    return found


def _site(url: str) -> str:
    """The site (registrable domain) of a URL; "" if it is not http(s)."""
    try:
        return site_of(parse_url(url).host)
    except InvalidUrl:
        return ""
