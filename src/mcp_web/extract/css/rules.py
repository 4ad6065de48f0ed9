"""Reads style sheets as rules, in order: those that apply on a desktop screen. It does not validate.

Written by hand: pages often have sheets of a megabyte, and a parser that makes an object for every declaration takes
fifty times as long as parsing the page. To split at the braces and parse few rules takes about as long as the page.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import NamedTuple

from mcp_web.extract.css.conditions import container_holds, media_holds, supports_holds
from mcp_web.extract.css.declarations import parse_declarations
from mcp_web.extract.css.effort import TooComplex
from mcp_web.extract.css.functions import Function
from mcp_web.extract.css.lengths import fraction
from mcp_web.extract.css.selectors import LONGEST, may_match, split_selectors
from mcp_web.extract.css.syntax import calls, cleaned, split_declarations, split_outside, unescaped

_MOST_NESTED = 50  # layers or style queries, one inside the other
_KEYFRAMES = re.compile(r"@(?:-webkit-|-moz-|-o-)?keyframes\s+(.+)", re.S)
_DEFINING = ("@property", "@function", "@font-face")
_FUNCTION = re.compile(r"(--[\w-]+)\(")
_SHRUNK = 0.06  # letters of a font of this size cannot be read
_PART = re.compile(r"::part\(([\w-]+)\)")
_BRACE = re.compile(r"([{}])")
_CONTAINER = re.compile(r"container(?:-name|-type)?\s*:\s*([^;{}]+)")

LayerKey = tuple[float, ...]
_Inside = Callable[[str, "Context"], "Context"]
_LAST = float("inf")  # rules outside any layer come after all layers


class Context(NamedTuple):
    """What the at-rules around a rule mean for it: whether it applies, its layer, its scope."""

    holds: bool = True
    layer: str = ""
    scope: str = ""  # the elements that the rule is limited to
    limit: str = ""  # the elements inside which it no longer applies
    keyframes: str = ""
    contained: bool = False  # whether it is in a container query, which never applies to the root of the page
    queries: tuple[str, ...] = ()  # conditions with `style()` that must hold for the element's parent


class WeightedRule(NamedTuple):
    """A rule that matches an element, sorted by its precedence."""

    layer: LayerKey
    weight: tuple[int, ...]  # specificity and index of the rule
    body: str  # the text of its declarations


class Registered(NamedTuple):
    """A variable that a sheet registers with `@property`."""

    initial: str | None
    inherits: bool
    syntax: str


class Rules:
    """The rules of some sheets that apply on a desktop screen and may match an element of the page, in order."""

    def __init__(self, sheets: list[str], names: frozenset[str], attributes: str = "", quirks: bool = False) -> None:
        """`names` are the classes and ids of the page: rules that need other names are left out.

        `attributes` is the text of style attributes that may declare containers. `quirks`: see `parse_declarations`.
        """
        self.quirks = quirks
        self._containers = _containers_of((*sheets, attributes))
        self._heads: list[str] = []  # the text before each rule's opening brace
        self._bodies: list[str] = []
        self._contexts: list[Context] = []
        self._layers: dict[str, int] = {}
        self._inner: dict[tuple[str, Context], Context] = {}  # a cache of contexts inside at-rules
        self._defining: set[str] = set()  # the at-rules of `_DEFINING` that the sheets have
        for sheet in sheets:
            text = cleaned(sheet).replace("<!--", " ").replace("-->", " ")
            lowered = text.lower()
            marks = ("@property", "@function", "size-adjust")
            self._defining.update(kind for kind, mark in zip(_DEFINING, marks, strict=True) if mark in lowered)
            self._read(text)
        self._relevant: list[int] = []
        self.selectors: list[str] = []
        self._find_relevant(names)
        bodies = [self._bodies[at] for at in self._relevant]
        self.text = "".join("{".join(bodies).lower().split())  # all bodies, "{" between them
        self.bodies = self.text.split("{") if bodies else []

    def _find_relevant(self, names: frozenset[str]) -> None:
        for at, (head, context) in enumerate(zip(self._heads, self._contexts, strict=True)):
            if not context.holds or context.keyframes:
                continue
            selector = _selector(head)
            if "::" in selector:
                selector = _PART.sub(r" [part~=\1]", selector).replace("::details-content", " > :not(summary)")
            if context.scope:
                selector = _scoped(selector, context.scope)
            if selector and may_match(selector, names):
                self._relevant.append(at)
                self.selectors.append(selector)

    def __len__(self) -> int:
        return len(self._relevant)

    def variables(self) -> Iterator[str]:
        """The bodies of the rules that declare or use a variable, and the initial values of registered variables. An
        initial value is a declaration, such as `--gap:2px`. Nothing if no rule has a variable."""
        if "--" in self.text:
            yield from (self._bodies[at] for at in self._relevant if "--" in self._bodies[at])
            yield from (f"{name}:{each.initial}" for name, each in self.registered().items() if each.initial)

    def body(self, at: int) -> str:
        """The text of the declarations of the rule with this index in `selectors`."""
        return self._bodies[self._relevant[at]]

    def context(self, at: int) -> Context:
        """What the at-rules around the rule with this index in `selectors` say about it."""
        return self._contexts[self._relevant[at]]

    @cached_property
    def declarations(self) -> dict[str, dict[str, list[int]]]:
        """For each property its declarations, each with the indexes of the rules that have it.

        A declaration is its whole text in lower case, without spaces: "display:none".
        """
        places: dict[str, list[int]] = {}
        for at, body in enumerate(self.bodies):
            for declaration in split_declarations(body):
                places.setdefault(declaration, []).append(at)
        found: dict[str, dict[str, list[int]]] = {}
        for declaration, rules in places.items():
            found.setdefault(declaration.partition(":")[0], {})[declaration] = rules
        return found

    def layer_key(self, name: str) -> LayerKey:
        """A sort key for layers: later layers after earlier ones, rules outside any layer last. `name` is that of a
        layer with those around it, as in "theme.buttons", or "" outside any layer."""
        if not name:
            return (_LAST,)
        parts = name.split(".")
        paths = [".".join(parts[: at + 1]) for at in range(len(parts))]
        return (*(float(self._layers.get(path, 0)) for path in paths), _LAST)

    def keyframes(self) -> dict[str, dict[str, dict[str, str]]]:
        """The declarations of every animation, by its name and step (`from`, `to`, `50%`)."""
        found: dict[str, dict[str, dict[str, str]]] = {}
        last = None
        for head, body, context in zip(self._heads, self._bodies, self._contexts, strict=True):
            if not context.keyframes or not context.holds:
                continue
            if context is not last:  # a later animation of the same name takes the place of an earlier one
                last, found[context.keyframes] = context, {}
            declared = parse_declarations(body, self.quirks).plain
            for step in filter(str.strip, head.lower().split(",")):
                found[context.keyframes].setdefault(step.strip(), {}).update(declared)
        return found

    def registered(self) -> dict[str, Registered]:
        """The variables that the sheets register, by name."""
        found: dict[str, Registered] = {}
        for name, declared in self._defined("@property"):
            inherits, syntax = declared.get("inherits") != "false", declared.get("syntax", "*").strip("\"'")
            found[name] = Registered(declared.get("initial-value"), inherits, syntax)
        return found

    def functions(self) -> dict[str, Function]:
        """The functions that the sheets define, by name."""
        found: dict[str, Function] = {}
        for head, body in self._defined("@function"):
            name, arguments, *_ = next(calls(head, _FUNCTION), ("", ""))
            parameters: dict[str, str] = {}
            for parameter in split_outside(arguments, ","):
                declared, _, default = parameter.partition(":")
                parameters[declared.partition(" ")[0]] = default.strip()
            before = found[name].body if name in found else {}
            found[name] = Function(parameters, {**before, **body})
        return found

    @cached_property
    def shrunk_fonts(self) -> frozenset[str]:
        """The font families whose letters `size-adjust` makes too small to be seen."""
        shrunk = (
            unescaped(declared.get("font-family", "")).strip("\"'")
            for _, declared in self._defined("@font-face")
            if (size := fraction(declared.get("size-adjust", "1"))) is not None and size < _SHRUNK
        )
        return frozenset(filter(None, shrunk))

    def _defined(self, kind: str) -> Iterator[tuple[str, dict[str, str]]]:
        """For each at-rule of a kind such as "@property": what follows its name, and its declarations; in lower
        case."""
        rules = zip(self._heads, self._bodies, self._contexts, strict=True) if kind in self._defining else ()
        for head, body, context in rules:
            prelude = unescaped(head.rpartition(";")[2]).strip().lower() if "@" in head else ""
            if prelude.startswith(kind) and context.holds:
                pairs = (declaration.partition(":") for declaration in split_declarations(body.lower()))
                yield prelude[len(kind) :].strip(), {name.strip(): value.strip() for name, _, value in pairs}

    def _read(self, text: str) -> None:
        if "@layer" in text or "@LAYER" in text:
            self._name_layers(text)
        if "@function" in self._defining:
            self._read_nested(text)
            return
        pieces = [piece.rpartition("{") for piece in text.split("}")]
        groups = [at for at, piece in enumerate(pieces) if not piece[1] or "{" in piece[0]]
        around: list[Context] = [Context()]
        contexts: list[Context] = []
        for at in groups:
            contexts.extend(around[-1:] * (at - len(contexts)))
            if not pieces[at][1]:
                if len(around) > 1:
                    around.pop()
                elif at + 1 < len(pieces):  # the brace closes nothing, so the next selector is not valid
                    pieces[at + 1] = (f"}}{pieces[at + 1][0]}", *pieces[at + 1][1:])
                contexts.append(around[-1])
                continue
            *preludes, head = pieces[at][0].split("{")
            for prelude in preludes:
                words = prelude.rpartition(";")[2].strip()
                if words[:1] != "@":
                    self._read_nested(text)
                    return
                around.append(self._inside(words, around[-1]))
            pieces[at] = (head, "{", pieces[at][2])
            contexts.append(around[-1])
        self._heads.extend([piece[0] for piece in pieces])
        self._bodies.extend([piece[2] for piece in pieces])
        self._contexts.extend([*contexts, *around[-1:] * (len(pieces) - len(contexts))])

    def _read_nested(self, text: str) -> None:
        """Adds the rules of a sheet with nested rules, read brace by brace."""
        for selector, body, context in _rules(text, self._inside):
            self._heads.append(selector)
            self._bodies.append(body)
            self._contexts.append(context)

    def _name_layers(self, text: str) -> None:
        """Record the `@layer` names of a sheet in the order in which statements and blocks first name them."""
        for found in re.finditer(r"@layer\b([^{};]{0,2000})[{;]", text, re.I):
            for name in found[1].split(","):
                self._add_layer(name.strip())

    def _add_layer(self, name: str) -> str:
        parts = name.split(".")
        if len(parts) > _MOST_NESTED:
            raise TooComplex
        for at in range(len(parts)):
            self._layers.setdefault(".".join(parts[: at + 1]), len(self._layers))
        return name

    def _inside(self, prelude: str, above: Context) -> Context:
        """The context of the rules inside an at-rule, which is in the context `above`. `prelude` is the text before its
        brace, such as "@media print". Raises TooComplex if style queries are nested too deep."""
        if len(above.queries) > _MOST_NESTED:
            raise TooComplex
        if not above.holds:
            return above
        found = self._inner.get((prelude, above))
        if found is None:
            found = self._context_of(prelude, above)
            if found.layer == above.layer and not found.keyframes:  # each layer without a name is a new one
                self._inner[prelude, above] = found
        return found

    def _context_of(self, prelude: str, above: Context) -> Context:
        words = unescaped(prelude)
        lowered = words.lower()
        keyframes = _KEYFRAMES.match(lowered)
        if keyframes:
            return above._replace(keyframes=keyframes[1].strip().strip("\"'"))
        if lowered.startswith("@layer"):
            name = words[6:].strip() or f"anonymous {len(self._layers)}"
            return above._replace(layer=self._add_layer(f"{above.layer}.{name}" if above.layer else name))
        if lowered.startswith("@scope"):
            scope, _, limit = words[6:].partition(" to ")
            return above._replace(scope=_in_brackets(scope), limit=_in_brackets(limit))
        if lowered.startswith("@container") and "style(" in lowered:
            return above._replace(queries=(*above.queries, lowered[10:]))
        contained = above.contained or lowered.startswith("@container")
        return above._replace(holds=_holds(lowered, self._containers), contained=contained)


def _containers_of(texts: tuple[str, ...]) -> frozenset[str]:
    """The names and types of containers that these sheets and attributes declare; none if no sheet has `@container`."""
    if not any("@container" in text for text in texts):
        return frozenset()
    found = (value for text in texts for value in _CONTAINER.findall(text.lower()))
    return frozenset(word for value in found for word in value.replace("/", " ").split())


def _holds(condition: str, containers: frozenset[str]) -> bool:
    """Whether the rules in `@media`, `@supports` or `@container` with this condition apply; False for other at-rules.
    `containers`: see `container_holds`."""
    if condition.startswith("@media"):
        return media_holds(condition[6:])
    if condition.startswith("@supports"):
        return supports_holds(condition[9:])
    return condition.startswith("@container") and container_holds(condition[10:], containers)


def _scoped(selector: str, scope: str) -> str:
    """A selector list inside `@scope`, changed to match the same elements without it. It is limited to descendants of
    what the selector `scope` matches, which also replaces `:scope` and `&`."""
    if ":scope" in selector or "&" in selector:
        return selector.replace(":scope", f":is({scope})").replace("&", f":is({scope})")
    return ",".join(f":where({scope}) {each}" for each in split_selectors(selector)) if selector else selector


def _selector(head: str) -> str:
    """The selector in the text before a rule's brace; "" if there is none or it is not valid."""
    selector = (_without_statements(head) if "@" in head else head).strip()
    return "" if selector[:1] == "@" or ";" in selector else selector


def _without_statements(head: str) -> str:
    """The text before a brace without the statements at its beginning, such as `@charset "utf-8";`."""
    head = head.lstrip()
    while head[:1] == "@" and ";" in head:
        head = head.partition(";")[2].lstrip()
    return head


def _in_brackets(text: str) -> str:
    text = text.strip()
    return text[1:-1].strip() if text.startswith("(") and text.endswith(")") else ""


def _rules(text: str, inside: _Inside) -> Iterator[tuple[str, str, Context]]:
    """Selector, declarations and context of every rule; nested rules get their parent's selector in front. `inside`
    returns the context inside an at-rule: see `Rules._inside`."""
    around: list[tuple[Context, str]] = [(Context(), "")]  # context, selector of a style rule
    pending = ""
    for piece in _BRACE.split(text):
        context, parent = around[-1]
        if piece == "{":
            declarations, _, prelude = pending.rpartition(";") if parent else ("", "", _without_statements(pending))
            if declarations:
                yield parent, declarations, context
            around.append(_inside_block(prelude.strip(), context, parent, inside))
        elif piece != "}":
            pending += piece
            continue
        elif len(around) > 1:
            if parent and pending.strip():
                yield parent, pending, context
            around.pop()
        else:
            pending = "}"  # it closes nothing, so it makes the next selector invalid
            continue
        pending = ""
    context, parent = around[-1]
    if parent and pending.strip():
        yield parent, pending, context


def _inside_block(prelude: str, context: Context, parent: str, inside: _Inside) -> tuple[Context, str]:
    """Context and selector inside a block, whose brace comes after `prelude`. `context` and `parent` are the context
    and the selector around it; `inside` is as for `_rules`."""
    if prelude[:1] == "@":
        if prelude[:10].lower().startswith(_DEFINING):
            return context, prelude
        return inside(prelude, context), parent
    if not prelude:
        return Context(False), "*"
    return context, _nested(parent, prelude) if parent else prelude


def _nested(parent: str, selector: str) -> str:
    if len(parent) * (1 + selector.count("&")) > LONGEST:
        raise TooComplex
    return selector.replace("&", f":is({parent})") if "&" in selector else f":is({parent}) {selector}"
