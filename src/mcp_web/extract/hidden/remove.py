"""Removes text that a person would not see, found by element, attribute and style, and counts it.

What a person can open stays: a closed `<details>`, a panel that a tab or a button of the page opens. What a script
would probably show stays too, with a label that says so. Runs after the metadata was read and before the content is
chosen.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property, partial
from typing import NamedTuple

from turbohtml import Element, Node

from mcp_web.extract.css.cascade import Cascade
from mcp_web.extract.css.declarations import parse_declarations
from mcp_web.extract.css.lengths import fraction, length, pixels
from mcp_web.extract.css.names import PageNames
from mcp_web.extract.css.sheet_text import own_sheets
from mcp_web.extract.css.style import FAINT, Style, hides_box, is_faded_out
from mcp_web.extract.css.variables import Variables
from mcp_web.extract.hidden.boxes import Boxes
from mcp_web.extract.hidden.formulas import is_formula, style_formulas
from mcp_web.extract.hidden.palette import Palette, page_colours
from mcp_web.extract.hidden.reachable import HIDING_CLASSES, SHELL, Reachable, has_content, visible_length
from mcp_web.extract.hidden.shadow import flatten_shadow_trees
from mcp_web.extract.hidden.streamed import place_streamed
from mcp_web.extract.hidden.suspects import find_suspects, is_cut
from mcp_web.extract.hidden.text_visibility import TextVisibility
from mcp_web.extract.tabs import LABEL, label_tab_panels

_NEVER_SHOWN = frozenset(("template", "noframes", "noembed", "rp", "mphantom"))
_PLAYERS = frozenset(("video", "audio", "object", "canvas", "iframe"))
# Candidates are found by tag and by attribute; those that are hidden by a class are found by `_by_class`.
_TAGS = _NEVER_SHOWN | _PLAYERS | {"noscript", "dialog", "details", "style", "marquee"}
_ATTRIBUTES = (
    f"link[href^='data:' i],meta[name=color-scheme i],[hidden],[popover],[style],[bgcolor],[role=tablist],[{LABEL}]"
)
_KEPT = frozenset(("body", "html", "head", "main"))
_SHOWN_WIDER = re.compile(
    r"(?:^|\s)(?:(?:sm|md|lg|xl|2xl|tablet|desktop|min-\S+):(?:block|flex|inline|grid|table|contents)\S*"
    r"|d-(?:sm|md|lg|xl|xxl)-(?!none)\S+|not-sr-only|\S+:not-sr-only)"
)
_STEPS_OF_TEST, _STEPS_OF_TEXT_TEST, _STEPS_OF_STYLE = 10, 20, 20  # see `Effort`: to test an element, to parse a style
_SMALL = 4.0  # pixels; a smaller font size is tested further
_FIRST_LINE = re.compile(r"::?first-line\b", re.I)
_ONE_LINE = 100  # characters that fit on one line of the screen
_OUTSIDE_SHEET = "link[rel~=stylesheet i]:not([href^='data:' i])"
_ANIMATED = re.compile(
    r"(?:^|[\s_-])(?:wow|animate[ds]?|animation|reveal|fade(?:in|up|down|left|right)?|framer|motion|lazy(?:load)?|aos)"
    r"(?:$|[\s_-])",
    re.I,
)
_ANIMATED_ATTRIBUTES = (
    "data-aos", "data-w-id", "data-framer-appear-id", "data-sal", "data-scroll", "data-animate", "data-animation",
)  # fmt: skip
_OF_TEXT = frozenset(
    ("visibility", "font-size", "font-family", "color", "-webkit-text-fill-color", "background-color",
     "background-image", "background-clip", "-webkit-text-security", "mix-blend-mode", "font-size-adjust")
)  # fmt: skip
# Properties whose effect on text also depends on the ancestors.
_EFFECTS = frozenset(
    ("-webkit-text-security", "-webkit-text-stroke", "mix-blend-mode", "filter", "box-shadow", "font-size-adjust")
)
DOUBTFUL = "Not visible until a script shows it"


def remove_hidden(tree: Node, names: PageNames | None = None, removed_later: str = "", has_shadows: bool = True) -> int:
    """Remove what a person would not see; returns how many texts were removed. Raises TooComplex.

    `names`: of the tree, if the caller has collected them. `removed_later` is a selector of elements that the caller
    removes afterwards in any case: their content is not tested, except the controls there that open elements elsewhere.
    `has_shadows`: whether the tree may have shadow trees.
    """
    count, inner = flatten_shadow_trees(tree, remove_hidden) if has_shadows else (0, {})
    style_formulas(tree)
    candidates = list(dict.fromkeys((*tree.iter_elements(_TAGS), *tree.select(_ATTRIBUTES))))
    names = names or PageNames(tree)
    place_streamed(tree, candidates)
    count += _drop_noscript(tree, candidates)
    cascade = Cascade(tree, own_sheets(candidates), names, inner)
    styled = {each: each.attr("style") or "" for each in (*candidates, *tree.find_all("font"))}
    styled |= {each: ";".join((*(rule.body for rule in inner[each]), each.attr("style") or "")) for each in inner}
    cascade.effort.spend(_STEPS_OF_STYLE * len(set(styled.values())))
    has_external_sheets = tree.select_one(_OUTSIDE_SHEET) is not None
    variables = Variables((*cascade.rules.variables(), *styled.values()))
    page = page_colours(cascade.rules, candidates)
    palette = Palette(tree, cascade.rules, variables, styled, has_external_sheets, page)
    boxes = Boxes(tree, cascade, has_external_sheets)
    judge = _Judge(tree, cascade, palette, boxes, TextVisibility(cascade, has_external_sheets, page))
    marked = [element for element in candidates if _is_never_shown(element, boxes)] + _by_class(tree, names)
    suspects, left = _partition(find_suspects(tree, styled, cascade, palette, names, variables), removed_later)
    marked.extend(judge.with_hidden_line())
    if "collapse" in cascade.rules.text or any(element.tag in ("col", "colgroup") for element in suspects):
        marked.extend(boxes.cells_of_collapsed_columns())
    hidden = judge.find_hidden(suspects, marked)
    moved: set[Node] = set()
    for element in filter(is_cut, (*hidden.boxes, *hidden.texts)):
        if element not in moved:
            moved.update(rest := list(element.next_siblings))
            element.extend(rest)
    hidden.boxes.update(dict.fromkeys(_unopenable_details(candidates, hidden)))
    reachable = Reachable(tree, judge.known_hidden(hidden, left), hidden.boxes)
    label_tab_panels(tree, candidates, names.classes, reachable.is_seen)
    gone: dict[Element, None] = {}
    texts = hidden.texts
    while hidden.boxes:
        gone.update(dict.fromkeys(_unreachable(_partition(hidden.boxes, removed_later)[0], reachable, judge)))
        hidden = judge.find_hidden([each for each in hidden.inside if not judge.is_inside(each, gone)], [])
        texts.extend(hidden.texts)
    count += _drop_texts([each for each in texts if not judge.is_inside(each, gone)], reachable, judge)
    # Removed at the end, so that no decision depends on what was removed before it.
    for element in gone:
        element.decompose()
    counted = sum(element.tag != "rp" for element in gone)  # it holds a parenthesis, for browsers without ruby
    return count + counted + _clear_fallbacks(candidates)


def _partition(elements: Iterable[Element], removed_later: str) -> tuple[list[Element], list[Element]]:
    """The elements outside those that the selector `removed_later` matches, and those inside; for "" all and none."""
    if not removed_later:
        return list(elements), []
    read: list[Element] = []
    left: list[Element] = []
    for element in elements:
        (read if element.closest(removed_later) is None else left).append(element)
    return read, left


class _Hidden(NamedTuple):
    """The elements that `_Judge.find_hidden` found to be hidden."""

    boxes: dict[Element, None]  # hidden with all their content
    texts: list[Element]  # of which only the text directly in them is hidden
    inside: list[Element]  # elements inside `boxes` that were to be tested, and were not


class _Judge:
    """Decides which elements of one tree a person can see."""

    def __init__(
        self, tree: Node, cascade: Cascade, palette: Palette, boxes: Boxes, text_visibility: TextVisibility
    ) -> None:
        self._tree = tree
        self._palette = palette
        self._cascade = cascade
        self._boxes = boxes
        self._text_visibility = text_visibility
        self._emptied: set[Element] = set()  # whose hidden text was removed, with that of their descendants

    def find_hidden(self, suspects: list[Element], boxes: list[Element]) -> _Hidden:
        """Those of the suspects that are hidden, together with `boxes`, which are known to be hidden.

        Suspects inside a hidden element are not tested: they are returned as `inside`.
        """
        found = _Hidden(dict.fromkeys(boxes), [], [])
        self._cascade.effort.spend(_STEPS_OF_TEST * len(suspects))
        for element in sorted(dict.fromkeys(suspects), key=lambda each: len(self._cascade.ancestry(each))):
            if self.is_inside(element, found.boxes):
                found.inside.append(element)
            elif self._hides_box(element):
                found.boxes[element] = None
            elif self._hides_text(element):
                found.texts.append(element)
        return found

    def is_inside(self, element: Element, others: Mapping[Element, None]) -> bool:
        """Whether the element is one of the others or inside one."""
        return not others.keys().isdisjoint(self._cascade.ancestry(element))

    def known_hidden(self, found: _Hidden, left: list[Element]) -> Callable[[Element], bool]:
        """A function that returns whether an element is hidden: one that was found is, others are not. The suspects in
        `left` were not tested yet: each is when it is first asked for."""
        known = {**found.boxes, **dict.fromkeys(found.texts)}
        suspects = set(left)

        def is_hidden(element: Element) -> bool:
            if element not in suspects:
                return element in known
            suspects.remove(element)
            if self._hides_box(element) or self._hides_text(element):
                known[element] = None
            return element in known

        return is_hidden

    def _hides_box(self, element: Element) -> bool:
        states = self._cascade.states(element)
        return all(self._boxes.hides(element, state) for state in states) or self._is_faint(element)

    def _is_faint(self, element: Element) -> bool:
        """Whether the product of the opacities of the element and its ancestors is below `FAINT`, but not 0.

        False if the element declares no opacity itself, and if its animations leave it in more than one state.
        """
        if "opacity" not in self._cascade.style(element) or len(self._cascade.states(element)) > 1:
            return False
        shares = (self._cascade.states(each)[-1].get("opacity", "1") for each in self._cascade.ancestry(element))
        left = 1.0
        for share in shares:
            value = fraction(share)
            left *= 1.0 if value is None else max(0.0, min(1.0, value))
        return 0 < left < FAINT

    def _may_hide_text(self, style: Style) -> bool:
        """Whether the style of an element may hide its text; a quick test that does not look at ancestors."""
        if style.get("visibility", "visible") != "visible" or style.get("animation-name", "none") != "none":
            return True
        if not _EFFECTS.isdisjoint(style) or self._palette.may_hide_in(style):
            return True
        if "font-family" in style and self._cascade.rules.shrunk_fonts:
            return True
        size = length(style, "font-size", 16.0)
        return size is not None and (size <= _SMALL or not style["font-size"].endswith("px"))

    def _declares_visibility(self, element: Element) -> bool:
        """Whether the element itself declares a property that decides if its text is visible."""
        style = self._cascade.style(element)
        return not _OF_TEXT.isdisjoint(style) or style.get("animation-name", "none") != "none"

    def ignore_visibility_of(self, element: Element) -> None:
        """From now on, ignore what the element itself declares as `visibility`: a person can open the element."""
        self._text_visibility.ignored.add(element)

    def _hides_text(self, element: Element) -> bool:
        """Whether the element itself hides its text; an ancestor that does is tested on its own."""
        may_hide = self._may_hide_text(self._cascade.style(element))
        return may_hide and self._in_all_states(element, partial(self._text_visibility.is_hidden, by_itself=True))

    def with_hidden_line(self) -> Iterator[Element]:
        """The elements, with text of a single line at most, that a `::first-line` rule hides."""
        rules = self._cascade.rules
        for at, selector in enumerate(rules.selectors):
            if "first-line" not in selector:
                continue
            line = parse_declarations(rules.body(at), rules.quirks).values()
            for element in self._cascade.search.select(_FIRST_LINE.sub("", selector) or "*"):
                style = {**self._cascade.style(element), **line}
                if len(element.text) <= _ONE_LINE and self._assumed(element, style, self._text_visibility.is_hidden):
                    yield element

    def has_hidden_text(self, element: Element) -> bool:
        return self._in_all_states(element, self._text_visibility.is_hidden)

    def _in_all_states(self, element: Element, test: Callable[[Element], bool]) -> bool:
        style, states = self._cascade.style(element), self._cascade.states(element)
        self._cascade.effort.spend(_STEPS_OF_TEXT_TEST * len(states))
        if len(states) == 1 and states[0] is style:
            return test(element)
        return all(self._assumed(element, state, test) for state in states)

    def _assumed(self, element: Element, state: Style, test: Callable[[Element], bool]) -> bool:
        with self._cascade.override(element, state):
            return test(element)

    def drop_texts(self, element: Element) -> int:
        """Remove hidden text inside an element, but not what a descendant shows again; 1 if there was any, else 0."""
        if element.parent is None or element.tag in _KEPT:
            return 0
        removed = False
        queue = [element]
        while queue:
            node = queue.pop()
            if node in self._emptied:
                continue
            self._emptied.add(node)
            for child in list(node):
                if isinstance(child, Element):
                    if not self._shows_again(child):
                        queue.append(child)
                elif child.text.strip():
                    child.extract()
                    removed = True
        return int(removed)

    def _shows_again(self, element: Element) -> bool:
        return self._declares_visibility(element) and not self.has_hidden_text(element)

    def appears_later(self, element: Element) -> bool:
        """Whether a script probably fades in the element on scrolling: it is faded out, and marked as animated. Only on
        a page with scripts; its style, a class or an attribute marks it."""
        style = self._cascade.style(element) if self._has_scripts else {}
        if not is_faded_out(style) or _is_hidden_otherwise(style):
            return False
        named = any(element.attr(name) is not None for name in _ANIMATED_ATTRIBUTES)
        named = named or _ANIMATED.search(element.attr("class") or "") is not None
        return (named and style.get("transition", "") != "none") or _is_animated(style)

    @cached_property
    def _has_scripts(self) -> bool:
        return self._tree.select_one("script[src],script:not([type])") is not None


def _is_hidden_otherwise(style: Style) -> bool:
    return hides_box({**style, "opacity": "1", "filter": "none", "mask-image": "none"})


def _is_animated(style: Style) -> bool:
    """Whether a style prepares an animation: a transition with a duration, or a shift while transitions are not off."""
    if re.search(r"(?:^|[\s,])(?:[1-9]\d*|\d*\.\d*[1-9]\d*)m?s", style.get("transition", "")):
        return True
    shifts = re.findall(r"(?:translate\w*|scale)\(([^()]*)\)", style.get("transform", ""))
    values = (pixels(part) for shift in shifts for part in shift.split(","))
    return style.get("transition", "") != "none" and any(value for value in values)


def _is_never_shown(element: Element, boxes: Boxes) -> bool:
    if element.tag in _NEVER_SHOWN:
        return True
    if element.tag == "marquee":
        return "0" in (element.attr("width"), element.attr("height"))
    closed = element.tag == "dialog" and element.attr("open") is None
    if not closed and element.attr("hidden") is None and element.attr("popover") is None:
        return False
    return element.attr("hidden") == "until-found" or not boxes.is_shown_anyway(element)


def _unopenable_details(candidates: list[Element], hidden: _Hidden) -> Iterator[Element]:
    """Closed `details` elements that nobody can open, because their summary cannot be seen."""
    for element in candidates:
        summary = element.select_one("summary") if element.tag == "details" and element.attr("open") is None else None
        if summary is not None and (summary in hidden.boxes or not has_content(summary)):
            yield element


def _by_class(tree: Node, names: PageNames) -> list[Element]:
    hiding = HIDING_CLASSES & names.classes
    if not hiding:
        return []
    found = tree.select(",".join(f'[class~="{name}"]' for name in sorted(hiding)))
    return [element for element in found if _SHOWN_WIDER.search(element.attr("class") or "") is None]


def _unreachable(found: list[Element], reachable: Reachable, judge: _Judge) -> list[Element]:
    """The outermost of the found elements that have text and that a person cannot open. Those that a script probably
    shows are left out, and get a label that says so."""
    gone: dict[Element, None] = {}
    for element in found:
        if element.tag in _KEPT or judge.is_inside(element, gone):
            continue
        # Only text is removed; images that appear late are treated elsewhere.
        if (not element.text.strip() and element.tag != "slot") or is_formula(element) or reachable(element):
            continue
        if judge.appears_later(element) or reachable.is_main_text(element):
            element.attrs[LABEL] = DOUBTFUL
            continue
        gone[element] = None
    return list(gone)


def _drop_texts(found: list[Element], reachable: Reachable, judge: _Judge) -> int:
    """Remove the hidden text in these elements, but not what a person can open; returns how many had some."""
    for element in found:
        if reachable(element) or reachable.is_main_text(element):
            judge.ignore_visibility_of(element)
    unseen = [element for element in found if not is_formula(element) and judge.has_hidden_text(element)]
    return sum(judge.drop_texts(element) for element in unseen)


def _clear_fallbacks(candidates: list[Element]) -> int:
    """Remove the content of players and frames, except their sources; returns how many had text. A browser shows such
    text only if it cannot play or show them."""
    count = 0
    for element in candidates:
        if element.tag in _PLAYERS and element.text.strip():
            sources = [source.extract() for source in element.select("source")]
            element.clear()
            element.extend(sources)
            count += 1
    return count


def _drop_noscript(tree: Node, candidates: list[Element]) -> int:
    """Remove the `noscript` elements; returns how many texts were removed with them. What is inside stays if it is an
    image without text, as of a lazy loader, or a long text on a page that is otherwise nearly empty."""
    found = [element for element in candidates if element.tag == "noscript"]
    if not found:
        return 0
    inside = sum(len(element.text) for element in found)
    body = tree.select_one("body") or tree
    is_shell = inside > 1000 and visible_length(body) - inside < SHELL
    count = 0
    for element in found:
        if element.parent is None:
            continue
        if is_cut(element):
            element.extend(list(element.next_siblings))
        text = element.text.strip()
        if (is_shell and len(text) > 200) or (not text and element.select_one("img") is not None):
            element.unwrap()
        else:
            element.decompose()
            count += bool(text)
    return count
