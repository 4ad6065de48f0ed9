"""The colours of a page: which text may have the same colour as its background.

Few pages use a text colour that is also a background, so most colours need no further test.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from turbohtml import Element, Node

from mcp_web.extract.css.colour import Colour, colours_in, parse_colour
from mcp_web.extract.css.declarations import parse_declarations, standard_value
from mcp_web.extract.css.hints import style_hints
from mcp_web.extract.css.rules import Rules
from mcp_web.extract.css.style import Style, gradient_colours
from mcp_web.extract.css.variables import Variables, is_open

_MOST_COLOURS = 400  # different values that are compared; further ones may equal any other colour
_TEXT_PROPERTIES = ("color", "-webkit-text-fill-color")
_BACKGROUND_PROPERTIES = ("background", "background-color", "background-image")
_OF_PARENT = frozenset(("inherit", "unset", "revert", "revert-layer", "currentcolor"))  # the parent's text colour
# Browser defaults: the colours of text and links, and the backgrounds of `mark` and `button`.
_OWN_TEXT_COLOURS = (Colour(0, 0, 0), Colour(0, 0, 0xEE))
_OWN_BACKGROUNDS = (Colour(255, 255, 0), Colour(0xEF, 0xEF, 0xEF))
_WHITE, _BLACK = Colour(255, 255, 255), Colour(0, 0, 0)
_DARK = Colour(18, 18, 18)
_ROOTS = (":root", "html", "*", "body")


class PageColours(NamedTuple):
    """The colour of the background, and of the text, where the page declares none."""

    background: Colour = _WHITE
    text_colour: Colour = _BLACK


def page_colours(rules: Rules, candidates: Iterable[Element]) -> PageColours:
    """The browser's default colours for a page: light text on dark if the page allows only the dark scheme.
    `candidates` include its `meta` elements."""
    schemes = [each.attr("content") or "" for each in candidates if each.tag == "meta"]
    for declaration, places in rules.declarations.get("color-scheme", {}).items():
        if any(rules.selectors[at].strip() in _ROOTS for at in places):
            schemes.append(declaration.partition(":")[2])
    is_dark = any(scheme.lower().replace("only", "").strip() == "dark" for scheme in schemes)
    return PageColours(_DARK, _WHITE) if is_dark else PageColours()


class Colours(NamedTuple):
    """The colours that an attribute declares; None for one that cannot be computed from the attribute alone."""

    text_colours: tuple[Colour | None, ...] = ()
    backgrounds: tuple[Colour | None, ...] = ()
    fills: bool = False  # whether it declares the property that overrides `color`


_NO_COLOURS = Colours()


def _colours_of(element: Element, style: str, quirks: bool) -> Colours:
    """The colours that the attributes of an element declare; `style` is its style attribute."""
    own = _colours_of_style(style, quirks) if style else _NO_COLOURS
    if element.tag != "font" and not element.attr("bgcolor"):
        return own
    old = _colours_of_hints(element)
    return Colours((*own.text_colours, *old.text_colours), (*own.backgrounds, *old.backgrounds), own.fills)


@lru_cache(maxsize=4096)  # the same styles are used on many pages
def _colours_of_style(style: str, quirks: bool) -> Colours:
    """The colours that a style attribute declares."""
    if "color" not in (lowered := style.lower()) and "background" not in lowered and "\\" not in style:
        return _NO_COLOURS
    declared = parse_declarations(style, quirks).values()
    text_colours = [declared.get(name, "inherit") for name in ("-webkit-text-fill-color", "color")]
    image = declared.get("background-image", "none")
    backgrounds = [declared["background-color"]] if "background-color" in declared else []
    stops = [None] if is_open(image) else gradient_colours(image)
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
    is_rest: bool = False  # whether it stands for colours that are too many to be compared


class _Kind:
    """All colours of one kind on a page: its text colours, or its backgrounds."""

    def __init__(self, in_sheets: Iterable[Source], sources: list[Source], anywhere: Sequence[Colour]) -> None:
        self.in_sheets = list(in_sheets)  # the rules that are tested
        self.sources = sources
        self.anywhere = anywhere  # that any element may have
        every = set[Colour | None](anywhere).union(*(source.colours for source in sources))
        self.has_too_many = len(every) > 2 * _MOST_COLOURS or any(source.is_rest for source in sources)
        self.has_unknown = None in every or self.has_too_many  # it may equal any other colour
        self.known = [colour for colour in every if colour is not None][: 2 * _MOST_COLOURS]


class Palette:
    """The text colours and backgrounds of one page, which tell where text may have the colour of its background."""

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

        `has_external_sheets`: the page has sheets that were not read.
        """
        attributes: dict[Colours, list[Element]] = {}
        for element, style in styled.items():
            if (colours := _colours_of(element, style, rules.quirks)) is not _NO_COLOURS:
                attributes.setdefault(colours, []).append(element)
        self._attributes = attributes
        self._has_fill = "text-fill-color" in rules.text or any(colours.fills for colours in attributes)
        texts = [Source(each.text_colours, (), found) for each, found in attributes.items() if each.text_colours]
        in_sheets = _sources(rules, _TEXT_PROPERTIES, variables)
        own = [source for value, source in in_sheets.items() if value not in _OF_PARENT]
        self._texts = _Kind(own, [*texts, *own], [page.text_colour, *_OWN_TEXT_COLOURS])
        backgrounds = [Source(each.backgrounds, (), found) for each, found in attributes.items() if each.backgrounds]
        backgrounds.append(Source(_OWN_BACKGROUNDS, (), tree.select("mark,button") if len(rules) else ()))
        in_sheets = _sources(rules, _BACKGROUND_PROPERTIES, variables)
        if not has_external_sheets:
            # With external sheets only a background by an attribute is certain; elements that get their background
            # by a rule are found by that rule.
            backgrounds.extend(in_sheets.values())
        plain = (source for value, source in in_sheets.items() if "gradient(" not in value)
        self._backgrounds = _Kind(plain, backgrounds, [] if has_external_sheets else [page.background])

    def suspect_elements(self) -> list[Element]:
        """The elements whose text may be invisible because of colours that their attributes declare."""
        return [each for colours, found in self._attributes.items() if self._may_hide(colours) for each in found]

    def _may_hide(self, colours: Colours) -> bool:
        if (colours.text_colours and self._backgrounds.has_unknown) or (
            colours.backgrounds and self._texts.has_unknown
        ):
            return True
        return any(map(self._text_may_vanish, colours.text_colours)) or any(map(self._may_cover, colours.backgrounds))

    def may_hide_in(self, style: Style) -> bool:
        """Whether the winning style of an element may make its text invisible.

        Exact if the style declares text colour and background; else compared with the other colours of the page.
        """
        if style.get("background-image", "none") != "none" or "text" in style.get("background-clip", ""):
            return True
        fill = style.get("-webkit-text-fill-color", "currentcolor")
        letters = style.get("color") if fill == "currentcolor" else fill
        behind = style.get("background-color", "transparent")
        text = parse_colour(letters) if letters is not None else None
        background = parse_colour(behind)
        if behind in ("transparent", "none"):
            return text is not None and (self._backgrounds.has_unknown or self._text_may_vanish(text))
        if letters is None or background is None or self._has_fill:
            return self._texts.has_unknown or self._may_cover(background)
        return text is not None and (text.alpha < 0.5 or _is_invisible(text, background))

    def suspect_rules(self) -> Iterator[tuple[Sequence[int], list[Source] | None]]:
        """For each colour that may make text invisible: the rules that declare it, and sources of the other colour.

        The rules are given by their indexes. An element that they match may be hidden only if it or an ancestor has a
        colour of one of these sources; with None in their place, any element may be.
        """
        yield from _suspect_rules(self._texts, self._backgrounds, _is_invisible)
        yield from _suspect_rules(self._backgrounds, self._texts, _covers)

    def _text_may_vanish(self, text: Colour | None) -> bool:
        return text is None or _any([text], self._backgrounds.known, _is_invisible)

    def _may_cover(self, background: Colour | None) -> bool:
        return background is None or _any([background], self._texts.known, _covers)


_Test = Callable[[Colour, Colour], bool]  # of a colour of one kind, and one of the other


def _is_invisible(text: Colour, background: Colour) -> bool:
    return background.alpha > 0.5 and text.is_invisible_on(background)


def _covers(background: Colour, text: Colour) -> bool:
    return _is_invisible(text, background)


def _any(ones: Iterable[Colour], others: Iterable[Colour | None], test: _Test) -> bool:
    return any(other is not None and test(one, other) for one in ones for other in others)


def _suspect_rules(own: _Kind, other: _Kind, test: _Test) -> Iterator[tuple[Sequence[int], list[Source] | None]]:
    for source in own.in_sheets:
        known = [colour for colour in source.colours if colour is not None]
        if len(known) < len(source.colours) or other.has_too_many or _any(known, other.anywhere, test):
            yield source.places, None
        elif _any(known, other.known, test):
            yield source.places, [each for each in other.sources if _any(known, each.colours, test)]


def _sources(rules: Rules, names: tuple[str, ...], variables: Variables) -> dict[str, Source]:
    """Each value that the sheets give to one of the properties, with its colours and the rules that declare it. Values
    without a colour are left out; those beyond the first 400 share one entry, whose colour is None (not known)."""
    places: dict[str, list[int]] = {}
    for name in names:
        for declaration, found in rules.declarations.get(name, {}).items():
            value = declaration.partition(":")[2].partition("!")[0]
            places.setdefault(standard_value(name, value) if rules.quirks else value, []).extend(found)
    sources: dict[str, Source] = {}
    for value in list(places)[:_MOST_COLOURS]:
        ways = variables.possible_values(value)
        colours = [colour for way in ways for colour in colours_in(way)]
        if "(" in value and any(map(is_open, ways)):
            colours.append(None)
        if colours:
            sources[value] = Source(colours, places[value])
    others = [at for value in list(places)[_MOST_COLOURS:] for at in places[value]]
    return {**sources, "others": Source([None], others, is_rest=True)} if others else sources
