"""What the page's own `<style>` sheets hide: rules that apply on a desktop screen, weighed as a browser weighs them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from mcp_web.extract.colour import Colour, parse_colour
from mcp_web.extract.css import Rule, Rules
from mcp_web.extract.names import PageNames
from mcp_web.extract.style import Background, hides, parse_style

if TYPE_CHECKING:
    from turbohtml import Element, Node

_MOST_CANDIDATES = 2000
_MOST_RULES = 200  # per element; a page made for people has a handful
_CHUNK = 200
# Cheap tests before the real one: a rule that has none of these hides nothing.
_HIDING_WORDS = (
    "display:none", "visibility:hidden", "visibility:collapse", "opacity:0", "opacity:.0", "clip:rect", "clip-path:",
    "mask:", "mask-image:", "color:transparent", "scale", "blur(", "indent:-", "spacing:-", "zoom:", "rotate",
    "matrix(", "var(", "\\", "font-size:0", "font-size:1px", "font-size:2px", "font-size:.", "font:0", "height:0",
    "width:0", "height:1px", "width:1px", "left:-", "top:-", "right:-", "bottom:-", "margin:-", "inset:-", "translate",
    "/0)", "/0%)", ",0)",
)  # fmt: skip
_HIDING_EXACT = re.compile(
    r"display:none|visibility:(?:hidden|collapse)|opacity:0?\.?0|clip:rect|clip-path:[icep]|mask(?:-image)?:|blur\("
    r"|(?:^|;)(?:-webkit-text-fill-)?color:(?:transparent|rgba|hsla|[^;]*/)|scale\w*[(:]\.?0|rotate[xy]|matrix\("
    r"|indent:-|spacing:-|zoom:0?\.?0|font-size:(?:0|\.|[12]px)|font:[^;]*\b0[/\s]|(?:height|width):(?:0|1px)"
    r"|(?:left|top|right|bottom|margin|inset):[^;]*-(?:\d{3}|\d+(?:em|rem|v[wh]|%))|translate\w*[(:][^)]*\d{3}|\\"
    r"|(?:display|visibility|opacity|font-size|font|left|color|clip|height|width):[^;]*var\("
)
# Properties by which a later or more exact rule shows again what an earlier one hides, with the values that hide.
_SHOWING = {
    "display": ("none",),
    "color": ("#fff", "white"),
    "visibility": ("hidden", "collapse"),
    "opacity": ("0",),
    "max-height": ("0",),
    "height": ("0",),
    "clip": ("rect(",),
    "position": ("absolute", "fixed"),
    "font-size": ("0",),
}
_STATE = re.compile(
    r"::|:(?:defined|before|after|hover|focus|active|visited|target|focus-within|focus-visible|placeholder)\b", re.I
)
_COLOURED = re.compile(r"(?:^|;)color:")
_TOKEN = re.compile(r"[\w-]+")
_INSIDE = re.compile(r"\([^()]*\)|\[[^\]]*\]")
_NAME = re.compile(r"[#.](?:[\w-]|[^\x00-\x7f]|\\.)+")
_ASKED = re.compile(r"[#.][^\s#.,:>+~()\[\]*|&=\"']+")
_ROOTS = frozenset((":root", "html", "body", "*", ":host", ":root,:host"))


@dataclass(frozen=True, slots=True)
class _Rule:
    selector: str  # one selector, not a list
    style: dict[str, str]
    weight: tuple[int, int, int, int]  # specificity, then order
    key: str  # a name an element must have to match: "#id", ".class", a tag, or "*"


class _Index:
    """Rules by the name that an element must have to match; the last rule of a selector stands for all of them."""

    def __init__(self) -> None:
        self.rules: dict[str, dict[str, _Rule]] = {}

    def add(self, rule: _Rule) -> None:
        self.rules.setdefault(rule.key, {})[rule.selector] = rule

    def near(self, element: Element) -> list[_Rule]:
        names = [f".{name}" for name in (element.attr("class") or "").split()[:50]]
        found: list[_Rule] = []
        for key in (f"#{element.attr('id')}", *names, element.tag, "*"):
            found.extend(self.rules.get(key, {}).values())
        return found[:_MOST_RULES]


class _Names:
    """The class names and ids of a page: most rules of a framework's sheet ask for some that it does not have."""

    def __init__(self, names: PageNames) -> None:
        self._names = names

    @cached_property
    def _present(self) -> frozenset[str]:
        found = [*[f".{name}" for name in self._names.classes], *[f"#{name}" for name in self._names.ids]]
        return frozenset("\n".join(found).lower().split("\n"))  # a page without doctype ignores case

    def may_match(self, selector: str) -> bool:
        """False only where no element of the page can match any selector of the list."""
        if "\\" in selector or self._present.issuperset(_ASKED.findall(selector.lower())):
            return True
        if "," not in selector and "(" not in selector and "[" not in selector:
            return False
        outside = _INSIDE.sub("", selector.lower())
        if "(" in outside or "[" in outside:
            return True
        return any(self._present.issuperset(_ASKED.findall(each)) for each in outside.split(","))


def hidden_by_rules(tree: Node, sheets: list[str], page: PageNames) -> list[Element]:
    """The elements that a rule of the page's sheets hides and no stronger rule shows."""
    if not sheets:
        return []
    rules = Rules(sheets, page.lowered)
    unpainted = not Background(tree).is_painted()
    names = _Names(page)
    hiding = _hiding(rules, names, unpainted)
    found = _matched(tree, hiding, page.classes) if hiding.rules else []
    over = found[_MOST_CANDIDATES:]
    hit = [(element, _hiders(element, hiding, unpainted)) for element in found[:_MOST_CANDIDATES]]
    hit = [(element, rules) for element, rules in hit if rules]
    if not hit:
        return over
    showing = _showing(rules, names, hit)
    return [*(element for element, hiders in hit if _stays_hidden(element, hiders, showing)), *over]


def _matched(tree: Node, hiding: _Index, classes: frozenset[str]) -> list[Element]:
    """The elements with text that any hiding rule matches. Only rules whose name occurs on the page are tried."""
    selectors = [
        selector for key, rules in hiding.rules.items() if key[0] != "." or key[1:] in classes for selector in rules
    ]
    found: list[Element] = []
    for at in range(0, len(selectors), _CHUNK):
        found.extend(_select(tree, selectors[at : at + _CHUNK]))
    return [element for element in found if element.tag not in ("html", "body") and element.text.strip()]


def _hiding(rules: Rules, names: _Names, unpainted: bool) -> _Index:
    found = _Index()
    variables: dict[str, str] = {}
    roots = {at for at in _places(rules, "--") if rules.selector(at) in _ROOTS}
    for at in sorted(roots.union(_suspects(rules, names, unpainted))):
        rule = rules.rule(at)
        if rule is None:
            continue
        if rule.selector in _ROOTS:
            variables.update(item for item in parse_style(rule.body).items() if item[0].startswith("--"))
        elif _STATE.search(rule.selector) is None:
            style = parse_style(rule.body, variables)
            if hides(style) or (unpainted and _is_pale(style)):
                _add(found, rule, style)
    return found


def _suspects(rules: Rules, names: _Names, unpainted: bool) -> Iterator[int]:
    """The places of the rules that could hide something here. All bodies are searched as one text: few have a sign."""
    bodies = rules.bodies
    signed = {at for word in _HIDING_WORDS for at in _places(rules, word)}
    coloured = set(_places(rules, "color:" if unpainted else "background"))
    for at in signed | coloured:
        body = bodies[at]
        if at not in signed and "color:" not in body:
            continue
        if names.may_match(rules.selector(at)) and (
            (at in signed and _HIDING_EXACT.search(body)) or (at in coloured and _COLOURED.search(body))
        ):
            yield at


def _places(rules: Rules, word: str) -> Iterator[int]:
    """Which of the rules have the word in their declarations."""
    text, ends = rules.text, rules.ends
    found = text.find(word)
    while found >= 0:
        place = bisect_right(ends, found)
        yield place
        found = text.find(word, ends[place])


def _is_pale(style: dict[str, str]) -> bool:
    """The colour of unpainted paper."""
    colour = parse_colour(style.get("color", ""))
    return colour is not None and colour.near(Colour(255, 255, 255))


def _showing(rules: Rules, present: _Names, hidden: list[tuple[Element, list[_Rule]]]) -> _Index:
    """The rules that could show one of the elements after all: by a property that hides one of them."""
    styles = [rule.style for _, hiders in hidden for rule in hiders]
    used = [name for name, values in _SHOWING.items() if any(s.get(name, "").startswith(values) for s in styles)]
    names = {""}
    for element, _ in hidden:
        names.update((element.tag, element.attr("id") or "", *(element.attr("class") or "").split()))
    found = _Index()
    for at in sorted({at for name in used for at in _places(rules, f"{name}:")}):
        selector = rules.selector(at)
        if names.isdisjoint(_TOKEN.findall(selector)) or not present.may_match(selector):
            continue
        rule = rules.rule(at)
        if rule is not None and _STATE.search(selector) is None:
            style = parse_style(rule.body)
            if any(name in style and not style[name].startswith(_SHOWING[name]) for name in used):
                _add(found, rule, style)
    return found


def _add(index: _Index, rule: Rule, style: dict[str, str]) -> None:
    """Put each selector of a list into the index, with its own weight."""
    from turbohtml.convert import css_specificity

    try:
        weights = css_specificity(rule.selector)
    except ValueError:
        return
    for selector, weight in zip(_split(rule.selector), weights, strict=False):
        index.add(_Rule(selector.strip(), style, (*weight, rule.order), _key(selector)))


def _key(selector: str) -> str:
    last = re.split(r"[\s>+~]+", _INSIDE.sub("", selector).strip())[-1]
    name = _NAME.search(last)
    if name is not None:
        return name[0].replace("\\", "")
    tag = re.match(r"[a-zA-Z][\w-]*", last)
    return tag[0].lower() if tag else "*"


def _select(tree: Node, selectors: list[str]) -> list[Element]:
    """All that any of the selectors matches; a selector that is not valid is left out."""
    try:
        return tree.select(",".join(selectors))
    except ValueError:
        if len(selectors) == 1:
            return []
        half = len(selectors) // 2
        return _select(tree, selectors[:half]) + _select(tree, selectors[half:])


def _hiders(element: Element, hiding: _Index, unpainted: bool) -> list[_Rule]:
    """The rules that hide this very element."""
    return [
        rule
        for rule in hiding.near(element)
        if _matches(element, rule.selector) and (hides(rule.style, element) or (unpainted and _is_pale(rule.style)))
    ]


def _stays_hidden(element: Element, hiders: list[_Rule], showing: _Index) -> bool:
    """True where none of the rules that show it is stronger than one that hides it."""
    against = [other for other in showing.near(element) if _matches(element, other.selector)]
    return any(not any(other.weight > rule.weight and _shows(other, rule) for other in against) for rule in hiders)


def _matches(element: Element, selector: str) -> bool:
    try:
        return element.matches(selector)
    except ValueError:
        return False


def _shows(other: _Rule, rule: _Rule) -> bool:
    for name, values in _SHOWING.items():
        if name in rule.style and name in other.style and rule.style[name].startswith(values):
            return not other.style[name].startswith(values)
    return False


def _split(selector: str) -> list[str]:
    """The selectors of a list, commas inside parentheses left alone."""
    return re.split(r",(?![^()]*\))", selector)
