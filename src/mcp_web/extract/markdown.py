"""Reading Markdown text: its headings with offsets, its links, its targets made absolute.

A line scanner, not a parser: it must be linear on hostile text, and offsets into the text itself are what
an agent cites. Every pattern is bounded so that a megabyte of brackets costs a megabyte of time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import unescape
from itertools import groupby
from typing import Literal
from urllib.parse import urljoin

from mcp_web.model.page import Heading, Link
from mcp_web.text.markdown import BULLET, CODE_SPAN, HEADING

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_ATX_END = re.compile(r"[ \t]+#+[ \t]*$")
_ITEM = re.compile(BULLET + r"[ \t]")
_SETEXT = re.compile(r" {0,3}(=+|-{2,})[ \t]*$")
_IMAGE = r"!\[[^\[\]\n]{0,300}\]\([^()\s]{0,2000}(?:[ \t]+\"[^\"\n]{0,200}\")?\)"
_LINK = re.compile(
    CODE_SPAN + r"|(?P<bang>!?)\[(?P<text>(?:" + _IMAGE + r"|\\.|`[^`\n]{0,200}`|[^\[\]\n\\]){0,500})\]"
    r"\((?P<open>\s{0,4}<?)(?P<url>(?:[^\s()<>]|\([^\s()<>]{0,200}\)){1,2000})(?P<rest>>?(?:\s{1,4}\"[^\"\n]{0,300}\")?\s{0,4}\))"
)
_REFERENCE = re.compile(r"^( {0,3}\[[^\[\]\n]{1,200}\]:[ \t]*<?)([^\s<>]{1,2000})", re.M)
_AUTOLINK = re.compile(r"<(https?://[^\s<>]{1,2000})>")
IMAGE = re.compile(r"!\[([^\[\]\n]{0,300})\]\((?:[^()\n]|\([^()\n]{0,200}\)){0,2000}\)")
_TEXT_OF_LINK = re.compile(r"\[([^\[\]\n]{0,500})\](?:\((?:[^()\n]|\([^()\n]{0,200}\)){0,2000}\)|\[[^\[\]\n]{0,100}\])")
# Begins with one set of characters, so that the search runs over plain text without trying the alternatives.
_MARKS = re.compile(
    r"[`*~_<\\](?:(?<=[`*~])[`*~]*|(?<=_)(?:(?<!\w_)_*|_*(?!\w))|(?<=<)[^<>]{0,200}>|(?<=\\)(?=[!-/:-@\[-`{-~]))"
)
_SYNTAX = re.compile(r"#{1,6}\s|>|[-+*]\s|```|~~~|\|")
_PASSED = ("javascript:", "vbscript:", "data:")
_LONGEST_LINE = 1000  # no heading is longer


@dataclass(frozen=True, slots=True)
class TextBlock:
    kind: Literal["heading", "text", "item", "table", "quote", "code"]
    text: str


def read_headings(markdown: str) -> tuple[Heading, ...]:
    """The headings outside code, in order; `markdown[h.start:]` begins with the heading's line."""
    found: list[Heading] = []
    before: tuple[int, str] | None = None  # a paragraph's only line so far, for setext underlines
    for start, line, code in _lines(markdown):
        if code or len(line) > _LONGEST_LINE or not line.strip():
            before = None
            continue
        if match := HEADING.match(line):
            text = inline_text(_ATX_END.sub("", line[match.end() :]))
            if text:
                found.append(Heading(len(match.group(1)), text, start))
            before = None
        elif (match := _SETEXT.match(line)) and before:
            found.append(Heading(1 if "=" in match.group(1) else 2, inline_text(before[1]), before[0]))
            before = None
        else:
            opens = line[:4] != "    " and line[0] != "\t" and line.lstrip()[:1] not in ("|", ">", "-", "*", "+")
            before = (start, line) if before is None and opens else None
    return tuple(found)


def read_links(markdown: str) -> tuple[Link, ...]:
    """The http(s) links outside code, each URL once, in order; images are left out."""
    seen: dict[str, str] = {}
    for text in (text for text, code in _stretches(markdown) if not code):
        for match in _LINK.finditer(text):
            url = match["url"] or ""
            if not match["bang"] and url.startswith(("http://", "https://")):
                seen.setdefault(url, inline_text(match["text"]))
        for pattern in (_AUTOLINK, _REFERENCE):
            for match in pattern.finditer(text):
                url = match.group(match.lastindex or 0)
                if url.startswith(("http://", "https://")):
                    seen.setdefault(url, url)
    return tuple(Link(text or url, url) for url, text in seen.items())


def absolute_targets(markdown: str, base: str) -> str:
    """The same text with relative link and image targets resolved and script targets disarmed."""

    def resolve(url: str) -> str:
        if url.lower().startswith(_PASSED):
            return "#"
        try:
            return urljoin(base, url)
        except ValueError:
            return url

    def link(match: re.Match[str]) -> str:
        if match["url"] is None:
            return match[0]  # code
        text = match["text"]
        if "](" in text:
            text = _LINK.sub(link, text)
        return f"{match['bang']}[{text}]({match['open']}{resolve(match['url'])}{match['rest']}"

    def rewrite(text: str) -> str:
        return _REFERENCE.sub(lambda m: m[1] + resolve(m[2]), _LINK.sub(link, text))

    return map_outside_code(markdown, rewrite)


def inline_text(text: str) -> str:
    """A heading's, link's or paragraph's words without their markup."""
    if "](" in text or "][" in text:
        text = _TEXT_OF_LINK.sub(r"\1", IMAGE.sub(r"\1", text))
    text = _MARKS.sub("", text)
    return " ".join((unescape(text) if "&" in text else text).split())


def map_outside_code(markdown: str, change: Callable[[str], str]) -> str:
    """The text with `change` applied to every stretch between code blocks."""
    return "\n".join(text if code else change(text) for text, code in _stretches(markdown))


def _stretches(markdown: str) -> Iterator[tuple[str, bool]]:
    """Runs of lines, each with whether it is code."""
    for code, lines in groupby(_lines(markdown), lambda line: line[2]):
        yield "\n".join(text for _, text, _ in lines), code


def split_blocks(markdown: str) -> Iterator[TextBlock]:
    """Headings, paragraphs, list items, tables, quotes and code blocks, in order; a paragraph is joined to one line."""
    kind: Literal["heading", "text", "item", "table", "quote", "code"] | None = None
    held: list[str] = []
    for _, line, code in _lines(markdown):
        stripped = line.strip()
        found = "code" if code else _kind_of(stripped, "item" if kind == "item" else "text") if stripped else None
        starts = found == "heading" or (found == "item" and bool(_ITEM.match(stripped)))
        if kind and (found != kind or starts):
            yield TextBlock(kind, "\n".join(held) if kind in ("code", "table") else " ".join(held))
            held = []
        kind = found
        if found:
            held.append(line if code else stripped.removesuffix("\\").rstrip())
    if kind:
        yield TextBlock(kind, "\n".join(held) if kind in ("code", "table") else " ".join(held))


def _kind_of(stripped: str, otherwise: Literal["item", "text"]) -> Literal["heading", "text", "item", "table", "quote"]:
    if HEADING.match(stripped):
        return "heading"
    if stripped[0] == "|":
        return "table"
    if stripped[0] == ">":
        return "quote"
    return "item" if _ITEM.match(stripped) else otherwise


def fence(text: str, language: str = "") -> str:
    """A code block that its own content cannot close."""
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    marks = "`" * max(3, longest + 1)
    return f"{marks}{language}\n{text.rstrip()}\n{marks}"


def escape_start(text: str) -> str:
    """A paragraph that would be read as a heading, a quote, an item or a fence keeps being a paragraph."""
    return "\\" + text if _SYNTAX.match(text) else text


def table_of(rows: Sequence[Sequence[str]]) -> str:
    """A table; the first row is its header. Rows are filled up to the widest."""
    width = max((len(row) for row in rows), default=0)
    if not width:
        return ""
    written = [
        "| "
        + " | ".join(cell.replace("|", "\\|").replace("\n", " ").strip() for cell in (*row, *[""] * (width - len(row))))
        + " |"
        for row in rows
    ]
    return "\n".join([written[0], "|" + " --- |" * width, *written[1:]])


def _lines(markdown: str) -> Iterator[tuple[int, str, bool]]:
    """(offset, line, inside fenced code or its marks)."""
    at = 0
    closing: str | None = None
    for line in markdown.split("\n"):
        match = _FENCE.match(line) if "```" in line or "~~~" in line else None
        if closing is not None:
            yield at, line, True
            if match and match[1].startswith(closing) and not line.strip(" \t" + closing[0]):
                closing = None
        elif match and not (match[1][0] == "`" and "`" in line[match.end() :]):
            closing = match[1]
            yield at, line, True
        else:
            yield at, line, False
        at += len(line) + 1
