"""Embedded things: a video, a post, a map becomes a link to it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from mcp_web.extract.html.write.draft import WriterState
from mcp_web.extract.html.write.escape import JOINT, escape

if TYPE_CHECKING:
    from turbohtml import Element

_VIDEO = re.compile(r"(?:youtube(?:-nocookie)?\.com/(?:embed/|v/)|youtu\.be/)([\w-]{6,20})")
_VIMEO = re.compile(r"player\.vimeo\.com/video/(\d+)")
_TWEET = re.compile(r"platform\.twitter\.com/embed/.*[?&#]id=(\d+)")
_KNOWN = re.compile(
    r"youtu|vimeo|dailymotion|twitch|ted\.com|wistia|loom\.com|soundcloud|spotify|bandcamp|codepen|jsfiddle|codesandbox|"
    r"stackblitz|replit|gist\.github|figma|google\.com/maps|openstreetmap|twitter|x\.com|instagram|tiktok|reddit|bsky|"
    r"mastodon|archive\.org|slideshare|speakerdeck|observablehq|datawrapper|flourish|bilibili|peertube|podcasts|megaphone",
    re.I,
)


def embed(draft: WriterState, element: Element) -> str:
    """A link to what a frame or player shows; frames of advertising and tracking show nothing to a reader."""
    source = element.attr("src") or element.attr("data-src") or element.attr("data") or ""
    if not source and element.tag in ("video", "audio"):
        child = element.select_one("source[src]")
        source = child.attr("src") or "" if child is not None else ""
    if not source or source.startswith(("about:", "data:", "blob:", "javascript:")):
        return ""
    if element.tag in ("iframe", "object", "embed") and not _KNOWN.search(source):
        return ""
    url = draft.links.resolve(_page_of(source))
    if url is None:
        return ""
    label = _label(element, url)
    draft.links.remember(url, label)
    return f"[{label}]{JOINT}({url})"


def _page_of(source: str) -> str:
    """The page a person would open instead of the frame's address."""
    for pattern, page in (
        (_VIDEO, "https://www.youtube.com/watch?v={}"),
        (_VIMEO, "https://vimeo.com/{}"),
        (_TWEET, "https://x.com/i/status/{}"),
    ):
        found = pattern.search(source)
        if found is not None:
            return page.format(found[1])
    return source


def _label(element: Element, url: str) -> str:
    kind = {"audio": "Audio", "iframe": "Embedded"}.get(element.tag, "Video")
    host = urlsplit(url.strip("<>")).hostname or ""
    if element.tag == "iframe" and re.search(r"youtu|vimeo|dailymotion|twitch|wistia|loom|ted\.com|bilibili", host):
        kind = "Video"
    return escape(f"{kind}: {host.removeprefix('www.')}" if host else kind)
