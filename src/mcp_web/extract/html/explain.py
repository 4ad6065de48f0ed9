"""Explains the choice of the content, as plain JSON values."""

from __future__ import annotations

from typing import Any

from mcp_web.extract.html.blocks import Box
from mcp_web.extract.html.choose import Choice
from mcp_web.extract.sites import Applied

_MOST = 12
_QUOTE = 80


def explain_choice(choice: Choice) -> dict[str, Any]:
    """How the content was chosen: method, root, threshold, best candidates and largest removed blocks."""
    if choice.features is None:
        return {"method": choice.method, "reason": "too many elements to score one by one", "root": _path(choice.root)}
    return {
        "method": choice.method,
        "root": _path(choice.root),
        "threshold": round(choice.threshold, 3),
        "blocks": {"seen": len(choice.kept), "kept": sum(choice.kept)},
        "candidates": _candidates(choice),
        "removed": _removed(choice),
    }


def explain_config(applied: Applied) -> dict[str, Any]:
    """The rules of a site config that matched."""
    return {
        "method": "site config",
        "siteconfig": applied.config.name,
        "body": applied.body,
        "root": [_path(root) for root in applied.roots[:_MOST]],
        "removed": [{"rule": rule, "elements": count} for rule, count in applied.stripped if count],
    }


def _candidates(choice: Choice) -> list[dict[str, Any]]:
    """The boxes with most of the expected content, and how much of each was kept."""
    assert choice.features is not None
    read = choice.features.read
    expected: dict[Box, float] = {}
    for block, chance in zip(read.blocks, choice.chances, strict=True):
        box: Box | None = block.box
        while box is not None:
            expected[box] = expected.get(box, 0.0) + chance * len(block.text)
            box = box.parent
    whole = max(1.0, expected.get(read.boxes[0], 1.0))
    ranked = sorted(expected, key=lambda box: (-(expected[box] ** 2) / max(1, box.chars), box.depth))
    return [
        {
            "element": _name(box),
            "score": round(expected[box] / max(1, box.chars), 3),
            "share": round(expected[box] / whole, 3),
            "characters": box.chars,
            "kept": box.kept,
        }
        for box in ranked[:_MOST]
    ]


def _removed(choice: Choice) -> list[dict[str, Any]]:
    """At most `_MOST` removed blocks as JSON objects, those with the most expected content first."""
    assert choice.features is not None
    blocks = choice.features.read.blocks
    gone = [at for at, keep in enumerate(choice.kept) if not keep]
    gone.sort(key=lambda at: -choice.chances[at] * len(blocks[at].text))
    return [
        {
            "text": blocks[at].text[:_QUOTE],
            "element": _name(blocks[at].box),
            "score": round(choice.chances[at], 3),
            "characters": len(blocks[at].text),
            "reason": _reason(choice, at),
        }
        for at in gone[:_MOST]
    ]


def _reason(choice: Choice, at: int) -> str:
    assert choice.features is not None
    block = choice.features.read.blocks[at]
    if choice.chances[at] >= choice.threshold:
        return "its list, table or section went"
    if block.links > 0.5 * len(block.text):
        return "mostly links, below the threshold"
    return "below the threshold"


def _name(box: Box) -> str:
    words = box.name.split()[:3]
    return box.tag + "".join(f".{word}" for word in words)


def _path(element: Any) -> str:
    try:
        return str(element.css_path())[-200:]
    except (AttributeError, ValueError):
        return str(getattr(element, "tag", "document"))
