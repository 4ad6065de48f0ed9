"""Two ways to show links: numbered with a list of URLs at the end, or as their text alone. Code is not changed."""

from __future__ import annotations

import re
from collections.abc import Callable

from mcp_web.model.page import Link
from mcp_web.text.inline import append_inline, inline_text, links

# A signature whose types were links: several code spans that fill a line, the first with an opening parenthesis.
_SIGNATURE = re.compile(r"^`[^`\n(]*+\([^`\n]*+`(?: ?`[^`\n]++`)+$", re.MULTILINE)


def numbered(markdown: str, page: str = "", most: int = 200) -> tuple[str, tuple[Link, ...]]:
    """The text with each link `[text](url)` as `[text][n]`, and the links: number 1 is the first of the tuple.

    A URL gets a number where it first occurs. Further occurrences, links inside `page` (its URL without fragment), and
    links beyond `most` URLs are replaced by their text.
    """
    found: dict[str, Link] = {}

    def show(text: str, url: str) -> str:
        target = url.partition("#")[0]
        if not target or target == page or url in found or len(found) >= most:
            return text
        found[url] = Link(inline_text(text), url)
        return f"[{text}][{len(found)}]"

    return _replace(markdown, show), tuple(found.values())


def text_only(markdown: str) -> str:
    """The text with each link `[text](url)` as `text`; an API signature whose types are links becomes a code span."""
    if "](" not in markdown:
        return markdown
    one_span = _replace(markdown, lambda text, url: text)
    return _SIGNATURE.sub(lambda found: f"`{found[0].replace('` `', ' ').replace('``', '').strip('`')}`", one_span)


def reference_list(links: tuple[Link, ...]) -> str:
    """The list of URLs that belongs to a `numbered` text: Markdown definitions `[n]: URL`, one a line."""
    return "\n".join(f"[{number}]: {link.url}" for number, link in enumerate(links, start=1))


def _replace(markdown: str, show: Callable[[str, str], str]) -> str:
    """The text with each link, but no image, replaced by `show(text, url)`."""
    parts: list[str] = []
    at = 0
    for link in links(markdown):
        if not link.is_image:
            text, url = markdown[link.start + 1 : link.close], markdown[link.url_start : link.url_end]
            append_inline(parts, markdown[at : link.start])
            append_inline(parts, show(text, url))
            at = link.end
    append_inline(parts, markdown[at:])
    return "".join(parts)
