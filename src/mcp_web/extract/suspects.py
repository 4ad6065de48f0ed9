"""Which elements are worth judging: those whose rules or attributes carry a sign of hiding. Most pages have few."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from mcp_web.extract.cascade import Cascade
from mcp_web.extract.colour import Colour, parse_colour
from mcp_web.extract.declarations import Declared, parse_declarations
from mcp_web.extract.lengths import fraction, pixels
from mcp_web.extract.selectors import select_any, split_selectors
from mcp_web.extract.style import hides_box

if TYPE_CHECKING:
    from turbohtml import Element, Node

_MOST_CANDIDATES = 2000
_MOST_COLOURS = 400  # different values on one page
# Cheap tests before the real one: a rule that has none of these hides nothing.
_WORDS = (
    "display:none",
    "opacity(", "visibility:hidden", "visibility:collapse", "opacity:", "clip:rect", "clip-path:", "mask",
    "transparent", "scale", "blur(", "contrast(0", "indent:", "spacing:-", "zoom:", "rotate", "skew", "matrix",
    "var(", "\\", "font-size:", "font:", "height:0", "width:0", "height:1px", "width:1px", "height:2px", "width:2px",
    "block-size:0", "inline-size:0", "left:", "top:-", "right:-", "bottom:-", "margin:", "inset", "translate",
    "content-visibility:", "animation", "contain:", "calc(", "min(", "clamp(", "/0)", "/0%)", ",0)", "top:",
    "text-fill-color:",
    "text-security:",
)  # fmt: skip
_SIGN = re.compile(
    r"display:none|visibility:(?:hidden|collapse)|opacity:(?:-|0?\.?0|0?\.[0-4]|[0-4]?\d?%|[\d.]+e-|calc|var|min|clamp)|opacity\(\s*0"
    r"|clip:rect|clip-path:[^;]*\(|mask[\w-]*:[^;]*gradient|blur\(|contrast\(0|skew|content-visibility:hidden"
    r"|(?:^|;)(?:-webkit-text-fill-)?color:(?:transparent|rgba|hsla|#[0-9a-f]{3}[0-5](?:;|$|!)|#[0-9a-f]{6}0|[^;]*/)"
    r"|scale\w*[(:][^);]*(?:\b0|\.0)|rotate|matrix|indent:[^;]*(?:-|\d{3})|spacing:-|zoom:(?:0|\.|[0-5]%)"
    r"|font-size:(?:0|\.|[12](?:px|pt|%)|[^;]*\()|font:[^;]*(?:\b0[/\s]|\b[012](?:px|pt)|\.\d)"
    r"|(?:height|width|-size):[012](?:px)?(?:;|$|!)|line-height:0"
    r"|(?:left|top|right|bottom|margin[\w-]*|inset[\w-]*|start|end):[^;]*(?:-(?:\d{3}|\d+(?:em|rem|v[wh]|%))|\d{3,}(?:v[wh]|%)|\d{4}|\()"
    r"|translate\w*[(:][^;]*\d{3}|\\|animation|contain:[^;]*(?:size|strict)|text-security"
    r"|(?:display|visibility|opacity|font-size|font|left|top|color|clip|height|width|transform|filter):[^;]*var\("
)
_ADDED = {
    "position": "fixed", "overflow-x": "hidden", "overflow-y": "hidden", "backface-visibility": "hidden",
}  # fmt: skip
_INK = re.compile(r"(?:^|[;{])(?:-webkit-text-fill-)?color:([^;{!]*)")
_BACKGROUND = re.compile(r"(?:^|[;{])background(?:-color)?:([^;{!]*)")
_VARIABLE = re.compile(r"(?:^|[;{])(--[\w-]+):([^;{!]*)")
_VAR = re.compile(r"var\((--[\w-]+)(?:,([^()]*))?\)")
_FUNCTION = re.compile(r"(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch|color|color-mix)\(")


def by_attribute(candidates: Iterable[Element]) -> Iterator[Element]:
    """Elements whose own style, or colour attributes of old, could hide their text."""
    for element in candidates:
        style = element.attr("style")
        if (style and _is_suspect(style)) or element.tag == "font" or element.attr("bgcolor"):
            yield element


@lru_cache(maxsize=4096)  # styles repeat, on a page and from page to page
def _is_suspect(style: str) -> bool:
    text = "".join(style.lower().split())
    if "color" in text or "background" in text or "/*" in text:
        return True
    return _SIGN.search(text) is not None and _is_decisive(parse_declarations(style))


def by_rule(tree: Node, cascade: Cascade) -> list[Element]:
    """Elements with text that a rule with a sign of hiding matches."""
    rules = cascade.rules
    if not len(rules):
        return []
    places = sorted(set(_signed(cascade)) | set(_coloured(cascade)))
    selectors: list[str] = []
    for at in places:
        selector = rules.selectors[at]
        if selector and "::" not in selector and cascade.may_match(selector):
            selectors.extend(split_selectors(selector.replace(":defined", "")))
    found = select_any(tree, selectors)
    shown = [element for element in found if element.tag not in ("html", "body", "head") and _has_content(element)]
    return shown[:_MOST_CANDIDATES]


def _has_content(element: Element) -> bool:
    return bool(element.text.strip()) or element.tag == "slot"


def _signed(cascade: Cascade) -> Iterator[int]:
    """The places of the rules that could hide something. All bodies are searched as one text: few have a sign."""
    bodies = cascade.rules.bodies
    for at in {at for word in _WORDS for at in _places(cascade, word)}:
        rule = cascade.rules.rule(at) if _SIGN.search(bodies[at]) and cascade.may_match_at(at) else None
        if rule is not None and _is_decisive(cascade.declared(rule)):
            yield at


def _is_decisive(declared: Mapping[str, Declared]) -> bool:
    """Whether the declarations could hide an element, together with the most that other rules may add."""
    style = {name: each.value for name, each in declared.items() if name[:2] != "--"}
    if any("var(" in value for value in style.values()) or style.get("animation-name", "none") != "none":
        return True
    if "-webkit-text-security" in style or (fraction(style.get("opacity", "1")) or 0.0) < 0.5:
        return True
    if style.get("visibility", "visible") != "visible" or hides_box({**style, **_ADDED}):
        return True
    inks = (parse_colour(style[name]) for name in ("color", "-webkit-text-fill-color") if name in style)
    if any(ink is not None and ink.alpha < 0.5 for ink in inks):
        return True
    size = style.get("font-size")
    return size is not None and (pixels(size, 16.0, 16.0) or 0.0) <= 4


def _places(cascade: Cascade, word: str) -> Iterator[int]:
    """Which of the rules have the word in their declarations."""
    text, ends = cascade.rules.text, cascade.rules.ends
    found = text.find(word)
    while found >= 0:
        place = bisect_right(ends, found)
        yield place
        found = text.find(word, ends[place])


def _coloured(cascade: Cascade) -> Iterator[int]:
    """The rules whose ink has the colour of some background of the page, and the other way round."""
    text = cascade.rules.text
    variables = dict(_VARIABLE.findall(text)) if "var(" in text else {}
    inks = _colours(_INK.findall(text), variables)
    backgrounds = _colours(_BACKGROUND.findall(text), variables)
    papers = [Colour(255, 255, 255), *(paper for paper in backgrounds.values() if paper)]
    letters = [Colour(0, 0, 0), *(ink for ink in inks.values() if ink)]
    lost = {f"color:{value}" for value, ink in inks.items() if ink is None or any(map(ink.near, papers))}
    for value, paper in backgrounds.items():
        if paper is None or any(map(paper.near, letters)):
            lost.update((f"background:{value}", f"background-color:{value}"))
    for each in lost:
        yield from _places(cascade, each)


def _colours(values: Iterable[str], variables: dict[str, str]) -> dict[str, Colour | None]:
    """The opaque colours among the values; None for a colour that cannot be parsed without its spaces."""
    found: dict[str, Colour | None] = {}
    for value in list(dict.fromkeys(values))[:_MOST_COLOURS]:
        plain = _filled(value, variables)
        colour = parse_colour(plain) or parse_colour(re.split(r"url|linear|radial", plain)[0])
        if colour is not None and colour.alpha > 0.5:
            found[value] = colour
        elif colour is None and (plain == "currentcolor" or _FUNCTION.match(plain)):
            found[value] = None
    return found


def _filled(value: str, variables: dict[str, str]) -> str:
    for _ in range(4):
        if "var(" not in value:
            break
        value = _VAR.sub(lambda found: variables.get(found[1]) or found[2] or "", value)[:200]
    return value
