"""The colours of a page: which text may have the same colour as its background.

Few pages use a text colour that is also a background, so most colours need no further test.
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
_TEXT_PROPERTIES = frozenset(("color", "-webkit-text-fill-color"))
_BACKGROUND_PROPERTIES = frozenset(("background", "background-color", "background-image"))
_OF_PARENT = frozenset(("inherit", "unset", "revert", "revert-layer", "currentcolor"))  # the parent's text colour
# Browser defaults: the colours of text and links, and the backgrounds of `mark` and `button`.
_OWN_TEXT_COLOURS: frozenset[Colour | None] = frozenset((Colour(0, 0, 0), Colour(0, 0, 0xEE)))
_OWN_BACKGROUNDS: frozenset[Colour | None] = frozenset((Colour(255, 255, 0), Colour(0xEF, 0xEF, 0xEF)))
_WHITE, _BLACK = Colour(255, 255, 255), Colour(0, 0, 0)
_DARK = Colour(18, 18, 18)
_SCHEME = "color-scheme:"
_ROOTS = (":root", "html", "*", "body")


class PageColours(NamedTuple):
    """The background and the text colour of a page that declares none."""

    background: Colour = _WHITE
    text_colour: Colour = _BLACK


def page_colours(rules: Rules, candidates: Iterable[Element]) -> PageColours:
    """The browser's default colours for a page: dark ones if the page allows only the dark scheme."""
    schemes = [each.attr("content") or "" for each in candidates if each.tag == "meta"]
    for declaration, places in rules.declarations.items():
        if declaration.startswith(_SCHEME) and any(rules.selectors[at].strip() in _ROOTS for at in places):
            schemes.append(declaration.removeprefix(_SCHEME))
    is_dark = any(scheme.lower().replace("only", "").strip() == "dark" for scheme in schemes)
    return PageColours(_DARK, _WHITE) if is_dark else PageColours()


class Colours(NamedTuple):
    """The colours that an attribute declares; None for one that cannot be computed from the attribute alone."""

    text_colours: tuple[Colour | None, ...] = ()
    backgrounds: tuple[Colour | None, ...] = ()
    fills: bool = False  # whether it declares the property that overrides `color`


_NO_COLOURS = Colours()


def _colours_of(element: Element, style: str) -> Colours:
    """The colours that the attributes of an element declare."""
    own = _colours_of_style(style) if style else _NO_COLOURS
    if element.tag != "font" and not element.attr("bgcolor"):
        return own
    old = _colours_of_hints(element)
    return Colours((*own.text_colours, *old.text_colours), (*own.backgrounds, *old.backgrounds), own.fills)


@lru_cache(maxsize=4096)  # the same styles are used on many pages
def _colours_of_style(style: str) -> Colours:
    """The colours that a style attribute declares."""
    if "color" not in (lowered := style.lower()) and "background" not in lowered and "\\" not in style:
        return _NO_COLOURS
    declared = {name: each.value for name, each in parse_declarations(style).items()}
    text_colours = [declared.get(name, "inherit") for name in ("-webkit-text-fill-color", "color")]
    image = declared.get("background-image", "none")
    backgrounds = [declared["background-color"]] if "background-color" in declared else []
    stops = [None] if "var(" in image else gradient_colours(image)
    return Colours(
        _parsed(text_colour for text_colour in text_colours if text_colour not in _OF_PARENT),
        (*_parsed(backgrounds), *stops),
        "-webkit-text-fill-color" in declared,
    )


def _colours_of_hints(element: Element) -> Colours:
    """The colours that presentational attributes such as `bgcolor` declare."""
    hints = style_hints(element)
    text_colours, backgrounds = ([hints[name]] if name in hints else [] for name in ("color", "background-color"))
    return Colours(_parsed(text_colours), _parsed(backgrounds))


def _parsed(values: Iterable[str]) -> tuple[Colour | None, ...]:
    return tuple(parse_colour(value) for value in values)


@dataclass(frozen=True, eq=False, slots=True)
class Source:
    """Some text colours or backgrounds, and where the page declares them."""

    colours: Sequence[Colour | None]
    places: Sequence[int] = ()  # indexes of rules that declare them
    elements: Sequence[Element] = ()  # elements whose attributes declare them


class Palette:
    """The text colours and backgrounds of one page, from its sheets and attributes."""

    def __init__(
        self,
        tree: Node,
        rules: Rules,
        variables: Variables,
        styled: Mapping[Element, str],
        has_external_sheets: bool,
        page: PageColours,
    ) -> None:
        """`styled` maps elements that may have colours by attributes to their style attributes.

        `has_external_sheets`: the page has sheets that are not known.
        """
        attributes: dict[Colours, list[Element]] = {}
        for element, style in styled.items():
            if (colours := _colours_of(element, style)) is not _NO_COLOURS:
                attributes.setdefault(colours, []).append(element)
        self._attributes = attributes
        self._has_fill = "text-fill-color" in rules.text or any(colours.fills for colours in attributes)
        sheet_text_colours = _sources(rules, _TEXT_PROPERTIES, variables)
        self._sheet_text_colours = {
            value: source for value, source in sheet_text_colours.items() if value not in _OF_PARENT
        }
        sheet_backgrounds = _sources(rules, _BACKGROUND_PROPERTIES, variables)
        self._sheet_backgrounds = {
            value: source for value, source in sheet_backgrounds.items() if "gradient(" not in value
        }
        self._text_sources = [
            Source(each.text_colours, (), found) for each, found in attributes.items() if each.text_colours
        ]
        self._text_sources.extend(self._sheet_text_colours.values())
        self._background_sources = [
            Source(each.backgrounds, (), found) for each, found in attributes.items() if each.backgrounds
        ]
        if len(rules):
            self._background_sources.append(
                Source(tuple(_OWN_BACKGROUNDS), (), [*tree.select("mark"), *tree.select("button")])
            )
        if not has_external_sheets:
            # With external sheets only a background by an attribute is certain; elements that get their background
            # by a rule are found by that rule.
            self._background_sources.extend(sheet_backgrounds.values())
        self._text_anywhere = [page.text_colour, *_OWN_TEXT_COLOURS]
        self._backgrounds_anywhere = [] if has_external_sheets else [page.background]
        text_colours = {*self._text_anywhere}.union(*(source.colours for source in self._text_sources))
        backgrounds = {*self._backgrounds_anywhere, *_OWN_BACKGROUNDS}.union(
            *(source.colours for source in self._background_sources)
        )
        # An unknown colour may equal any other; a rule with one is tested for each of its elements.
        self._any_text_colour, self._any_background = None in text_colours, None in backgrounds
        self._text_colours = [text_colour for text_colour in text_colours if text_colour is not None]
        self._backgrounds = [
            background for background in backgrounds if background is not None and background.alpha > 0.5
        ]

    def suspect_elements(self) -> list[Element]:
        """The elements whose text may be invisible because of colours that their attributes declare."""
        return [each for colours, found in self._attributes.items() if self._may_hide(colours) for each in found]

    def _may_hide(self, colours: Colours) -> bool:
        if (colours.text_colours and self._any_background) or (colours.backgrounds and self._any_text_colour):
            return True
        return any(map(self._is_invisible_on_any, colours.text_colours)) or any(
            map(self._makes_text_invisible, colours.backgrounds)
        )

    def may_hide_in(self, style: Style) -> bool:
        """Whether the winning style of an element may make its text invisible.

        Exact if the style declares text colour and background; else compared with the other colours of the page.
        """
        if style.get("background-image", "none") != "none" or "text" in style.get("background-clip", ""):
            return True
        fill = style.get("-webkit-text-fill-color", "currentcolor")
        letters = style.get("color") if fill == "currentcolor" else fill
        behind = style.get("background-color", "transparent")
        text_colour = parse_colour(letters) if letters is not None else None
        background = parse_colour(behind)
        if behind in ("transparent", "none"):
            return text_colour is not None and (self._any_background or self._is_invisible_on_any(text_colour))
        if letters is None or background is None or self._has_fill:
            return self._any_text_colour or self._makes_text_invisible(background)
        return text_colour is not None and (
            text_colour.alpha < 0.5 or (background.alpha > 0.5 and text_colour.is_invisible_on(background))
        )

    def suspect_rules(self) -> Iterator[tuple[Sequence[int], list[Source] | None]]:
        """The rules that may make text invisible, each with the sources of the other colour.

        The element or an ancestor must have a colour of one of these sources; None if any element may be affected.
        """
        for source in self._sheet_text_colours.values():
            text_colours = [text_colour for text_colour in source.colours if text_colour is not None]
            if len(text_colours) < len(source.colours) or any(
                _is_invisible_on_any(text_colour, self._backgrounds_anywhere) for text_colour in text_colours
            ):
                yield source.places, None
            elif any(map(self._is_invisible_on_any, text_colours)):
                yield (
                    source.places,
                    [
                        s
                        for s in self._background_sources
                        if any(_is_invisible_on_any(text_colour, s.colours) for text_colour in text_colours)
                    ],
                )
        for source in self._sheet_backgrounds.values():
            backgrounds = [background for background in source.colours if background is not None]
            if len(backgrounds) < len(source.colours) or any(
                _makes_text_invisible(each, self._text_anywhere) for each in backgrounds
            ):
                yield source.places, None
            elif any(map(self._makes_text_invisible, backgrounds)):
                yield (
                    source.places,
                    [
                        s
                        for s in self._text_sources
                        if any(_makes_text_invisible(each, s.colours) for each in backgrounds)
                    ],
                )

    def _is_invisible_on_any(self, text_colour: Colour | None) -> bool:
        return text_colour is None or any(map(text_colour.is_invisible_on, self._backgrounds))

    def _makes_text_invisible(self, background: Colour | None) -> bool:
        return background is None or _makes_text_invisible(background, self._text_colours)


def _is_invisible_on_any(text_colour: Colour, backgrounds: Iterable[Colour | None]) -> bool:
    return any(
        background is not None and background.alpha > 0.5 and text_colour.is_invisible_on(background)
        for background in backgrounds
    )


def _makes_text_invisible(background: Colour, text_colours: Iterable[Colour | None]) -> bool:
    return background.alpha > 0.5 and any(
        text_colour is not None and text_colour.is_invisible_on(background) for text_colour in text_colours
    )


def _sources(rules: Rules, names: frozenset[str], variables: Variables) -> dict[str, Source]:
    """The colours of each value that the sheets give to one of the properties; None for an unknown colour."""
    places: dict[str, list[int]] = {}
    for declaration, found in rules.declarations.items():
        name, _, value = declaration.partition(":")
        if name in names:
            places.setdefault(value.partition("!")[0], []).extend(found)
    sources: dict[str, Source] = {}
    for value in list(places)[:_MOST_COLOURS]:
        colours = [colour for way in variables.possible_values(value) for colour in colours_in(way)]
        if colours:
            sources[value] = Source(colours, places[value])
    return sources
