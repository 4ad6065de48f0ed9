"""Style sheets as rules: those that apply on a desktop screen, in order. A reader, not a validator.

Own code: sheets of a megabyte are common inside pages, and an object for every declaration of them costs
fifty times the page's parse; splitting at the braces and looking at few rules costs about as much as it.
"""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import unquote

_MOST = 1_000_000  # characters of all sheets of a page
_MOST_NESTING = 20
_WIDTH = re.compile(r"(min|max)-width\s*:\s*([\d.]+)(px|em|rem)")
_OTHER_MEDIA = re.compile(
    r"print|speech|prefers-|orientation:\s*portrait|hover:\s*none|pointer:\s*coarse|forced-colors|not\s+all"
)
_WINDOW = 1280.0
_GROUPS = ("@media", "@supports", "@layer", "@container", "@scope")


class Rule(NamedTuple):  # thousands of them on some pages: a tuple is made in a third of a dataclass's time
    selector: str
    body: str  # lower case
    order: int


def read_rules(sheets: list[str]) -> Iterator[Rule]:
    """The style rules of the sheets that hold for a person at a desktop screen."""
    order = 0
    left = _MOST
    for sheet in sheets:
        for selector, body in _rules(without_strings(without_comments(sheet[:left]))):
            order += 1
            yield Rule(selector, body.lower(), order)
        left -= len(sheet)
        if left <= 0:
            return


def unpacked(address: str) -> str:
    """The sheet inside a `data:` address."""
    kind, _, text = address[:_MOST].partition(",")
    text = unquote(text)
    if not kind.lower().startswith("data:text/css"):
        return ""
    if not kind.lower().endswith("base64"):
        return text
    try:
        return b64decode(text).decode("utf-8", "replace")
    except ValueError:
        return ""


def without_comments(text: str) -> str:
    """The text without comments; an unclosed one ends it."""
    parts: list[str] = []
    at = 0
    while True:
        start = text.find("/*", at)
        if start < 0:
            parts.append(text[at:])
            return "".join(parts)
        parts.append(text[at:start])
        at = text.find("*/", start + 2)
        if at < 0:
            return "".join(parts)
        at += 2


def without_strings(text: str) -> str:
    """The text with every string emptied; a quote that its line does not close is no string."""
    parts: list[str] = []
    kept = at = 0
    double, single = text.find('"'), text.find("'")
    while double >= 0 or single >= 0:
        start = double if single < 0 or 0 <= double < single else single
        end = text.find(text[start], start + 1)
        at = start + 1
        if end > 0 and text.find("\n", start, end) < 0:
            parts.append(text[kept:start])
            kept = at = end + 1
        if 0 <= double < at:
            double = text.find('"', at)
        if 0 <= single < at:
            single = text.find("'", at)
    parts.append(text[kept:])
    return '""'.join(parts)


def _rules(text: str) -> Iterator[tuple[str, str]]:
    """Selector and declarations of every rule in force, nested ones under their parent's selector."""
    pieces = text.split("{")
    open_blocks: list[tuple[bool, str]] = []  # in force?, selector of a style rule
    before = pieces[0].rpartition("}")[2]
    for piece in pieces[1:]:
        prelude = before.rpartition(";")[2].strip() if ";" in before else before.strip()
        in_force, parent = open_blocks[-1] if open_blocks else (True, "")
        if len(open_blocks) >= _MOST_NESTING:
            in_force = False
        if prelude[:1] == "@":
            open_blocks.append((in_force and _in_force(prelude.lower()), parent))
            before = piece
        else:
            selector = _nested(parent, prelude) if parent else prelude
            open_blocks.append((in_force, selector))
            body, _, before = piece.partition("}")
            if in_force and selector:
                yield selector, body
            if len(body) == len(piece):
                before = piece
                continue
            open_blocks.pop()
        while "}" in before:
            if open_blocks:
                open_blocks.pop()
            before = before.partition("}")[2]


def _nested(parent: str, selector: str) -> str:
    if not parent:
        return selector
    return selector.replace("&", f":is({parent})") if "&" in selector else f":is({parent}) {selector}"


def _in_force(prelude: str) -> bool:
    if not prelude.startswith(_GROUPS):
        return False
    return not prelude.startswith("@media") or applies(prelude[6:])


def applies(query: str) -> bool:
    """True where a media query holds at a desktop screen."""
    if _OTHER_MEDIA.search(query):
        return False
    for kind, number, unit in _WIDTH.findall(query):
        width = float(number) * (1 if unit == "px" else 16) if number.count(".") < 2 and number != "." else 0.0
        if (kind == "min" and width > _WINDOW) or (kind == "max" and width < _WINDOW):
            return False
    return True
