"""Parts of a page that the server sends late: hidden, at the end of the page, for a script to put in place."""

from __future__ import annotations

import re

from turbohtml import Element, Node

_STREAMED = re.compile(r"(?:S:|af)[\w:.-]+\Z")
_NUMBER = re.compile(r"(?=(?<!\d)\d+\Z)")  # the position before a number at the end


def place_streamed(tree: Node, candidates: list[Element]) -> None:
    """Move the parts that a server sent late, which are among the candidates, to where its script would put them.

    React moves `S:n` to `B:n`; Marko moves `afname` to `afphname` and, on a page with several applications, `afshop7`
    to `afshopph7`.
    """
    parts = {part: name for part in candidates if _STREAMED.match(name := part.attr("id") or "")}
    if not parts:
        return
    by_id: dict[str, Element] = {}
    for element in tree.select("[id]"):
        by_id.setdefault(element.attr("id") or "", element)
    for part, name in parts.items():
        if name.startswith("S:"):
            names = (f"B:{name[2:]}", f"P:{name[2:]}")
        else:
            names = (f"afph{name[2:]}", _NUMBER.sub("ph", name))
        place = next((by_id.pop(each) for each in names if each in by_id and each != name), None)
        if place is not None and place.parent is not None and (name[:2] != "S:" or place.tag == "template"):
            place.replace_with(*list(part.children))
            part.decompose()
