"""Selectors of style sheets: taken apart, searched for in a tree, and sorted by the names that they ask for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcp_web.extract.css.declarations import unescaped

if TYPE_CHECKING:
    from turbohtml import Element, Node

_CHUNK = 200  # selectors in one search
_COMMA = re.compile(r",(?![^()]*\))")
_NAME = re.compile(r"[#.](?:[\w-]|[^\x00-\x7f]|\\[0-9a-fA-F]{1,6}\s?|\\.)+")
_POINTED = re.compile(r":(?:hover|active|focus|focus-visible|focus-within)\b(?!-)")
_CHOICE = re.compile(r"(?:^|[\s>+~]):(?:is|where)\(([^()\[\]]+)\)\s*\Z")  # one of several ends the selector
_TAG = re.compile(r"[a-zA-Z][\w-]*")
_COMBINATOR = re.compile(r"[\s>+~]+")
_BRACKETS = re.compile(r"\([^()]*\)|\[[^\]]*\]")
_BRACKET = re.compile(r"[(\[\\]")
_EXCLUDED = re.compile(r":(?:not|has)\([^()]*\)", re.I)
_ONE_NAMED = re.compile(r":(?:is|where)\(\s*([.#][^(),]*)\)", re.I)
_ONE_TAGGED = re.compile(r"(^|[\s>+~,]):(?:is|where)\(\s*([\w*\[][^(),]*)\)", re.I)
_ASKED_NAME = re.compile(r"[#.][^\s#.,:>+~()\[\]*|&=\"']+")
_PSEUDO_ELEMENT = re.compile(r"::[a-z-]+(?:\([^()]*\))?", re.I)
_OTHER_WORDS = (
    (":defined", ""),
    (":placeholder-shown", '[placeholder]:not([placeholder=""]):not([value])'),
    (":-webkit-any(", ":is("),
    (":-webkit-any-link", ":any-link"),
)
NO_NAMES: frozenset[str] = frozenset()


def split_selectors(selector: str) -> list[str]:
    """The selectors of a list, commas inside parentheses left alone."""
    return _COMMA.split(selector) if ")" in selector else selector.split(",")


def select_any(tree: Node, selectors: list[str]) -> list[Element]:
    """All that any of the selectors matches; a selector that is not valid is left out."""
    found: dict[Element, None] = {}
    for at in range(0, len(selectors), _CHUNK):
        found.update(dict.fromkeys(_select(tree, selectors[at : at + _CHUNK])))
    return list(found)


def _select(tree: Node, selectors: list[str]) -> list[Element]:
    try:
        return tree.select(",".join(selectors))
    except ValueError:
        if len(selectors) == 1:
            return []
        half = len(selectors) // 2
        return _select(tree, selectors[:half]) + _select(tree, selectors[half:])


def may_match(selector: str, names: frozenset[str]) -> bool:
    """False where all that a list of selectors could match has a class or an id that is not among the names."""
    if ("." not in selector and "#" not in selector) or "\\" in selector:
        return True
    lowered = opened(selector.lower())
    if names.issuperset(_ASKED_NAME.findall(lowered)):
        return True
    if "," not in lowered and "(" not in lowered and "[" not in lowered:
        return False
    outside = _BRACKETS.sub("", lowered)
    if "(" in outside or "[" in outside:
        return True
    return any(names.issuperset(_ASKED_NAME.findall(each)) for each in outside.split(","))


def opened(selector: str) -> str:
    """A selector that matches all that the given one does: without what it excludes, and with what stands alone in
    `:is()` or `:where()` in its place. WordPress puts hundreds of its rules into `:where()`.
    """
    if "(" not in selector:
        return selector
    return _ONE_TAGGED.sub(r"\1\2", _ONE_NAMED.sub(r"\1", _EXCLUDED.sub("", selector)))


def required_names(selector: str) -> frozenset[str]:
    """Names that the element or an ancestor must have: what brackets ask for, and siblings, is left to the match."""
    outside = _outside(opened(selector))
    if _BRACKET.search(outside):
        return NO_NAMES
    if "+" in outside or "~" in outside:
        outside = _COMBINATOR.split(outside.strip())[-1]
    return frozenset(_ASKED_NAME.findall(outside.lower()))


def _outside(selector: str) -> str:
    """The selector with a star for what stands in brackets, two deep."""
    return _BRACKETS.sub("*", _BRACKETS.sub("*", selector)) if "(" in selector or "[" in selector else selector


def usable(selector: str) -> str:
    """The selector in the words of the library that matches it."""
    for word, other in _OTHER_WORDS if ":" in selector else ():
        if word in selector:
            selector = selector.replace(word, other)
    return selector


def specificity(selector: str) -> list[tuple[int, int, int]]:
    """The weight of each selector of a list; empty where one is not valid."""
    from turbohtml.convert import css_specificity

    try:
        return css_specificity(usable(selector))
    except ValueError:
        return []


def is_selector(text: str) -> bool:
    """Whether a browser would take the text for a list of selectors."""
    return bool(specificity(_PSEUDO_ELEMENT.sub("", text) or "*"))


def index_keys(selector: str) -> set[str]:
    """The keys of the index under which a selector stands; none for a state that only a pointer or a key brings."""
    selector = opened(selector.strip())
    if "\\" in selector:
        name = _NAME.search(selector.strip().rpartition(" ")[2])
        return {unescaped(name[0]).strip() if name is not None else "*"}
    outside = _outside(selector)
    if ":" in outside and _POINTED.search(outside):
        return set()
    parts = outside.replace(">", " ").replace("+", " ").replace("~", " ")
    # Where nothing is left of the last part, such as `:not(b)`, any element may be meant.
    key = "*" if not parts or parts[-1].isspace() else _key(parts.rsplit(None, 1)[-1])
    choice = _CHOICE.search(selector) if key == "*" else None
    return {_key(_COMBINATOR.split(each.strip())[-1]) for each in choice[1].split(",")} if choice else {key}


def _key(last: str) -> str:
    """The key for the last part of a selector."""
    if "." in last or "#" in last:
        return _rarest(last)
    tag = _TAG.match(last)
    if tag:
        return tag[0].lower()
    return ":root" if ":root" in last else "*"


def _rarest(names: str) -> str:
    """The name among classes and ids that fewest elements are likely to have: the longest."""
    return max(_NAME.findall(names), key=len, default="*")


def is_detached(element: Element) -> bool:
    """Whether the element was taken out of its tree, alone or with what stands around it.

    Then it must not be matched: the library ends the process at selectors such as `:root p` and `.a > p`.
    """
    *_, outermost = (element, *element.ancestors)
    return hasattr(outermost, "tag")


def matches(element: Element, selector: str) -> bool:
    """Whether a selector matches the element; one that is not valid matches nothing."""
    try:
        return element.matches(selector)
    except ValueError:
        return False
