"""The colours of a page: which letters could have the colour of what stands behind them.

Few pages write in the colour of a background that they use, so that most colours need no further judgement.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from mcp_web.extract.css.colour import Colour, colours_in, parse_colour
from mcp_web.extract.css.declarations import parse_declarations
from mcp_web.extract.css.hints import style_hints
from mcp_web.extract.css.rules import Rules
from mcp_web.extract.css.style import Style, gradient_colours
from mcp_web.extract.css.variables import Variables

if TYPE_CHECKING:
    from turbohtml import Element, Node

_MOST_COLOURS = 400  # different values on one page
_INKS = frozenset(("color", "-webkit-text-fill-color"))
_PAPERS = frozenset(("background", "background-color", "background-image"))
_OF_PARENT = frozenset(("inherit", "unset", "revert", "revert-layer", "currentcolor"))  # the parent's ink
# The browser's own colours: of letters and links, of `mark` and `button`, of the page.
_OWN_INKS: frozenset[Colour | None] = frozenset((Colour(0, 0, 0), Colour(0, 0, 0xEE)))
_OWN_PAPERS: frozenset[Colour | None] = frozenset((Colour(255, 255, 0), Colour(0xEF, 0xEF, 0xEF)))
_WHITE, _BLACK = Colour(255, 255, 255), Colour(0, 0, 0)
_DARK = Colour(18, 18, 18)
_SCHEME = "color-scheme:"
_ROOTS = (":root", "html", "*", "body")


class PageColours(NamedTuple):
    """What stands behind all of a page, and its letters where nothing else is declared."""

    paper: Colour = _WHITE
    ink: Colour = _BLACK


def page_colours(rules: Rules, candidates: Iterable[Element]) -> PageColours:
    """The browser's own colours for the page: dark where the page asks for nothing else."""
    schemes = [each.attr("content") or "" for each in candidates if each.tag == "meta"]
    for declaration, places in rules.declarations.items():
        if declaration.startswith(_SCHEME) and any(rules.selectors[at].strip() in _ROOTS for at in places):
            schemes.append(declaration.removeprefix(_SCHEME))
    is_dark = any(scheme.lower().replace("only", "").strip() == "dark" for scheme in schemes)
    return PageColours(_DARK, _WHITE) if is_dark else PageColours()


class Colours(NamedTuple):
    """The colours that an attribute declares; None for one that depends on more than the attribute."""

    inks: tuple[Colour | None, ...] = ()
    papers: tuple[Colour | None, ...] = ()
    fills: bool = False  # by the property that overrides the colour of letters


_NO_COLOURS = Colours()


def _colours_of(element: Element, style: str) -> Colours:
    """The colours that the attributes of an element declare."""
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


@dataclass(frozen=True, eq=False, slots=True)
class Source:
    """Some colours of letters, or of what is behind them, and where the page declares them."""

    colours: Sequence[Colour | None]
    places: Sequence[int] = ()  # of rules
    elements: Sequence[Element] = ()  # by their attributes


class Palette:
    """The inks and papers of one page, from its sheets and its attributes."""

    def __init__(
        self,
        tree: Node,
        rules: Rules,
        variables: Variables,
        styled: Mapping[Element, str],
        outside: bool,
        page: PageColours,
    ) -> None:
        """`styled` are elements that may have a colour by attributes, with their style attributes; `outside`: the page
        has sheets that are not known.
        """
        attributes: dict[Colours, list[Element]] = {}
        for element, style in styled.items():
            if (colours := _colours_of(element, style)) is not _NO_COLOURS:
                attributes.setdefault(colours, []).append(element)
        self._attributes = attributes
        self._has_fill = "text-fill-color" in rules.text or any(colours.fills for colours in attributes)
        inks_of_sheets = _sources(rules, _INKS, variables)
        self._sheet_inks = {value: source for value, source in inks_of_sheets.items() if value not in _OF_PARENT}
        backgrounds = _sources(rules, _PAPERS, variables)
        self._sheet_papers = {value: source for value, source in backgrounds.items() if "gradient(" not in value}
        self._ink_sources = [Source(each.inks, (), found) for each, found in attributes.items() if each.inks]
        self._ink_sources.extend(self._sheet_inks.values())
        self._paper_sources = [Source(each.papers, (), found) for each, found in attributes.items() if each.papers]
        if len(rules):
            self._paper_sources.append(Source(tuple(_OWN_PAPERS), (), [*tree.select("mark"), *tree.select("button")]))
        if not outside:
            # Else only an attribute is sure to paint what is behind a text; an element that a rule gives its paper
            # is found by that rule.
            self._paper_sources.extend(backgrounds.values())
        self._inks_anywhere = [page.ink, *_OWN_INKS]
        self._papers_anywhere = [] if outside else [page.paper]
        inks = {*self._inks_anywhere}.union(*(source.colours for source in self._ink_sources))
        papers = {*self._papers_anywhere, *_OWN_PAPERS}.union(*(source.colours for source in self._paper_sources))
        # Of a colour that is not known here nothing can be excluded; a rule with one is judged for itself.
        self._any_ink, self._any_paper = None in inks, None in papers
        self._inks = [ink for ink in inks if ink is not None]
        self._papers = [paper for paper in papers if paper is not None and paper.alpha > 0.5]

    def suspect_elements(self) -> list[Element]:
        """The elements whose letters could be lost through colours that their attributes declare."""
        return [each for colours, found in self._attributes.items() if self._may_hide(colours) for each in found]

    def _may_hide(self, colours: Colours) -> bool:
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

    def suspect_rules(self) -> Iterator[tuple[Sequence[int], list[Source] | None]]:
        """The rules through which letters could be lost, each with the sources of the other colour.

        Of these an element or one around it must have the colour; None where it may be lost anywhere.
        """
        for source in self._sheet_inks.values():
            inks = [ink for ink in source.colours if ink is not None]
            if len(inks) < len(source.colours) or any(_is_lost(ink, self._papers_anywhere) for ink in inks):
                yield source.places, None
            elif any(map(self._is_lost, inks)):
                yield source.places, [s for s in self._paper_sources if any(_is_lost(ink, s.colours) for ink in inks)]
        for source in self._sheet_papers.values():
            papers = [paper for paper in source.colours if paper is not None]
            if len(papers) < len(source.colours) or any(_is_covering(each, self._inks_anywhere) for each in papers):
                yield source.places, None
            elif any(map(self._is_covering, papers)):
                yield (
                    source.places,
                    [s for s in self._ink_sources if any(_is_covering(each, s.colours) for each in papers)],
                )

    def _is_lost(self, ink: Colour | None) -> bool:
        return ink is None or any(map(ink.lost_on, self._papers))

    def _is_covering(self, paper: Colour | None) -> bool:
        return paper is None or _is_covering(paper, self._inks)


def _is_lost(ink: Colour, papers: Iterable[Colour | None]) -> bool:
    return any(paper is not None and paper.alpha > 0.5 and ink.lost_on(paper) for paper in papers)


def _is_covering(paper: Colour, inks: Iterable[Colour | None]) -> bool:
    return paper.alpha > 0.5 and any(ink is not None and ink.lost_on(paper) for ink in inks)


def _sources(rules: Rules, names: frozenset[str], variables: Variables) -> dict[str, Source]:
    """The colours of each value that the sheets give to one of the properties; None for one that is not known."""
    places: dict[str, list[int]] = {}
    for declaration, found in rules.declarations.items():
        name, _, value = declaration.partition(":")
        if name in names:
            places.setdefault(value.partition("!")[0], []).extend(found)
    sources: dict[str, Source] = {}
    for value in list(places)[:_MOST_COLOURS]:
        colours = [colour for way in variables.ways(value) for colour in colours_in(way)]
        if colours:
            sources[value] = Source(colours, places[value])
    return sources
