"""Declared shadow trees: their visible content takes the place of the children of their host element."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from turbohtml import Element, Node

from mcp_web.extract.css.rules import Rules, WeightedRule
from mcp_web.extract.css.selectors import matches, specificity, split_selectors
from mcp_web.extract.css.sheet_text import own_sheets

# The selectors of a shadow tree for elements outside it.
_OUTWARD = re.compile(r"(?P<kind>:host|:host-context|::slotted)(?:\((?P<argument>.*)\))?", re.S)
_OUTWARD_CALL = re.compile(r"(?::host|:host-context|::slotted)\(")


def flatten_shadow_trees(
    tree: Node, remove_hidden: Callable[[Node], int]
) -> tuple[int, dict[Element, list[WeightedRule]]]:
    """Put the visible content of each shadow tree in place of its host's children.

    Returns how many texts were hidden, and the rules of the shadow trees for their hosts and slotted elements, weakest
    first. `remove_hidden` removes the hidden texts of a tree and returns their number.
    """
    count = 0
    inner: dict[Element, list[WeightedRule]] = {}
    hosts = [element for element in tree.iter_elements() if element.shadow_root is not None]
    for host in hosts:
        shadow = host.shadow_root
        if shadow is None:
            continue
        for sheet in shadow.select("style"):
            if ":root" in sheet.text:
                sheet.set_text(sheet.text.replace(":root", ":not(*)"))  # it matches nothing in a shadow tree
        for element, rule in _rules_for_outside(host, own_sheets(shadow.select("style,link"))):
            inner.setdefault(element, []).append(rule)
        count += remove_hidden(shadow)
        unseen = [child for child in host.children if child.assigned_slot is None]
        count += sum(1 for child in unseen if child.text.strip())
        _flatten(host, shadow)
    return count, inner


def _flatten(host: Element, shadow: Node) -> None:
    for slot in shadow.select("slot"):
        given = list(slot.assigned_nodes())
        slot.replace_with(*(given or list(slot.children)))
    for sheet in shadow.select("style"):
        sheet.decompose()
    content = list(shadow.children)
    host.clear()
    host.extend(content)


def _rules_for_outside(host: Element, sheets: list[str]) -> list[tuple[Element, WeightedRule]]:
    """The rules of a shadow tree for its host and slotted elements, weakest first, each with an element it matches."""
    rules = Rules(sheets, frozenset())
    found: list[tuple[Element, WeightedRule]] = []
    for at, head in enumerate(rules.selectors):
        layer = rules.layer_key(rules.context(at).layer)
        weights = specificity(_OUTWARD_CALL.sub(":not(", head))  # of the arguments; empty if a selector is not valid
        for selector, weight in zip(split_selectors(head), weights, strict=False):
            rule = WeightedRule(layer, (*weight, at), rules.body(at))
            found.extend((element, rule) for element in _matched_outside(host, selector))
    return sorted(found, key=lambda each: each[1])


def _matched_outside(host: Element, selector: str) -> Iterable[Element]:
    """The elements outside the shadow tree of a host that a selector inside it matches: the host or its children."""
    outward = _OUTWARD.fullmatch(selector)
    if outward is None:
        return ()
    kind, argument = outward["kind"], outward["argument"] or "*"
    if kind == "::slotted":
        return [child for child in host.children if isinstance(child, Element) and matches(child, argument)]
    tested = (host, *host.ancestors) if kind == ":host-context" else (host,)
    return (host,) if any(isinstance(each, Element) and matches(each, argument) for each in tested) else ()
