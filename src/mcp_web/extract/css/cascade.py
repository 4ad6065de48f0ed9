"""The CSS cascade: which declarations of the page's style sheets and attributes win for an element."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import NamedTuple

from turbohtml import Element, Node

from mcp_web.extract.css.animation import animated
from mcp_web.extract.css.conditions import holds_for
from mcp_web.extract.css.declarations import Declarations, is_valid, longhand, parse_declarations
from mcp_web.extract.css.effort import Effort, TooComplex
from mcp_web.extract.css.functions import Functions, has_type
from mcp_web.extract.css.hints import style_hints
from mcp_web.extract.css.lengths import pixels
from mcp_web.extract.css.names import PageNames, names_of
from mcp_web.extract.css.rules import Context, LayerKey, Registered, Rules, WeightedRule
from mcp_web.extract.css.search import Search
from mcp_web.extract.css.selectors import (
    NO_NAMES,
    ignores_case,
    index_keys,
    required_names,
    specificity,
    split_selectors,
    to_library_syntax,
)  # fmt: skip
from mcp_web.extract.css.style import Style
from mcp_web.extract.css.variables import is_open

_MANY_NAMES = 500  # classes and ids of an element and its ancestors; to collect up to this many takes no time
_MOST_HOPS = 50  # variables that refer to others, each declared further up
_PER_STEP = 5  # values that are copied in the time of one step
_PSEUDO_ELEMENT = re.compile(r"::|:(?:before|after|first-line|first-letter)\b", re.I)
_INHERITED = frozenset(
    ("color", "-webkit-text-fill-color", "visibility", "font-size", "letter-spacing", "text-indent", "line-height",
     "text-shadow", "-webkit-text-stroke", "-webkit-text-stroke-color", "-webkit-text-security", "font-size-adjust",
     "color-scheme", "font-family")
)  # fmt: skip
_INITIAL = {"color": "#000", "visibility": "visible", "font-size": "16px"}
_WIDE = frozenset(("inherit", "initial", "unset", "revert", "revert-layer"))


class _Selector(NamedTuple):
    """One selector of the comma-separated list of a rule."""

    text: str
    rule: int  # the index of the rule
    number: int  # its index in the list
    names: frozenset[str]  # classes and ids that the element or its ancestors must have: tested first


# The precedence of a rule that matches by one of its selectors: its layer; then specificity and index of the rule.
_Order = tuple[LayerKey, tuple[int, ...]]


class Cascade:
    """Computes the styles that the sheets and attributes of one tree give its elements, and remembers them."""

    def __init__(
        self, tree: Node, sheets: list[str], names: PageNames, inner: Mapping[Element, list[WeightedRule]]
    ) -> None:
        """`inner`: the rules of shadow trees for elements of this tree, weakest first. The sheets and attributes of the
        tree win over them, except over their `!important` declarations."""
        self._tree = tree
        self._inner = inner
        page_names = names.as_selectors if sheets else NO_NAMES
        containers = _containers(tree, inner) if any("@container" in each for each in sheets) else ""
        self.quirks = ignores_case(tree)
        self.rules = Rules(sheets, page_names, containers, self.quirks)
        self.effort = Effort()
        self._functions = Functions(self.rules.functions(), self._from_outside, self.effort)
        self.search = Search(tree, self.effort)
        self._declarations: dict[str, Declarations] = {}  # by the text of a rule's body or of an attribute
        self._orders: dict[tuple[int, int], _Order | None] = {}  # by rule and number
        self._inheritances: dict[Element, Mapping[str, str]] = {}
        self._styles: dict[Element, Style] = {}
        self._states: dict[Element, list[Style]] = {}
        self._by_key: dict[str, list[_Selector]] = {}
        self._sizes: dict[Element, float] = {}
        self._ancestries: dict[Node, tuple[Element, ...]] = {}
        self._hops = 0
        self._own_names: dict[Element, list[str]] = {}
        self._around: dict[Element, frozenset[str]] = {}

    def style(self, element: Element) -> Style:
        """The winning value of each property that is declared for the element itself, with variables replaced."""
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
        """The value of an inherited property or variable: the nearest, from the element up; None if none has it."""
        return self.inheritance(element).get(name)

    def inheritance(self, element: Element) -> Mapping[str, str]:
        """Every inherited property and variable that the element or an ancestor declares, with the nearest value."""
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
        """The styles that the element may have because of its animations (see `animated`), or its own alone."""
        style = self.style(element)
        if style.get("animation-name", "none") == "none":
            return [style]
        found = self._states.get(element)
        if found is None:
            important = {name: style[name] for name in self._important(element) if name in style}
            states = animated(style, self._keyframes, self.effort)
            found = self._states[element] = [{**self._resolved(element, state), **important} for state in states]
        return found

    def _important(self, element: Element) -> set[str]:
        """The names of the properties that are `!important` for the element, which no animation changes."""
        bodies = [rule.body for rule in (*self._inner.get(element, ()), *self._matching(element))]
        self.effort.spend(len(bodies))
        return {name for body in (*bodies, element.attr("style") or "") for name in self._parsed(body).important}

    @contextmanager
    def override(self, element: Element, style: Style) -> Iterator[None]:
        """Within the `with` block, the element has this style; what was computed for its descendants stays as it is."""
        before = self.style(element)
        self._replace(element, style)
        try:
            yield
        finally:
            self._replace(element, before)

    def _replace(self, element: Element, style: Style) -> None:
        self._sizes.pop(element, None)
        self._states.pop(element, None)
        self._inheritances.pop(element, None)
        self._styles[element] = style

    @cached_property
    def _keyframes(self) -> dict[str, dict[str, dict[str, str]]]:
        return self.rules.keyframes()

    @cached_property
    def _registered(self) -> dict[str, Registered]:
        return self.rules.registered()

    @cached_property
    def _index(self) -> dict[str, list[tuple[str, int, int]]]:
        """All selectors but those of pseudo-elements, by a part that a matching element must have, in lower case.

        The key is "#id", ".class", a tag, ":root", or "*" for any element. Each entry is the selector, the index of its
        rule, and its index in the rule's selector list.
        """
        found: dict[str, list[tuple[str, int, int]]] = {}
        for at, selector in enumerate(self.rules.selectors):
            if ":" not in selector or not _PSEUDO_ELEMENT.search(selector):
                for number, each in enumerate(split_selectors(to_library_syntax(selector))):
                    for key in index_keys(each):
                        found.setdefault(key, []).append((each, at, number))
        return found

    def _selectors_of(self, key: str) -> list[_Selector]:
        """The selectors under one key of `_index`."""
        found = self._by_key.get(key)
        if found is None:
            found = self._by_key[key] = [
                _Selector(each.strip(), at, number, required_names(each))
                for each, at, number in self._index.get(key, ())
            ]
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

    def _matching(self, element: Element) -> list[WeightedRule]:
        """The rules that match the element, weakest first. One is repeated if several of its selectors match."""
        if not len(self.rules) or self.ancestry(element)[-1].parent is None:
            return []  # turbohtml crashes if an element outside its tree is matched with `:root p` or `.a > p`
        certain = ("*", element.tag)
        found: list[WeightedRule] = []
        for each in self._candidates_for(element):
            if each.text in certain or self.search.matches(element, each.text):
                order = self._order(each)
                if order is not None and self._applies(element, self.rules.context(each.rule)):
                    found.append(WeightedRule(*order, self.rules.body(each.rule)))
        return sorted(found)

    def _applies(self, element: Element, context: Context) -> bool:
        """Whether the at-rules around a rule, such as `@scope` and `@container`, let it apply to the element."""
        if context.queries:
            parent = parent_of(element)
            if parent is None:
                return False
            self.inheritance(parent)  # from the outermost element on, so that no style waits for all those around it
            variable = self._functions.variables(parent, self.style(parent))
            if not all(holds_for(query, variable) for query in context.queries):
                return False
        if context.contained and element.tag == "html":
            return False
        if not context.scope and not context.limit:
            return True
        above = self.ancestry(element)
        inside = not context.scope or not self.search.select(context.scope).keys().isdisjoint(above)
        return inside and (not context.limit or self.search.select(context.limit).keys().isdisjoint(above))

    def _order(self, selector: _Selector) -> _Order | None:
        """The precedence of a selector's rule; None if any selector of the rule is not valid."""
        place = (selector.rule, selector.number)
        if place not in self._orders:
            weights = specificity(self.rules.selectors[selector.rule])
            layer = self.rules.layer_key(self.rules.context(selector.rule).layer)
            is_valid = selector.number < len(weights)
            self._orders[place] = (layer, (*weights[selector.number], selector.rule)) if is_valid else None
        return self._orders[place]

    def _candidates_for(self, element: Element) -> list[_Selector]:
        """The selectors that may match the element: it and its ancestors have the classes and ids they require."""
        around = self._names_around(element)
        keys = [*dict.fromkeys(self._own_names[element]), element.tag, "*"]
        if parent_of(element) is None:
            keys.append(":root")
        near = [each for key in keys for each in self._selectors_of(key)]
        self.effort.spend(len(near) / 10)
        return [each for each in near if each.names <= around]

    def _names_around(self, element: Element) -> frozenset[str]:
        """The classes and ids of the element and its ancestors, as ".class" and "#id" in lower case."""
        known = self._around
        for each, around in _unknown(element, known):
            found = known[around] if around is not None else NO_NAMES
            own = self._own_names[each] = names_of(each)
            known[each] = found if found.issuperset(own) else found.union(own)
            self.effort.spend(max(0, len(own) + len(found) - _MANY_NAMES))
        return known[element]

    def _winners(self, element: Element) -> dict[str, str]:
        own = self._parsed(element.attr("style") or "")
        found, strongest = self._extended(style_hints(element), self._inner.get(element, ()))
        found, strong = self._extended(found, self._matching(element))
        return {**_added(found, own.plain, own.resets, found), **strong, **own.important, **strongest}

    def _extended(self, found: dict[str, str], rules: Sequence[WeightedRule]) -> tuple[dict[str, str], dict[str, str]]:
        """The declarations `found` with those of stronger rules, weakest first, added; and the important ones."""
        self.effort.spend(len(rules))
        strong: list[tuple[tuple[float, ...], tuple[int, ...], Mapping[str, str]]] = []
        last, below = None, found
        for layer, weight, body in rules:
            plain, important, resets = self._parsed(body)
            if important:  # among important declarations an earlier layer wins
                strong.append((tuple(-part for part in layer), weight, important))
            if layer != last:
                last, below = layer, dict(found)
            found = _added(found, plain, resets, below)
        strong.sort(key=lambda each: each[:2])
        return found, {name: value for _, _, important in strong for name, value in important.items()}

    def _parsed(self, declarations: str) -> Declarations:
        found = self._declarations.get(declarations)
        if found is None:
            found = self._declarations[declarations] = parse_declarations(declarations, self.quirks)
        return found

    def _resolved(self, element: Element, winners: Mapping[str, str]) -> dict[str, str]:
        """The winning declarations with variables and keywords such as `inherit` replaced, if they are then valid. The
        variables of the element itself stay as they are declared."""
        for name in self._registered.keys() & winners.keys():
            if not has_type(self._functions.filled(element, winners[name], winners), self._registered[name].syntax):
                winners = {each: value for each, value in winners.items() if each != name}
        found: dict[str, str] = {}
        for name, value in winners.items():
            if name[:2] == "--":
                found[name] = value  # its own variables are replaced when it is used
                continue
            if "(" in value and is_open(value):
                value = longhand(name, self._functions.filled(element, value, winners))
                if not value or not is_valid(name, value):
                    continue
            if value not in _WIDE and value != "currentcolor":
                found[name] = value
                continue
            if name == "color" and value == "currentcolor":
                continue  # the parent's colour is inherited
            if value == "inherit" and name not in _INHERITED:
                parent = parent_of(element)
                if parent is not None:
                    self.inheritance(parent)
                value = self.style(parent).get(name, "") if parent is not None else ""
            elif value == "initial":
                value = _INITIAL.get(name, "")
            elif value in ("inherit", "unset", "revert", "revert-layer"):
                value = ""
            if value:
                found[name] = value
        return found

    def _from_outside(self, element: Element, name: str) -> str | None:
        """The value of a variable or property that the element does not declare: inherited, else the initial one. None
        if there is neither. Raises TooComplex if too many variables refer to each other."""
        registered = self._registered.get(name)
        parent = parent_of(element) if registered is None or registered.inherits else None
        value = self.inherited(parent, name) if parent is not None else None
        if parent is not None and value is not None and is_open(value):
            owner = next(each for each in self.ancestry(parent) if name in self.style(each))
            self._hops += 1
            if self._hops > _MOST_HOPS:
                raise TooComplex
            value = self._functions.variables(owner, self.style(owner))(name)
            self._hops -= 1
        return registered.initial if value is None and registered is not None else value


def _containers(tree: Node, inner: Mapping[Element, list[WeightedRule]]) -> str:
    """The style attributes in a tree that contain the word "container", and the bodies of the rules in `inner`, joined
    by semicolons."""
    attributes = [element.attr("style") or "" for element in tree.select("[style*=container i]")]
    return ";".join((*attributes, *(rule.body for rules in inner.values() for rule in rules)))


def parent_of(element: Element) -> Element | None:
    parent = element.parent
    return parent if parent is not None and hasattr(parent, "tag") else None  # type: ignore[return-value]


def _unknown(element: Element, known: Mapping[Element, object]) -> list[tuple[Element, Element | None]]:
    """The element and its ancestors below the first that is in `known`, outermost first, each with its parent."""
    found: list[tuple[Element, Element | None]] = []
    node: Element | None = element
    while node is not None and node not in known:
        above = parent_of(node)
        found.append((node, above))
        node = above
    found.reverse()
    return found


def _added(found: dict[str, str], plain: Mapping[str, str], resets: bool, below: dict[str, str]) -> dict[str, str]:
    """The declarations `found` of weaker rules with `plain`, those of a further rule; `found` itself may be changed.

    `resets`: the rule declares `all`, which removes what weaker rules declare, except variables. `below` has the
    declarations of the weaker layers, to which `revert-layer` returns.
    """
    if resets:
        found = {name: value for name, value in found.items() if name[:2] == "--"}
    if "revert-layer" in plain.values():
        plain = {name: below.get(name, "") if value == "revert-layer" else value for name, value in plain.items()}
    found.update(plain)
    return found
