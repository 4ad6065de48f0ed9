"""Raw HTML and images in a Markdown page: HTML blocks are converted to Markdown, images stay if they are requested."""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import urljoin

from mcp_web.extract.markdown import map_outside_code, without_unused_definitions
from mcp_web.extract.snippet import snippet_markdown
from mcp_web.model.page import Link
from mcp_web.text.markdown import CODE_SPAN

_BLOCK = re.compile(
    r" {0,3}<(?:p|div|table|details|summary|center|h[1-6]|img|a|picture|br|hr|span|font|ul|ol|dl|blockquote|figure|"
    r"video|section|article|align|samp)\b",
    re.I,
)
_CLOSING = re.compile(r"(?:\s*</[a-zA-Z][\w-]{0,20}\s*>\s*)+")
_PICTURE = re.compile(
    CODE_SPAN + r"|!\[(?P<alt>[^\[\]\n]{0,300})\]\((?P<url>[^()\s]{0,2000})(?:\s{1,4}\"[^\"\n]{0,300}\")?\)|"
    r"<img\b(?P<tag>[^<>]{0,2000})>",
    re.I,
)
_EMPTY_LINK = re.compile(r"\[\s{0,4}\]\([^()\s]{0,2000}\)")
_SRC = re.compile(r"""\bsrc\s*=\s*["']?([^"'\s>]{1,2000})""", re.I)
_ALT = re.compile(r"""\balt\s*=\s*["']([^"']{0,300})""", re.I)
_TAG = re.compile(CODE_SPAN + r"|\\[\\<]|<([a-zA-Z][\w-]{0,30})\b([^<>]{0,3000})>")  # an escaped `\<` begins no tag
_MAY_HIDE = re.compile(
    r"\b(?:style|hidden|class|id|popover|color)\b"
    r"|\A(?:template|dialog|noscript|script|svg|iframe|object|canvas|select|datalist)\b",
    re.I,
)
_NEVER_TEXT = frozenset(("script", "svg", "iframe", "object", "canvas", "select", "datalist", "style"))
_VOID = frozenset(("img", "input", "br", "hr", "area", "wbr"))
_SHEET = re.compile(r"<style\b[^<>]{0,200}>([^<]*)</style\s{0,9}>", re.I)
# The start of a comment; one that begins a line, possibly in a list or a quote, does not end with its paragraph.
_COMMENT = re.compile(
    rf"{CODE_SPAN}|\\[\\<`]|^(?P<block>(?:[ \t>]|[-*+][ \t]|\d{{1,9}}[.)][ \t]){{0,20}})<!--|(?P<inline><!--)", re.M
)
_PARAGRAPH_END = re.compile(r"\n[ \t]*\n|\Z")
_ID = re.compile(r"\s(?:id|name)\s{0,9}=\s{0,9}(?:\"[^\"<>]*\"|'[^'<>]*'|[^\s\"'<>]+)", re.I)
_MOST_TAGS = 2000  # different ones that are tested in one text; further ones count as hidden
_MOST_SHEETS = 3_000_000  # characters of style sheets that are read for them, for each tag again


def sheets_of(markdown: str) -> str:
    """The CSS in the `style` elements of a Markdown text, joined; "" if there are none."""
    return "".join(_SHEET.findall(markdown)) if "<style" in markdown.lower() else ""


def without_hidden(markdown: str, sheets: str | None = None) -> tuple[str, int]:
    """The Markdown without hidden HTML elements, HTML comments, and definitions of links that no link uses.

    Also returns how many were removed, not counting comments. Code blocks are not changed. `sheets` is the CSS that
    applies, if `markdown` is only a part of a document; without it, the CSS in `markdown` applies.
    """
    markdown, count = without_unused_definitions(markdown)
    sheets = sheets_of(markdown) if sheets is None else sheets

    def clean(text: str) -> str:
        nonlocal count
        text, removed = _without_hidden(without_comments(text)[0], sheets)
        count += removed
        return text

    return (map_outside_code(markdown, clean), count) if "<" in markdown else (markdown, count)


def without_comments(text: str) -> tuple[str, int]:
    """Markdown outside code blocks without HTML comments, and how many these were.

    What looks like one in a code span is text, and so is one in a paragraph that does not end in it. One at the start
    of a line that nothing ends takes all the rest.
    """
    kept: list[str] = []
    at = kept_to = count = 0
    end = paragraph_end = -1  # the next ends, found once for all comments that begin before them
    while "<!--" in text and (found := _COMMENT.search(text, at)):
        at = found.end()
        start = at - 4
        if found["block"] is None and found["inline"] is None:
            continue
        if end < start + 5:  # the shortest comment is `<!-->`
            close = text.find("-->", start + 2)
            end = close + 3 if close >= 0 else len(text) + 1
        if found["inline"] is not None:
            if paragraph_end < start:
                paragraph_end = next(_PARAGRAPH_END.finditer(text, start)).start()
            if end > paragraph_end:
                continue
        kept.append(text[kept_to:start])
        at = kept_to = min(end, len(text))
        count += 1
    kept.append(text[kept_to:])
    return "".join(kept), count


def _without_hidden(text: str, sheets: str) -> tuple[str, int]:
    """The text without hidden HTML elements, and how many were removed; `sheets` is the CSS that applies. After a
    limited number of different start tags, elements that an attribute or their tag may hide count as hidden."""
    kept: list[str] = []
    end = count = 0
    tested: set[str] = set()
    most = min(_MOST_TAGS, _MOST_SHEETS // (len(sheets) + 1))
    for found in _TAG.finditer(text):
        tag, name = found[0], found[1]
        if not name or found.start() < end or not _MAY_HIDE.search(f"{name} {found[2]}"):
            continue
        tag = tag if sheets else _ID.sub("", tag)  # without sheets, an id hides nothing
        tested.add(tag)
        if len(tested) > most or _is_hidden(tag, name, sheets):
            kept.append(text[end : found.start()])
            end = _end_of(text, name, found.end())
            count += 1
    kept.append(text[end:])
    return "".join(kept), count


@lru_cache(maxsize=1024)
def _is_hidden(tag: str, name: str, sheets: str) -> bool:
    """Whether an element is hidden, tested on a page that has only this element. `tag` is its start tag with
    attributes, `name` its tag name, and `sheets` the CSS of the page."""
    if name.lower() in _NEVER_TEXT:
        return True
    is_void = name.lower() in _VOID
    inside = f"<span{tag[len(name) + 1 :].rstrip('/>')}>x</span>" if is_void else f"{tag}x</{name}>"
    return snippet_markdown(f"<style>{sheets}</style>{inside}" if sheets else inside, "https://a.invalid/")[1] > 0


def _end_of(text: str, name: str, start: int) -> int:
    """The offset after the element `name` whose start tag ends at `start`; the text's end if it is not closed."""
    if name.lower() in _VOID:
        return start
    depth = 1
    for found in re.compile(rf"<(/?){re.escape(name)}\b[^<>]{{0,3000}}>", re.I).finditer(text, start):
        depth += -1 if found[1] else 1
        if depth == 0:
            return found.end()
    return len(text)


def write_embedded(markdown: str, base: str, *, include_images: bool) -> tuple[str, tuple[Link, ...], int]:
    """The text with its HTML blocks converted to Markdown, its images, and how many hidden elements were removed.

    `base` is the URL that relative addresses are resolved against. Without `include_images` the images are removed from
    the text; they are returned in any case.
    """
    images: dict[str, str] = {}
    markdown, hidden = without_hidden(markdown)

    def block(text: str) -> str:
        """A paragraph, converted to Markdown if it is HTML; "" if it has nothing but end tags."""
        nonlocal hidden
        if _CLOSING.fullmatch(text):
            return ""
        if _BLOCK.match(text):
            written, found = snippet_markdown(_PICTURE.sub(picture, text), base)
            hidden += found
            return written
        return _EMPTY_LINK.sub("", _PICTURE.sub(picture, text))

    def picture(match: re.Match[str]) -> str:
        """What replaces an image: itself if images are requested, its alternative text in a link, else nothing. The
        image is recorded in `images`. A code span, which is matched too, stays as it is."""
        if match[0].startswith("`"):
            return match[0]
        url, alt, tag = match["url"], match["alt"], match["tag"]
        if tag is not None:
            url, alt = (found[1] if (found := pattern.search(tag)) else "" for pattern in (_SRC, _ALT))
        try:
            url = urljoin(base, url)
        except ValueError:
            return ""
        if url.startswith(("http://", "https://")):
            images.setdefault(url, alt)
        # An image that is a link, such as a badge, is replaced by its alternative text, so that the link stays.
        linked = (
            match.string[match.start() - 1 : match.start()] == "["
            and match.string[match.end() : match.end() + 2] == "]("
        )
        if linked:
            return alt
        return (match[0] if tag is None else f"![{alt}]({url})") if include_images else ""

    def convert(text: str) -> str:
        return "\n\n".join(block(part) if "<" in part or "![" in part else part for part in text.split("\n\n"))

    text = map_outside_code(markdown, convert)
    return text, tuple(Link(alt or url, url) for url, alt in images.items()), hidden
