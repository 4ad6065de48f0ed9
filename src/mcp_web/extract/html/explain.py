"""Explains the choice of the content, as plain JSON values."""

from __future__ import annotations

from typing import Any

from turbohtml import Element

from mcp_web.extract.html.blocks import Box, HtmlBlock, read_blocks
from mcp_web.extract.html.choose import ScoredBlocks
from mcp_web.extract.html.features import around_box
from mcp_web.extract.sites import Applied

_MOST = 12
_QUOTE, _PATH = 80, 200  # characters


def explain_choice(root: Element, scored: ScoredBlocks | None) -> dict[str, Any]:
    """How the content was chosen, as a JSON object: method, root, threshold, best candidates, removed blocks likely to
    be content. `scored` is None if the page was not scored and the content was chosen by rules."""
    if scored is None:
        read = read_blocks(root)
        empty = read is not None and not read.blocks
        reason = "no text to score" if empty else "too many elements to score one by one"
        return {"method": "rules", "reason": reason, "root": root.css_path()[-_PATH:]}
    return {
        "method": "blocks",
        "root": root.css_path()[-_PATH:],
        "threshold": round(scored.threshold, 3),
        "blocks": {"seen": len(scored.kept), "kept": sum(scored.kept)},
        "candidates": _candidates(scored),
        "removed": _removed(scored),
    }


def explain_config(applied: Applied) -> dict[str, Any]:
    """Which rules of a site config matched, and what, as a JSON object."""
    return {
        "method": "site config",
        "siteconfig": applied.config.name,
        "body": applied.body,
        "root": [root.css_path()[-_PATH:] for root in applied.roots[:_MOST]],
        "removed": [{"rule": rule, "elements": count} for rule, count in applied.stripped if count],
    }


def _candidates(scored: ScoredBlocks) -> list[dict[str, Any]]:
    """At most `_MOST` elements as JSON objects, the likeliest content first, with how much of each was kept."""
    read = scored.features.read
    expected: dict[Box, float] = {}
    for block, chance in zip(read.blocks, scored.chances, strict=True):
        for box in around_box(block.box):
            expected[box] = expected.get(box, 0.0) + chance * len(block.text)
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


def _removed(scored: ScoredBlocks) -> list[dict[str, Any]]:
    """At most `_MOST` removed blocks as JSON objects, those with the most expected content first."""
    blocks = scored.features.read.blocks
    gone = [at for at, keep in enumerate(scored.kept) if not keep]
    gone.sort(key=lambda at: -scored.chances[at] * len(blocks[at].text))
    return [
        {
            "text": blocks[at].text[:_QUOTE],
            "element": _name(blocks[at].box),
            "score": round(scored.chances[at], 3),
            "characters": len(blocks[at].text),
            "reason": _reason(blocks[at], scored.chances[at] >= scored.threshold),
        }
        for at in gone[:_MOST]
    ]


def _reason(block: HtmlBlock, is_likely: bool) -> str:
    if is_likely:
        return "its list, table or section went"
    return "mostly links, below the threshold" if block.links > 0.5 * len(block.text) else "below the threshold"


def _name(box: Box) -> str:
    words = box.name.split()[:3]
    return box.tag + "".join(f".{word}" for word in words)
