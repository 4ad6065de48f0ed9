"""Parses the declarations of a style attribute or rule as a browser does: escapes and shorthands resolved.

Invalid declarations are left out. Only the properties that can hide text are returned.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple, TypeVar

from mcp_web.extract.css.colour import is_colour
from mcp_web.extract.css.syntax import cleaned, split_declarations, split_outside, unescaped
from mcp_web.extract.css.variables import is_open
from mcp_web.lru import cached_if_short

T = TypeVar("T")
_IMPORTANT = re.compile(r"\s*!\s*important\s*\Z")
_OUTSIDE_VALUE = re.compile(r"\b(?:env|anchor)\(\s*([\w-]+)[^,()]*(?:,([^()]*))?\)", re.I)
_WIDE = frozenset(("inherit", "initial", "unset", "revert", "revert-layer"))
_LENGTH = re.compile(
    r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?"
    r"(?:px|r?em|r?ex|r?ch|r?lh|ic|cap|pt|pc|cm|mm|q|in|[sld]?v(?:w|h|i|b|min|max)|cq(?:w|h|i|b|min|max)|%)\Z"
)
_ZERO = re.compile(r"[-+]?0*\.?0+\Z")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?%?\Z")
_TIME = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)m?s\Z")
_FUNCTION = re.compile(r"-?[a-z][\w-]*\(")
_MATH = re.compile(
    r"(?:calc|calc-size|min|max|clamp|round|mod|rem|a?sin|a?cos|a?tan2?|pow|sqrt|hypot|log|exp|abs|sign|progress"
    r"|fit-content|anchor|anchor-size|env)\("
)
# In quirks mode these accept numbers without a unit, and colours digits without "#".
_UNITLESS = re.compile(r"(?<![\w.%-])[-+]?(?:\d+\.?\d*|\.\d+)(?![\w.%])")
_HASHLESS = re.compile(r"(?:[0-9a-f]{3}){1,2}\Z|\d{1,6}\Z")
_SIZES = frozenset(
    (
     "xx-small", "x-small", "small", "medium", "large", "x-large", "xx-large", "xxx-large", "smaller", "larger",
     "auto", "normal", "none", "min-content", "max-content", "fit-content", "stretch", "-webkit-fill-available",
     "-moz-available", "-webkit-fit-content", "content", "thin", "thick",
    )
)  # fmt: skip
_DISPLAYS = frozenset(
    (
     "none", "block", "inline", "inline-block", "flex", "inline-flex", "grid", "inline-grid", "table",
     "inline-table", "table-row", "table-cell", "table-row-group", "table-header-group", "table-footer-group",
     "table-column", "table-column-group", "table-caption", "list-item", "contents", "flow", "flow-root",
     "ruby", "ruby-base", "ruby-text", "math", "run-in", "-webkit-box", "-webkit-inline-box", "-webkit-flex",
     "-webkit-inline-flex", "-ms-flexbox", "-ms-grid", "subgrid", "masonry",
    )
)  # fmt: skip
_OVERFLOWS = frozenset(["visible", "hidden", "clip", "scroll", "auto", "overlay"])
_KEYWORDS = {
    "visibility": frozenset(["visible", "hidden", "collapse"]),
    "position": frozenset(["static", "relative", "absolute", "fixed", "sticky", "-webkit-sticky"]),
    "content-visibility": frozenset(["visible", "hidden", "auto"]),
    "backface-visibility": frozenset(["visible", "hidden"]),
    "overflow-x": _OVERFLOWS,
    "overflow-y": _OVERFLOWS,
}
_SIDES = ("top", "right", "bottom", "left")
_LENGTHS = frozenset(
    (*_SIDES, *(f"margin-{side}" for side in _SIDES), *(f"padding-{side}" for side in _SIDES), "font-size", "width",
     "height", "max-width", "max-height", "min-width", "min-height", "text-indent", "letter-spacing", "word-spacing")
)  # fmt: skip
_COLOURS = frozenset(("color", "background-color", "-webkit-text-fill-color"))
_FREE = frozenset(
    (
     "filter", "transform", "scale", "rotate", "translate", "clip", "clip-path", "mask-image",
     "background-image", "background-clip", "text-shadow", "-webkit-text-stroke", "animation-name",
     "animation-duration", "animation-delay", "animation-fill-mode", "animation-play-state",
     "animation-iteration-count", "animation-direction", "transition", "z-index", "contain", "perspective",
     "font-palette", "text-overflow", "-webkit-text-security", "all", "box-shadow", "mix-blend-mode", "offset-path",
     "font-size-adjust", "mask-size", "float", "grid-template-rows", "flex-basis", "flex-grow", "text-decoration",
     "text-decoration-thickness", "text-underline-offset", "mask-position", "mask-repeat", "mask-mode", "content",
     "grid-auto-rows", "contain-intrinsic-height", "offset-distance", "backdrop-filter", "border-shape",
     "-webkit-text-stroke-color", "container-type", "box-sizing", "font-family", "color-scheme", "transform-origin",
    )
)  # fmt: skip
_NUMBERS = frozenset(("opacity", "zoom", "line-height"))
_PREFIXED = (
    "transform", "transform-origin", "filter", "clip-path", "mask", "mask-image", "mask-size", "mask-position",
    "mask-repeat", "background-clip", "backface-visibility", "animation", "opacity", "transition", "box-shadow",
)  # fmt: skip
_LOGICAL = {"inline-start": "left", "inline-end": "right", "block-start": "top", "block-end": "bottom"}
_OLD_LOGICAL = {"start": "left", "end": "right", "before": "top", "after": "bottom"}
_ALIASES = {
    **{f"-webkit-{name}": name for name in _PREFIXED},
    **{f"{kind}{logical}": f"{kind.removeprefix('inset-')}{side}"
       for kind in ("inset-", "margin-", "padding-") for logical, side in _LOGICAL.items()},
    **{f"-webkit-{kind}-{logical}": f"{kind}-{side}"
       for kind in ("margin", "padding") for logical, side in _OLD_LOGICAL.items()},
    **{f"{least}{logical}-size": f"{least}{size}"
       for least in ("", "max-", "min-") for logical, size in (("block", "height"), ("inline", "width"))},
    "-webkit-text-stroke-width": "-webkit-text-stroke", "transition-property": "transition",
    "transition-duration": "transition", "overflow-block": "overflow-y", "overflow-inline": "overflow-x",
    "offset": "offset-path", "column-height": "height", "container": "container-type",
    "-webkit-mask-box-image": "mask-image", "-webkit-mask-box-image-source": "mask-image",
    "contain-intrinsic-size": "contain-intrinsic-height", "contain-intrinsic-block-size": "contain-intrinsic-height",
    "text-decoration-line": "text-decoration",
}  # fmt: skip
_TRACKED = {"display", *_KEYWORDS, *_LENGTHS, *_COLOURS, *_FREE, *_NUMBERS}
_SHORTHANDS = frozenset(
    (
     "background", "font", "margin", "padding", "inset", "inset-inline", "inset-block", "margin-inline",
     "margin-block", "overflow", "animation", "flex", "grid-template", "mask",
    )
)  # fmt: skip
# A negative amount makes a filter invalid.
_NEGATIVE = re.compile(r"(?:opacity|brightness|contrast|invert|grayscale|sepia|saturate|blur)\(\s*-[\d.]")
_PENDING = "\0"  # occurs in no sheet: a browser replaces it by U+FFFD
# Sample values with which a shorthand sets all of its properties; for the other shorthands it is 0.
_SAMPLES = {"background": "red", "font": "1px a", "animation": "a"}
_IDENT = re.compile(r"-?[a-z][\w-]*\Z|/")
_PICTURE = re.compile(r"url\(|gradient\(|image\(|image-set\(")
_NAMED_SIZE = re.compile(r"x*-?(?:small|large)\Z|medium\Z")


class Declarations(NamedTuple):
    """The valid declarations of a rule or a style attribute: the value of each property, in lower case. `plain` are
    those without `!important`."""

    plain: Mapping[str, str]
    important: Mapping[str, str]
    resets: bool = False  # whether it declares `all`, which resets the other properties

    def values(self) -> dict[str, str]:
        """The value of each property; that of an `!important` declaration if it has both."""
        return {**self.plain, **self.important}


@cached_if_short(400, entries=4096)  # themes use the same rules on many sites
def parse_declarations(text: str, quirks: bool = False) -> Declarations:
    """The valid declarations in the body of a rule or in a style attribute, with shorthands expanded.

    Only variables and the properties that can hide text are returned. `quirks`: as in a page without a doctype, where
    lengths need no unit and colours no "#".
    """
    plain: dict[str, str] = {}
    important: dict[str, str] = {}
    text = cleaned(text)
    if "env(" in text or "anchor(" in text:
        text = _OUTSIDE_VALUE.sub(_fallback, text)
    for declaration in split_declarations(text):
        is_important, values = _read(declaration, quirks)
        if "all" in values:
            plain = {name: value for name, value in plain.items() if name[:2] == "--"}
        (important if is_important else plain).update(values)
    return Declarations(plain, important, "all" in plain or "all" in important)


@cached_if_short(400, entries=4096)  # few declarations are written again and again
def _read(declaration: str, quirks: bool) -> tuple[bool, Mapping[str, str]]:
    """Whether a declaration is important, and the values of the properties that it sets. These are several for a
    shorthand, none if the declaration is not valid or its property is not read here."""
    name, _, value = declaration.partition(":")
    name, value = unescaped(name).lower().strip(), unescaped(value).lower()
    name = _ALIASES.get(name, name)
    if not value or not (name in _TRACKED or name in _SHORTHANDS or name[:2] == "--"):
        return False, {}
    value, important = " ".join(value.split()), False
    if "!" in value:
        plain = _IMPORTANT.sub("", value)
        important, value = len(plain) < len(value), plain
        if "!" in value:
            return False, {}
    if quirks:
        value = standard_value(name, value)
    parts: Iterable[tuple[str, str]] = ((name, value),)
    if name in _SHORTHANDS and value:
        parts = _pending(name, value) if is_open(value) else _expanded(name, value)
    return important, {each: part for each, part in parts if part and is_valid(each, part)}


def is_read(name: str) -> bool:
    """Whether `parse_declarations` returns the property `name`, in lower case, if it is declared; not for variables.
    Also True for a name with a CSS escape, which may be that of such a property."""
    return name in _TRACKED or name in _SHORTHANDS or name in _ALIASES or "\\" in name


def standard_value(name: str, value: str) -> str:
    """A value from a page in quirks mode, with the "#" of a colour or the "px" of lengths added where it is missing."""
    if name in ("color", "background-color") and _HASHLESS.match(value):
        return f"#{value.zfill(6) if value.isdigit() else value}"
    takes_numbers = (name in _LENGTHS or name in ("margin", "padding")) and "(" not in value
    return _UNITLESS.sub(r"\g<0>px", value) if takes_numbers else value


def _fallback(found: re.Match[str]) -> str:
    """What an `env()` or `anchor()`, which have no value on a desktop screen, is replaced by: its fallback. Without one
    an `anchor()` becomes "0px", an `env()` stays as it is; one for the edges of a screen is always "0px"."""
    if found[1].lower().startswith(("safe-area", "keyboard-inset")):
        return "0px"
    return (found[2] or ("0px" if found[0][:6].lower() == "anchor" else found[0])).strip()


@lru_cache(maxsize=4096)  # few declarations are written again and again
def is_valid(name: str, value: str) -> bool:
    """Whether a browser accepts the value; True for properties that are not checked, and values with variables."""
    if value in _WIDE or is_open(value) or "env(" in value:
        return True
    if name == "display":
        return all(word in _DISPLAYS for word in value.split())
    if name in _KEYWORDS:
        return value in _KEYWORDS[name]
    if name in _COLOURS:
        return is_colour(value)
    if name in _LENGTHS:
        return _is_length(value) or value in _SIZES
    if name == "filter":
        return _NEGATIVE.search(value) is None
    if name in _NUMBERS:
        return _NUMBER.match(value) is not None or _is_length(value) or value in ("normal", "reset")
    return True


def _is_length(value: str) -> bool:
    return any(test.match(value) for test in (_LENGTH, _ZERO, _MATH))


def _pending(name: str, value: str) -> Iterator[tuple[str, str]]:
    """The properties that a shorthand with variables sets, each with a value that contains the whole shorthand. When
    the variables are known, `expanded` and `longhand` read such a value."""
    return ((each, f"{_PENDING}{name}{_PENDING}{value}") for each, _ in _expanded(name, _SAMPLES.get(name, "0")))


def _expanded(name: str, value: str) -> Iterator[tuple[str, str]]:
    """The name and value of each property that a shorthand sets."""
    if name == "background":
        yield from _background(value)
    elif name == "font":
        size, family = (value, value) if value in _WIDE else _font(value)
        if size:
            yield from (("font-size", size), ("font-family", family))
    elif name == "overflow":
        words = value.split() if "(" not in value else [value]
        yield "overflow-x", words[0] if words else ""
        yield "overflow-y", words[-1] if words else ""
    elif name == "animation":
        yield from _animation(value)
    elif name == "flex":
        yield from _flex(value)
    elif name == "mask":
        yield from (("mask-image", value), ("mask-repeat", value), ("mask-mode", value))
        yield from (("mask-size", "auto"), ("mask-position", "0 0"))
    elif name == "grid-template":
        yield "grid-template-rows", value.partition("/")[0].strip()
    else:
        yield from _sides(name, split_outside(value))


def _font(font: str) -> tuple[str, str]:
    """Size and family of a `font` shorthand: the first length, and what comes after it; "" and "" if there is none."""
    words = split_outside(font)
    for at, word in enumerate(words[:-1]):
        size = split_outside(word, "/")[0] if word != "/" else ""
        if _is_length(size) or _NAMED_SIZE.match(size):
            return size, " ".join(words[at + 1 :])
    return "", ""


def expanded(value: str) -> dict[str, str]:
    """The values that a shorthand stored by `_pending` gives its properties, after its variables were replaced. Without
    those that are not valid; empty for a value that `_pending` did not make."""
    shorthand, _, whole = value[1:].partition(_PENDING) if value[:1] == _PENDING else ("", "", "")
    return {name: part for name, part in _expanded(shorthand, whole) if is_valid(name, part)} if whole.strip() else {}


def longhand(name: str, value: str) -> str:
    """The value of a property after its variables were replaced; of a `_pending` shorthand, the part for it or ""."""
    return expanded(value).get(name, "") if value[:1] == _PENDING else value


def _sides(name: str, values: list[str]) -> Iterator[tuple[str, str]]:
    kind, _, axis = name.partition("-")
    prefix = "" if kind == "inset" else f"{kind}-"
    sides = {"inline": ("left", "right"), "block": ("top", "bottom")}.get(axis, _SIDES)
    for side, value in zip(sides, four_sides(values), strict=False):
        yield f"{prefix}{side}", value


def four_sides(values: list[T]) -> tuple[T, T, T, T]:
    """The values of top, right, bottom and left, from one to four values in the order of CSS."""
    top = values[0]
    right = values[1] if len(values) > 1 else top
    return top, right, values[2] if len(values) > 2 else top, values[3] if len(values) > 3 else right


def _background(value: str) -> Iterator[tuple[str, str]]:
    """The name and value of each property that `background` sets or resets; nothing if the value is not valid."""
    if value in _WIDE:
        yield "background-color", value
        yield "background-image", "none"
        return
    words = split_outside(value.replace("/", " / "))
    colours = [word for word in words if is_colour(word.rstrip(","))]
    images = [word for word in words if _PICTURE.search(word)]
    if "/" in words[:-1] and _ZERO.match(words[words.index("/") + 1].removesuffix("px").rstrip("%") or "x"):
        images = ["none"] if images else []
    is_plain = "/" not in (value[0], value[-1]) and all(_IDENT.match(word) or _is_length(word) for word in words)
    if not colours and not images and not is_plain:
        return
    yield "background-color", colours[-1].rstrip(",") if colours else "transparent"
    yield "background-image", " ".join(images) or "none"
    yield "background-clip", "text" if "text" in words else "border-box"


def _flex(value: str) -> Iterator[tuple[str, str]]:
    words = split_outside(value)
    numbers = [word for word in words if _NUMBER.match(word) and not word.endswith("%")]
    sizes = [word for word in words if word not in numbers]
    basis = sizes[0] if sizes else numbers[2] if len(numbers) > 2 else "0%"
    yield "flex-grow", numbers[0] if numbers else "1"
    yield "flex-basis", basis if value not in ("auto", "none", "initial") else "auto"


def _animation(value: str) -> Iterator[tuple[str, str]]:
    """The properties that `animation` sets: each is a list with one value per animation."""
    if value in _WIDE or value == "none":
        yield "animation-name", "none"
        return
    parts = [dict(_one_animation(split_outside(part))) for part in split_outside(value, ",")]
    for name in parts[0]:
        yield name, ",".join(part[name] for part in parts)


def _one_animation(words: list[str]) -> Iterator[tuple[str, str]]:
    times = [word for word in words if _TIME.match(word)]
    yield "animation-duration", times[0] if times else "0s"
    yield "animation-delay", times[1] if len(times) > 1 else "0s"
    kinds = {
        "animation-fill-mode": ("none", "forwards", "backwards", "both"),
        "animation-play-state": ("running", "paused"),
        "animation-direction": ("normal", "reverse", "alternate", "alternate-reverse"),
    }
    left = [word for word in words if word not in times and not _FUNCTION.match(word)]
    for name, values in kinds.items():
        found = [word for word in left if word in values]
        yield name, found[0] if found else values[0]
        left = [word for word in left if word not in values]
    counts = [word for word in left if word == "infinite" or _NUMBER.match(word)]
    yield "animation-iteration-count", counts[0] if counts else "1"
    names = [word for word in left if word not in counts and word not in _EASINGS]
    yield "animation-name", names[0] if names else "none"


_EASINGS = frozenset(["ease", "linear", "ease-in", "ease-out", "ease-in-out", "step-start", "step-end"])
