"""Serialises the settled document as HTML: the visible parts, with frames and shadow roots in place."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio

from mcp_web.errors import InvalidUrl
from mcp_web.net.address import site_of
from mcp_web.render.driver import within
from mcp_web.render.isolated_world import IsolatedWorld, ScriptFailed, function
from mcp_web.text.urls import parse_url

if TYPE_CHECKING:
    from playwright.async_api import Frame, Page

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
    parts = await _frames(page, until)
    try:
        seen = await world.call("flatten", LIMITS, seconds=until - anyio.current_time() - 0.5)
    except (ScriptFailed, TimeoutError):
        return await _plain(world, until)
    text = seen["html"]
    for number, part in parts.items():
        text = text.replace(f"<!--mcp-web-frame-{number}-->", f"<div>{part}</div>", 1)
    return Flat(text, seen["url"], int(seen["hidden"]), tuple(note for name, note in _NOTES if seen[name]))


async def _plain(world: IsolatedWorld, until: float) -> Flat:
    """The plain text of the page as paragraphs of HTML."""
    seen = await world.call("text", seconds=max(0.5, until - anyio.current_time()))
    paragraphs = "".join(f"<p>{html.escape(line)}</p>" for line in seen["text"].splitlines() if line.strip())
    title = html.escape(seen["title"])
    note = "The document could not be serialised; this is its plain text."
    return Flat(f'<!doctype html><meta charset="utf-8"><title>{title}</title>{paragraphs}', seen["url"], notes=(note,))


async def _frames(page: Page, until: float) -> dict[int, str]:
    """The HTML of frames of the page's site but another origin, by frame number: `flatten.js` cannot read these.

    Each frame's element is marked with its number; frames that fail, and those after the tenth, are left out.
    """
    from playwright.async_api import Error

    parts: dict[int, str] = {}
    main = _origin_and_site(page.main_frame)
    for number, frame in enumerate(page.main_frame.child_frames[:_MAX_FRAMES]):
        place = _origin_and_site(frame)
        if main is None or place is None or place[0] == main[0] or place[1] != main[1]:
            continue
        try:
            owner = await within(until - anyio.current_time(), frame.frame_element())
            await within(
                until - anyio.current_time(),
                owner.evaluate("(element, n) => element.setAttribute('data-mcp-web-frame', n)", str(number)),
            )
            seen = await within(1.5, frame.evaluate(function("flatten"), {**LIMITS, "partOnly": True}))
        except (Error, TimeoutError):
            continue
        parts[number] = str(seen["html"])
    return parts


def _origin_and_site(frame: Frame) -> tuple[str, str] | None:
    """The origin (scheme, host, port) and site (registrable domain) of a frame; None without a URL of its own."""
    try:
        url = parse_url(frame.url)
    except InvalidUrl:
        return None
    return url.origin, site_of(url.host)
