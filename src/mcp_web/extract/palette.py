"""The colours of a page: which letters could have the colour of what stands behind them.

Few pages write in the colour of a background that they use, so that most colours need no further judgement.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from mcp_web.extract.colour import Colour, colours_in, parse_colour
from mcp_web.extract.css import Rules
from mcp_web.extract.declarations import parse_declarations
from mcp_web.extract.hints import style_hints
from mcp_web.extract.style import Style, gradient_colours
from mcp_web.extract.variables import Variables

if TYPE_CHECKING:
    from turbohtml import Element

_MOST_COLOURS = 400  # different values on one page
_INK = re.compile(r"(?:^|[;{])(?:-webkit-text-fill-)?color:([^;{!]*)")
_PAPER = re.compile(r"(?:^|[;{])background(?:-color|-image)?:([^;{!]*)")
_OF_PARENT = frozenset(("inherit", "unset", "revert", "revert-layer", "currentcolor"))  # the parent's ink
# The browser's own colours: of letters and links, of `mark` and `button`, of the page.
_OWN_INKS: frozenset[Colour | None] = frozenset((Colour(0, 0, 0), Colour(0, 0, 0xEE)))
_OWN_PAPERS: frozenset[Colour | None] = frozenset((Colour(255, 255, 0), Colour(0xEF, 0xEF, 0xEF)))
_WHITE, _BLACK = Colour(255, 255, 255), Colour(0, 0, 0)
_DARK = Colour(18, 18, 18)
_SCHEME = "color-scheme:"


class PageColours(NamedTuple):
    """What stands behind all of a page, and its letters where nothing else is declared."""

    paper: Colour = _WHITE
    ink: Colour = _BLACK


def page_colours(rules: Rules, candidates: Iterable[Element]) -> PageColours:
    """The browser's own colours for the page: dark where the page asks for nothing else."""
    schemes = [each.attr("content") or "" for each in candidates if each.tag == "meta"]
    for at in rules.places(_SCHEME):
        if rules.selectors[at].strip() in (":root", "html", "*", "body"):
            schemes.append(rules.bodies[at].partition(_SCHEME)[2].partition(";")[0])
    is_dark = any(scheme.lower().replace("only", "").strip() == "dark" for scheme in schemes)
    return PageColours(_DARK, _WHITE) if is_dark else PageColours()


class Colours(NamedTuple):
    """The colours that an attribute declares; None for one that depends on more than the attribute."""

    inks: tuple[Colour | None, ...] = ()
    papers: tuple[Colour | None, ...] = ()
    fills: bool = False  # by the property that overrides the colour of letters


_NO_COLOURS = Colours()


def colours_of(element: Element) -> Colours:
    """The colours that the attributes of an element declare."""
    style = element.attr("style")
    own = _colours_of_style(style) if style else _NO_COLOURS
    if element.tag != "font" and not element.attr("bgcolor"):
        return own
    old = _colours_of_hints(element)
    return Colours((*own.inks, *old.inks), (*own.papers, *old.papers), own.fills)


@lru_cache(maxsize=4096)  # styles repeat, on a page and from page to page
def _colours_of_style(style: str) -> Colours:
    """The colours of a style attribute."""
    if "color" not in (lowered := style.lower()) and "background" not in lowered and "\\" not in style:
        return _NO_COLOURS
    declared = {name: each.value for name, each in parse_declarations(style).items()}
    inks = [declared.get(name, "inherit") for name in ("-webkit-text-fill-color", "color")]
    image = declared.get("background-image", "none")
    papers = [declared["background-color"]] if "background-color" in declared else []
    stops = [None] if "var(" in image else gradient_colours(image)
    return Colours(
        _parsed(ink for ink in inks if ink not in _OF_PARENT),
        (*_parsed(papers), *stops),
        "-webkit-text-fill-color" in declared,
    )


def _colours_of_hints(element: Element) -> Colours:
    """The colours of attributes of old."""
    hints = style_hints(element)
    inks, papers = ([hints[name]] if name in hints else [] for name in ("color", "background-color"))
    return Colours(_parsed(inks), _parsed(papers))


def _parsed(values: Iterable[str]) -> tuple[Colour | None, ...]:
    return tuple(parse_colour(value) for value in values)


class Palette:
    """The inks and papers of one page, from its sheets and its attributes."""

    def __init__(
        self, sheets: str, variables: Variables, attributes: Iterable[Colours], outside: bool, page: PageColours
    ) -> None:
        """`sheets` are the declarations of all rules, without spaces; `outside`: the page has sheets besides them."""
        attributes = set(attributes)
        self._has_fill = "text-fill-color" in sheets or any(colours.fills for colours in attributes)
        self._sheet_inks = _colours([value for value in _INK.findall(sheets) if value not in _OF_PARENT], variables)
        backgrounds = _PAPER.findall(sheets)
        self._sheet_papers = _colours([value for value in backgrounds if "gradient(" not in value], variables)
        inks = {page.ink, *_OWN_INKS}.union(*self._sheet_inks.values(), *(colours.inks for colours in attributes))
        papers = set(_OWN_PAPERS).union(*(colours.papers for colours in attributes))
        if not outside:
            # Else only an attribute is sure to paint what is behind a text; an element that a rule gives its paper
            # is found by that rule.
            gradients = _colours([value for value in backgrounds if "gradient(" in value], variables)
            papers.update((page.paper,), *self._sheet_papers.values(), *gradients.values())
        # Of a colour that is not known here nothing can be excluded; a rule with one is judged for itself.
        self._any_ink, self._any_paper = None in inks, None in papers
        self._inks = [ink for ink in inks if ink is not None]
        self._papers = [paper for paper in papers if paper is not None and paper.alpha > 0.5]

    def may_hide(self, colours: Colours) -> bool:
        """Whether letters could be lost through colours that an attribute declares."""
        if (colours.inks and self._any_paper) or (colours.papers and self._any_ink):
            return True
        return any(map(self._is_lost, colours.inks)) or any(map(self._is_covering, colours.papers))

    def may_hide_in(self, style: Style) -> bool:
        """The same for the winning style of an element: exact where it declares ink and paper, else as on the page."""
        if style.get("background-image", "none") != "none" or "text" in style.get("background-clip", ""):
            return True
        fill = style.get("-webkit-text-fill-color", "currentcolor")
        letters = style.get("color") if fill == "currentcolor" else fill
        behind = style.get("background-color", "transparent")
        ink = parse_colour(letters) if letters is not None else None
        paper = parse_colour(behind)
        if behind in ("transparent", "none"):
            return ink is not None and (self._any_paper or self._is_lost(ink))
        if letters is None or paper is None or self._has_fill:
            return self._any_ink or self._is_covering(paper)
        return ink is not None and (ink.alpha < 0.5 or (paper.alpha > 0.5 and ink.lost_on(paper)))

    def rule_values(self) -> Iterator[str]:
        """The declarations of the sheets through which letters could be lost."""
        for value, inks in self._sheet_inks.items():
            if any(map(self._is_lost, inks)):
                yield f"color:{value}"
        for value, papers in self._sheet_papers.items():
            if any(map(self._is_covering, papers)):
                yield from (f"background:{value}", f"background-color:{value}")

    def _is_lost(self, ink: Colour | None) -> bool:
        return ink is None or any(map(ink.lost_on, self._papers))

    def _is_covering(self, paper: Colour | None) -> bool:
        return paper is None or (paper.alpha > 0.5 and any(ink.lost_on(paper) for ink in self._inks))


def _colours(values: Iterable[str], variables: Variables) -> dict[str, list[Colour | None]]:
    """The colours of each value; None for one that cannot be computed from the sheets alone."""
    found: dict[str, list[Colour | None]] = {}
    for value in list(dict.fromkeys(values))[:_MOST_COLOURS]:
        colours = [colour for way in variables.ways(value) for colour in colours_in(way)]
        if colours:
            found[value] = colours
    return found
