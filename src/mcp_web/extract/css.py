"""Style sheets as rules: those that apply on a desktop screen, in order. A reader, not a validator.

Own code: sheets of a megabyte are common inside pages, and an object for every declaration of them costs
fifty times the page's parse; splitting at the braces and looking at few rules costs about as much as it.
"""

from __future__ import annotations

import re
from base64 import b64decode
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate
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


class Rule(NamedTuple):
    selector: str
    body: str  # lower case
    order: int


class Rules:
    """The rules of some sheets, in order. Their declarations are read at once, their selectors when asked for:
    of the thousands of a framework a page needs a handful."""

    def __init__(self, sheets: list[str], names: frozenset[str]) -> None:
        """`names` are the class names of the page, lower case: a rule that asks for another is left out."""
        self._heads: list[str] = []  # what stands before each rule's brace
        self._bodies: list[str] = []
        self._dead: list[int] = []  # places where rules stop or start to be in force, from "in force" on
        left = _MOST
        for sheet in sheets:
            self._read(without_strings(without_comments(sheet[:left])))
            left -= len(sheet)
            if left <= 0:
                break
        self._alive = [at for at, head in enumerate(self._heads) if "." not in head or _may_match(head, names)]
        bodies = [self._bodies[at] for at in self._alive]
        self.text = "".join("{".join(bodies).lower().split())  # all bodies, "{" between them
        self.bodies = self.text.split("{") if bodies else []
        self.ends = list(accumulate([len(body) + 1 for body in self.bodies]))  # of each body in the text

    def rule(self, at: int) -> Rule | None:
        """The rule at a place; None where there is none or it does not hold at a desktop screen."""
        selector = self.selector(at)
        return Rule(selector, self._bodies[self._alive[at]].lower(), at) if selector else None

    def selector(self, at: int) -> str:
        """The selector of a rule, empty where it is not in force."""
        at = self._alive[at]
        head = self._heads[at]
        selector = (head.rpartition(";")[2] if ";" in head else head).strip()
        return "" if selector[:1] == "@" or bisect_right(self._dead, at) % 2 else selector

    def _read(self, text: str) -> None:
        pieces = [piece.rpartition("{") for piece in text.split("}")]
        groups = [at for at, piece in enumerate(pieces) if not piece[1] or "{" in piece[0]]
        first, dead = len(self._heads), list(self._dead)
        around: list[bool] = []  # the open groups: does each hold here?
        off = 0  # how many of them do not
        for at in groups:
            if not pieces[at][1]:
                off -= bool(around) and not around.pop()
            else:
                *preludes, head = pieces[at][0].split("{")
                for prelude in preludes:
                    words = prelude.rpartition(";")[2].strip().lower()
                    if words[:1] != "@":
                        self._dead = dead
                        self._read_nested(text)
                        return
                    around.append(len(around) < _MOST_NESTING and _in_force(words))
                    off += not around[-1]
                pieces[at] = (head, "{", pieces[at][2])
            self._turn(first + at, not off)
        self._heads.extend([piece[0] for piece in pieces])
        self._bodies.extend([piece[2] for piece in pieces])
        self._turn(len(self._heads), True)

    def _read_nested(self, text: str) -> None:
        """A sheet whose rules stand inside each other, read brace by brace."""
        for selector, body in _rules(text):
            self._heads.append(selector)
            self._bodies.append(body)

    def _turn(self, at: int, in_force: bool) -> None:
        if len(self._dead) % 2 == in_force:
            self._dead.append(at)


def _may_match(head: str, names: frozenset[str]) -> bool:
    """False where a selector with a class ends in one that the page does not have; told by a few cuts."""
    if "," in head or "(" in head or "[" in head or "\\" in head:
        return True
    last = head.rpartition(".")[2].partition(" ")[0].partition(":")[0].partition(">")[0].strip()
    return last.lower() in names or not last.replace("-", "").replace("_", "").isalnum()


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
