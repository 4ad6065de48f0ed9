"""Converts loosely typed values to the type that a rule requires.

One set of conversions for tool parameters, for the schemas of contracts and for settings: strings become numbers,
booleans and lists; a value that cannot be converted raises `Unfit`, which says what is allowed.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import Any, Literal

from mcp_web.text.json_fields import read_json
from mcp_web.text.shorten import shortened

ValueKind = Literal["string", "integer", "number", "boolean", "array"]

TRUE = frozenset({"true", "1", "yes", "on"})
FALSE = frozenset({"false", "0", "no", "off"})
LARGEST = 2**53  # what a JSON number holds exactly, and well within a database's integers
_SIZE = re.compile(r"(?i)^\s*(\d+(?:\.\d+)?)\s*(k|m|g)i?b?\s*$")
_UNITS = {"k": 1024, "m": 1024**2, "g": 1024**3}
COMMA = re.compile(r"[,\n]")


class Unfit(ValueError):
    """Raised for a value that does not fit its rule; `allowed` completes the sentence "it must be …"."""

    def __init__(self, allowed: str) -> None:
        super().__init__(allowed)
        self.allowed = allowed


@dataclass(frozen=True, slots=True)
class ValueRule:
    """What values one parameter or option accepts: their type, limits and choices."""

    kind: ValueKind
    choices: tuple[Any, ...] = ()
    least: float | None = None
    most: float | None = None
    exclusive: bool = False  # the limits themselves are not allowed
    clamp: bool = False  # numbers out of range and lists that are too long are cut, with a note
    min_length: int = 0  # characters of a string; items of a list have at least one
    max_length: int | None = None  # characters of a string, or of each item of a list
    min_items: int = 0
    max_items: int | None = None
    pattern: str = ""  # a regular expression that is found in the string
    separator: re.Pattern[str] | None = COMMA  # splits a list given as one string; None: the string is one item
    numbers_as_text: bool = True  # a number is accepted where text is expected
    sizes: bool = False  # integers may be written as 10M or 2GiB
    unit: str = ""  # such as seconds; for messages only

    @property
    def allowed(self) -> str:
        """What is allowed as a phrase such as "a number from 1 to 5", for error messages and the reference."""
        if self.choices:
            words = "a list of: " if self.kind == "array" else "one of: "
            return words + ", ".join(str(choice) for choice in self.choices)
        match self.kind:
            case "boolean":
                return "true or false"
            case "integer" | "number":
                number = "a whole number" if self.kind == "integer" else "a number"
                return number + (f" of {self.unit}" if self.unit else "") + _range(self.least, self.most)
            case "array":
                return "a list of strings"
        return "text"


def convert(value: Any, rule: ValueRule, name: str = "", notes: list[str] | None = None) -> Any:
    """The value converted to the type of the rule; raises Unfit if it cannot be, or is not allowed.

    Every number or list that was cut to the limits of the rule adds a sentence to `notes`, which begins with `name`.
    """
    match rule.kind:
        case "boolean":
            return _boolean(value, rule)
        case "integer" | "number":
            return _number(value, rule, name, notes)
        case "array":
            return _list(value, rule, name, notes)
    return _string(value, rule)


def shown(value: Any) -> str:
    """A value as Python code for a message, cut to 80 characters."""
    try:
        text = repr(value[:100] if isinstance(value, str | list) else value)
    except (RecursionError, ValueError):  # nested too deeply, or a number of thousands of digits
        text = f"a {type(value).__name__} too large to show"
    return shortened(text, 80)


def encodable(text: str) -> str:
    """The text with lone surrogates, which UTF-8 cannot carry, replaced by question marks."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


def _range(least: float | None, most: float | None) -> str:
    """The limits for a message, such as " from 1 to 5"; empty without limits."""
    if least is not None and most is not None:
        return f" from {least:g} to {most:g}"
    if least is not None:
        return f" of at least {least:g}"
    return f" of at most {most:g}" if most is not None else ""


def _boolean(value: Any, rule: ValueRule) -> bool:
    word = value.strip().lower() if isinstance(value, str) else shown(value).lower()
    if word not in TRUE | FALSE:
        raise Unfit(rule.allowed)
    return word in TRUE


def _number(value: Any, rule: ValueRule, name: str, notes: list[str] | None) -> int | float:
    number = _parsed_number(value, rule)
    if math.isnan(number) or (rule.kind == "integer" and math.isfinite(number) and number != int(number)):
        raise Unfit(rule.allowed)
    least = -math.inf if rule.least is None else rule.least
    most = math.inf if rule.most is None else rule.most
    fits = least <= number <= most and not (rule.exclusive and number in (least, most))
    if not fits and not rule.clamp:
        raise Unfit(rule.allowed)
    if rule.choices and number not in rule.choices:
        raise Unfit(rule.allowed)
    clamped = min(max(number, least), most)
    if math.isinf(clamped):
        raise Unfit(rule.allowed)
    clamped = max(-LARGEST, min(clamped, LARGEST))
    made = int(clamped) if rule.kind == "integer" else clamped
    if clamped != number and notes is not None:
        notes.append(f"{name} was {shown(value)}, out of range: {made} was used.")
    return made


def _parsed_number(value: Any, rule: ValueRule) -> float:
    """The value as a float, infinite if it is too large; raises Unfit."""
    try:
        if isinstance(value, bool):
            raise ValueError
        if rule.sizes and isinstance(value, str) and (size := _SIZE.match(value)):
            return float(int(float(size[1]) * _UNITS[size[2].lower()]))
        return float(value.replace("_", "").replace(",", "")) if isinstance(value, str) else float(value)
    except OverflowError:  # more digits than a float can hold
        return math.inf if isinstance(value, str) or value > 0 else -math.inf
    except (TypeError, ValueError):
        raise Unfit(rule.allowed) from None


def _string(value: Any, rule: ValueRule) -> str:
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, bool | int | float) and rule.numbers_as_text:
        value = json.dumps(value) if isinstance(value, bool) else shown(value)
    if not isinstance(value, str):
        raise Unfit("one of: " + ", ".join(map(str, rule.choices)) if rule.choices else "text")
    text = encodable(value)
    if rule.choices:
        return _choice(text, rule)
    if rule.min_length and len(text.strip()) < rule.min_length:
        raise Unfit("text that is not empty" if rule.min_length == 1 else f"at least {rule.min_length} characters")
    if rule.max_length is not None and len(text) > rule.max_length:
        raise Unfit(f"at most {rule.max_length:,} characters (it has {len(text):,})")
    if rule.pattern and not re.search(rule.pattern, text):
        raise Unfit(f"text that matches {rule.pattern}")
    return text


def _choice(text: str, rule: ValueRule) -> str:
    """The choice that equals the text without regard to case; raises Unfit if there is none."""
    folded = text.strip().lower()
    for choice in rule.choices:
        if str(choice).lower() == folded:
            return str(choice)
    raise Unfit(rule.allowed)


def _list(value: Any, rule: ValueRule, name: str, notes: list[str] | None) -> list[str]:
    items = _items(value, rule)
    if len(items) < rule.min_items:
        raise Unfit(f"a list with at least {'one item' if rule.min_items == 1 else f'{rule.min_items} items'}")
    if rule.max_items is not None and len(items) > rule.max_items:
        if not rule.clamp:
            raise Unfit(f"a list of at most {rule.max_items} items")
        if notes is not None:
            notes.append(f"{name} had {len(items)} items: the first {rule.max_items} were used.")
        items = items[: rule.max_items]
    one = ValueRule(
        "string", rule.choices, min_length=1, max_length=rule.max_length, numbers_as_text=rule.numbers_as_text
    )
    return [_string(item, one).strip() for item in items]


def _items(value: Any, rule: ValueRule) -> list[Any]:
    """The non-blank items of a list, a JSON list in a string, or a string with separators; raises Unfit for others."""
    if isinstance(value, list | tuple):
        return [item for item in value if not (isinstance(item, str) and not item.strip())]
    if not isinstance(value, str):
        raise Unfit(rule.allowed)
    text = value.strip()
    if text.startswith("["):
        try:
            parsed = read_json(text)
        except ValueError:
            parsed = None
        if isinstance(parsed, list):
            return _items(parsed, rule)
    parts = rule.separator.split(text) if rule.separator else [text]
    return [part.strip() for part in parts if part.strip()]
