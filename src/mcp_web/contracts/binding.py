"""Binds arguments to another system's JSON schema: defaults filled in, strings coerced, the rest refused.

Keys that the schema does not know are dropped, as the libraries of those systems do.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from mcp_web.errors import InvalidInput

_TRUE, _FALSE = {"true", "1", "yes", "on"}, {"false", "0", "no", "off"}


def bind_to(tool: str, schema: Mapping[str, Any], given: Mapping[str, Any] | None, *, clamps: bool) -> dict[str, Any]:
    """The arguments by name; every property of the schema is there, None where it has no default."""
    known: Mapping[str, Mapping[str, Any]] = schema["properties"]
    named = {_real(name, known): value for name, value in (given or {}).items() if value is not None}
    bound: dict[str, Any] = {}
    for name, rule in known.items():
        if name in named:
            bound[name] = _value(tool, name, rule, named[name], clamps=clamps)
        elif name in schema.get("required", ()):
            raise InvalidInput(f"Invalid arguments for tool {tool}: {name} is required.", parameter=name)
        else:
            bound[name] = rule.get("default")
    return bound


def _real(name: str, known: Mapping[str, Any]) -> str:
    """The schema's own spelling of a name; `q` is what many call the query."""
    if name in known:
        return name
    folded = _folded(name)
    return next((one for one in known if _folded(one) == folded), "query" if folded == "q" else name)


def _folded(name: str) -> str:
    return name.lower().replace("_", "").replace("-", "")


def _value(tool: str, name: str, rule: Mapping[str, Any], value: Any, *, clamps: bool) -> Any:
    def refuse(allowed: str) -> InvalidInput:
        shown = json.dumps(value, ensure_ascii=False, default=str)
        shown = shown if len(shown) <= 80 else shown[:77] + "…"
        return InvalidInput(
            f"Invalid arguments for tool {tool}: {name} must be {allowed}, received {shown}.", parameter=name
        )

    if "anyOf" in rule:
        return _several(value, refuse)
    match rule.get("type"):
        case "boolean":
            made: Any = _boolean(value, refuse)
        case "integer" | "number" as kind:
            made = _number(rule, value, refuse, whole=kind == "integer", clamps=clamps)
        case "array":
            made = _items(rule, value, refuse)
        case _:
            made = _text(rule, value, refuse)
    if "enum" in rule and made not in rule["enum"]:
        raise refuse("one of " + ", ".join(json.dumps(one) for one in rule["enum"]))
    return made


def _several(value: Any, refuse: Any) -> list[str]:
    """A string or a list of strings, always as a list."""
    if isinstance(value, str):
        text = value.strip()
        parsed = _parsed(text) if text.startswith("[") else None
        value = parsed if isinstance(parsed, list) else [value]
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise refuse("a string or an array of strings")
    if not value:
        raise refuse("at least one string")
    return value


def _text(rule: Mapping[str, Any], value: Any, refuse: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise refuse("a string")
    text = str(value)
    if len(text) < rule.get("minLength", 0):
        raise refuse(f"a string of at least {rule['minLength']} characters")
    if len(text) > rule.get("maxLength", math.inf):
        raise refuse(f"a string of at most {rule['maxLength']} characters")
    if "pattern" in rule and not re.search(rule["pattern"], text):
        raise refuse(f"a string that matches {rule['pattern']}")
    return text


def _boolean(value: Any, refuse: Any) -> bool:
    if isinstance(value, bool):
        return value
    word = str(value).strip().lower()
    if word not in _TRUE | _FALSE:
        raise refuse("true or false")
    return word in _TRUE


def _number(rule: Mapping[str, Any], value: Any, refuse: Any, *, whole: bool, clamps: bool) -> int | float:
    words = "an integer" if whole else "a number"
    try:
        if isinstance(value, bool):
            raise ValueError
        number = float(value)
    except (TypeError, ValueError):
        raise refuse(words) from None
    if not math.isfinite(number) or (whole and number != int(number)):
        raise refuse(words)
    least = rule.get("minimum", rule.get("exclusiveMinimum", -math.inf))
    most = rule.get("maximum", rule.get("exclusiveMaximum", math.inf))
    outside = not least <= number <= most or number in (rule.get("exclusiveMinimum"), rule.get("exclusiveMaximum"))
    if outside and not clamps:
        raise refuse(f"{words} from {least:g} to {most:g}")
    number = min(max(number, least), most)
    return int(number) if whole else number


def _items(rule: Mapping[str, Any], value: Any, refuse: Any) -> list[str]:
    if isinstance(value, str):
        parsed = _parsed(value) if value.lstrip().startswith("[") else None
        value = parsed if isinstance(parsed, list) else [part.strip() for part in value.split(",") if part.strip()]
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise refuse("an array of strings")
    allowed = rule.get("items", {}).get("enum")
    if allowed and any(one not in allowed for one in value):
        raise refuse("an array of " + ", ".join(allowed))
    if len(value) < rule.get("minItems", 0):
        raise refuse(f"an array of at least {rule['minItems']} items")
    if len(value) > rule.get("maxItems", math.inf):
        raise refuse(f"an array of at most {rule['maxItems']} items")
    return value


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None
