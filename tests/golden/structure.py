"""How much of a Markdown source's structure survives in a Markdown text read back from a page."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

_FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)\n```", re.M | re.S)
_LINK = re.compile(r"\[([^\]\n]+)\]\(<?([^)\s>]+)>?\)")
_ITEM = re.compile(r"^( *)(?:[-*+]|\d+[.)]) +(.*)")
_SEPARATOR = re.compile(r"^[|:\s-]+$")


@dataclass
class Structure:
    """The elements of a Markdown text, each in a form in which spacing, escapes and emphasis do not count."""

    headings: Counter[tuple[str, ...]] = field(default_factory=Counter)
    code: Counter[tuple[str, ...]] = field(default_factory=Counter)  # lines
    languages: Counter[tuple[str, ...]] = field(default_factory=Counter)  # language, first line of the code
    rows: Counter[tuple[str, ...]] = field(default_factory=Counter)
    items: Counter[tuple[str, ...]] = field(default_factory=Counter)  # nested or not, first line
    links: Counter[tuple[str, ...]] = field(default_factory=Counter)  # text, target
    paragraphs: Counter[tuple[str, ...]] = field(default_factory=Counter)

    def parts(self) -> dict[str, Counter[tuple[str, ...]]]:
        return dict(vars(self))


def read_structure(markdown: str) -> Structure:
    found = Structure()
    for language, code in _FENCE.findall(markdown):
        lines = [line.rstrip() for line in code.splitlines()]
        found.code[tuple(lines)] += 1
        found.languages[language.lower(), lines[0]] += 1
    text = _FENCE.sub("\n\n", markdown)
    for name, target in _LINK.findall(text):
        found.links[_plain(name), target] += 1
    for block in re.split(r"\n{2,}", text):
        _read_block(block.strip("\n"), found)
    return found


def _read_block(block: str, found: Structure) -> None:
    lines: list[str] = []
    for line in block.splitlines():
        if line.startswith("#"):
            found.headings[(_plain(line.lstrip("#")),)] += 1
        elif line.startswith("|"):
            if not _SEPARATOR.match(line):
                found.rows[tuple(_plain(cell) for cell in line.strip().strip("|").split("|"))] += 1
        elif item := _ITEM.match(line):
            found.items["nested" if item[1] else "outer", _plain(item[2])] += 1
        elif line.strip():
            lines.append(line.lstrip("> "))
    if len(lines) > 0 and not block.startswith(("|", "#", "- ", "1.")):
        found.paragraphs[(_plain(" ".join(lines)),)] += 1


def _plain(text: str) -> str:
    text = _LINK.sub(r"\1", text).replace("’", "'")
    text = re.sub(r"\\(.)", r"\1", text)
    return " ".join(re.sub(r"[*_`]", "", text).split())


def kept(source: Structure, read: Structure) -> dict[str, float]:
    """The share of each kind of element that was found again, and `whole`: the share of all of them."""
    shares: dict[str, float] = {}
    found = total = 0
    for name, wanted in source.parts().items():
        there = sum((wanted & read.parts()[name]).values())
        shares[name] = there / wanted.total() if wanted else 1.0
        found, total = found + there, total + wanted.total()
    return {**shares, "whole": found / total}
