"""Declared shadow trees: their visible content takes the place of the children of their host element."""

from __future__ import annotations

from collections.abc import Callable

from turbohtml import Element, Node

from mcp_web.extract.css.rules import Rules
from mcp_web.extract.css.selectors import matches


def flatten_shadow_trees(tree: Node, remove_hidden: Callable[[Node], int]) -> int:
    """Put the visible content of each shadow tree in place of its host's children; returns how many texts were hidden.
    `remove_hidden` removes the hidden texts of a tree and returns their number."""
    count = 0
    hosts = [element for element in tree.iter_elements() if element.shadow_root is not None]
    for host in hosts:
        shadow = host.shadow_root
        if shadow is None:
            continue
        for sheet in shadow.select("style"):
            if ":root" in sheet.text:
                sheet.set_text(sheet.text.replace(":root", ":not(*)"))  # it matches nothing in a shadow tree
        _apply_shadow_rules(host, [sheet.text for sheet in shadow.select("style")])
        count += remove_hidden(shadow)
        unseen = [child for child in host.children if child.assigned_slot is None]
        count += sum(1 for child in unseen if child.text.strip())
        _flatten(host, shadow)
    return count


def _flatten(host: Element, shadow: Node) -> None:
    for slot in shadow.select("slot"):
        given = list(slot.assigned_nodes())
        slot.replace_with(*(given or list(slot.children)))
    for sheet in shadow.select("style"):
        sheet.decompose()
    content = list(shadow.children)
    host.clear()
    host.extend(content)


def _apply_shadow_rules(host: Element, sheets: list[str]) -> None:
    """Add the rules of a shadow tree for its host and slotted elements to the style attributes of these. They come
    before what the attribute declares, which wins over them."""
    rules = Rules(sheets, frozenset())
    for at, selector in enumerate(rules.selectors):
        if selector == ":host" or _is_host(host, selector):
            _prepend_style(host, rules.body(at))
        elif selector.startswith("::slotted(") and selector.endswith(")"):
            for child in host.children:
                if isinstance(child, Element) and matches(child, selector[10:-1]):
                    _prepend_style(child, rules.body(at))


def _is_host(host: Element, selector: str) -> bool:
    """Whether a selector is `:host(…)` or `:host-context(…)` and matches the host element."""
    if selector.startswith(":host(") and selector.endswith(")"):
        return matches(host, selector[6:-1])
    if selector.startswith(":host-context(") and selector.endswith(")"):
        return any(matches(each, selector[14:-1]) for each in (host, *host.ancestors) if isinstance(each, Element))
    return False


def _prepend_style(element: Element, declarations: str) -> None:
    element.attrs["style"] = f"{declarations};{element.attr('style') or ''}"
