"""Which elements are worth judging: those whose rules or attributes carry a sign of hiding. Most pages have few."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from mcp_web.extract.cascade import Cascade
from mcp_web.extract.colour import parse_colour
from mcp_web.extract.declarations import Declared, expanded, parse_declarations
from mcp_web.extract.lengths import fraction, pixels
from mcp_web.extract.names import PageNames
from mcp_web.extract.palette import Palette, colours_of
from mcp_web.extract.selectors import (
    index_keys,
    matches,
    may_match,
    select_any,
    split_selectors,
    usable,
)  # fmt: skip
from mcp_web.extract.style import Style, hides_box
from mcp_web.extract.variables import NO_VARIABLES, Variables

if TYPE_CHECKING:
    from turbohtml import Element, Node

_MOST_CANDIDATES = 2000
# Cheap tests before the real one: a rule that has none of these hides nothing.
_WORDS = (
    "display:none",
    "opacity(", "visibility:hidden", "visibility:collapse", "opacity:", "clip:rect", "clip-path:", "mask",
    "transparent", "scale", "blur(", "contrast(0", "indent:", "spacing:-", "zoom:", "rotate", "skew", "matrix",
    "var(", "\\", "font-size:", "font:", "height:0", "width:0", "height:1px", "width:1px", "height:2px", "width:2px",
    "block-size:0", "inline-size:0", "left:", "top:-", "right:-", "bottom:-", "margin:", "inset", "translate",
    "content-visibility:", "animation", "contain:", "calc(", "min(", "clamp(", "/0)", "/0%)", ",0)", "top:",
    "text-fill-color:", "text-security:", "text-stroke:", "offset-path", "offset:path", "line-through", "size-adjust:",
    "table-column", "invert(",
    "brightness(", "filter:url", "blend-mode:", "template-rows:0", "template:0", "perspective(",
    "flex:0", "flex-basis:0", "url(#", "auto-rows:", "content:url", "content:image", "content:linear", "-size:",
    "backdrop-filter:", "abs(", "max(", "height:+", "height:-", "width:+", "width:-", "height:.", "width:.",
    "underline-offset:-", "border-shape:", "container", "start:", "end:", "z-index:-",
)  # fmt: skip
_SIGN = re.compile(
    r"display:none|visibility:(?:hidden|collapse)|opacity:(?:[-+]|0?\.?0|0?\.[0-4]|[0-4]?\d?%|[\d.]+e-|[a-z])|opacity\("
    r"|clip:rect|clip-path:[^;]*\(|mask[\w-]*:[^;]*(?:gradient|url\(#)|mask-(?:size|position):|content:[^;]*\(|backdrop-filter:|blur\(|contrast\(0|skew|content-visibility:hidden"
    r"|(?:^|;)(?:-webkit-text-fill-)?color:(?:transparent|rgba|hsla|#[0-9a-f]{3}[0-5](?:;|$|!)|#[0-9a-f]{6}0|[^;]*/)"
    r"|scale\w*[(:][^);]*(?:\b0|\.0)|rotate|matrix|indent:[^;]*(?:-|\d{2})|spacing:-|zoom:(?:0|\.|[0-5]%|calc)"
    r"|font-size:(?:[-+]|0|\.|[12](?:px|pt|%)|[^;]*\()|font:[^;]*(?:0|[12](?:px|pt)|\.\d|\()"
    r"|(?:height|width|-size):[-+]?(?:0(?![.\d])|0?\.\d|[12](?:px)?(?:;|$|!)|[a-z]+\()|auto-rows:[-+.0a-z]|line-height:0|line-through|underline-offset:-|z-index:-|border-shape|container(?:-type)?:[^;]*(?<!inline-)size|size-adjust:[0.]"
    r"|table-column|perspective\(|template:0|offset(?:-path)?:|invert\(|brightness\((?:0\)|0%|\d\d)|blend-mode:|template-rows:0|flex:0[01]?0(?:px|%)?(?:;|$|!)|flex-basis:0|url\(#"
    r"|box-shadow:[^;]*inset|(?:margin|padding)-top:\d{3}"
    r"|(?:left|top|right|bottom|margin[\w-]*|inset[\w-]*|start|end):[^;]*(?:-(?:\d{3}|[\d.]+(?:e\d|r?em|[sld]?v[whibm]|cq|%|in|[cm]m|p[tc]|q|ch))|\d{3,}(?:[sld]?v[whibm]|%|in|[cm]m|r?em)|\d{4}|\de\d|\()"
    r"|translate\w*[(:][^;]*(?:\d{3}|\de\d|\d\d(?:in|[cm]m|r?em|[sld]?v)|calc|min|max)|\\|animation|contain:[^;]*(?:size|strict|paint)|text-security|text-stroke:"
    # Through a variable, any property but those that hide nothing or are judged as colours.
    r"|(?:^|;)(?!--|-webkit-text-fill|background|padding|border|color|box-shadow|text-shadow|gap|font-family|font-weight"
    r"|line-height|flex|transition|fill|stroke|outline|align|justify|cursor|min-|row-gap|column-gap)[^:;]*:[^;]*var\("
)
# Through a variable the first are judged as colours; the others hide nothing.
_HARMLESS = frozenset(
    ("color", "-webkit-text-fill-color", "background-color", "background-image", "background-clip", "padding-right",
     "padding-left", "padding-bottom", "transition", "z-index", "box-shadow", "text-shadow", "position", "overflow-x",
     "overflow-y", "float", "flex-grow", "animation-duration", "animation-delay", "word-spacing",
     "text-decoration-thickness", "min-height", "min-width", "line-height")
)  # fmt: skip
_TOPS = frozenset(("margin-top", "padding-top", "top"))
_REFERRING = frozenset(("clip-path", "mask-image", "filter"))
# What these do is told by what stands around an element.
_OF_TREE = frozenset(("-webkit-text-security", "-webkit-text-stroke", "mix-blend-mode", "font-size-adjust"))
_CHANGES = re.compile(r"invert\(|brightness\((?:0\)|0%|\d\d)")  # filters after which letters may look like the paper
_ASSUMED = {"mask-image": "linear-gradient(#000,#000)", "mask-repeat": "no-repeat", "offset-path": "ray(0deg)",
            "text-decoration-thickness": "99px"}  # fmt: skip
_PARTIAL = frozenset(("mask-size", "mask-position", "mask-repeat", "mask-mode", "offset-distance", "text-decoration"))
_ADDED = {
    "position": "fixed", "overflow-x": "hidden", "overflow-y": "hidden", "backface-visibility": "hidden",
}  # fmt: skip


def by_attribute(styled: Iterable[Element], palette: Palette, variables: Variables) -> list[Element]:
    """Elements whose own style, or colour attributes of old, could hide their text."""
    return [each for each in styled if _is_signed(each, variables) or palette.may_hide(colours_of(each))]


def _is_signed(element: Element, variables: Variables) -> bool:
    style = element.attr("style") or ""
    if "var(" in style or "VAR(" in style:
        return _may_hide(parse_declarations(style), variables)
    return _has_sign(style)


@lru_cache(maxsize=4096)  # styles repeat, on a page and from page to page
def _has_sign(style: str) -> bool:
    if "/*" in style:
        return True
    text = "".join(style.lower().split())
    return _SIGN.search(text) is not None and _may_hide(parse_declarations(style), NO_VARIABLES)


def by_rule(tree: Node, cascade: Cascade, palette: Palette, names: PageNames, variables: Variables) -> list[Element]:
    """Elements with text that a rule with a sign of hiding matches."""
    rules = cascade.rules
    if not len(rules):
        return []
    places = sorted(
        set(_signed(cascade, variables)) | {at for value in palette.rule_values() for at in rules.places(value)}
    )
    lists = [usable(selector) for at in places if "::" not in (selector := rules.selectors[at])]
    found = _matched(tree, [each for selectors in lists for each in split_selectors(selectors)], names)
    shown = [element for element in found if element.tag not in ("html", "body", "head") and _has_content(element)]
    return shown[:_MOST_CANDIDATES]


def _matched(tree: Node, selectors: list[str], names: PageNames) -> list[Element]:
    """What the selectors match. Where all of that has a name, only elements with the name are looked at."""
    found: dict[Element, None] = {}
    unnamed: list[str] = []
    for selector in dict.fromkeys(selectors):
        keys = index_keys(selector) if may_match(selector, names.asked) else ()
        if all(key[0] in ".#" for key in keys):
            named = [element for key in keys for element in names.with_name(key)]
            found.update(dict.fromkeys([element for element in named if matches(element, selector)]))
        else:
            unnamed.append(selector)
    found.update(dict.fromkeys(select_any(tree, unnamed)))
    return list(found)


def _has_content(element: Element) -> bool:
    return bool(element.text.strip()) or element.tag == "slot"


def _signed(cascade: Cascade, variables: Variables) -> Iterator[int]:
    """The places of the rules that could hide something. All bodies are searched as one text: few have a sign."""
    bodies = cascade.rules.bodies
    for at in {at for word in _WORDS for at in cascade.rules.places(word)}:
        if _SIGN.search(bodies[at]) and _may_hide(cascade.declared(cascade.rules.rule(at)), variables):
            yield at


def _may_hide(declared: Mapping[str, Declared], variables: Variables) -> bool:
    """Whether declarations could hide an element, with any of the values that the variables in them may have."""
    style = {name: each.value for name, each in declared.items() if name[:2] != "--"}
    open_ones = [name for name in style if "var(" in style[name]]
    if open_ones:
        values = [(name, style.pop(name)) for name in open_ones]
        if any(_may_hide_by(name, value, variables) for name, value in values if name not in _HARMLESS):
            return True
    return _hides(style)


def _may_hide_by(name: str, value: str, variables: Variables) -> bool:
    """Whether one declaration could hide an element, whatever the variables in it are."""
    return any("var(" in way or _hides_alone(name, way) for way in variables.ways(value))


@lru_cache(maxsize=4096)  # few values are used again and again
def _hides_alone(name: str, value: str) -> bool:
    return _hides(expanded(value) or {name: value})


def _starts(style: Style) -> float:
    """How far below the top of its box a text starts, in pixels."""
    if _TOPS.isdisjoint(style):
        return 0.0
    return sum(pixels(style[name]) or 0.0 for name in _TOPS if name in style)


def _hides(style: Style) -> bool:
    """Whether a style could hide an element, together with the most that other rules may add."""
    if style.get("animation-name", "none") != "none" or not _OF_TREE.isdisjoint(style):
        return True
    if not _REFERRING.isdisjoint(style) and any("url(#" in style.get(name, "") for name in _REFERRING):
        return True
    if "inset" in style.get("box-shadow", "") or style.get("z-index", "")[:1] == "-":
        return True
    if _starts(style) >= 100 or _CHANGES.search(style.get("filter", "")):
        return True
    if any(
        style.get(f"grid-{name}-rows", "1")[:1] in "0+-." or "(" in style.get(f"grid-{name}-rows", "")
        for name in ("template", "auto")
    ) or (style.get("flex-grow") == "0" and pixels(style.get("flex-basis", "auto")) == 0):
        return True
    if style.get("visibility", "visible") != "visible" or (fraction(style.get("opacity", "1")) or 0.0) < 0.5:
        return True
    inks = (parse_colour(style[name]) for name in ("color", "-webkit-text-fill-color") if name in style)
    around = {} if _PARTIAL.isdisjoint(style) else _ASSUMED
    if hides_box({**around, **style, **_ADDED}) or any(ink is not None and ink.alpha < 0.5 for ink in inks):
        return True
    if "backdrop-filter" in style or 0 <= (fraction(style.get("font-size-adjust", "none")) or 1.0) < 0.05:
        return True
    size = style.get("font-size")
    return size is not None and (pixels(size, 16.0, 16.0) or 0.0) <= 4
