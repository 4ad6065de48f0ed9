"""Chooses the content of a page: scores its blocks, decides which are kept, and removes the others from the tree."""

from __future__ import annotations

from dataclasses import dataclass

from turbohtml import Document as Tree
from turbohtml import Element, Text

from mcp_web.extract.html.blocks import Blocks, read_blocks
from mcp_web.extract.html.decide import decide
from mcp_web.extract.html.features import PageFeatures
from mcp_web.extract.html.rules import COMMENTS, NEVER
from mcp_web.model.page import PageKind

_MOST_BREAKS = 5_000
_PARTS = frozenset(("tbody", "thead", "tfoot", "tr"))  # of a table: without it they would be written as paragraphs


@dataclass(frozen=True, slots=True)
class ScoredBlocks:
    """The blocks of a page with the chance of each to be content, and which are kept."""

    features: PageFeatures
    chances: list[float]
    kept: list[bool]
    threshold: float


def score_blocks(tree: Tree, body: Element, title: str, declared: PageKind | None) -> ScoredBlocks | None:
    """Remove from the tree what is never content, and score the text blocks that are left; None if there are none, or
    too many boxes."""
    from mcp_web.extract.html.model import load_scorer  # imports NumPy

    read = read_content(tree, body, declared)
    if read is None or not read.blocks:
        return None
    features = PageFeatures(read, title, declared)
    chances = load_scorer().score(features)
    kept, least = decide(features, chances)
    return ScoredBlocks(features, chances, kept, least)


def read_content(tree: Tree, body: Element, declared: PageKind | None) -> Blocks | None:
    """Remove from the tree what is never content, and return the text blocks that are left; None if there are too many
    boxes to score. Of a page that is `declared` an article, the comments are removed too."""
    tree.remove(NEVER)
    if declared == "article":
        tree.remove(COMMENTS)
    breaks = body.find_all("br", limit=_MOST_BREAKS + 1)
    if len(breaks) <= _MOST_BREAKS:
        for element in breaks:
            if element.closest("pre,code") is None:  # in code a space is a space
                element.insert_after(Text(" "))  # words on both sides of a break are two words
    return read_blocks(body)


def prune(scored: ScoredBlocks) -> Element:
    """Remove from the tree the blocks that are not kept, and set `Box.kept`; returns the smallest element with all kept
    ones."""
    read = scored.features.read
    decided = list(zip(read.blocks, scored.kept, strict=True))
    for block, keep in decided:
        if keep:
            block.box.kept += len(block.text)
    for box in reversed(read.boxes):
        if box.parent is not None:
            box.parent.kept += box.kept
    for box in read.boxes:
        if not box.kept and box.count and box.parent is not None and box.parent.kept:
            box.element.decompose()
    for block, keep in decided:
        if not keep and block.box.kept:
            for node in block.nodes:
                node.extract()
    root = read.boxes[0]
    for box in read.boxes:
        if box.parent is root and root.kept and box.kept == root.kept:
            root = box
    while root.tag in _PARTS and root.parent is not None:
        root = root.parent
    return root.element
