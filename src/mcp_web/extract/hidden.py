"""Text a person would not see: found by element, attribute and style; removed and counted.

What a person can open stays: a closed `<details>`, a panel that a tab or a button of the page names.
Run it after the metadata were read and before the content is chosen.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from turbohtml import Element

from mcp_web.extract.characters import clean_text
from mcp_web.extract.css import applies, unpacked
from mcp_web.extract.names import PageNames
from mcp_web.extract.reachable import HIDING_CLASSES, Reachable, visible_length
from mcp_web.extract.style import Background, Style, hides, parse_style
from mcp_web.extract.stylesheet import hidden_by_rules
from mcp_web.extract.tabs import LABEL, settle_tabs

if TYPE_CHECKING:
    from turbohtml import Node

__all__ = ["clean_text", "remove_hidden"]

# One pass finds every candidate that is not told by its class; each further select would walk the whole tree again.
_CANDIDATES = (
    "template,noscript,noframes,dialog,video,audio,object,canvas,iframe,style,link[href^='data:' i],"
    f"[hidden],[popover],[style],[role=tablist],[{LABEL}]"
)
Verdict = tuple[Style | None, bool]

_NEVER_SHOWN = frozenset(("template", "noframes"))
_PLAYERS = frozenset(("video", "audio", "object", "canvas", "iframe"))
_SHOWN_WIDER = re.compile(
    r"(?:^|\s)(?:(?:sm|md|lg|xl|2xl|tablet|desktop|min-\S+):(?:block|flex|inline|grid|table|contents)\S*"
    r"|d-(?:sm|md|lg|xl|xxl)-(?!none)\S+|not-sr-only|\S+:not-sr-only)"
)
_SUSPECT_STYLE = re.compile(
    r"none|hidden|collapse|opacity|font(?:-size)?\s*:\s*[0-2.]|-\s*\d{3}|\d{4}|clip|scale|rotate|matrix|transparent"
    r"|indent|spacing|(?:width|height)\s*:\s*[01.]|filter|mask|translate|zoom|var\(|\\|/\*|calc|\d+v[wh]|-\d+%",
    re.I,
)
_LONG_STYLE = 200  # characters; longer ones are seldom met again
_MOST_FONTS = 2000  # old pages use them in earnest; a flood of them multiplies while it is parsed
_STREAMED = re.compile(r"(?:S:|af)[\w:.-]+\Z")
_MATHS = "math,annotation,script[type^='math/' i]"


def remove_hidden(tree: Node, names: PageNames | None = None) -> int:
    """Remove what a person would not see; returns how many pieces of text that were."""
    candidates = tree.select(_CANDIDATES)
    names = names or PageNames(tree)
    classes = names.classes
    _place_streamed(tree, candidates)
    settle_tabs(tree, candidates, classes)
    count = _drop_noscript(tree, candidates)
    found = [element for element in candidates if _is_never_shown(element)]
    found.extend(_by_class(tree, classes))
    found.extend(_by_style(tree, candidates))
    found.extend(hidden_by_rules(tree, _sheets(candidates), names))
    if found:
        count += _drop(found, Reachable(tree))
    return count + _empty_players(candidates)


def _sheets(candidates: list[Element]) -> list[str]:
    """The page's own sheets that apply: `style` elements, and links that carry their sheet in the address."""
    found: list[str] = []
    for element in candidates:
        if element.tag == "style":
            media = (element.attr("media") or "").lower()
            if applies(media) and element.closest("noscript") is None:
                found.append(element.text)
        elif element.tag == "link" and "stylesheet" in (element.attr("rel") or "").lower():
            found.append(unpacked(element.attr("href") or ""))
    return found


def _is_never_shown(element: Element) -> bool:
    if element.tag in _NEVER_SHOWN or (element.tag == "dialog" and element.attr("open") is None):
        return True
    hidden = element.attr("hidden")
    return (hidden is not None and hidden.lower() != "until-found") or element.attr("popover") is not None


def _by_class(tree: Node, classes: frozenset[str]) -> list[Element]:
    names = HIDING_CLASSES & classes
    if not names:
        return []
    found = tree.select(",".join(f'[class~="{name}"]' for name in sorted(names)))
    return [element for element in found if _SHOWN_WIDER.search(element.attr("class") or "") is None]


def _by_style(tree: Node, candidates: list[Element]) -> list[Element]:
    found: list[Element] = []
    background = Background(tree)
    verdicts: dict[str, Verdict] = {}  # styles repeat: each text is judged once
    for element in [*candidates, *tree.find_all("font", limit=_MOST_FONTS)]:
        text = element.attr("style") or ""
        if element.tag == "font":
            text += f";color:{element.attr('color') or ''}"
        if not text:
            continue
        if text not in verdicts:
            verdicts[text] = _suspect(text) if len(text) > _LONG_STYLE else _known_suspect(text)
        style, may_hide = verdicts[text]
        if style is not None and ((may_hide and hides(style, element)) or background.swallows(element, style)):
            found.append(element)
    return found


@lru_cache(maxsize=4096)  # and they repeat from page to page
def _known_suspect(text: str) -> Verdict:
    return _suspect(text)


def _suspect(text: str) -> Verdict:
    """The parsed style, where it could hide something on some element, and whether by more than its colour."""
    coloured = "color" in text.lower()
    if not coloured and _SUSPECT_STYLE.search(text) is None:
        return None, False
    style = parse_style(text)
    if hides(style):  # an element can only excuse what its style alone would hide
        return style, True
    return (style, False) if coloured and "color" in style else (None, False)


def _drop(found: list[Element], reachable: Reachable) -> int:
    """Take the outermost of the found elements out, except what can be opened or is not text."""
    count = 0
    for element in found:
        if element.parent is None or element.tag in ("body", "html", "head", "main"):
            continue
        # Pictures that appear late are left to the image rules: only text is removed.
        if not element.text.strip() or _is_formula(element) or reachable(element):
            continue
        reachable.gone(element)
        element.decompose()
        count += 1
    return count


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
    is_shell = inside > 1000 and inside > 0.5 * (visible_length(body) - inside)
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


def _place_streamed(tree: Node, candidates: list[Element]) -> None:
    """Late parts that a server streams hidden, for a script to move into place: React's `S:n`, Marko's `af…`."""
    for part in candidates:
        name = part.attr("id")
        if not name or _STREAMED.match(name) is None:
            continue
        if name.startswith("S:"):
            place = tree.select_one(f'template[id="B:{name[2:]}"],template[id="P:{name[2:]}"]')
        else:
            place = tree.select_one(f'[id="afph{name[2:]}"]')
        if place is not None:
            place.replace_with(*list(part.children))
            part.decompose()
