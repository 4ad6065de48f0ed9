"""The colour, background and size of text in an office document, which decide whether it is visible."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from mcp_web.extract.css.colour import Colour, parse_colour

WHITE, BLACK = Colour(255, 255, 255), Colour(0, 0, 0)
_TINY = 2.0  # points


@dataclass(frozen=True, slots=True)
class Look:
    """What a style defines about text; None for what it does not define."""

    hidden: bool | None = None  # marked as hidden, or set in letters without width or height
    colour: Colour | None = None
    size: float | None = None  # points
    background: Colour | None = None
    unknown: bool = False  # the background is not known: a picture, or a colour that the theme defines
    further: tuple[Colour, ...] = ()  # of a background in several colours those after the first
    gone: bool = False  # moved off the page, or in lines without height, which a stronger look cannot change

    def over(self, below: Look) -> Look:
        """This look combined with a weaker one, which it overrides."""
        if self is PLAIN or below is PLAIN:  # most texts
            return below if self is PLAIN else self
        return Look(
            below.hidden if self.hidden is None else self.hidden,
            self.colour or below.colour,
            below.size if self.size is None else self.size,
            self.background or (None if self.unknown else below.background),
            self.unknown or (below.unknown and self.background is None),
            self.further or (() if self.unknown or self.background else below.further),
            self.gone or below.gone,
        )

    def on(self, background: Colour | None, *further: Colour) -> Look:
        """This look with another background, or one of several colours; unchanged if `background` is None."""
        return self if background is None else replace(self, background=background, further=further, unknown=False)

    @property
    def is_visible(self) -> bool:
        """Whether a reader can see the text; a background that is not known does not make it invisible."""
        if self.gone or self.hidden or (self.size is not None and self.size <= _TINY):
            return False
        if self.colour is None:
            # Text without a colour is black, and some programs make it white on a dark background.
            return True
        if self.colour.alpha < 0.06:
            return False
        background = self.background or (None if self.unknown else WHITE)
        grounds = self.further if background is None else (background, *self.further)
        return not any(self.colour.is_invisible_on(ground) for ground in grounds)


PLAIN = Look()


@dataclass(slots=True)
class Visibility:
    """Leaves out the hidden texts of a document, and counts them."""

    hidden: int = 0

    def visible(self, text: str, look: Look) -> str:
        """The text if it is visible; else an empty string, and the text is counted as hidden."""
        if look.is_visible:
            return text
        self.hidden += bool(text.strip())
        return ""


def hex_colour(value: str | None) -> Colour | None:
    """A colour of six hexadecimal digits, or eight with the alpha first, which programs ignore; None for other text."""
    digits = (value or "").strip().lower().lstrip("#")
    return parse_colour(f"#{digits[-6:]}") if len(digits) in (6, 8) else None


def even_colour(stops: Sequence[Colour | None]) -> Colour | None:
    """The colour of a gradient whose stops look the same; None for others."""
    first = stops[0] if stops else None
    return first if first is not None and all(stop is not None and stop.near(first) for stop in stops) else None
