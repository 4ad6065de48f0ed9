"""The CSS cascade: which declarations of the page's style sheets and attributes win for an element."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import NamedTuple

from turbohtml import Element, Node

from mcp_web.extract.css.animation import animated
from mcp_web.extract.css.declarations import Declared, is_valid, longhand, parse_declarations
from mcp_web.extract.css.effort import Effort, TooComplex
from mcp_web.extract.css.hints import style_hints
from mcp_web.extract.css.lengths import pixels
from mcp_web.extract.css.names import PageNames, names_of
from mcp_web.extract.css.rules import Context, LayerKey, Rule, Rules
from mcp_web.extract.css.search import Search
from mcp_web.extract.css.selectors import (
    NO_NAMES,
    index_keys,
    is_detached,
    required_names,
    specificity,
    split_selectors,
    to_library_syntax,
)  # fmt: skip
from mcp_web.extract.css.style import Style
from mcp_web.extract.css.variables import with_variables

_MANY_NAMES = 500  # classes and ids of an element and its ancestors; to collect up to this many takes no time
_PER_STEP = 5  # values that are copied in the time of one step
_MOST_VALUE = 20_000  # characters of a value after its variables were replaced
_DEEPEST = 50  # variables that refer to others; more of them refer to each other in a circle
_PSEUDO_ELEMENT = re.compile(r"::|:(?:before|after|first-line|first-letter)\b", re.I)
_INHERITED = frozenset(
    ("color", "-webkit-text-fill-color", "visibility", "font-size", "letter-spacing", "text-indent", "line-height",
     "text-shadow", "-webkit-text-stroke", "-webkit-text-stroke-color", "-webkit-text-security", "font-size-adjust")
)  # fmt: skip
_INITIAL = {"color": "#000", "visibility": "visible", "font-size": "16px"}
_WIDE = frozenset(("inherit", "initial", "unset", "revert", "revert-layer"))


class _Declarations(NamedTuple):
    """The declarations of one rule or attribute, divided by importance."""

    plain: dict[str, str]
    important: dict[str, str]
    resets: bool  # whether it declares `all`, which resets the other properties


class _Selector(NamedTuple):
    """One selector of a rule's selector list."""

    text: str
    rule: int  # the index of the rule
    number: int  # its index in the list
    names: frozenset[str]  # classes and ids that the element or its ancestors must have: tested first


class _Match(NamedTuple):
    """A rule that matches an element by one of its selectors, with its precedence."""

    order: tuple[LayerKey, tuple[int, ...]]  # layer; then specificity and index of the rule
    rule: Rule


class Cascade:
    """The styles that the sheets and attributes of one tree give its elements."""

    def __init__(self, tree: Node, sheets: list[str], names: PageNames) -> None:
        self._tree = tree
        page_names = names.as_selectors if sheets else NO_NAMES
        containers = _containers(tree) if any("@container" in each for each in sheets) else ""
        self.rules = Rules(sheets, page_names, containers)
        self.effort = Effort()
        self.search = Search(tree, self.effort)
        self._declarations: dict[str, _Declarations] = {}  # by the text of a rule's body or of an attribute
        self._matches: dict[tuple[int, int], _Match | None] = {}
        self._inheritances: dict[Element, Mapping[str, str]] = {}
        self._styles: dict[Element, Style] = {}
        self._by_key: dict[str, list[_Selector]] = {}
        self._sizes: dict[Element, float] = {}
        self._ancestries: dict[Node, tuple[Element, ...]] = {}
        self._around: dict[Element, frozenset[str]] = {}

    def style(self, element: Element) -> Style:
        """The winning declarations of the element, with variables replaced by their values."""
        found = self._styles.get(element)
        if found is None:
            found = self._styles[element] = self._resolved(element, self._winners(element))
        return found

    def ancestry(self, element: Element) -> tuple[Element, ...]:
        """The element and its ancestors, innermost first."""
        known = self._ancestries
        path: list[Element] = []
        node: Node | None = element
        while node is not None and node not in known:
            if isinstance(node, Element):
                path.append(node)
            node = node.parent
        around: tuple[Element, ...] = known[node] if node is not None else ()
        for each in reversed(path):
            around = known[each] = (each, *around)
            self.effort.spend(len(around) / _PER_STEP)
        return around

    def inherited(self, element: Element, name: str) -> str | None:
        """The value of an inherited property: of the element, else of the nearest ancestor that declares it.

        None if none of them declares it.
        """
        return self.inheritance(element).get(name)

    def inheritance(self, element: Element) -> Mapping[str, str]:
        """Every inherited property and variable that the element or an ancestor declares; the nearest wins."""
        known = self._inheritances
        for each, around in _unknown(element, known):
            found = known[around] if around is not None else {}
            style = self.style(each).items()
            own = {name: value for name, value in style if name in _INHERITED or name[:2] == "--"}
            known[each] = {**found, **own} if own else found
            self.effort.spend(len(found) / _PER_STEP if own else 0)
        return known[element]

    def font_size(self, element: Element) -> float:
        """The font size of the element in pixels."""
        known = self._sizes
        for each, around in _unknown(element, known):
            size = known[around] if around is not None else 16.0
            value = self.style(each).get("font-size")
            own = pixels(value, size, size) if value is not None else size
            known[each] = size if own is None else own
        return known[element]

    def states(self, element: Element) -> list[Style]:
        """The styles that the animations of the element leave it with; its own style if it has none."""
        style = self.style(element)
        return animated(style, self._keyframes) if style.get("animation-name", "none") != "none" else [style]

    @contextmanager
    def override(self, element: Element, style: Style) -> Iterator[None]:
        """Within the `with` block, the element has another style."""
        before = self.style(element)
        self._replace(element, style)
        try:
            yield
        finally:
            self._replace(element, before)

    def _replace(self, element: Element, style: Style) -> None:
        self._sizes.pop(element, None)
        self._inheritances.pop(element, None)
        self._styles[element] = style

    @cached_property
    def _keyframes(self) -> dict[str, dict[str, dict[str, Declared]]]:
        return self.rules.keyframes()

    @cached_property
    def _registered(self) -> dict[str, tuple[str, bool]]:
        """The initial value of each registered property, and whether the property is inherited."""
        return {name: (value, inherits) for name, value, inherits in self.rules.registered()}

    @cached_property
    def _index(self) -> dict[str, list[tuple[str, int, int]]]:
        """Every selector by a name that a matching element must have: "#id", ".class", a tag, or "*".

        Each entry is the selector, the index of its rule, and its index in the rule's selector list.
        """
        found: dict[str, list[tuple[str, int, int]]] = {}
        for at, selector in enumerate(self.rules.selectors):
            if ":" not in selector or not _PSEUDO_ELEMENT.search(selector):
                for number, each in enumerate(split_selectors(to_library_syntax(selector))):
                    for key in index_keys(each):
                        found.setdefault(key, []).append((each, at, number))
        return found

    def _selectors_of(self, key: str) -> list[_Selector]:
        """The selectors under one key of the index."""
        found = self._by_key.get(key)
        if found is None:
            found = self._by_key[key] = [
                _Selector(each.strip(), at, number, required_names(each))
                for each, at, number in self._index.get(key, ())
            ]
        self.effort.spend(len(found) / 10)
        return found

    def paints_pseudo_element(self, element: Element) -> bool:
        """Whether a rule gives a `::before` or `::after` of the element a background."""
        return element in self._with_painted_pseudo_element

    @cached_property
    def _with_painted_pseudo_element(self) -> frozenset[Element]:
        selectors: list[str] = []
        for selector, body in zip(self.rules.selectors, self.rules.bodies, strict=True):
            if "background" in body and _PSEUDO_ELEMENT.search(selector):
                selectors.extend(_PSEUDO_ELEMENT.split(each)[0].strip() or "*" for each in split_selectors(selector))
        return frozenset(element for selector in selectors for element in self.search.select(selector))

    def _matching(self, element: Element) -> list[_Match]:
        """The rules that match the element, lowest precedence first."""
        near = [each for each in self._candidates_for(element) if self.search.matches(element, each.text)]
        found = [match for each in near if (match := self._match(each)) and self._applies(element, match.rule.context)]
        found.sort(key=lambda match: match.order)
        return found

    def _applies(self, element: Element, context: Context) -> bool:
        """Whether the at-rules around a rule let it apply to the element."""
        parent = parent_of(element) if context.queries else None
        for name, value in context.queries:
            if parent is None or self.inherited(parent, name) != value:
                return False
        if context.contained and element.tag == "html":
            return False
        if not context.scope and not context.limit:
            return True
        above = self.ancestry(element)
        inside = not context.scope or not self.search.select(context.scope).keys().isdisjoint(above)
        return inside and (not context.limit or self.search.select(context.limit).keys().isdisjoint(above))

    def _match(self, selector: _Selector) -> _Match | None:
        """The rule of a selector with its precedence; None if any selector of the list is not valid."""
        place = (selector.rule, selector.number)
        if place not in self._matches:
            weights = specificity(self.rules.selectors[selector.rule])
            rule = self.rules.rule(selector.rule)
            layer = self.rules.layer_key(rule.context.layer)
            is_valid = selector.number < len(weights)
            order = (layer, (*weights[selector.number], rule.order)) if is_valid else None
            self._matches[place] = _Match(order, rule) if order else None
        return self._matches[place]

    def _candidates_for(self, element: Element) -> list[_Selector]:
        """The selectors that may match, because the element and its ancestors have the names that they require."""
        identity = element.attr("id")
        keys = [f".{name}" for name in dict.fromkeys((element.attr("class") or "").split())]
        keys.extend((f"#{identity}" if identity else "", element.tag, "*"))
        if parent_of(element) is None:
            keys.append(":root")
        around = self._names_around(element)
        return [each for key in keys for each in self._selectors_of(key) if each.names <= around]

    def _names_around(self, element: Element) -> frozenset[str]:
        """The classes and ids of the element and its ancestors, as ".class" and "#id"."""
        known = self._around
        for each, around in _unknown(element, known):
            found = known[around] if around is not None else NO_NAMES
            own = names_of(each)
            known[each] = found if found.issuperset(own) else found.union(own)
            self.effort.spend(max(0, len(own) + len(found) - _MANY_NAMES))
        return known[element]

    def _winners(self, element: Element) -> dict[str, str]:
        rules = self._matching(element) if len(self.rules) and not is_detached(element) else []
        own = self._by_importance(element.attr("style") or "")
        found = style_hints(element)
        self.effort.spend(len(rules))
        strong: list[_Match] = []
        for rule in rules:
            plain, important, resets = self._by_importance(rule.rule.body)
            if important:
                strong.append(rule)
            found = _added(found, plain, resets)
        found = _added(found, own.plain, own.resets)
        if len(strong) > 1:  # among important declarations an earlier layer wins
            strong.sort(key=_importance_order)
        for rule in strong:
            found.update(self._by_importance(rule.rule.body).important)
        found.update(own.important)
        return found

    def _by_importance(self, declarations: str) -> _Declarations:
        found = self._declarations.get(declarations)
        if found is None:
            found = self._declarations[declarations] = _by_importance(parse_declarations(declarations))
        return found

    def _resolved(self, element: Element, winners: dict[str, str]) -> dict[str, str]:
        """The declarations with variables and keywords such as `inherit` replaced."""
        found: dict[str, str] = {}
        for name, value in winners.items():
            if name[:2] == "--" or ("var(" not in value and value not in _WIDE and value != "currentcolor"):
                found[name] = value
                continue
            if "var(" in value:
                value = longhand(name, self._filled(element, value, winners, 0))
                if not value or not is_valid(name, value):
                    continue
            if name == "color" and value == "currentcolor":
                continue  # the parent's colour is inherited
            if value == "inherit" and name not in _INHERITED:
                parent = parent_of(element)
                value = self.style(parent).get(name, "") if parent is not None else ""
            elif value == "initial":
                value = _INITIAL.get(name, "")
            elif value in ("inherit", "unset", "revert", "revert-layer"):
                value = ""
            if value:
                found[name] = value
        return found

    def _filled(self, element: Element, value: str, winners: dict[str, str], depth: int) -> str:
        def known(name: str, fallback: str) -> str:
            self.effort.spend(5)
            own = winners.get(name) or self._custom(element, name) or fallback
            return self._filled(element, own, winners, depth + 1) if "var(" in own and depth < _DEEPEST else own

        filled = with_variables(value, known).strip()
        if len(filled) > _MOST_VALUE:
            raise TooComplex
        return filled

    def _custom(self, element: Element, name: str) -> str | None:
        initial, inherits = self._registered.get(name, (None, True))
        parent = parent_of(element) if inherits else None
        value = self.inherited(parent, name) if parent is not None else None
        return value if value is not None else initial


def _containers(tree: Node) -> str:
    """The text of the style attributes that declare a container."""
    return ";".join(element.attr("style") or "" for element in tree.select("[style*=container i]"))


def parent_of(element: Element) -> Element | None:
    parent = element.parent
    return parent if parent is not None and hasattr(parent, "tag") else None  # type: ignore[return-value]


def _unknown(element: Element, known: Mapping[Element, object]) -> list[tuple[Element, Element | None]]:
    """The element and its ancestors that are not in `known`, outermost first, each with its parent."""
    found: list[tuple[Element, Element | None]] = []
    node: Element | None = element
    while node is not None and node not in known:
        above = parent_of(node)
        found.append((node, above))
        node = above
    found.reverse()
    return found


def _by_importance(declared: Mapping[str, Declared]) -> _Declarations:
    plain = {name: each.value for name, each in declared.items() if not each.important}
    important = {name: each.value for name, each in declared.items() if each.important}
    return _Declarations(plain, important, "all" in declared)


def _added(found: dict[str, str], plain: dict[str, str], resets: bool) -> dict[str, str]:
    if resets:
        found = {name: value for name, value in found.items() if name[:2] == "--"}
    if "revert-layer" in plain.values():
        plain = {name: value for name, value in plain.items() if value != "revert-layer" or name not in found}
    found.update(plain)
    return found


def _importance_order(rule: _Match) -> tuple[LayerKey, tuple[int, ...]]:
    layer, weight = rule.order
    return tuple(-part for part in layer), weight
