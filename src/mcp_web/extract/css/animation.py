"""CSS animations: the styles that an element has because of its animations."""

from __future__ import annotations

import re
from collections.abc import Mapping

from mcp_web.extract.css.effort import Effort
from mcp_web.extract.css.lengths import fraction
from mcp_web.extract.css.style import Style
from mcp_web.extract.css.syntax import split_outside

Steps = Mapping[str, Mapping[str, str]]
_MOST_STATES = 20  # text is hidden if it is in all states: with fewer of them, more of it is
_STEPS_OF_STATE = 20  # effort of computing one
_DEFAULTS = {
    "direction": "normal", "iteration-count": "1", "fill-mode": "none", "delay": "0s", "duration": "0s",
    "play-state": "running",
}  # fmt: skip
_ENDS = {"from": 0.0, "to": 100.0}


def animated(style: Style, keyframes: Mapping[str, Steps], effort: Effort) -> list[Style]:
    """The styles that an element may have because of its animations; only `style` if it has none.

    Several, at most 20, if an animation never ends: one for each of its steps. `keyframes` has the steps by the name of
    the animation. The work is counted in `effort`, which may raise TooComplex.
    """
    states = [style]
    lists = {name: _listed(style, f"animation-{name}") or [value] for name, value in _DEFAULTS.items()}
    for number, name in enumerate(_listed(style, "animation-name")):
        steps = keyframes.get(name)
        if steps:
            effort.spend(len(states) * (_STEPS_OF_STATE + len(steps)))
            own = {each: values[number % len(values)] for each, values in lists.items()}
            states = [state for each in states for state in _after(each, steps, own)][:_MOST_STATES]
    return states


def _after(style: Style, steps: Steps, own: Mapping[str, str]) -> list[Style]:
    """The styles in which one animation, with the properties `own` such as "delay", leaves an element: one of its
    steps. All steps if it never ends; `style` unchanged if the animation has no effect after its end."""
    first = _step(style, {**steps.get("0%", {}), **steps.get("from", {})})
    last = _step(style, {**steps.get("100%", {}), **steps.get("to", {})})
    direction, count = own["direction"], own["iteration-count"]
    if direction.endswith("reverse"):
        first, last = last, first
    if direction.startswith("alternate") and (fraction(count) or 1.0) % 2 == 0:
        last = first
    fill, delay, duration = own["fill-mode"], _seconds(own["delay"]), _seconds(own["duration"])
    paused = own["play-state"] == "paused"
    waits_at_first = fill in ("backwards", "both") or delay <= 0
    if paused and delay < 0 < duration:
        return [_paused_at(style, steps, 100 * -delay / duration)]
    if (paused or delay > 60) and waits_at_first:
        return [first]
    if count == "infinite" and duration > 0:
        between = [step for name, step in steps.items() if name not in ("from", "to", "0%", "100%")]
        return [first, last, *(_step(style, step) for step in between)]
    return [last] if fill in ("forwards", "both") else [style]


def _paused_at(style: Style, steps: Steps, percent: float) -> Style:
    """The style with the step nearest to `percent` of a paused animation; unchanged if none is within 10 percent. Above
    100 percent the animation repeats."""
    places = {name: _ENDS.get(name, 100 * (fraction(name) or 0.0)) for name in steps}
    name = min(places, key=lambda each: abs(places[each] - percent % 100.0001))
    return _step(style, steps[name]) if abs(places[name] - percent) < 10 else style


def _listed(style: Style, name: str) -> list[str]:
    return split_outside(style[name], ",") if name in style else []


def _seconds(value: str) -> float:
    found = re.match(r"([-+]?(?:\d+\.?\d*|\.\d+))(m?)s", value)
    return float(found[1]) / (1000 if found[2] else 1) if found else 0.0


def _step(style: Style, step: Mapping[str, str]) -> Style:
    return {**style, **{name: value for name, value in step.items() if value not in ("inherit", "unset")}}
