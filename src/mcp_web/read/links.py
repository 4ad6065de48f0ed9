"""How links are shown: numbered with a list at the end, or as their text alone. Code stays untouched."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from mcp_web.model.page import Link
from mcp_web.text.markdown import blocks

_CODE_SPAN = re.compile(r"(?<!`)(?P<ticks>`++).{1,2000}?(?<!`)(?P=ticks)(?!`)", re.DOTALL)
_BRACKET = re.compile(r"\\[\[\]]|!?\[|\]|\n[ \t]*\n")
# A signature whose linked types stood apart: pieces of code that fill a line and begin with a call.
_SIGNATURE = re.compile(r"^`[^`\n(]*+\([^`\n]*+`(?: ?`[^`\n]++`)+$", re.MULTILINE)
_TARGET = re.compile(r"\(\s*<?(?P<url>(?:[^()\s<>]|\([^()\s]*\))*+)>?(?:\s+(?:\"[^\"]*\"|'[^']*'))?\s*\)")


@dataclass(frozen=True, slots=True)
class NumberedText:
    text: str
    links: tuple[Link, ...]  # link n of the text is links[n - 1]


def numbered(markdown: str, page: str = "", most: int = 200) -> NumberedText:
    """`[text](url)` → `[text][n]`. Each address is numbered once, where it first stands.

    Places on the same `page` are left out, and links after `most` addresses: they stay as their text.
    """
    links: dict[str, Link] = {}

    def show(text: str, url: str) -> str:
        address = url.partition("#")[0]
        if not address or address == page or url in links or len(links) >= most:
            return text
        links[url] = Link(_label(text), url)
        return f"[{text}][{len(links)}]"

    return NumberedText(_replace(markdown, show), tuple(links.values()))


def text_only(markdown: str) -> str:
    """`[text](url)` → `text`; a signature whose types are links becomes one piece of code."""
    if "](" not in markdown:
        return markdown
    return _SIGNATURE.sub(_one_code, _replace(markdown, lambda text, url: text))


def _one_code(signature: re.Match[str]) -> str:
    return "`" + signature[0].replace("` `", " ").replace("``", "").strip("`") + "`"


def reference_list(links: tuple[Link, ...]) -> str:
    """The numbered list that goes under the text: Markdown's own reference definitions."""
    return "\n".join(f"[{number}]: {link.url}" for number, link in enumerate(links, start=1))


def _replace(markdown: str, show: Callable[[str, str], str]) -> str:
    parts: list[str] = []
    at = 0
    for opening, closing, url, end in _links(markdown):
        parts += [markdown[at:opening], show(markdown[opening + 1 : closing], url)]
        at = end
    parts.append(markdown[at:])
    return "".join(parts)


def _links(markdown: str) -> Iterator[tuple[int, int, str, int]]:
    """Opening bracket, closing bracket, address and end of each link, in one pass: hostile pages nest brackets."""
    untouched = _code(markdown)
    open_now: list[tuple[int, bool]] = []
    end = 0
    for found in _BRACKET.finditer(markdown):
        place = found.start()
        if place < end or _covering(untouched, place) is not None or found[0][0] == "\\":
            continue
        if found[0][0] == "\n":
            open_now.clear()
        elif found[0] != "]":
            open_now.append((found.end() - 1, found[0] == "!["))
        elif open_now:
            opening, image = open_now.pop()
            target = _TARGET.match(markdown, place + 1)
            if target and target["url"]:
                end = target.end()
                if not image:
                    # Links do not nest: brackets that are open around this link do not begin a link.
                    open_now.clear()
                    yield opening, place, target["url"], end


def _code(markdown: str) -> list[tuple[int, int]]:
    fenced = [(block.start, block.end) for block in blocks(markdown) if block.kind == "code"]
    spans = [(found.start(), found.end()) for found in _CODE_SPAN.finditer(markdown)]
    return sorted(fenced + [span for span in spans if _covering(fenced, span[0]) is None])


def _covering(spans: list[tuple[int, int]], offset: int) -> int | None:
    """The end of the span that holds this offset."""
    at = bisect_right(spans, (offset, 1 << 62)) - 1
    return spans[at][1] if at >= 0 and offset < spans[at][1] else None


def _label(text: str) -> str:
    return " ".join(re.sub(r"!\[([^\]]*)\]\([^)]*\)", r"\1", text).replace("*", "").replace("`", "").split())
