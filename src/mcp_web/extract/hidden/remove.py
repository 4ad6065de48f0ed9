"""Text a person would not see: found by element, attribute and style; removed and counted.

What a person can open stays: a closed `<details>`, a panel that a tab or a button of the page names. What only a script
would show is kept where it is likely to, under a label that says so.
Run it after the metadata were read and before the content is chosen.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from turbohtml import Element

from mcp_web.extract.characters import clean_text
from mcp_web.extract.css.cascade import Cascade
from mcp_web.extract.css.lengths import fraction, pixels
from mcp_web.extract.css.names import PageNames
from mcp_web.extract.css.selectors import select_any, split_selectors
from mcp_web.extract.css.sheet_text import own_sheets
from mcp_web.extract.css.style import FAINT, Style, fades, hides_box
from mcp_web.extract.css.variables import Variables
from mcp_web.extract.hidden.boxes import Boxes
from mcp_web.extract.hidden.ink import Ink
from mcp_web.extract.hidden.palette import Palette, page_colours
from mcp_web.extract.hidden.reachable import HIDING_CLASSES, SHELL, Reachable, is_something, visible_length
from mcp_web.extract.hidden.shadow import settle_shadows
from mcp_web.extract.hidden.streamed import place_streamed
from mcp_web.extract.hidden.suspects import find_suspects
from mcp_web.extract.tabs import LABEL, settle_tabs

if TYPE_CHECKING:
    from turbohtml import Node

__all__ = ["clean_text", "remove_hidden"]

_NEVER_SHOWN = frozenset(("template", "noframes", "noembed", "rp", "mphantom"))
_PLAYERS = frozenset(("video", "audio", "object", "canvas", "iframe"))
# Two passes find every candidate that is not told by its class: by a set of tags, and by what takes a selector.
_TAGS = _NEVER_SHOWN | _PLAYERS | {"noscript", "dialog", "details", "style"}
_ATTRIBUTES = (
    f"link[href^='data:' i],meta[name=color-scheme i],[hidden],[popover],[style],[bgcolor],[role=tablist],[{LABEL}]"
)
_KEPT = frozenset(("body", "html", "head", "main"))
_SHOWN_WIDER = re.compile(
    r"(?:^|\s)(?:(?:sm|md|lg|xl|2xl|tablet|desktop|min-\S+):(?:block|flex|inline|grid|table|contents)\S*"
    r"|d-(?:sm|md|lg|xl|xxl)-(?!none)\S+|not-sr-only|\S+:not-sr-only)"
)
_MOST_FONTS = 2000  # old pages use them in earnest; a flood of them multiplies while it is parsed
_MOST_INSIDE = 3000  # elements judged one by one inside of an element whose text is hidden
_SMALL = 4.0  # pixels; of smaller letters it is asked how small they are
_FIRST_LINE = re.compile(r"::?first-line\b", re.I)
_ONE_LINE = 100  # characters; on a screen they stand in one line
_OUTSIDE_SHEET = "link[rel~=stylesheet i]:not([href^='data:' i])"
_MATHS = "math,annotation,script[type^='math/' i]"
_ANIMATED = re.compile(
    r"(?:^|[\s_-])(?:wow|animate[ds]?|animation|reveal|fade(?:in|up|down|left|right)?|framer|motion|lazy(?:load)?|aos)"
    r"(?:$|[\s_-])",
    re.I,
)
_ANIMATED_ATTRIBUTES = (
    "data-aos", "data-w-id", "data-framer-appear-id", "data-sal", "data-scroll", "data-animate", "data-animation",
)  # fmt: skip
_OF_TEXT = frozenset(
    ("visibility", "font-size", "color", "-webkit-text-fill-color", "background-color", "background-image",
     "background-clip", "-webkit-text-security", "mix-blend-mode", "font-size-adjust")
)  # fmt: skip
# What these do to letters is told by all that stands around them.
_EFFECTS = frozenset(
    ("-webkit-text-security", "-webkit-text-stroke", "mix-blend-mode", "filter", "box-shadow", "font-size-adjust")
)
DOUBTFUL = "Not visible until a script shows it"


def remove_hidden(tree: Node, names: PageNames | None = None, unread: str = "", has_shadows: bool = True) -> int:
    """Remove what a person would not see; returns how many pieces of text that were.

    `unread` selects elements that the caller takes out afterwards, hidden or not: nothing inside them is judged, except
    the controls there that open something elsewhere. Without `has_shadows` the tree is known to have no shadow trees.
    """
    count = settle_shadows(tree, remove_hidden) if has_shadows else 0
    candidates = list(dict.fromkeys((*tree.iter_elements(_TAGS), *tree.select(_ATTRIBUTES))))
    names = names or PageNames(tree)
    place_streamed(tree, candidates)
    count += _drop_noscript(tree, candidates)
    cascade = Cascade(tree, own_sheets(candidates), names)
    styled = {each: each.attr("style") or "" for each in (*candidates, *tree.find_all("font", limit=_MOST_FONTS))}
    outside = tree.select_one(_OUTSIDE_SHEET) is not None
    uses = any("var(" in style for style in styled.values())
    variables = Variables((*cascade.rules.variables(uses), *styled.values()))
    page = page_colours(cascade.rules, candidates)
    palette = Palette(tree, cascade.rules, variables, styled, outside, page)
    boxes = Boxes(tree, cascade, outside)
    judge = _Judge(tree, cascade, palette, boxes, Ink(cascade, outside, page))
    marked = [element for element in candidates if _is_never_shown(element, boxes)] + _by_class(tree, names)
    suspects, left = _divided(find_suspects(tree, styled, cascade, palette, names, variables), unread)
    marked.extend(judge.with_hidden_line())
    if "collapse" in cascade.rules.text or any(element.tag in ("col", "colgroup") for element in suspects):
        marked.extend(boxes.cells_of_collapsed_columns())
    hidden = judge.sorted_out(suspects, marked)
    hidden.boxes.update(dict.fromkeys(_shut(candidates, hidden)))
    reachable = Reachable(tree, judge.known_hidden(hidden, left), hidden.boxes)
    settle_tabs(tree, candidates, names.classes, reachable.is_seen)
    gone: dict[Element, None] = {}
    texts = hidden.texts
    while hidden.boxes:
        gone.update(dict.fromkeys(_unreachable(_divided(hidden.boxes, unread)[0], reachable, judge)))
        hidden = judge.sorted_out([each for each in hidden.inside if not judge.is_inside(each, gone)], [])
        texts.extend(hidden.texts)
    count += _drop_texts([each for each in texts if not judge.is_inside(each, gone)], reachable, judge)
    # Only now, so that no verdict depends on what was removed before it.
    for element in gone:
        element.decompose()
    return count + len(gone) + _empty_players(candidates)


def _divided(elements: Iterable[Element], unread: str) -> tuple[list[Element], list[Element]]:
    """The elements outside of what the caller takes out anyway, and those inside of it."""
    if not unread:
        return list(elements), []
    read: list[Element] = []
    left: list[Element] = []
    for element in elements:
        (read if element.closest(unread) is None else left).append(element)
    return read, left


class _Hidden(NamedTuple):
    """What was found hidden: whole elements, elements whose own text cannot be read, and suspects inside the first."""

    boxes: dict[Element, None]
    texts: list[Element]
    inside: list[Element]


class _Judge:
    """Decides for the elements of one tree whether a person sees them."""

    def __init__(self, tree: Node, cascade: Cascade, palette: Palette, boxes: Boxes, ink: Ink) -> None:
        self._tree = tree
        self._palette = palette
        self._cascade = cascade
        self._boxes = boxes
        self._ink = ink

    def sorted_out(self, suspects: list[Element], boxes: list[Element]) -> _Hidden:
        """The suspects that are hidden, with boxes that are known to be; what is inside of a box is left for later."""
        found = _Hidden(dict.fromkeys(boxes), [], [])
        for element in sorted(dict.fromkeys(suspects), key=lambda each: len(self._cascade.ancestry(each))):
            if self.is_inside(element, found.boxes):
                found.inside.append(element)
            elif self._hides_box(element):
                found.boxes[element] = None
            elif self._hides_text(element):
                found.texts.append(element)
        return found

    def is_inside(self, element: Element, others: Mapping[Element, None]) -> bool:
        """Whether the element is one of the others or stands inside one."""
        return not others.keys().isdisjoint(self._cascade.ancestry(element))

    def known_hidden(self, found: _Hidden, left: list[Element]) -> Callable[[Element], bool]:
        """A test for elements that hide what is in them: those that were found, and those of the suspects `left`."""
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
        """Whether the element and those around it, each a little transparent, add up to nothing."""
        if "opacity" not in self._cascade.style(element) or len(self._cascade.states(element)) > 1:
            return False
        shares = (self._cascade.states(each)[-1].get("opacity", "1") for each in self._cascade.ancestry(element))
        left = 1.0
        for share in shares:
            value = fraction(share)
            left *= 1.0 if value is None else max(0.0, min(1.0, value))
        return 0 < left < FAINT

    def _may_hide_text(self, style: Style) -> bool:
        """Whether the style of an element could hide its text; what is inherited is judged where it is declared."""
        if style.get("visibility", "visible") != "visible" or style.get("animation-name", "none") != "none":
            return True
        if not _EFFECTS.isdisjoint(style) or self._palette.may_hide_in(style):
            return True
        size = pixels(style["font-size"], 16.0, 16.0) if "font-size" in style else None
        return size is not None and (size <= _SMALL or not style["font-size"].endswith("px"))

    def _says_of_text(self, element: Element) -> bool:
        """Whether the element itself declares what decides if its text is seen; else its ancestors are judged."""
        style = self._cascade.style(element)
        return not _OF_TEXT.isdisjoint(style) or style.get("animation-name", "none") != "none"

    def excuse(self, element: Element) -> None:
        """What the element declares about its visibility does not count: a person can bring it up."""
        self._ink.excused.add(element)

    def _hides_text(self, element: Element) -> bool:
        """Whether the element itself hides its text; one around it that does is judged for itself."""
        may_hide = self._may_hide_text(self._cascade.style(element))
        return may_hide and self._in_all_states(element, self._ink.is_hidden_here)

    def with_hidden_line(self) -> Iterator[Element]:
        """Elements of one line that a rule for first lines hides."""
        rules = self._cascade.rules
        for at, selector in enumerate(rules.selectors):
            if "first-line" not in selector:
                continue
            line = {name: each.value for name, each in self._cascade.declared(rules.rule(at)).items()}
            for element in select_any(
                self._tree, [_FIRST_LINE.sub("", each) or "*" for each in split_selectors(selector)]
            ):
                style = {**self._cascade.style(element), **line}
                if len(element.text) <= _ONE_LINE and self._assumed(element, style, self._ink.is_hidden):
                    yield element

    def has_hidden_text(self, element: Element) -> bool:
        return self._in_all_states(element, self._ink.is_hidden)

    def _in_all_states(self, element: Element, test: Callable[[Element], bool]) -> bool:
        style, states = self._cascade.style(element), self._cascade.states(element)
        if len(states) == 1 and states[0] is style:
            return test(element)
        return all(self._assumed(element, state, test) for state in states)

    def _assumed(self, element: Element, state: Style, test: Callable[[Element], bool]) -> bool:
        with self._cascade.assumed(element, state):
            return test(element)

    def drop_texts(self, element: Element) -> int:
        """Remove the texts that cannot be read, and keep what a descendant shows again; 1 if any was removed."""
        if element.parent is None or element.tag in _KEPT:
            return 0
        left = _MOST_INSIDE
        removed = False
        queue = [element]
        while queue and left > 0:
            node = queue.pop()
            left -= 1
            for child in list(node):
                if isinstance(child, Element):
                    if not self._shows_again(child):
                        queue.append(child)
                elif child.text.strip():
                    child.extract()
                    removed = True
        return int(removed)

    def _shows_again(self, element: Element) -> bool:
        return self._says_of_text(element) and not self.has_hidden_text(element)

    def appears_later(self, element: Element) -> bool:
        """Whether a script fades the element in as the reader scrolls: scripts can run, and a rule animates it."""
        style = self._cascade.style(element) if self._has_scripts else {}
        if not fades(style) or _is_hidden_otherwise(style):
            return False
        named = any(element.attr(name) is not None for name in _ANIMATED_ATTRIBUTES)
        named = named or _ANIMATED.search(element.attr("class") or "") is not None
        return (named and style.get("transition", "") != "none") or _moves(style)

    @cached_property
    def _has_scripts(self) -> bool:
        return self._tree.select_one("script[src],script:not([type])") is not None


def _is_hidden_otherwise(style: Style) -> bool:
    shown = {**style, "opacity": "1", "filter": "none", "mask-image": "none"}
    return hides_box(shown)


def _moves(style: Style) -> bool:
    """Whether a style is set for a movement: a transition that lasts, or a small shift to come from."""
    if re.search(r"(?:^|[\s,])(?:[1-9]\d*|\d*\.\d*[1-9]\d*)m?s", style.get("transition", "")):
        return True
    if "opacity" in style.get("will-change", ""):
        return True
    shifts = re.findall(r"(?:translate\w*|scale)\(([^()]*)\)", style.get("transform", ""))
    values = (pixels(part) for shift in shifts for part in shift.split(","))
    return style.get("transition", "") != "none" and any(value for value in values)


def _is_never_shown(element: Element, boxes: Boxes) -> bool:
    if element.tag in _NEVER_SHOWN:
        return True
    closed = element.tag == "dialog" and element.attr("open") is None
    if not closed and element.attr("hidden") is None and element.attr("popover") is None:
        return False
    return element.attr("hidden") == "until-found" or not boxes.is_shown_anyway(element)


def _shut(candidates: list[Element], hidden: _Hidden) -> Iterator[Element]:
    """Closed `details` that nobody can open, because their summary is not seen."""
    for element in candidates:
        summary = element.select_one("summary") if element.tag == "details" and element.attr("open") is None else None
        if summary is not None and (summary in hidden.boxes or not is_something(summary)):
            yield element


def _by_class(tree: Node, names: PageNames) -> list[Element]:
    hiding = HIDING_CLASSES & names.classes
    if not hiding:
        return []
    found = tree.select(",".join(f'[class~="{name}"]' for name in sorted(hiding)))
    return [element for element in found if _SHOWN_WIDER.search(element.attr("class") or "") is None]


def _unreachable(found: list[Element], reachable: Reachable, judge: _Judge) -> list[Element]:
    """The outermost of the found elements that hold text which a person cannot bring up."""
    gone: dict[Element, None] = {}
    for element in found:
        if element.tag in _KEPT or judge.is_inside(element, gone):
            continue
        # Pictures that appear late are left to the image rules: only text is removed.
        if (not element.text.strip() and element.tag != "slot") or _is_formula(element) or reachable(element):
            continue
        if judge.appears_later(element) or reachable.is_most(element):
            element.attrs[LABEL] = DOUBTFUL
            continue
        gone[element] = None
    return list(gone)


def _drop_texts(found: list[Element], reachable: Reachable, judge: _Judge) -> int:
    """Remove the texts that cannot be read, except where a person can bring them up."""
    for element in found:
        if reachable(element) or reachable.is_most(element):
            judge.excuse(element)
    unseen = [element for element in found if not _is_formula(element) and judge.has_hidden_text(element)]
    return sum(judge.drop_texts(element) for element in unseen)


def _is_formula(element: Element) -> bool:
    """The MathML twin of a drawn formula is hidden from the eye, and the best source there is for its TeX."""
    inside = element if element.tag == "math" else element.select_one(_MATHS)
    return inside is not None and len(inside.text.strip()) >= 0.9 * len(element.text.strip())


def _empty_players(candidates: list[Element]) -> int:
    """What stands inside a player or a frame is for browsers that cannot show it."""
    count = 0
    for element in candidates:
        if element.tag in _PLAYERS and element.text.strip():
            sources = [source.extract() for source in element.select("source")]
            element.clear()
            element.extend(sources)
            count += 1
    return count


def _drop_noscript(tree: Node, candidates: list[Element]) -> int:
    """Scripts run for a person: `noscript` is hidden, except a lazy loader's picture or all that a shell has to say."""
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
        text = element.text.strip()
        if (is_shell and len(text) > 200) or (not text and element.select_one("img") is not None):
            element.unwrap()
        else:
            element.decompose()
            count += bool(text)
    return count
