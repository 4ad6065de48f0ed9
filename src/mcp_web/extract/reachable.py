"""What is hidden until a person asks for it: panels, accordions, parts a script reveals. It is text of the page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from turbohtml import Element

from mcp_web.extract.tabs import LABEL

if TYPE_CHECKING:
    from turbohtml import Node

# Classes that mean "not on screen" in the well-known frameworks, wherever the stylesheet is.
HIDING_CLASSES = frozenset(
    re.findall(
        r"\S+",
        """
        sr-only visually-hidden visuallyhidden screen-reader-text screen-reader-only hidden hide d-none invisible
        display-none is-hidden u-hidden a11y-hidden offscreen off-screen show-for-sr element-invisible assistive-text
        visually-hidden-focusable sr-only-focusable not-machine:hidden ng-hide is-visually-hidden u-visually-hidden
        hidden-visually nodisplay no-display
        """,
    )
)
_CONTROLS = (
    "[aria-controls],[data-target],[data-bs-target],[data-definition],[popovertarget],[commandfor],label[for],"
    "a[href^='#'],[data-tab],[data-toggle-target],[aria-owns]"
)
_CONTROL_NAMES = (
    "aria-controls", "data-target", "data-bs-target", "data-definition", "popovertarget", "commandfor", "for",
    "href", "data-tab", "data-toggle-target", "aria-owns",
)  # fmt: skip
_OPENERS = "[aria-expanded],[data-toggle],[data-bs-toggle],summary,button,[role=button]"
_SWITCHES = "[role=tab],[role=tablist],button,[role=button],input[type=radio],[onclick]"
_WORD = re.compile(r"[\w:.-]+")
_LARGE = 1500  # characters; a smaller piece is never the page itself


class Reachable:
    """Tells, for one tree, which hidden elements a person can bring up."""

    def __init__(self, tree: Node) -> None:
        self._tree = tree
        self._named: set[str] | None = None
        self._visible: int | None = None

    def gone(self, element: Element) -> None:
        """The element is about to leave the tree."""
        if self._visible is not None and element.closest("body") is not None:  # else it left with one around it
            self._visible -= visible_length(element)

    def __call__(self, element: Element) -> bool:
        return self._is_named(element) or _opens_below(element) or _is_panel(element) or self._is_most(element)

    def _is_named(self, element: Element) -> bool:
        """True where a control of the page names it."""
        identity = element.attr("id")
        if not identity or element.tag in ("dialog", "template"):
            return False
        if self._named is None:
            self._named = _named_by_controls(self._tree)
        return identity in self._named

    def _is_most(self, element: Element) -> bool:
        """A page that hides nearly all it says shows it once its scripts have run."""
        size = len(element.text)
        if size < _LARGE:
            return False
        if self._visible is None:
            self._visible = visible_length(self._tree.select_one("body") or self._tree)
        return size > 0.4 * self._visible and self._tree.select_one("script") is not None


def visible_length(node: Node) -> int:
    return len(node.text) - sum(len(element.text) for element in node.select("script,style,template,svg,select"))


def _named_by_controls(tree: Node) -> set[str]:
    named: set[str] = set()
    for control in tree.select(f"{_CONTROLS},[onclick]"):
        script = control.attr("onclick")
        if script is not None:
            named.update(_WORD.findall(script))
            if not control.matches(_CONTROLS):
                continue
        for name in _CONTROL_NAMES:
            value = control.attr(name)
            if value:
                named.update(word.lstrip("#") for word in value.split())
    return named


def _opens_below(element: Element) -> bool:
    """An accordion's body: the element before it is the button that opens it."""
    before = element.previous_sibling
    while before is not None and not isinstance(before, Element):
        before = before.previous_sibling
    return before is not None and (before.matches(_OPENERS) or before.select_one(_OPENERS) is not None)


def _is_panel(element: Element) -> bool:
    """One of several panels, of which tabs or buttons show one at a time."""
    parent = element.parent
    if not isinstance(parent, Element):
        return False
    if element.attr(LABEL) is not None or element.attr("role") == "tabpanel":
        return True
    own = set((element.attr("class") or "").split()) - HIDING_CLASSES
    area = parent.parent if isinstance(parent.parent, Element) else parent
    if not own or area.select_one(_SWITCHES) is None:
        return False
    return any(
        isinstance(other, Element)
        and other != element
        and other.tag == element.tag
        and own <= set((other.attr("class") or "").split())
        and bool(other.text.strip())
        for other in parent
    )
