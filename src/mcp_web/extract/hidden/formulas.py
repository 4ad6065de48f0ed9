"""MathML: its hidden form is the best source of a formula that is drawn beside it, but prose in it is hidden text."""

from __future__ import annotations

import re

from turbohtml import Element, Node

_MATHS = "math,math annotation,script[type^='math/' i]"
_STYLES = {"mathcolor": "color", "mathbackground": "background-color", "mathsize": "font-size"}
_COMMAND = re.compile(r"\\[a-zA-Z]+")  # in the TeX of an annotation
# Different words of three letters (in Chinese, Japanese and Korean: of two characters) that a formula has at most.
_WORD = re.compile(r"[\u2e80-\ud7ff]{2}|[^\W\d_]{3,}")
_MOST_WORDS = 7


def style_formulas(tree: Node) -> None:
    """Write the colours and sizes that MathML elements have as attributes into their style attributes."""
    if tree.find("math") is None:
        return
    for element in tree.select(",".join(f"math[{name}],math [{name}]" for name in _STYLES)):
        hints = [f"{style}:{value}" for name, style in _STYLES.items() if (value := element.attr(name))]
        element.attrs["style"] = ";".join([*hints, element.attr("style") or ""])


def is_formula(element: Element) -> bool:
    """Whether the element's text is nearly all the hidden MathML of a formula, the best source for its TeX. With many
    words it is prose."""
    inside = element if element.tag == "math" else element.select_one(_MATHS)
    if inside is None or len(inside.text.strip()) < 0.9 * len(element.text.strip()):
        return False
    return len(set(_WORD.findall(_COMMAND.sub(" ", " ".join(inside.strings))))) <= _MOST_WORDS
