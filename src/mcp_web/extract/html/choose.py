"""Chooses the content of a page: which part of the tree is kept."""

from __future__ import annotations

from dataclasses import dataclass

from turbohtml import Document as Tree
from turbohtml import Element

from mcp_web.extract.html.blocks import Blocks, read_blocks
from mcp_web.extract.html.decide import decide
from mcp_web.extract.html.features import PageFeatures
from mcp_web.extract.html.prune import prune
from mcp_web.extract.html.rules import COMMENTS, NEVER, choose_by_rules, cut_off
from mcp_web.model.page import PageKind

_MOST_BREAKS = 5_000


@dataclass(frozen=True, slots=True)
class Choice:
    """The content of a page, and how it was found."""

    root: Element
    method: str  # "blocks" or "rules"
    threshold: float = 0.0
    features: PageFeatures | None = None
    chances: tuple[float, ...] = ()
    kept: tuple[bool, ...] = ()
    elements: int = 0  # of a page too large to be written whole


@dataclass(frozen=True, slots=True)
class ChosenBlocks:
    """The blocks of a page with their chances, and the decision about each."""

    features: PageFeatures
    chances: list[float]
    kept: list[bool]
    threshold: float


def choose_blocks(read: Blocks, title: str, declared: PageKind | None) -> ChosenBlocks:
    """Score each block and decide which to keep; the tree is not changed."""
    from mcp_web.extract.html.model import load_scorer  # imports NumPy

    features = PageFeatures(read, title, declared)
    chances = load_scorer().score(features)
    kept, least = decide(features, chances)
    return ChosenBlocks(features, chances, kept, least)


def choose(tree: Tree, body: Element, read: Blocks | None, title: str, declared: PageKind | None) -> Choice:
    """Remove everything else from the tree, and return the element that contains the content."""
    if read is None or not read.blocks:
        root = choose_by_rules(tree, body)
        return Choice(root, "rules", elements=cut_off(root))
    found = choose_blocks(read, title, declared)
    root = prune(read, found.kept)
    return Choice(root, "blocks", found.threshold, found.features, tuple(found.chances), tuple(found.kept))


def read_content(tree: Tree, body: Element, declared: PageKind | None) -> Blocks | None:
    """The blocks of a page, after what is never content was removed; None if there are too many to score."""
    from turbohtml import Text

    tree.remove(NEVER)
    if declared == "article":
        tree.remove(COMMENTS)
    breaks = body.find_all("br", limit=_MOST_BREAKS + 1)
    if len(breaks) <= _MOST_BREAKS:
        for element in breaks:
            if element.closest("pre,code") is None:  # in code a space is a space
                element.insert_after(Text(" "))  # words on both sides of a break are two words
    return read_blocks(body)


def features_of(html: str, url: str) -> PageFeatures | None:
    """The features of a page as the engine computes them, for training the model; None if the page has no blocks."""
    import turbohtml

    from mcp_web.extract.hidden.remove import remove_hidden
    from mcp_web.extract.html.kind import declared_kind
    from mcp_web.extract.html.parse import body_of, page_title
    from mcp_web.extract.metadata import read_metadata

    tree = turbohtml.parse(html, positions=False)
    title = page_title(tree)
    declared = declared_kind(read_metadata(tree, url)[1])
    remove_hidden(tree, removed_later=NEVER)
    body = body_of(tree)
    read = None if body is None else read_content(tree, body, declared)
    return None if read is None or not read.blocks else PageFeatures(read, title, declared)
