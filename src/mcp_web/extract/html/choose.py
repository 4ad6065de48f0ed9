"""Which part of the tree is the content."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mcp_web.extract.html.blocks import Blocks, read_blocks
from mcp_web.extract.html.decide import decide
from mcp_web.extract.html.features import PageFigures
from mcp_web.extract.html.model import load_scorer
from mcp_web.extract.html.prune import prune
from mcp_web.extract.html.rules import NEVER, choose_by_rules

if TYPE_CHECKING:
    from turbohtml import Document as Tree
    from turbohtml import Element

_MOST_BREAKS = 5_000


@dataclass(frozen=True, slots=True)
class Choice:
    """The content of a page and how it was found."""

    root: Element
    method: str  # "blocks" or "rules"
    threshold: float = 0.0
    figures: PageFigures | None = None
    chances: tuple[float, ...] = ()
    kept: tuple[bool, ...] = ()


def choose(tree: Tree, body: Element, title: str) -> Choice:
    """Prune the tree and return the element that holds the content."""
    figures = weigh(tree, body, title)
    if figures is None or not figures.read.blocks:
        return Choice(choose_by_rules(tree, body), "rules")
    chances = load_scorer().score(figures)
    kept, least = decide(figures.read, chances)
    root = prune(figures.read, kept)
    return Choice(root, "blocks", least, figures, tuple(chances), tuple(kept))


def weigh(tree: Tree, body: Element, title: str) -> PageFigures | None:
    """The figures of a page's blocks; None where there are too many to weigh."""
    from turbohtml import Text

    tree.remove(NEVER)
    breaks = body.find_all("br", limit=_MOST_BREAKS + 1)
    if len(breaks) <= _MOST_BREAKS:
        for element in breaks:
            element.insert_after(Text(" "))  # words on both sides of a break are two words
    read: Blocks | None = read_blocks(body)
    return None if read is None else PageFigures(read, title)


def prepare_blocks(html: str) -> PageFigures | None:
    """The figures of a page as the engine sees them: what the model is trained on."""
    import turbohtml

    from mcp_web.extract.hidden import remove_hidden
    from mcp_web.extract.html.parse import body_of, page_title

    tree = turbohtml.parse(html, positions=False)
    title = page_title(tree)
    remove_hidden(tree)
    body = body_of(tree)
    return None if body is None else weigh(tree, body, title)
