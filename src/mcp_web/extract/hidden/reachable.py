"""Hidden elements that a person can open: panels, accordions, parts that a script reveals. Their text is content.

A control counts only if a person can see it: an empty or hidden control opens nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from functools import cached_property

from turbohtml import Element, Node

from mcp_web.extract.tabs import LABEL

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
# Attributes with which a control refers to what it opens: those that need a script, and those that do not.
_SCRIPTED = (
    "aria-controls", "data-target", "data-bs-target", "data-definition", "data-tab", "data-toggle-target",
)  # fmt: skip
_NATIVE = ("popovertarget", "commandfor")
_CONTROLS = ",".join(f"[{name}]" for name in (*_SCRIPTED, *_NATIVE)) + ",a[href^='#'],[onclick]"
_OPENERS = "[aria-expanded],[data-toggle],[data-bs-toggle],summary,button,[role=button]"
_SWITCHES = "[role=tab],button,[role=button],input[type=radio],label,[onclick]"
_ICONS = "img,svg,i,input,[class*=icon i],picture"
_WORD = re.compile(r"[\w:.-]+")
_MOST_LIKE = 20  # siblings that share a class and are compared
_LARGE = 1500  # characters; a smaller element is never the main text of the page
SHELL = 800  # characters; a page that shows no more than this is an empty shell


class Reachable:
    """Decides which hidden elements of one tree a person can open."""

    def __init__(self, tree: Node, is_hidden: Callable[[Element], bool], boxes: Collection[Element]) -> None:
        """`is_hidden` returns whether an element hides its content: a control inside it opens nothing.

        `boxes` are the hidden elements that were found so far.
        """
        self._tree = tree
        self._is_hidden = is_hidden
        self._boxes = boxes
        self._shown: dict[Node, bool] = {}
        self._switched: dict[Element, bool] = {}  # whether an element has a switch that a person sees
        self._by_class: dict[Element, dict[tuple[str, str], list[Element]]] = {}  # children with text, by tag and class

    def __call__(self, element: Element) -> bool:
        return self._has_control(element) or self._follows_control(element) or self._is_panel(element)

    def is_main_text(self, element: Element) -> bool:
        """Whether the element has nearly all text of a page with scripts, so that one of them probably shows it."""
        size = len(element.text)
        if size < _LARGE or not self._has_script:
            return False
        rest = self._length - size
        return rest < SHELL or (size > 3 * rest and element.select_one("h1,main") is not None)

    @cached_property
    def _length(self) -> int:
        """The number of visible characters of the page, without its small hidden elements."""
        outermost = (each for each in self._boxes if not any(above in self._boxes for above in each.ancestors))
        small = sum(size for each in outermost if (size := len(each.text)) < _LARGE)
        return visible_length(self._tree.select_one("body") or self._tree) - small

    @cached_property
    def _has_script(self) -> bool:
        return self._tree.select_one("script:not([type*=json i]):not([type*=template i])") is not None

    @cached_property
    def _has_checks(self) -> bool:
        """Whether a sheet uses `:checked` and the page has labels for checkboxes."""
        checks = any(":checked" in sheet.text for sheet in self._tree.select("style"))
        return checks and self._tree.select_one("label[for],label input") is not None

    def is_seen(self, control: Element) -> bool:
        """Whether a person can use the control: it is visible, not disabled, and has content."""
        if not self._is_shown(control):
            return False
        if control.attr("disabled") is not None:
            return False
        return has_content(control)

    def _is_shown(self, element: Element) -> bool:
        """Whether neither the element nor an ancestor is hidden."""
        unknown: list[Node] = []
        node: Node | None = element
        while node is not None and node not in self._shown:
            unknown.append(node)
            node = node.parent
        is_shown = node is None or self._shown.get(node, True)
        for each in reversed(unknown):
            is_shown = self._shown[each] = is_shown and not (isinstance(each, Element) and self._hides(each))
        return is_shown

    def _hides(self, element: Element) -> bool:
        is_marked = element.attr("hidden") is not None or element.tag in ("template", "noscript")
        return is_marked or self._is_hidden(element)

    def _has_control(self, element: Element) -> bool:
        """Whether a visible control of the page refers to the element by its id."""
        identity = element.attr("id")
        if not identity or element.tag == "template":
            return False
        is_native = element.tag == "dialog" or element.attr("popover") is not None
        controls = self._native_controls if is_native else self._controls
        return any(map(self.is_seen, controls.get(identity, ())))

    @cached_property
    def _native_controls(self) -> dict[str, list[Element]]:
        """The controls that work without a script (`popovertarget`, `commandfor`), by the id that they refer to."""
        found: dict[str, list[Element]] = {}
        for control in self._tree.select(",".join(f"[{name}]" for name in _NATIVE)):
            for name in _NATIVE:
                found.setdefault(control.attr(name) or "", []).append(control)
        return found

    @cached_property
    def _controls(self) -> dict[str, list[Element]]:
        """All controls, by the id that they refer to; by each word of `onclick`, which may be an id."""
        found = {name: list(controls) for name, controls in self._native_controls.items()}
        for control in self._tree.select(_CONTROLS):
            words = " ".join([control.attr(name) or "" for name in (*_SCRIPTED, "href")]).split()
            names = {word.lstrip("#") for word in words} | set(_WORD.findall(control.attr("onclick") or ""))
            for name in names:
                found.setdefault(name, []).append(control)
        return found

    def _follows_control(self, element: Element) -> bool:
        """Whether the sibling before the element is or contains the visible button or label that opens it."""
        before = next((node for node in element.previous_siblings if isinstance(node, Element)), None)
        if before is None or not self._is_shown(before):
            return False
        if self._has_checks and (before.tag == "label" or before.select_one("label") is not None):
            return self.is_seen(before)
        opener = before if before.matches(_OPENERS) else before.select_one(_OPENERS)
        if opener is None or (opener.tag == "summary" and (opener != before or element.matches("details[open] > *"))):
            return False  # it opens only its own `details` element; if that is open, another reason hides the content
        return self.is_seen(opener)

    def _is_panel(self, element: Element) -> bool:
        """Whether the element is one of several panels that visible tabs or buttons switch between."""
        parent = element.parent
        if not isinstance(parent, Element):
            return False
        if element.attr(LABEL) is not None:
            return True
        area = parent.parent if isinstance(parent.parent, Element) else parent
        if element.attr("role") == "tabpanel":
            return self._has_tabs
        own = _classes(element) - HIDING_CLASSES
        return bool(own) and self._has_switch(area) and self._has_like(element, parent, own)

    @cached_property
    def _has_tabs(self) -> bool:
        """Whether a person sees an element with the role "tab" on the page."""
        return any(self.is_seen(tab) for tab in self._tree.select("[role=tab]")[:200])

    def _has_switch(self, area: Element) -> bool:
        found = self._switched.get(area)
        if found is None:
            found = any(self.is_seen(switch) for switch in area.select(_SWITCHES)[:200])
            self._switched[area] = found
        return found

    def _has_like(self, element: Element, parent: Element, own: set[str]) -> bool:
        """Whether the parent has another child with text that has the element's tag and all classes in `own`."""
        known = self._by_class.get(parent)
        if known is None:
            known = self._by_class[parent] = {}
            for child in parent.children:
                if isinstance(child, Element) and child.text.strip():
                    for name in _classes(child):
                        known.setdefault((child.tag, name), []).append(child)
        with_rarest = min((known.get((element.tag, name), []) for name in own), key=len)
        return any(other != element and own <= _classes(other) for other in with_rarest[:_MOST_LIKE])


def _classes(element: Element) -> set[str]:
    return set((element.attr("class") or "").split())


def has_content(control: Element) -> bool:
    """Whether a control has text or an icon."""
    return bool(control.text.strip()) or control.select_one(_ICONS) is not None


def visible_length(node: Node) -> int:
    """The number of characters of text in a node, without scripts, style sheets, templates, drawings and `select`."""
    return len(node.text) - sum(len(element.text) for element in node.select("script,style,template,svg,select"))
