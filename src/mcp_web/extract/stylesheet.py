"""What the page's own `<style>` sheets hide: rules that apply on a desktop screen, weighed as a browser weighs them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mcp_web.extract.style import hides, resolve_variables

if TYPE_CHECKING:
    from turbohtml import Element, Node
    from turbohtml.cssom import StyleRule

_MOST_CSS = 1_000_000
_MOST_CANDIDATES = 2000
_MOST_RULES = 200  # per element; a page made for people has a handful
_MOST_BLOCKS = 5000
_MOST_NESTING = 4
_CHUNK = 200
# Cheap tests before the real one: a sheet, then a rule, that has none of these hides nothing.
_HIDING = re.compile(r"none|hidden|opacity|indent|clip|transparent|-\d{3}|:\s*0|scale|blur|mask|var\(|collapse", re.I)
_HIDING_VALUES = {
    **dict.fromkeys(("display", "content-visibility", "visibility"), re.compile(r"none|hidden|collapse|var")),
    **dict.fromkeys(("opacity", "zoom", "scale"), re.compile(r"0|\.0|var")),
    **dict.fromkeys(("font", "font-size"), re.compile(r".*?\b[012](?:\.\d+)?(?:px|/|em|rem|pt|%)?(?:\s|/|$)|var")),
    **dict.fromkeys(("height", "width", "max-height", "max-width"), re.compile(r"[01](?:px|em|%|$)|\.|var")),
    **dict.fromkeys(
        ("clip", "clip-path", "-webkit-clip-path", "mask", "mask-image", "-webkit-mask-image"), re.compile("")
    ),
    **dict.fromkeys(("color", "-webkit-text-fill-color"), re.compile(r"transparent|rgba|hsla|#\w{4}$|#\w{8}$|.*/|var")),
    **dict.fromkeys(("filter", "-webkit-filter"), re.compile(r"opacity|blur")),
    **dict.fromkeys(("transform", "-webkit-transform", "translate"), re.compile(r".*(?:\(\s*\.?0|\d{3}|rotate)|var")),
    **dict.fromkeys(
        ("text-indent", "left", "top", "right", "bottom", "margin", "margin-left", "margin-top", "letter-spacing"),
        re.compile(r".*-\s*[\d.]|\d{4}|var"),
    ),
}
_AT_RULE = re.compile(r"@(media|supports|layer|container|scope)\b([^{};]*)\{", re.I)
_WIDTH = re.compile(r"(min|max)-width\s*:\s*([\d.]+)(px|em|rem)")
_OTHER_MEDIA = re.compile(
    r"print|speech|prefers-|orientation:\s*portrait|hover:\s*none|pointer:\s*coarse|forced-colors|not\s+all"
)
_SCREEN_WIDTH = 1280.0
# Properties by which a later or more exact rule shows again what an earlier one hides, with the values that hide.
_SHOWING = {
    "display": ("none",),
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
_BRACE = re.compile(r"[{}]")
_INSIDE = re.compile(r"\([^()]*\)|\[[^\]]*\]")
_NAME = re.compile(r"[#.](?:[\w-]|[^\x00-\x7f]|\\.)+")
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


def hidden_by_rules(tree: Node) -> list[Element]:
    """The elements that a rule hides and no stronger rule shows."""
    sheets = [text for text in (sheet.text for sheet in tree.select("style")) if _HIDING.search(text)]
    if not sheets:
        return []
    rules = [*_rules_of(sheets)]
    hiding = _hiding(rules)
    found = _matched(tree, hiding) if hiding.rules else []
    if not found:
        return []
    showing = _showing(rules)
    return [
        element
        for at, element in enumerate(found)
        if at > _MOST_CANDIDATES or _stays_hidden(element, hiding.near(element), showing)
    ]


def _matched(tree: Node, hiding: _Index) -> list[Element]:
    """The elements with text that any hiding rule matches. Only rules whose name occurs on the page are tried."""
    names: set[str] = {"*"}
    for element in tree.select("[class],[id]"):
        names.update(f".{name}" for name in (element.attr("class") or "").split()[:50])
        names.add(f"#{element.attr('id')}")
    selectors = [
        selector for key, rules in hiding.rules.items() if key in names or key[0] not in ".#" for selector in rules
    ]
    found: list[Element] = []
    for at in range(0, len(selectors), _CHUNK):
        found.extend(_select(tree, selectors[at : at + _CHUNK]))
    return [element for element in found if element.tag not in ("html", "body") and element.text.strip()]


def _rules_of(sheets: list[str]) -> Iterator[tuple[int, StyleRule]]:
    from turbohtml.cssom import StyleSheet

    order = 0
    for sheet in sheets:
        for text in _applying(sheet[:_MOST_CSS]):
            for rule in StyleSheet(text).rules:
                order += 1
                yield order, rule


def _hiding(rules: list[tuple[int, StyleRule]]) -> _Index:
    found = _Index()
    variables: dict[str, str] = {}
    for order, rule in rules:
        selector = rule.selector_text
        if selector.replace(" ", "") in _ROOTS:
            variables.update((name, value) for name, value in _declared(rule).items() if name.startswith("--"))
            continue
        if not _may_hide(rule) or _STATE.search(selector):
            continue
        style = _declared(rule)
        resolve_variables(style, variables | style)
        if hides(style):
            _add(found, selector, style, order)
    return found


def _showing(rules: list[tuple[int, StyleRule]]) -> _Index:
    found = _Index()
    for order, rule in rules:
        if any(name in _SHOWING for name in rule.style) and _STATE.search(rule.selector_text) is None:
            style = _declared(rule)
            if any(name in style and not style[name].startswith(values) for name, values in _SHOWING.items()):
                _add(found, rule.selector_text, style, order)
    return found


def _add(index: _Index, selectors: str, style: dict[str, str], order: int) -> None:
    """Put each selector of a list into the index, with its own weight."""
    from turbohtml.convert import css_specificity

    try:
        weights = css_specificity(selectors)
    except ValueError:
        return
    for selector, weight in zip(_split(selectors), weights, strict=False):
        index.add(_Rule(selector.strip(), style, (*weight, order), _key(selector)))


def _key(selector: str) -> str:
    last = re.split(r"[\s>+~]+", _INSIDE.sub("", selector).strip())[-1]
    name = _NAME.search(last)
    if name is not None:
        return name[0].replace("\\", "")
    tag = re.match(r"[a-zA-Z][\w-]*", last)
    return tag[0].lower() if tag else "*"


def _may_hide(rule: StyleRule) -> bool:
    block = rule.style
    for name in block:
        sign = _HIDING_VALUES.get(name)
        if sign is not None and sign.match((block.get(name) or "").lower()):
            return True
    return False


def _declared(rule: StyleRule) -> dict[str, str]:
    block = rule.style
    return {name: (block.get(name) or "").lower() for name in block}


def _applying(sheet: str) -> list[str]:
    """The sheet, and the inside of each at-rule that holds on a desktop screen."""
    texts = [sheet]
    waiting = [(sheet, 0)] if "@" in sheet else []
    while waiting and len(texts) < _MOST_BLOCKS:
        text, depth = waiting.pop()
        at = 0
        for found in _AT_RULE.finditer(text):
            if found.start() < at:
                continue
            at = _block_end(text, found.end())
            inside = text[found.end() : at]
            if (found[1].lower() != "media" or _holds(found[2].lower())) and _HIDING.search(inside):
                texts.append(inside)
                if depth < _MOST_NESTING and "@" in inside:
                    waiting.append((inside, depth + 1))
    return texts


def _block_end(text: str, start: int) -> int:
    depth = 1
    for brace in _BRACE.finditer(text, start):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return brace.start()
    return len(text)


def _holds(query: str) -> bool:
    if _OTHER_MEDIA.search(query):
        return False
    for kind, number, unit in _WIDTH.findall(query):
        width = float(number) * (1 if unit == "px" else 16)
        if (kind == "min" and width > _SCREEN_WIDTH) or (kind == "max" and width < _SCREEN_WIDTH):
            return False
    return True


def _select(tree: Node, selectors: list[str]) -> list[Element]:
    """All that any of the selectors matches; a selector that is not valid is left out."""
    try:
        return tree.select(",".join(selectors))
    except ValueError:
        if len(selectors) == 1:
            return []
        half = len(selectors) // 2
        return _select(tree, selectors[:half]) + _select(tree, selectors[half:])


def _stays_hidden(element: Element, hiding: list[_Rule], showing: _Index) -> bool:
    """True where a rule hides the element and none that is stronger shows it."""
    against: list[_Rule] | None = None
    for rule in hiding:
        if not _matches(element, rule.selector) or not hides(rule.style, element):
            continue
        if against is None:
            against = [other for other in showing.near(element) if _matches(element, other.selector)]
        if not any(other.weight > rule.weight and _shows(other, rule) for other in against):
            return True
    return False


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
