"""Which part of the tree is the content."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_web.extract.html.rules import NEVER, RARELY, ROOTS

if TYPE_CHECKING:
    from turbohtml import Document as Tree
    from turbohtml import Element


def choose(tree: Tree, body: Element) -> Element:
    """Prune the tree and return the element that holds the content."""
    tree.remove(NEVER)
    root = _root(tree, body)
    whole = max(1, len(root.text))
    for element in root.select(RARELY):
        if element.tag not in {"body", "html", "main", "article"} and len(element.text) <= 0.35 * whole:
            element.decompose()
    return root


def _root(tree: Tree, body: Element) -> Element:
    whole = len(body.text)
    for selector in ROOTS:
        found = tree.select(selector)
        if not found or (selector == "article" and len(found) > 1):
            continue
        best = max(found, key=lambda element: len(element.text))
        size = len(best.text)
        if size > 200 and (size > 0.35 * whole or size > 2500):
            return best
    return body
