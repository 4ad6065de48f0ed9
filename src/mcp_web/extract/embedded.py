"""What a Markdown page embeds: raw HTML blocks, written as Markdown, and images, kept only when asked for."""

from __future__ import annotations

import re
from urllib.parse import urljoin

from mcp_web.extract.markdown import map_outside_code
from mcp_web.extract.snippet import snippet_markdown
from mcp_web.model.page import Link

_BLOCK = re.compile(
    r" {0,3}<(?:p|div|table|details|summary|center|h[1-6]|img|a|picture|br|hr|span|font|ul|ol|dl|blockquote|figure|"
    r"video|section|article|align|samp)\b",
    re.I,
)
_CLOSING = re.compile(r"(?:\s*</[a-zA-Z][\w-]{0,20}\s*>\s*)+")
_CODE_SPAN = r"`[^`\n]{1,300}`"
_PICTURE = re.compile(
    _CODE_SPAN + r"|!\[(?P<alt>[^\[\]\n]{0,300})\]\((?P<url>[^()\s]{0,2000})(?:\s{1,4}\"[^\"\n]{0,300}\")?\)|"
    r"<img\b(?P<tag>[^<>]{0,2000})>",
    re.I,
)
_EMPTY_LINK = re.compile(r"\[\s{0,4}\]\([^()\s]{0,2000}\)")
_SRC = re.compile(r"""\bsrc\s*=\s*["']?([^"'\s>]{1,2000})""", re.I)
_ALT = re.compile(r"""\balt\s*=\s*["']([^"']{0,300})""", re.I)


def write_embedded(markdown: str, base: str, *, include_images: bool) -> tuple[str, tuple[Link, ...], int]:
    """The Markdown without raw HTML blocks, its images, and how many hidden pieces went with the blocks."""
    images: dict[str, str] = {}
    hidden = 0

    def block(text: str) -> str:
        nonlocal hidden
        if _CLOSING.fullmatch(text):
            return ""
        if _BLOCK.match(text):
            written, found = snippet_markdown(_PICTURE.sub(picture, text), base)
            hidden += found
            return written
        return _EMPTY_LINK.sub("", _PICTURE.sub(picture, text))

    def picture(match: re.Match[str]) -> str:
        if match[0].startswith("`"):
            return match[0]
        tag = match["tag"]
        source = _SRC.search(tag) if tag is not None else None
        words = _ALT.search(tag) if tag is not None else None
        url = (source[1] if source else "") if tag is not None else match["url"]
        alt = (words[1] if words else "") if tag is not None else match["alt"]
        try:
            url = urljoin(base, url)
        except ValueError:
            return ""
        if url.startswith(("http://", "https://")):
            images.setdefault(url, alt)
        # A picture that is a link (badges) leaves its words, so that the link can still be followed.
        linked = (
            match.string[match.start() - 1 : match.start()] == "["
            and match.string[match.end() : match.end() + 2] == "]("
        )
        if linked:
            return alt
        return (match[0] if tag is None else f"![{alt}]({url})") if include_images else ""

    def stretch(text: str) -> str:
        return "\n\n".join(block(part) if "<" in part or "![" in part else part for part in text.split("\n\n"))

    text = map_outside_code(markdown, stretch)
    return text, tuple(Link(alt or url, url) for url, alt in images.items()), hidden
