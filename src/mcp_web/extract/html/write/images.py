"""Images, with their URL behind lazy loading, and embedded videos, posts and maps, which become links."""

from __future__ import annotations

import re
from itertools import chain

from turbohtml import Element

from mcp_web.extract.html.write.escape import JOINT, escape
from mcp_web.extract.html.write.links import bare
from mcp_web.extract.html.write.state import WriterState
from mcp_web.text.urls import host_of

_LAZY = ("data-src", "data-original", "data-lazy-src", "data-lazy", "data-url", "data-hi-res-src", "data-full-src")
_LAZY_SETS = ("data-srcset", "data-lazy-srcset", "srcset")
_PICTURES = (".jpg", ".jpeg", ".png", ".gif", ".webp", ".avif", ".svg")
MOST_LABEL = 100
MOST_ALT = 300
_WIDTH = re.compile(r"(?<![^\s,])(\S+)(?:\s+([\d.]+)([wx]))?\s*(?:,|$)")


def source_of(element: Element) -> str:
    """The URL of the image that a person would see: in a lazy-loading attribute, else in `src`, else the largest of a
    set; "" if there is none."""
    single = (element.attr(name) or "" for name in (*_LAZY, "src"))
    sets = (_largest(element.attr(name) or "") for name in _LAZY_SETS)
    return next((url for url in chain(single, sets) if url and not url.startswith(("data:", "blob:"))), "")


def _largest(srcset: str) -> str:
    """The URL of the largest image in a `srcset`; "" if there is none."""
    best, size = "", -1.0
    for url, amount, _unit in _WIDTH.findall(srcset[:20000]):
        width = float(amount) if amount.replace(".", "", 1).isdigit() else 1.0
        if width > size and not url.startswith("data:"):
            best, size = url, width
    return best


def is_picture(url: str) -> bool:
    """Whether a URL is that of an image file, by its ending."""
    return url.partition("?")[0].rstrip(">").lower().endswith(_PICTURES)


def label_of(element: Element) -> str:
    """The alternative text of the first image in a link, as the text of the link; "" if missing or too long."""
    picture = element.select_one("img[alt]")
    label = " ".join((picture.attr("alt") or "").split()) if picture is not None else ""
    # A person does not see alternative text. A short one names the link; a long one may be text hidden for machines.
    return escape(label) if len(label) <= MOST_LABEL else ""


def image(state: WriterState, element: Element) -> str:
    """The image as Markdown, or "" if images are not requested; an emoji always as its character. Other images are
    recorded in `state.images`, whether requested or not."""
    alt = " ".join((element.attr("alt") or "").split())[:MOST_ALT]
    if alt and len(alt) <= 8 and not alt.isascii() and not any(char.isalpha() for char in alt):
        return escape(alt)
    url = state.links.resolve(source_of(element))
    if url is None:
        return ""
    state.images.setdefault(url, alt)
    if not state.include_images:
        return ""
    return f"![{escape(alt).replace('[', '').replace(']', '')}]{JOINT}({url})"


# What is embedded, and its page.
_PAGES = (
    (re.compile(r"(?:youtube(?:-nocookie)?\.com/(?:embed/|v/)|youtu\.be/)([\w-]{6,20})"),
     "https://www.youtube.com/watch?v={}"),
    (re.compile(r"player\.vimeo\.com/video/(\d+)"), "https://vimeo.com/{}"),
    (re.compile(r"platform\.twitter\.com/embed/.*[?&#]id=(\d+)"), "https://x.com/i/status/{}"),
)  # fmt: skip
_KNOWN = re.compile(
    r"youtu|vimeo|dailymotion|twitch|ted\.com|wistia|loom\.com|soundcloud|spotify|bandcamp|codepen|jsfiddle|codesandbox|"
    r"stackblitz|replit|gist\.github|figma|google\.com/maps|openstreetmap|twitter|x\.com|instagram|tiktok|reddit|bsky|"
    r"mastodon|archive\.org|slideshare|speakerdeck|observablehq|datawrapper|flourish|bilibili|peertube|podcasts|megaphone",
    re.I,
)


def embed(state: WriterState, element: Element) -> str:
    """A link to what a frame or player shows, which it records; "" for frames of unknown sites (advertising)."""
    source = element.attr("src") or element.attr("data-src") or element.attr("data") or ""
    if not source and element.tag in ("video", "audio"):
        child = element.select_one("source[src]")
        source = child.attr("src") or "" if child is not None else ""
    if not source or source.startswith(("about:", "data:", "blob:", "javascript:")):
        return ""
    if element.tag in ("iframe", "object", "embed") and not _KNOWN.search(source):
        return ""
    found = ((pattern.search(source), page) for pattern, page in _PAGES)
    url = state.links.resolve(next((page.format(match[1]) for match, page in found if match), source))
    if url is None:
        return ""
    label = _label(element, url)
    state.links.remember(url, label)
    return f"[{label}]{JOINT}({url})"


def _label(element: Element, url: str) -> str:
    """The text of the link to a frame or player, such as "Video: vimeo.com"."""
    kind = {"audio": "Audio", "iframe": "Embedded"}.get(element.tag, "Video")
    host = host_of(bare(url))
    if element.tag == "iframe" and re.search(r"youtu|vimeo|dailymotion|twitch|wistia|loom|ted\.com|bilibili", host):
        kind = "Video"
    return escape(f"{kind}: {host.removeprefix('www.')}" if host else kind)
