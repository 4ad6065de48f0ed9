"""Reads and changes the links of a Markdown text; writes code blocks and tables for extractors."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from urllib.parse import urljoin

from mcp_web.model.page import Link
from mcp_web.text.inline import inline_text, links
from mcp_web.text.markdown import fenced_lines

_REFERENCE = re.compile(r"^( {0,3}\[(?!\^)[^\[\]\n]{1,200}\]:[ \t]*<?)([^\s<>]{1,2000})", re.M)
_TARGET = r"(?:<[^<>\n]{0,2000}>|[^\s<]\S{0,2000})"
_TITLE = r"(?:\"(?:[^\"\n]|\n(?!\s*\n)){0,2000}\"|'(?:[^'\n]|\n(?!\s*\n)){0,2000}'|\([^()\n]{0,2000}\))"
_DEFINITION = re.compile(
    rf"^ {{0,3}}\[(?!\^)([^\[\]\n]{{1,999}})\]:[ \t]*\n?[ \t]*{_TARGET}"
    rf"(?:(?:[ \t]+|[ \t]*\n[ \t]*){_TITLE})?[ \t]*(?:\n|\Z)",
    re.M,
)
_LABEL = re.compile(r"\[([^\[\]\n]{1,999})\]")
_AUTOLINK = re.compile(r"<(https?://[^\s<>]{1,2000})>")
_SYNTAX = re.compile(r"#{1,6}\s|>|[-+*]\s|```|~~~|\|")
_UNSAFE_SCHEMES = ("javascript:", "vbscript:", "data:")


def read_links(markdown: str) -> tuple[Link, ...]:
    """The http(s) links outside code, each URL once: inline links, then `<url>` and `[label]: url`; no images."""
    seen: dict[str, str] = {}
    for link in links(markdown):
        url = markdown[link.url_start : link.url_end]
        if not link.is_image and url.startswith(("http://", "https://")):
            seen.setdefault(url, inline_text(markdown[link.start + 1 : link.close]))
    for text in (text for text, code in _parts(markdown) if not code):
        for pattern in (_AUTOLINK, _REFERENCE):
            for match in pattern.finditer(text):
                url = match.group(match.lastindex or 0)
                if url.startswith(("http://", "https://")):
                    seen.setdefault(url, url)
    return tuple(Link(text or url, url) for url, text in seen.items())


def absolute_targets(markdown: str, base: str) -> str:
    """The text with relative targets of links and images resolved against `base`; targets that begin with
    `javascript:`, `vbscript:` or `data:` become "#"."""

    def resolve(url: str) -> str:
        if url.lower().startswith(_UNSAFE_SCHEMES):
            return "#"
        try:
            return urljoin(base, url)
        except ValueError:
            return url

    parts: list[str] = []
    end = 0
    for link in links(markdown):
        parts += [markdown[end : link.url_start], resolve(markdown[link.url_start : link.url_end])]
        end = link.url_end
    parts.append(markdown[end:])
    return map_outside_code("".join(parts), lambda text: _REFERENCE.sub(lambda m: m[1] + resolve(m[2]), text))


def without_unused_definitions(markdown: str) -> tuple[str, int]:
    """The text without the definitions of links (`[label]: url`) that no link uses, and how many these were. No reader
    sees them, so people write comments as such definitions: `[//]: # (a comment)`."""
    if "]:" not in markdown:
        return markdown, 0
    texts = [text for text, code in _parts(markdown) if not code]
    spans = [_definitions(text) for text in texts]
    used: set[str] = set()
    for text, definitions in zip(texts, spans, strict=True):
        edges = [0, *(edge for found in definitions for edge in found.span()), len(text)]
        for start, end in zip(edges[::2], edges[1::2], strict=True):
            used.update(_label(name) for name in _LABEL.findall(text, start, end))
    left = iter(spans)
    count = 0

    def clean(text: str) -> str:
        nonlocal count
        kept, end = [], 0
        for found in next(left):
            if _label(found[1]) not in used:
                kept.append(text[end : found.start()])
                end = found.end()
                count += 1
        return "".join((*kept, text[end:]))

    return map_outside_code(markdown, clean), count


def _definitions(text: str) -> list[re.Match[str]]:
    """The definitions of links (`[label]: url`) in a text; a line that continues a paragraph is none."""
    found: list[re.Match[str]] = []
    for each in _DEFINITION.finditer(text):
        before = text[text.rfind("\n", 0, max(0, each.start() - 1)) + 1 : each.start()].strip()
        if not before or before.startswith("#") or (found and found[-1].end() == each.start()):
            found.append(each)
    return found


def _label(text: str) -> str:
    return " ".join(text.casefold().split())


def map_outside_code(markdown: str, change: Callable[[str], str]) -> str:
    """The text with `change` applied to every part between fenced code blocks."""
    return "".join(text if code else change(text) for text, code in _parts(markdown))


def _parts(markdown: str) -> Iterator[tuple[str, bool]]:
    """The text in runs of lines that are all in fenced code or all not; each run with whether it is code."""
    for code, lines in groupby(fenced_lines(markdown), lambda line: line[1]):
        yield "".join(text for text, _ in lines), code


def fence(text: str, language: str = "") -> str:
    """The text as a fenced code block; the fence is longer than any run of backticks in the text."""
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    marks = "`" * max(3, longest + 1)
    return f"{marks}{language}\n{text.rstrip()}\n{marks}"


def web_link(text: str, url: str) -> str:
    """A Markdown link with the text; only the text if it is empty or the URL is not http(s)."""
    if not text or not url.startswith(("http://", "https://")):
        return text
    return f"[{text.replace('[', '(').replace(']', ')')}]({url})"


def escape_start(text: str) -> str:
    """A paragraph, escaped if its beginning would make it a heading, quote, bulleted item, fence or table."""
    return "\\" + text if _SYNTAX.match(text) else text


def table_of(rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table of plain texts, "" without cells; the first row is the header. Short rows get empty cells."""
    return pipe_table([[cell.replace("|", "\\|").replace("\n", " ").strip() for cell in row] for row in rows])


def pipe_table(rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table of cells that are one line of Markdown, "" without cells; the first row is the header."""
    width = max((len(row) for row in rows), default=0)
    if not width:
        return ""
    written = ["| " + " | ".join([*row, *[""] * (width - len(row))]) + " |" for row in rows]
    return "\n".join([written[0], "|" + " --- |" * width, *written[1:]])
