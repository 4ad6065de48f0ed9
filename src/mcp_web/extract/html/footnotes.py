"""Finds the footnotes of kept text: they stand apart from it, often in small print, and would not be kept alone."""

from __future__ import annotations

import re

from turbohtml import Element

from mcp_web.extract.html.blocks import Blocks, Box

_MARK = re.compile(r"[\[(]?(?:\d{1,4}|[*†‡§¶‖#]{1,3}|[a-z]{1,2})[\])]?", re.I)
_SHORT = 8  # characters of a link that leads back to the text
_LARGEST = 4000  # characters


def footnotes_of(read: Blocks, kept: list[bool]) -> set[int]:
    """The indexes of the blocks of footnotes of kept text: a mark such as "[1]" in kept text links to each, and it
    links back to that mark."""
    found: set[int] = set()
    body = read.boxes[0].element
    anchors = [anchor for anchor in body.select('a[href*="#"]') if len(anchor.text.strip()) <= _SHORT]
    if len(anchors) < 2:
        return found
    ids = {(element.attr("id") or "").lstrip("#"): element for element in body.select("[id]")}
    boxes: dict[Element, Box] = {}
    for back in anchors:
        mark = _link_at(ids.get(_fragment(back)))
        note = ids.get(_fragment(mark)) if mark is not None and mark != back else None
        if mark is None or note is None or _MARK.fullmatch(mark.text.strip()) is None:
            continue
        boxes = boxes or {box.element: box for box in read.boxes}
        text, box, inside = _box_of(mark, boxes), _box_of(note, boxes), _box_of(back, boxes)
        if text is None or box is None or inside is None or box.chars > _LARGEST:
            continue
        is_inside = box.first <= inside.first < box.first + box.count
        if is_inside and any(kept[text.first : text.first + text.count]):
            found.update(range(box.first, box.first + box.count + (box.tag == "dt")))  # after a `dt`, its `dd`
    return {at for at in found if at < len(kept)}


def _fragment(anchor: Element) -> str:
    """What is after the "#" of a link; "" if there is none."""
    return (anchor.attr("href") or "").partition("#")[2]


def _link_at(place: Element | None) -> Element | None:
    """The link that has an id, or that is right around or inside the element with the id."""
    if place is None or place.tag == "a":
        return place
    return place.select_one("a") or place.closest("a")


def _box_of(element: Element, boxes: dict[Element, Box]) -> Box | None:
    """The box of an element, or of the nearest element around it that has one."""
    at: object = element
    while isinstance(at, Element):
        if at in boxes:
            return boxes[at]
        at = at.parent
    return None
