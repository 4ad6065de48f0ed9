"""Parts of a page that the server sends late: hidden, at the end of the page, for a script to put in place."""

from __future__ import annotations

import re

from turbohtml import Element, Node

_STREAMED = re.compile(r"(?:S:|af)[\w:.-]+\Z")
_NUMBER = re.compile(r"(?=(?<!\d)\d+\Z)")  # the position before a number at the end


def place_streamed(tree: Node, candidates: list[Element]) -> None:
    """Move the parts that a server sent late to where its script would put them.

    React moves `S:n` to `B:n`; Marko moves `afname` to `afphname` and, on a page with several applications, `afshop7`
    to `afshopph7`.
    """
    for part in candidates:
        name = part.attr("id")
        if not name or _STREAMED.match(name) is None:
            continue
        if name.startswith("S:"):
            place = tree.select_one(f'template[id="B:{name[2:]}"],template[id="P:{name[2:]}"]')
        else:
            places = {f"afph{name[2:]}", _NUMBER.sub("ph", name)} - {name}
            place = tree.select_one(",".join(f'[id="{each}"]' for each in places))
        if place is not None:
            place.replace_with(*list(part.children))
            part.decompose()
