"""Style sheets as rules: those that apply on a desktop screen, in order. A reader, not a validator.

Own code: sheets of a megabyte are common inside pages, and an object for every declaration of them costs
fifty times the page's parse; splitting at the braces and looking at few rules costs about as much as it.
"""

from __future__ import annotations

import re
from base64 import b64decode
from bisect import bisect_right
from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import NamedTuple
from urllib.parse import unquote

from mcp_web.extract.conditions import container_holds, media_holds, supports_holds
from mcp_web.extract.declarations import Declared, parse_declarations, unescaped
from mcp_web.extract.selectors import may_match

_MOST = 1_000_000  # characters of all sheets of a page
_MOST_NESTING = 20
_MOST_KEYFRAMES = 500
_KEYFRAMES = re.compile(r"@(?:-webkit-|-moz-|-o-)?keyframes\s+(.+)", re.S)
_LAYER_STATEMENT = re.compile(r"@layer\s+([^{};]{1,2000});", re.I)
_PROPERTY = re.compile(r"@property\s+(--[\w-]+)\Z")
_IMPORT = re.compile(r"@import\s{1,9}(?:url\(\s{0,9})?[\"']?(data:text/css[^\"'\s)]{1,100000})", re.I)
_URL = re.compile(r"url\([^()\"']*\)")
_UNSAFE = re.compile(r"[{};,()]")

LayerKey = tuple[float, ...]
_Inside = Callable[[str, "Context", int], "Context"]
_LAST = float("inf")  # rules outside of any layer come after all layers


class Context(NamedTuple):
    """What stands around a rule."""

    holds: bool = True
    layer: str = ""
    scope: str = ""  # the elements that the rule is limited to
    limit: str = ""  # the elements inside of which it no longer applies
    keyframes: str = ""
    property: str = ""


class Rule(NamedTuple):
    selector: str
    body: str
    order: int
    context: Context


class Rules:
    """The rules of some sheets that apply on a desktop screen and could match an element of the page, in order."""

    def __init__(self, sheets: list[str], names: frozenset[str]) -> None:
        """`names` are the classes and ids of the page: of the thousands of a framework's rules it needs a handful."""
        self._heads: list[str] = []  # what stands before each rule's brace
        self._bodies: list[str] = []
        self._starts: list[int] = []  # the rules at which the context changes
        self._contexts: list[Context] = []
        self._layers: dict[str, int] = {}
        self._held: dict[str, bool] = {}  # conditions that were tested; sheets repeat few of them
        left = _MOST
        for sheet in sheets:
            self._read(_cleaned(sheet[:left]))
            left -= len(sheet)
            if left <= 0:
                break
        self._alive: list[int] = []
        self.selectors: list[str] = []
        self._find_alive(names)
        bodies = [self._bodies[at] for at in self._alive]
        self.text = "".join("{".join(bodies).lower().split())  # all bodies, "{" between them
        self.bodies = self.text.split("{") if bodies else []
        self.ends = list(accumulate([len(body) + 1 for body in self.bodies]))  # of each body in the text

    def _find_alive(self, names: frozenset[str]) -> None:
        ends = (*self._starts[1:], len(self._heads))
        for start, end, context in zip(self._starts, ends, self._contexts, strict=False):
            if not context.holds or context.keyframes:
                continue
            for at in range(start, end):
                selector = _selector(self._heads[at])
                if selector and may_match(selector, names):
                    self._alive.append(at)
                    self.selectors.append(selector)

    def __len__(self) -> int:
        return len(self._alive)

    def variables(self) -> Iterator[str]:
        """The declarations of the rules that declare a variable, and of properties that the sheets register."""
        if "var(" in self.text:
            yield from (self._bodies[at] for at in self._alive if "--" in self._bodies[at])
            yield from (f"{name}:{value}" for name, value in self.registered())

    def rule(self, at: int) -> Rule:
        """The rule at a place."""
        place = self._alive[at]
        return Rule(self.selectors[at], self._bodies[place], at, self._context(place))

    def places(self, word: str) -> Iterator[int]:
        """Which of the rules have the word in their declarations."""
        found = self.text.find(word)
        while found >= 0:
            place = bisect_right(self.ends, found)
            yield place
            found = self.text.find(word, self.ends[place])

    def layer_key(self, name: str) -> LayerKey:
        """Sorts layers: later ones after earlier ones, rules outside of a layer last."""
        if not name:
            return (_LAST,)
        parts = name.split(".")
        paths = [".".join(parts[: at + 1]) for at in range(len(parts))]
        return (*(float(self._layers.get(path, 0)) for path in paths), _LAST)

    def keyframes(self) -> dict[str, dict[str, dict[str, Declared]]]:
        """The declarations of every animation by name and by step (`from`, `to`, `50%`)."""
        found: dict[str, dict[str, dict[str, Declared]]] = {}
        for number, context in enumerate(self._contexts[:_MOST_KEYFRAMES]):
            if not context.keyframes or not context.holds:
                continue
            end = self._starts[number + 1] if number + 1 < len(self._starts) else len(self._heads)
            steps: dict[str, dict[str, Declared]] = {}
            for at in range(self._starts[number], end):
                for step in filter(str.strip, self._heads[at].lower().split(",")):
                    steps.setdefault(step.strip(), {}).update(parse_declarations(self._bodies[at]))
            found[context.keyframes] = steps
        return found

    def registered(self) -> Iterator[tuple[str, str]]:
        """The initial values of properties that the sheets register."""
        for head, body in zip(self._heads, self._bodies, strict=True):
            found = _PROPERTY.match(head.rpartition(";")[2].strip().lower()) if "@property" in head else None
            value = re.search(r"initial-value\s*:\s*([^;]+)", body, re.I) if found else None
            if found and value:
                yield found[1], value[1].strip().lower()

    def _context(self, at: int) -> Context:
        place = bisect_right(self._starts, at) - 1
        return self._contexts[place] if place >= 0 else Context()

    def _read(self, text: str) -> None:
        if "@layer" in text or "@LAYER" in text:
            self._name_layers(text)
        pieces = [piece.rpartition("{") for piece in text.split("}")]
        groups = [at for at, piece in enumerate(pieces) if not piece[1] or "{" in piece[0]]
        first, known = len(self._heads), len(self._starts)
        around: list[Context] = [Context()]
        self._change(first, around[-1])
        for at in groups:
            if not pieces[at][1]:
                if len(around) > 1:
                    around.pop()
                self._change(first + at + 1, around[-1])
                continue
            *preludes, head = pieces[at][0].split("{")
            for prelude in preludes:
                words = prelude.rpartition(";")[2].strip()
                if words[:1] != "@":
                    del self._starts[known:], self._contexts[known:]
                    self._read_nested(text)
                    return
                around.append(self._inside(words, around[-1], len(around)))
            pieces[at] = (head, "{", pieces[at][2])
            self._change(first + at, around[-1])
        self._heads.extend([piece[0] for piece in pieces])
        self._bodies.extend([piece[2] for piece in pieces])
        self._change(len(self._heads), Context())

    def _read_nested(self, text: str) -> None:
        """A sheet whose rules stand inside each other, read brace by brace."""
        for selector, body, context in _rules(text, self._inside):
            self._change(len(self._heads), context)
            self._heads.append(selector)
            self._bodies.append(body)
        self._change(len(self._heads), Context())

    def _change(self, at: int, context: Context) -> None:
        if self._starts and self._starts[-1] == at:
            self._contexts[-1] = context
        elif not self._contexts or self._contexts[-1] != context:
            self._starts.append(at)
            self._contexts.append(context)

    def _name_layers(self, text: str) -> None:
        """Layers rank by where they are first named: in a statement, or by a block of their own."""
        for found in re.finditer(r"@layer\b([^{};]{0,2000})[{;]", text, re.I):
            for name in found[1].split(","):
                self._add_layer(name.strip())

    def _add_layer(self, name: str) -> str:
        parts = name.split(".")
        for at in range(len(parts)):
            self._layers.setdefault(".".join(parts[: at + 1]), len(self._layers))
        return name

    def _inside(self, prelude: str, above: Context, depth: int) -> Context:
        """The context inside of an at-rule."""
        words = unescaped(prelude)
        lowered = words.lower()
        keyframes = _KEYFRAMES.match(lowered)
        if depth > _MOST_NESTING or not above.holds:
            return above._replace(holds=False)
        if keyframes:
            return above._replace(keyframes=keyframes[1].strip().strip("\"'"))
        if lowered.startswith("@layer"):
            name = words[6:].strip() or f"anonymous {len(self._layers)}"
            return above._replace(layer=self._add_layer(f"{above.layer}.{name}" if above.layer else name))
        if lowered.startswith("@scope"):
            scope, _, limit = words[6:].partition(" to ")
            return above._replace(scope=_in_brackets(scope), limit=_in_brackets(limit))
        holds = self._held.get(lowered)
        if holds is None:
            holds = self._held[lowered] = _holds(lowered)
        return above if holds else above._replace(holds=False)


def _holds(condition: str) -> bool:
    """Whether what stands inside an at-rule applies; of one that is not known, nothing does."""
    if condition.startswith("@media"):
        return media_holds(condition[6:])
    if condition.startswith("@supports"):
        return supports_holds(condition[9:])
    return condition.startswith("@container") and container_holds(condition[10:])


def _selector(head: str) -> str:
    selector = (head.rpartition(";")[2] if ";" in head else head).strip()
    return selector if selector[:1] != "@" else ""


def _in_brackets(text: str) -> str:
    text = text.strip()
    return text[1:-1].strip() if text.startswith("(") and text.endswith(")") else ""


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


def imported(sheet: str) -> Iterator[str]:
    """The sheets that a sheet imports and carries with it."""
    for found in _IMPORT.finditer(sheet[:_MOST]):
        yield unpacked(found[1])


def _cleaned(text: str) -> str:
    """The sheet without comments, and without braces and semicolons that are none."""
    text = without_comments(text)
    if "<!--" in text or "-->" in text:
        text = text.replace("<!--", " ").replace("-->", " ")
    text = quoted_safely(text)
    return _URL.sub("url()", text) if "url(" in text else text


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


def quoted_safely(text: str) -> str:
    """The text with braces, brackets, commas and semicolons inside strings escaped; long strings are emptied."""
    parts: list[str] = []
    kept = at = 0
    double, single = text.find('"'), text.find("'")
    while double >= 0 or single >= 0:
        start = double if single < 0 or 0 <= double < single else single
        end = text.find(text[start], start + 1)
        at = start + 1
        if end > 0 and text.find("\n", start, end) < 0:
            parts.append(text[kept:start])
            inside = text[start + 1 : end] if end - start < 200 else ""
            parts.append(f'"{_UNSAFE.sub(_escaped, inside)}"')
            kept = at = end + 1
        if 0 <= double < at:
            double = text.find('"', at)
        if 0 <= single < at:
            single = text.find("'", at)
    parts.append(text[kept:])
    return "".join(parts)


def _escaped(found: re.Match[str]) -> str:
    return f"\\{ord(found[0]):x} "


def _rules(text: str, inside: _Inside) -> Iterator[tuple[str, str, Context]]:
    """Selector, declarations and context of every rule, nested ones under their parent's selector."""
    pieces = text.split("{")
    open_blocks: list[tuple[Context, str]] = []  # context, selector of a style rule
    before = pieces[0].rpartition("}")[2]
    for piece in pieces[1:]:
        prelude = before.rpartition(";")[2].strip() if ";" in before else before.strip()
        context, parent = open_blocks[-1] if open_blocks else (Context(), "")
        if prelude[:1] == "@":
            open_blocks.append((inside(prelude, context, len(open_blocks)), parent))
            body, _, before = piece.partition("}")
            if parent and ":" in body:
                yield parent, body, open_blocks[-1][0]
            if len(body) == len(piece):
                before = piece
                continue
            open_blocks.pop()
        else:
            selector = _nested(parent, prelude) if parent else prelude
            open_blocks.append((context if len(open_blocks) < _MOST_NESTING else Context(False), selector))
            body, _, before = piece.partition("}")
            if selector:
                yield selector, body, open_blocks[-1][0]
            if len(body) == len(piece):
                before = piece
                continue
            open_blocks.pop()
        while "}" in before:
            if open_blocks:
                open_blocks.pop()
            before = before.partition("}")[2]


def _nested(parent: str, selector: str) -> str:
    return selector.replace("&", f":is({parent})") if "&" in selector else f":is({parent}) {selector}"
