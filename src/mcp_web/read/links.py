"""Two ways to show links: numbered with a list of URLs at the end, or as their text alone. Code is not changed."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from mcp_web.model.page import Link
from mcp_web.text.inline import append_inline, inline_text, links

# A signature whose types were links: several code spans that fill a line, the first with an opening parenthesis.
_SIGNATURE = re.compile(r"^`[^`\n(]*+\([^`\n]*+`(?: ?`[^`\n]++`)+$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class NumberedText:
    text: str
    links: tuple[Link, ...]  # link n of the text is links[n - 1]


def numbered(markdown: str, page: str = "", most: int = 200) -> NumberedText:
    """`[text](url)` → `[text][n]`. Each URL gets a number at its first occurrence.

    Further occurrences, links inside the same `page`, and links beyond `most` URLs are replaced by their text.
    """
    found: dict[str, Link] = {}

    def show(text: str, url: str) -> str:
        target = url.partition("#")[0]
        if not target or target == page or url in found or len(found) >= most:
            return text
        found[url] = Link(inline_text(text), url)
        return f"[{text}][{len(found)}]"

    return NumberedText(_replace(markdown, show), tuple(found.values()))


def text_only(markdown: str) -> str:
    """`[text](url)` → `text`; a signature whose types are links becomes one code span."""
    if "](" not in markdown:
        return markdown
    return _SIGNATURE.sub(_one_code, _replace(markdown, lambda text, url: text))


def _one_code(signature: re.Match[str]) -> str:
    """A signature of several code spans as one."""
    return "`" + signature[0].replace("` `", " ").replace("``", "").strip("`") + "`"


def reference_list(links: tuple[Link, ...]) -> str:
    """The list of URLs for `numbered` text: Markdown reference definitions."""
    return "\n".join(f"[{number}]: {link.url}" for number, link in enumerate(links, start=1))


def _replace(markdown: str, show: Callable[[str, str], str]) -> str:
    """The text with each link replaced by `show(text, url)`."""
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
