"""Styles that do not come from a style sheet: presentational attributes such as `bgcolor`, and browser defaults."""

from __future__ import annotations

import re

from turbohtml import Element

_LINK = {"color": "#0000ee"}
_HINTS = {"mark": {"background-color": "#ff0"}, "button": {"background-color": "#efefef", "color": "#000"},
          "marquee": {"overflow-x": "hidden", "overflow-y": "hidden", "display": "inline-block"}}  # fmt: skip


def style_hints(element: Element) -> dict[str, str]:
    """The property values that presentational attributes such as `bgcolor` or browser defaults give an element."""
    tag = element.tag
    found = dict(_LINK if tag == "a" and element.attr("href") is not None else _HINTS.get(tag, ()))
    background, colour = element.attr("bgcolor"), None
    if tag in ("body", "font"):
        colour = element.attr("text" if tag == "body" else "color")
    for name, value in (("background-color", background), ("color", colour)):
        if value:
            value = value.strip().lower()
            found[name] = f"#{value}" if re.fullmatch(r"[0-9a-f]{6}|[0-9a-f]{3}", value) else value
    if element.attr("background"):
        found["background-image"] = "url()"
    return found
