"""Values of style sheets in the many forms in which a page can write them, chosen by a seeded generator."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

Make = Callable[[random.Random], str]


def _one_of(*values: str) -> Make:
    return lambda chance: chance.choice(values)


def _scaled(*forms: str, least: float, most: float) -> Make:
    """A form with `{}` in it, filled with a number between the two."""
    return lambda chance: chance.choice(forms).format(round(chance.uniform(least, most), chance.randint(0, 2)))


VALUES: dict[str, Make] = {
    # lengths
    "zero": _one_of(
        "0", "0px", "0em", ".0rem", "0e3px", "0.00vw", "calc(2px - 2px)", "calc(0 * 1em)", "calc(1em - 16px + 0em)",
        "min(0px,4em)", "max(0px,-3px)", "clamp(0px,-2vw,9px)", "calc((3px - 3px) / 2)", "abs(0px)", "+0px", "0Q",
    ),
    "size": _one_of("16px", "1.2em", "14pt", "calc(10px + .5em)", "max(14px,.9em)", "clamp(12px,2vw,30px)", "120%"),
    "room": _one_of("80px", "6em", "calc(40px + 3em)", "max(90px,1vh)", "12vh", "4cm"),
    "far": _one_of(
        "9999px", "600em", "500vw", "80in", "calc(100vw * 9)", "max(9000px,2em)", "9.9e3px", "300cm", "700vmax",
        "calc(4000px + 5000px)", "900rem",
    ),
    "away": _one_of(
        "-9999px", "-600em", "-500vw", "-80in", "calc(-100vw * 9)", "min(-9000px,2em)", "-9.9e3px", "-300cm",
        "calc(-1 * 700vmax)", "calc(0px - 5000px)", "-900rem", "-500dvw",
    ),
    "near": _one_of("3px", ".2em", "calc(1px + 2px)", "1mm", "min(4px,1em)"),
    # numbers
    "nothing": _one_of(
        "0", "0.0", ".01", "0%", "1e-3", "calc(1 - 1)", "calc(.02 / 2)", "min(0,1)", "-3", "+.0", "1%", "max(0,-1)",
        "calc(cos(90deg))", "clamp(0,.004,1)",
    ),
    "much": _one_of("1", ".9", "80%", "calc(.5 + .4)", "max(.7,.1)", "9e-1", "clamp(.6,2,.95)"),
    "right": _one_of("90deg", ".25turn", "100grad", "1.5708rad", "270deg", "-90deg", "450deg"),
    "turn": _one_of("10deg", ".02turn", "20grad", "-15deg"),
    # colours
    "white": _one_of(
        "#fff", "#FFFFFE", "white", "rgb(255,255,255)", "rgb(100% 100% 100%)", "hsl(0 0% 100%)", "hwb(0 100% 0%)",
        "oklch(1 0 0)", "lab(100 0 0)", "color(srgb 1 1 1)", "color(display-p3 1 1 1)", "color-mix(in srgb,white,snow)",
        "light-dark(white,black)", "#FFFFFFFF", "rgba(254,255,253,1)", "ghostwhite", "canvas", "hsl(120deg,100%,99%)",
        "oklab(100% 0 0)", "rgb(from white r g b)", "lch(100% 0 0)", "color(xyz .95 1 1.09)", "hsla(0,0%,100%,.9)",
    ),
    "clear": _one_of(
        "transparent", "#0000", "#ff000000", "rgb(0 0 0/0)", "rgba(9,9,9,.01)", "hsl(0 0% 0%/1%)", "oklch(0 0 0/0)",
        "color-mix(in srgb,transparent 99%,black)", "rgb(from black r g b / 0)", "color(srgb 0 0 0/0)", "#00000003",
        "rgb(0 0 0/calc(1 - 1))", "lab(0 0 0/0%)",
    ),
    "dark": _one_of("#222", "black", "rgb(10 20 30)", "hsl(200 50% 20%)", "oklch(.3 .05 200)", "navy", "#102030"),
    "clip": _one_of("hidden", "clip", "hidden clip", "clip hidden"),
    "some": _scaled("{}px", least=20, most=60),
    # A colour for letters and ground alike is drawn once for the page: see `filled`.
    "same": lambda chance: f"hsl({chance.randrange(360)} {chance.randrange(20, 90)}% {chance.randrange(15, 70)}%)",
}  # fmt: skip
_SLOT = re.compile(r"\{(\w+)\}")


def filled(template: str, chance: random.Random) -> str:
    """The template with a value for each `{kind}`; `{same}` is one value throughout."""
    same = VALUES["same"](chance)
    return _SLOT.sub(lambda found: same if found[1] == "same" else VALUES[found[1]](chance), template)
