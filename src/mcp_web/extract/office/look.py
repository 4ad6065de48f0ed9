"""How text in an office document looks, to decide whether it is visible: colour, background, size, hidden marks."""

from __future__ import annotations

from dataclasses import dataclass, replace

from mcp_web.extract.css.colour import Colour, parse_colour

_WHITE = Colour(255, 255, 255)
_TINY = 2.0  # points


@dataclass(frozen=True, slots=True)
class Look:
    """What a style defines about text; None for what it does not define."""

    hidden: bool | None = None
    colour: Colour | None = None
    size: float | None = None  # points
    background: Colour | None = None
    unknown: bool = False  # whether the background is a picture or a theme colour

    def over(self, below: Look) -> Look:
        """This look combined with a weaker one, which it overrides."""
        return Look(
            below.hidden if self.hidden is None else self.hidden,
            self.colour or below.colour,
            below.size if self.size is None else self.size,
            self.background or (None if self.unknown else below.background),
            self.unknown or (below.unknown and self.background is None),
        )

    def on(self, background: Colour | None) -> Look:
        """The same look on another background; unchanged if that is None."""
        return self if background is None else replace(self, background=background, unknown=False)

    @property
    def is_seen(self) -> bool:
        if self.hidden or (self.size is not None and self.size <= _TINY):
            return False
        if self.colour is None:
            # Text without a colour is black, and some programs make it white on a dark background.
            return True
        if self.colour.alpha < 0.06:
            return False
        background = self.background or (None if self.unknown else _WHITE)
        return background is None or not self.colour.over(background).near(background)


PLAIN = Look()


def hex_colour(value: str | None) -> Colour | None:
    """A colour of six hexadecimal digits; of eight digits, the first two are the alpha, which programs ignore."""
    digits = (value or "").strip().lower().lstrip("#")
    return parse_colour(f"#{digits[-6:]}") if len(digits) in (6, 8) else None
