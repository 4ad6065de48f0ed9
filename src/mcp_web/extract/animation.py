"""The styles between which an animation moves its element."""

from __future__ import annotations

import re

from mcp_web.extract.declarations import Declared
from mcp_web.extract.style import Style


def _seconds(value: str) -> float:
    found = re.match(r"([-+]?[\d.]+)(m?)s", value)
    return float(found[1]) / (1000 if found[2] else 1) if found and found[1].count(".") < 2 else 0.0


def animated(style: Style, steps: dict[str, dict[str, Declared]]) -> list[Style]:
    """Where an animation leaves its element: at its first step, at its last, or moving between all of them."""
    first = _step(style, {**steps.get("0%", {}), **steps.get("from", {})})
    last = _step(style, {**steps.get("100%", {}), **steps.get("to", {})})
    fill = style.get("animation-fill-mode", "none")
    if style.get("animation-direction", "").endswith("reverse"):
        first, last = last, first
    delay = _seconds(style.get("animation-delay", "0s"))
    waits_at_first = fill in ("backwards", "both") or delay <= 0
    if (style.get("animation-play-state") == "paused" or delay > 60) and waits_at_first:
        return [first]
    if style.get("animation-iteration-count") == "infinite" and _seconds(style.get("animation-duration", "0s")) > 0:
        between = [step for name, step in steps.items() if name not in ("from", "to", "0%", "100%")]
        return [first, last, *(_step(style, step) for step in between)]
    return [last] if fill in ("forwards", "both") else [style]


def _step(style: Style, step: dict[str, Declared]) -> Style:
    return {**style, **{name: each.value for name, each in step.items() if each.value not in ("inherit", "unset")}}
