"""Is the text of a document seen? By its colour against what stands behind it, its size, and marks that hide it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from mcp_web.extract.css.colour import Colour, parse_colour

_WHITE = Colour(255, 255, 255)
_TINY = 2.0  # points


@dataclass(frozen=True, slots=True)
class Look:
    """What a style says about its text; None where it says nothing."""

    hidden: bool | None = None
    colour: Colour | None = None
    size: float | None = None  # points
    background: Colour | None = None  # behind the text
    unknown: bool = False  # whether a picture or a theme paints the background

    def over(self, below: Look) -> Look:
        """This style on top of a weaker one."""
        return Look(
            below.hidden if self.hidden is None else self.hidden,
            self.colour or below.colour,
            below.size if self.size is None else self.size,
            self.background or (None if self.unknown else below.background),
            self.unknown or (below.unknown and self.background is None),
        )

    def on(self, background: Colour | None) -> Look:
        """The same with something else behind it, where there is something."""
        return self if background is None else replace(self, background=background, unknown=False)

    @property
    def is_seen(self) -> bool:
        if self.hidden or (self.size is not None and self.size <= _TINY):
            return False
        if self.colour is None:
            # Letters are black unless something says otherwise; some programs turn them white on a dark background.
            return True
        if self.colour.alpha < 0.06:
            return False
        background = self.background or (None if self.unknown else _WHITE)
        return background is None or not self.colour.over(background).near(background)


PLAIN = Look()


def hex_colour(value: str | None) -> Colour | None:
    """A colour of six hexadecimal digits; an eight-digit one begins with its alpha, which programs ignore."""
    digits = (value or "").strip().lower().lstrip("#")
    return parse_colour(f"#{digits[-6:]}") if len(digits) in (6, 8) else None
