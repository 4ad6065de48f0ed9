"""The elements that may be hidden: a rule or attribute has a sign of it. Most pages have few."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from turbohtml import Element, Node

from mcp_web.extract.css.cascade import Cascade
from mcp_web.extract.css.colour import parse_colour
from mcp_web.extract.css.declarations import Declarations, expanded, is_read, parse_declarations
from mcp_web.extract.css.lengths import fraction, length, pixels
from mcp_web.extract.css.matched import Matched
from mcp_web.extract.css.names import PageNames
from mcp_web.extract.css.rules import Rules
from mcp_web.extract.css.style import Style, hides_box
from mcp_web.extract.css.variables import NO_VARIABLES, Variables, is_open
from mcp_web.extract.hidden.palette import Palette, Source
from mcp_web.lru import cached_if_short

_MOST_NESTED = 512  # elements around one; of those that turbohtml nests deeper the content comes after them
_MOST_COLOURED = 50  # colours; with more of them, ancestors are not checked
# A declaration without such a sign cannot hide anything: a quick test before the exact one.
_SIGN = re.compile(
    r"display:(?:none|[^;]*\()|visibility:(?:hidden|collapse|[^;]*\()|opacity:(?:[-+]|0?\.?0|0?\.[0-4]|[0-4]?\d?%|[\d.]+e-|[a-z])|opacity\("
    r"|clip:rect|clip-path:[^;]*\(|mask[\w-]*:[^;]*(?:gradient|url\(#)|mask-(?:size|position):|content:[^;]*\(|backdrop-filter:|blur\(|contrast\(0|skew|origin:[^;]*\d{4}|content-visibility:hidden"
    r"|scale\w*[(:][^);]*(?:\b0|\.0|\()|rotate|matrix|indent:[^;]*(?:-|\d{2})|spacing:-|zoom:(?:0|\.|[0-5]%|calc)"
    r"|font-size:(?:[-+]|0|\.|[12](?:px|pt|%|$|!)|[^;]*\()|font:[^;]*(?:0|[12](?:px|pt)|\.\d|\()"
    r"|(?:height|width|-size):[-+]?(?:0(?![.\d])|0?\.\d|[12](?:px)?(?:$|!)|[a-z-]+\()|auto-rows:[-+.0a-z]|line-height:0|line-through|underline-offset:-|z-index:-|border-shape|container(?:-type)?:[^;]*(?<!inline-)size|size-adjust:[0.]"
    r"|table-column|perspective\(|template:0|offset(?:-path)?:|invert\(|brightness\((?:0\)|0%|\d\d)|blend-mode:|template-rows:0|flex:0[01]?0(?:px|%)?(?:$|!)|flex-basis:0|url\(#"
    r"|box-shadow:[^;]*inset|(?:margin|padding)-top:\d{3}"
    r"|(?:left|top|right|bottom|margin[\w-]*|inset[\w-]*|start|end):[^;]*(?:-(?:\d{3}|[\d.]+(?:e\d|r?em|[sld]?v[whibm]|cq|%|in|[cm]m|p[tc]|q|ch))|\d{3,}(?:[sld]?v[whibm]|%|in|[cm]m|r?em)|\d{4}|\de\d|\()"
    r"|translate\w*[(:][^;]*(?:\d{3}|\de\d|\d\d(?:in|[cm]m|r?em|[sld]?v)|calc|min|max)|\\|animation|contain:[^;]*(?:size|strict|paint)|text-security|text-stroke:|\de-"
)
_SIGN_AT_START = re.compile(
    r"(?:-webkit-text-fill-)?color:(?:transparent|rgba|hsla|#[0-9a-f]{3}[0-5](?:$|!)|#[0-9a-f]{6}0|[^;]*/)"
    # With a variable or the like: any property except those that cannot hide anything or are tested as colours.
    r"|(?!--|-webkit-text-fill|background|padding|border|color|box-shadow|text-shadow|gap|font-family|font-weight"
    r"|transition|fill|stroke|outline|align|justify|cursor|min-|row-gap|column-gap)[^:;]*:[^;]*"
    r"(?:var|attr|if|random|sibling-index|sibling-count|[:(,+*/-]--[\w-]+)\("
)
# With a variable, the first of these are tested as colours; the others cannot hide anything.
_HARMLESS = frozenset(
    ("color", "-webkit-text-fill-color", "background-color", "background-image", "background-clip", "padding-right",
     "padding-left", "padding-bottom", "transition", "z-index", "box-shadow", "text-shadow", "position", "overflow-x",
     "overflow-y", "float", "flex-grow", "animation-duration", "animation-delay", "word-spacing",
     "text-decoration-thickness", "min-height", "min-width", "font-family", "color-scheme")
)  # fmt: skip
_TRACKS = ("grid-template-rows", "grid-auto-rows")
_TOPS = frozenset(("margin-top", "padding-top", "top"))
_REFERRING = frozenset(("clip-path", "mask-image", "filter"))
# Properties whose effect depends on the ancestors.
_OF_TREE = frozenset(("-webkit-text-security", "-webkit-text-stroke", "mix-blend-mode", "font-size-adjust"))
_CHANGES = re.compile(r"invert\(|brightness\((?:0\)|0%|\d\d)")  # filters that may make text look like its background
_ASSUMED = {"mask-image": "linear-gradient(#000,#000)", "mask-repeat": "no-repeat", "offset-path": "ray(0deg)",
            "text-decoration-thickness": "99px", "rotate": "9deg"}  # fmt: skip
_PARTIAL = frozenset(
    ("transform-origin", "mask-size", "mask-position", "mask-repeat", "mask-mode", "offset-distance", "text-decoration")
)
_ADDED = {
    "position": "fixed", "overflow-x": "hidden", "overflow-y": "hidden", "backface-visibility": "hidden",
}  # fmt: skip


def find_suspects(
    tree: Node,
    styled: Mapping[Element, str],
    cascade: Cascade,
    palette: Palette,
    names: PageNames,
    variables: Variables,
) -> list[Element]:
    """The elements that may be hidden, some of them repeatedly. `styled` maps elements to their style attributes."""
    by_attribute = [each for each, style in styled.items() if style and _is_signed(style, cascade.rules, variables)]
    return [*by_attribute, *palette.suspect_elements(), *_by_rule(tree, cascade, palette, names, variables)]


def _is_signed(style: str, rules: Rules, variables: Variables) -> bool:
    """Whether a style attribute may hide the text of its element, with any possible values of its variables."""
    if rules.shrunk_fonts and "font" in style.lower():
        return True
    signed = _has_sign(style, rules.quirks)
    return _may_hide(parse_declarations(style, rules.quirks), variables) if signed is None else signed


@lru_cache(maxsize=4096)  # the same styles are used on many pages
def _has_sign(style: str, quirks: bool) -> bool | None:
    """Whether a style attribute may hide anything; None if that depends on variables."""
    lowered = style.lower()
    if is_open(lowered):
        return None
    declarations = "".join(lowered.split()).split(";")
    signed = "/*" in style or any(map(_is_sign, declarations))
    return signed and _may_hide(parse_declarations(style, quirks), NO_VARIABLES)


@cached_if_short(200, entries=4096)  # few declarations are written again and again
def _is_sign(declaration: str) -> bool:
    return _SIGN.search(declaration) is not None or _SIGN_AT_START.match(declaration) is not None


def _by_rule(tree: Node, cascade: Cascade, palette: Palette, names: PageNames, variables: Variables) -> list[Element]:
    """The elements with content that match a rule that may hide it, or one whose colour may equal the background."""
    if not len(cascade.rules):
        return []
    signed, coloured = sorted(_signed(cascade, variables)), list(palette.suspect_rules())
    if len(coloured) > _MOST_COLOURED:
        coloured = [([at for places, _ in coloured for at in places], None)]
    sources = [source for _, others in coloured for source in others or ()]
    places = {*signed, *(at for own, _ in coloured for at in own), *(at for each in sources for at in each.places)}
    matched = Matched(tree, cascade.search, cascade.rules, places, names.as_selectors)
    found = dict.fromkeys(filter(_has_content, matched.by_rules(signed)))
    areas: dict[Source, set[Node]] = {}
    for own, others in coloured:
        for element in matched.by_rules(own):
            if element not in found and _has_content(element):
                above = cascade.ancestry(element) if others else ()
                if others is None or any(not _area(each, matched, areas).isdisjoint(above) for each in others):
                    found[element] = None
    return list(found)


def _area(source: Source, matched: Matched, known: dict[Source, set[Node]]) -> set[Node]:
    """The elements that declare a colour of `source`, and their parents: a positioned layer may paint its siblings.
    `known` caches the result."""
    found = known.get(source)
    if found is None:
        found = known[source] = {*source.elements, *matched.by_rules(source.places)}
        found.update([element.parent for element in found if element.parent is not None])
    return found


def _has_content(element: Element) -> bool:
    if element.tag in ("html", "body", "head"):
        return False
    return any(map(str.strip, element.strings)) or element.tag == "slot" or is_cut(element)


def is_cut(element: Element) -> bool:
    """Whether the parser put the content of an element after it, as siblings, because it is nested too deep."""
    return not element.children and sum(1 for _ in element.ancestors) > _MOST_NESTED


def _signed(cascade: Cascade, variables: Variables) -> Iterator[int]:
    """The indexes of the rules that may hide something."""
    rules = cascade.rules
    read = (found for name, found in rules.declarations.items() if is_read(name))
    signs = (places for found in read for declaration, places in found.items() if _is_sign(declaration))
    for at in {at for places in signs for at in places}:
        if _may_hide(parse_declarations(rules.body(at), rules.quirks), variables):
            yield at
    for name in ("font", "font-family") if rules.shrunk_fonts else ():
        for places in rules.declarations.get(name, {}).values():
            yield from places


def _may_hide(declared: Declarations, variables: Variables) -> bool:
    """Whether declarations may hide an element, with any possible values of their variables."""
    style = {name: value for name, value in declared.values().items() if name[:2] != "--"}
    open_ones = [name for name, value in style.items() if "(" in value and is_open(value)]
    if open_ones:
        values = [(name, style.pop(name)) for name in open_ones]
        if any(_may_hide_by(name, value, variables) for name, value in values if name not in _HARMLESS):
            return True
    return _hides(style)


def _may_hide_by(name: str, value: str, variables: Variables) -> bool:
    """Whether one declaration may hide an element, with any possible values of its variables."""
    return any(is_open(way) or _hides_alone(name, way) for way in variables.possible_values(value))


@lru_cache(maxsize=4096)  # few values are used again and again
def _hides_alone(name: str, value: str) -> bool:
    return _hides(expanded(value) or {name: value})


def _text_offset(style: Style) -> float:
    """How many pixels below the top of its box the text starts, by its top margin, top padding and `top`."""
    return sum(length(style, name) or 0.0 for name in _TOPS if name in style)


def _hides(style: Style) -> bool:
    """Whether a style may hide an element if other rules add what it needs for that, such as `overflow: hidden`."""
    if style.get("animation-name", "none") != "none" or not _OF_TREE.isdisjoint(style):
        return True
    if not _REFERRING.isdisjoint(style) and any("url(#" in style.get(name, "") for name in _REFERRING):
        return True
    if "inset" in style.get("box-shadow", "") or style.get("z-index", "")[:1] == "-":
        return True
    if (not _TOPS.isdisjoint(style) and _text_offset(style) >= 100) or (
        "filter" in style and _CHANGES.search(style["filter"])
    ):
        return True
    if any(style[name][:1] in "0+-." or "(" in style[name] for name in _TRACKS if name in style):
        return True
    if style.get("flex-grow") == "0" and pixels(style.get("flex-basis", "auto")) == 0:
        return True
    if style.get("visibility", "visible") != "visible" or (fraction(style.get("opacity", "1")) or 0.0) < 0.5:
        return True
    colours = [parse_colour(style[name]) for name in ("color", "-webkit-text-fill-color") if name in style]
    around = {} if _PARTIAL.isdisjoint(style) else _ASSUMED
    if hides_box({**around, **style, **_ADDED}) or any(colour is not None and colour.alpha < 0.5 for colour in colours):
        return True
    if "backdrop-filter" in style or 0 <= (fraction(style.get("font-size-adjust", "none")) or 1.0) < 0.05:
        return True
    size = style.get("font-size")
    return size is not None and (pixels(size, 16.0, 16.0) or 0.0) <= 4
