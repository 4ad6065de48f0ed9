"""CSS selectors: split, simplified, matched with a tree, and sorted by the names that they require."""

from __future__ import annotations

import re

from turbohtml import Element, Node

from mcp_web.extract.css.syntax import split_outside, unescaped
from mcp_web.lru import cached_if_short

LONGEST = 20_000  # characters of a selector; nested rules make long ones
_CHUNK = 200  # selectors in one search
_NAME = re.compile(r"[#.](?:[\w-]|[^\x00-\x7f]|\\[0-9a-fA-F]{1,6}\s?|\\.)+")
_POINTED = re.compile(r":(?:hover|active|focus|focus-visible|focus-within)\b(?!-)")
_CHOICE = re.compile(r"(?:^|[\s>+~]):(?:is|where)\(([^()\[\]]+)\)\s*\Z")  # a choice at the end of a selector
_TAG = re.compile(r"[a-z][\w-]*")
_COMBINATOR = re.compile(r"[\s>+~]+")
_BRACKETS = re.compile(r"\([^()]*\)|\[[^\]]*\]")
_BRACKET = re.compile(r"[(\[\\]")
_EXCLUDED = re.compile(r":(?:not|has)\([^()]*\)", re.I)
_ONE_NAMED = re.compile(r":(?:is|where)\(\s*([.#][^(),]*)\)", re.I)
_ONE_TAGGED = re.compile(r"(^|[\s>+~,]):(?:is|where)\(\s*([\w*\[][^(),]*)\)", re.I)
_ASKED_NAME = re.compile(r"[#.][^\s#.,:>+~()\[\]*|&=\"']+")
_ESCAPED = re.compile(r"\\(?:[0-9a-f]{1,6}\s?|.)", re.S)
_ESCAPED_NAME = re.compile(r"[#.](?:[^\s#.,:>+~()\[\]*|&=\"'\\]|\\[0-9a-f]{1,6}\s?|\\.)+", re.S)
_GROUPING = frozenset(",([")
_PSEUDO_ELEMENT = re.compile(r"::[a-z-]+(?:\([^()]*\))?", re.I)
_LIBRARY_SYNTAX = (
    (":defined", ""),
    (":placeholder-shown", '[placeholder]:not([placeholder=""]):not([value])'),
    (":-webkit-any(", ":is("),
    (":-webkit-any-link", ":any-link"),
    (":open", "[open]"),
)
# Pseudo-classes that turbohtml lacks and that match no text of a page that was just loaded.
_NOT_MATCHED = re.compile(
    r":(?:active-view-transition|has-slotted|host|indeterminate|in-range|out-of-range|interest-source|interest-target"
    r"|invalid|valid|popover-open|target-current|target-before|target-after|buffering|seeking|stalled|volume-locked"
    r"|xr-overlay|-webkit-autofill|-webkit-full-screen|(?:active-view-transition-type|state)\([^()]*\))(?![\w(-])",
    re.I,
)
NO_NAMES: frozenset[str] = frozenset()


def split_selectors(selector: str) -> list[str]:
    """The selectors of a list, split at commas outside brackets."""
    return split_outside(selector, ",")


def select_any(tree: Node, selectors: list[str]) -> list[Element]:
    """The elements that any of the selectors matches; selectors that are not valid are ignored."""
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
    """Whether a selector list may match an element of a page; False only if it certainly does not.

    `names` are the classes and ids of the page, as ".class" and "#id" in lower case.
    """
    if "." not in selector and "#" not in selector:
        return True
    if "\\" in selector:
        return _escaped_may_match(selector.lower(), names)
    lowered = simplified(selector.lower())
    if names.issuperset(_ASKED_NAME.findall(lowered)):
        return True
    if "," not in lowered and "(" not in lowered and "[" not in lowered:
        return False
    bare = _BRACKETS.sub("", lowered)
    if "(" in bare or "[" in bare:
        return True
    return any(names.issuperset(_ASKED_NAME.findall(each)) for each in bare.split(","))


def _escaped_may_match(selector: str, names: frozenset[str]) -> bool:
    """What `may_match` returns for a selector with escapes, such as `.md\\:flex`.

    Fewer tests than in `may_match`, for speed: a sheet of utility classes has thousands of such selectors.
    """
    asked = [unescaped(name).lower() for name in _ESCAPED_NAME.findall(selector)]
    if names.issuperset(asked) or "\ufffd" in "".join(asked):
        return True
    return not _GROUPING.isdisjoint(_ESCAPED.sub("", selector))


def simplified(selector: str) -> str:
    """A simpler selector that matches at least the same elements.

    Without `:not()` and `:has()`, and without `:is()` or `:where()` around a single selector: WordPress uses `:where()`
    in hundreds of rules.
    """
    if "(" not in selector:
        return selector
    return _ONE_TAGGED.sub(r"\1\2", _ONE_NAMED.sub(r"\1", _EXCLUDED.sub("", selector)))


def required_names(selector: str) -> frozenset[str]:
    """The classes and ids, as ".class" and "#id", that a matching element or an ancestor of it must have. Names in
    `[…]` or `(…)` and of siblings are not included."""
    bare = _without_brackets(simplified(selector))
    if _BRACKET.search(bare):
        return NO_NAMES
    if "+" in bare or "~" in bare:
        bare = _COMBINATOR.split(bare.strip())[-1]
    return frozenset(_ASKED_NAME.findall(bare.lower()))


def _without_brackets(selector: str) -> str:
    """The selector with "*" in place of brackets and their content, two levels deep."""
    return _BRACKETS.sub("*", _BRACKETS.sub("*", selector)) if "(" in selector or "[" in selector else selector


def to_library_syntax(selector: str) -> str:
    """The selector with pseudo-classes that turbohtml lacks replaced by equivalents. Those that match no text are
    replaced by `:not(*)`, which matches nothing."""
    if ":" not in selector:
        return selector
    for word, other in _LIBRARY_SYNTAX:
        if word in selector:
            selector = selector.replace(word, other)
    return _NOT_MATCHED.sub(":not(*)", selector)


@cached_if_short(400, entries=4096)  # asked for with each selector of a list
def specificity(selector: str) -> list[tuple[int, int, int]]:
    """The specificity (ids, classes, tags) of each selector of a list; empty if one of them is not valid."""
    from turbohtml.convert import css_specificity

    try:
        return css_specificity(to_library_syntax(selector))
    except ValueError:
        return []


def is_selector(text: str) -> bool:
    """Whether a browser accepts the text as a selector list."""
    return bool(specificity(_PSEUDO_ELEMENT.sub("", text) or "*"))


def index_keys(selector: str) -> set[str]:
    """What every element that a selector matches must have, in lower case: one of the parts that are returned.

    A part is "#id", ".class", a tag, ":root", or "*" for any element. The set is empty for a selector with a state such
    as `:hover`, which a page does not show at first.
    """
    selector = simplified(selector.strip().lower())
    if "\\" in selector:
        name = _NAME.search(selector.strip().rpartition(" ")[2])
        return {unescaped(name[0]).strip() if name is not None else "*"}
    bare = _without_brackets(selector)
    if ":" in bare and _POINTED.search(bare):
        return set()
    parts = bare.replace(">", " ").replace("+", " ").replace("~", " ")
    # If nothing is left of the last part, such as `:not(b)`, any element may match.
    key = "*" if not parts or parts[-1].isspace() else _key(parts.rsplit(None, 1)[-1])
    choice = _CHOICE.search(selector) if key == "*" else None
    return {_key(_COMBINATOR.split(each.strip())[-1]) for each in choice[1].split(",")} if choice else {key}


def _key(last: str) -> str:
    """A part that the last part of a selector requires: its longest "#id" or ".class", else its tag, ":root" or "*"."""
    if "." in last or "#" in last:
        return _rarest(last)
    tag = _TAG.match(last)
    if tag:
        return tag[0]
    return ":root" if ":root" in last else "*"


def _rarest(names: str) -> str:
    """The class or id in these names that probably the fewest elements have: the longest; "*" without any."""
    return max(_NAME.findall(names), key=len, default="*")


def ignores_case(tree: Node) -> bool:
    """Whether class names of a page match in any case, as in quirks mode. Only the parser knows the mode, from the
    doctype, so a class is set for a test and removed again."""
    element = tree.select_one("*")
    if element is None:
        return False
    before = element.attr("class")
    element.attrs["class"] = "a"
    ignores = element.matches(".A")
    if before is None:
        del element.attrs["class"]
    else:
        element.attrs["class"] = before
    return ignores


def matches(element: Element, selector: str) -> bool:
    """Whether a selector matches the element; False if it is not valid."""
    try:
        return element.matches(selector)
    except ValueError:
        return False
