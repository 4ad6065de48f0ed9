"""Tabs: the label of each tab is attached to its panel, because the list of tabs is not written."""

from __future__ import annotations

from collections.abc import Callable

from turbohtml import Element, Node

LABEL = "data-mcp-web-tab"  # for internal use: an attribute of this name in the page is removed
_SETS = frozenset(("tabbed-labels", "sd-tab-set", "tabbed-set", "vp-code-group", "tab-set"))
_PANELS = "[role=tabpanel],.tabbed-block,.sd-tab-content,.tab-content"
_MOST = 30
_MOST_SETS = 60


def label_tab_panels(
    tree: Node, candidates: list[Element], classes: frozenset[str], is_seen: Callable[[Element], bool]
) -> None:
    """Set the attribute LABEL of each tab panel to the text of its tab, and remove the tabs.

    A set of tabs is left as it is if `is_seen` is False for a label, or if there are more or fewer panels than tabs.
    `candidates` are the elements with the role "tablist" or with the attribute LABEL, which is removed first: it is the
    page's own. `classes` are all class names of the tree.
    """
    strips: list[Element] = []
    for element in candidates:
        if element.attr(LABEL) is not None:
            del element.attrs[LABEL]
        if element.attr("role") == "tablist":
            strips.append(element)
    names = _SETS & classes
    if names:
        strips.extend(tree.select(",".join(f".{name}" for name in sorted(names))))
    for strip in strips[:_MOST_SETS]:
        if strip.parent is None:
            continue
        labels, panels = _labels_and_panels(tree, strip)
        if not all(is_seen(label) for label in labels[:_MOST]):
            continue
        if len(labels) < 2 or len(labels) != len(panels) or len(labels) > _MOST:
            continue
        is_filter = len(set(panels)) < len(panels)  # tabs that choose among the rows of one panel label none of it
        for label, panel in zip(labels, panels, strict=True):
            text = " ".join(label.text.split())
            if text and len(text) < 80 and not is_filter:
                panel.attrs[LABEL] = text
        for label in labels:
            if label.parent is not None:
                label.decompose()


def _labels_and_panels(tree: Node, strip: Element) -> tuple[list[Element], list[Element]]:
    """The labels of the tabs in the element `strip`, and their panels in the same order; the numbers may differ."""
    tabs = strip.select("[role=tab]")
    if tabs:
        panels = _controlled(tree, tabs)
        return tabs, panels or _following(strip, len(tabs))
    if strip.matches(".vp-code-group"):
        return strip.select(".tabs label"), _elements(strip.select_one(".blocks"))
    if strip.matches(".tabbed-labels"):
        return strip.select("label"), _following(strip, len(strip.select("label")))
    labels = [child for child in _elements(strip) if child.tag == "label"]
    contents = [child for child in _elements(strip) if child.matches(".sd-tab-content,.tabbed-content,.tab-content")]
    return labels, contents


def _elements(node: Element | None) -> list[Element]:
    """The child nodes that are elements; none if `node` is None."""
    return [child for child in node if isinstance(child, Element)] if node is not None else []


def _controlled(tree: Node, tabs: list[Element]) -> list[Element]:
    """The panels whose ids the tabs refer to, in the order of the tabs; empty if one is missing."""
    found: list[Element] = []
    for tab in tabs[:_MOST]:
        name = tab.attr("aria-controls") or (tab.attr("href") or "").lstrip("#")
        if not name or '"' in name or "\\" in name:
            return []
        panel = tree.select_one(f'[id="{name}"]')
        if panel is None:
            return []
        found.append(panel)
    return found


def _following(strip: Element, count: int) -> list[Element]:
    """The tab panels below the parent or grandparent of a tab list, if there are exactly `count`; else empty."""
    holder: object = strip.parent
    for _ in range(2):
        if not isinstance(holder, Element):
            break
        panels = holder.select(_PANELS)
        if len(panels) == count:
            return panels
        holder = holder.parent
    return []
