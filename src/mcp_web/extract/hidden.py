"""Text a person would not see: found by element, attribute and style; removed and counted.

What a person can open stays: a closed `<details>`, a panel that a tab or a button of the page names.
Run it after the metadata were read and before the content is chosen.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from turbohtml import Element

from mcp_web.extract.characters import clean_text
from mcp_web.extract.style import Background, hides, parse_style
from mcp_web.extract.stylesheet import hidden_by_rules
from mcp_web.extract.tabs import LABEL, settle_tabs

if TYPE_CHECKING:
    from turbohtml import Node

__all__ = ["clean_text", "remove_hidden"]

_NEVER_SHOWN = (
    "template,noframes,dialog:not([open]),[hidden]:not([hidden=until-found i]),[popover],datalist,[type=hidden i]"
)
_FALLBACKS = "video,audio,object,canvas,iframe,embed"
# Classes that mean "not on screen" in the well-known frameworks, wherever the stylesheet is.
_CLASSES = frozenset(
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
_BY_CLASS = (
    ",".join(
        f"[class*={word}]"
        for word in ("hid", "sr-only", "invisible", "screen-reader", "d-none", "ay-none", "display", "screen")
    )
    + ",.assistive-text,.show-for-sr"
)
_SHOWN_WIDER = re.compile(
    r"(?:^|\s)(?:(?:sm|md|lg|xl|2xl|tablet|desktop|min-\S+):(?:block|flex|inline|grid|table|contents)\S*"
    r"|d-(?:sm|md|lg|xl|xxl)-(?!none)\S+|not-sr-only|\S+:not-sr-only)"
)
_SUSPECT_STYLE = re.compile(
    r"none|hidden|collapse|opacity|font(?:-size)?\s*:\s*[0-2.]|-\s*\d{3}|\d{4}|clip|scale|rotate|matrix|transparent|indent|spacing"
    r"|(?:width|height)\s*:\s*[01.]|filter|mask|translate|zoom|var\(|\\|/\*|calc|-\d+v",
    re.I,
)
_CONTROLS = (
    "[aria-controls],[data-target],[data-bs-target],[data-definition],[popovertarget],[commandfor],label[for],"
    "a[href^='#'],[data-tab],[data-toggle-target],[aria-owns]"
)
_OPENERS = "[aria-expanded],[data-toggle],[data-bs-toggle],summary,button,[role=button]"
_CONTROL_NAMES = (
    "aria-controls", "data-target", "data-bs-target", "data-definition", "popovertarget", "commandfor", "for",
    "href", "data-tab", "data-toggle-target", "aria-owns",
)  # fmt: skip
_LARGE = 1500  # characters; a smaller piece is never the page itself
_NOT_NAME = re.compile(r"[^\w:.-]")
_WORD = re.compile(r"[\w:.-]+")
_MATHS = "math,annotation,script[type^='math/' i]"


def remove_hidden(tree: Node) -> int:
    """Remove what a person would not see; returns how many pieces of text that were."""
    _place_streamed(tree)
    settle_tabs(tree)
    count = _drop_noscript(tree)
    found = _by_markup(tree)
    found.extend(_by_style(tree))
    found.extend(hidden_by_rules(tree))
    if found:
        count += _drop(tree, found)
    for element in tree.select(_FALLBACKS):
        if element.text.strip():
            sources = [source.extract() for source in element.select("source")]
            element.clear()
            element.extend(sources)
            count += 1
    return count


def _by_markup(tree: Node) -> list[Element]:
    found = list(tree.select(_NEVER_SHOWN))
    for element in tree.select(_BY_CLASS):
        names = element.attr("class") or ""
        if not _CLASSES.isdisjoint(names.split()) and _SHOWN_WIDER.search(names) is None:
            found.append(element)
    return found


def _by_style(tree: Node) -> list[Element]:
    found: list[Element] = []
    background = Background(tree)
    verdicts: dict[str, dict[str, str] | None] = {}  # styles repeat: each text is judged once
    for element in tree.select("[style],font[color]"):
        text = element.attr("style") or ""
        if element.tag == "font":
            text += f";color:{element.attr('color') or ''}"
        if text not in verdicts:
            verdicts[text] = _suspect(text)
        style = verdicts[text]
        if style is not None and (hides(style, element) or background.swallows(element, style)):
            found.append(element)
    return found


def _suspect(text: str) -> dict[str, str] | None:
    """The parsed style, where it could hide something on some element."""
    coloured = "color" in text.lower()
    if not coloured and _SUSPECT_STYLE.search(text) is None:
        return None
    style = parse_style(text)
    return style if hides(style) or (coloured and "color" in style) else None


def _drop(tree: Node, found: list[Element]) -> int:
    """Take the outermost of the found elements out, except what can be opened or is not text."""
    count = 0
    named: set[str] | None = None
    for element in found:
        if element.parent is None or element.tag in ("body", "html", "head", "main"):
            continue
        if not element.text.strip():
            # Nothing to read here; pictures that appear late are left to the image rules.
            continue
        if _is_formula(element):
            continue
        identity = element.attr("id")
        if identity and element.tag not in ("dialog", "template"):
            named = _named_by_controls(tree) if named is None else named
            if identity in named:
                continue
        if _opens_below(element) or _is_panel(element):
            continue
        if len(element.text) > _LARGE and _is_most_of(tree, element):
            continue
        element.decompose()
        count += 1
    return count


def _is_most_of(tree: Node, element: Element) -> bool:
    """A page that hides nearly all it says shows it once its scripts have run."""
    body = tree.select_one("body") or tree
    return len(element.text) > 0.4 * _visible_length(body) and tree.select_one("script") is not None


def _is_formula(element: Element) -> bool:
    """The MathML twin of a drawn formula is hidden from the eye, and the best source there is for its TeX."""
    inside = element if element.tag == "math" else element.select_one(_MATHS)
    return inside is not None and len(inside.text.strip()) >= 0.9 * len(element.text.strip())


def _named_by_controls(tree: Node) -> set[str]:
    named: set[str] = set()
    for control in tree.select(_CONTROLS):
        for name in _CONTROL_NAMES:
            value = control.attr(name)
            if value:
                named.update(word.lstrip("#") for word in value.split())
    for control in tree.select("[onclick]"):
        named.update(_WORD.findall(control.attr("onclick") or ""))
    return named


def _opens_below(element: Element) -> bool:
    """An accordion's body: the element before it is the button that opens it."""
    before = element.previous_sibling
    while before is not None and not isinstance(before, Element):
        before = before.previous_sibling
    return isinstance(before, Element) and (before.matches(_OPENERS) or before.select_one(_OPENERS) is not None)


def _is_panel(element: Element) -> bool:
    """One of several panels, of which tabs or buttons show one at a time."""
    parent = element.parent
    if not isinstance(parent, Element):
        return False
    area = parent.parent if isinstance(parent.parent, Element) else parent
    if element.attr(LABEL) is not None or element.attr("role") == "tabpanel":
        return True
    own = set((element.attr("class") or "").split()) - _CLASSES
    if not own or area.select_one("[role=tab],[role=tablist],button,[role=button],input[type=radio],[onclick]") is None:
        return False
    return any(
        isinstance(other, Element)
        and other != element
        and other.tag == element.tag
        and own <= set((other.attr("class") or "").split())
        and bool(other.text.strip())
        for other in parent
    )


def _drop_noscript(tree: Node) -> int:
    """Scripts run for a person: `noscript` is hidden, except a lazy loader's picture or all that a shell has to say."""
    found = tree.select("noscript")
    if not found:
        return 0
    inside = sum(len(element.text) for element in found)
    body = tree.select_one("body") or tree
    is_shell = inside > 1000 and inside > 0.5 * (_visible_length(body) - inside)
    count = 0
    for element in found:
        text = element.text.strip()
        if (is_shell and len(text) > 200) or (not text and element.select_one("img") is not None):
            element.unwrap()
        else:
            element.decompose()
            count += bool(text)
    return count


def _visible_length(node: Node) -> int:
    return len(node.text) - sum(len(element.text) for element in node.select("script,style,template,svg,select"))


def _place_streamed(tree: Node) -> None:
    """Late parts that a server streams hidden, for a script to move into place: React's `S:n`, Marko's `af…`."""
    for part in tree.select('[hidden][id^="S:"],[id^="af"][style*="display:none"]'):
        name = part.attr("id") or ""
        if name.startswith("S:"):
            place = tree.select_one(f'template[id="B:{name[2:]}"],template[id="P:{name[2:]}"]')
        else:
            place = tree.select_one(f'[id="afph{_NOT_NAME.sub("", name[2:])}"]')
        if place is not None and not _NOT_NAME.search(name):
            place.replace_with(*list(part.children))
            part.decompose()
