"""Removes the blocks that were not kept from the tree."""

from __future__ import annotations

from turbohtml import Element

from mcp_web.extract.html.blocks import Blocks, Box

_PARTS = frozenset(("tbody", "thead", "tfoot", "tr"))  # of a table: without it they would be written as paragraphs


def prune(read: Blocks, kept: list[bool]) -> Element:
    """Remove the blocks that are not kept, and return the smallest element that contains the kept ones."""
    for block, keep in zip(read.blocks, kept, strict=True):
        if keep:
            block.box.kept += len(block.text)
    for box in reversed(read.boxes):
        if box.parent is not None:
            box.parent.kept += box.kept
    for box in read.boxes:
        if not box.kept and box.count and box.parent is not None and box.parent.kept:
            box.element.decompose()
    for block, keep in zip(read.blocks, kept, strict=True):
        if not keep and block.box.kept:
            for node in block.nodes:
                node.extract()
    return _smallest_around(read.boxes).element


def _smallest_around(boxes: list[Box]) -> Box:
    root = boxes[0]
    for box in boxes:
        if box.parent is root and root.kept and box.kept == root.kept:
            root = box
    while root.tag in _PARTS and root.parent is not None:
        root = root.parent
    return root
