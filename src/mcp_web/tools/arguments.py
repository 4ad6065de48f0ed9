"""Turns what an agent sent into what a tool takes.

Strings become numbers, booleans and lists; common aliases are understood; sizes out of range are clamped with a
note; everything else is refused with one sentence that names the parameter, the value and what is allowed.
"""

from __future__ import annotations

import difflib
import json
import math
from collections.abc import Mapping
from typing import Any

from mcp_web.errors import InvalidInput
from mcp_web.tools.shrink import encodable
from mcp_web.tools.tool import Param, Tool

# Names that agents use for the same thing, wherever the tool has the real one.
ALIASES = {
    "q": "query",
    "question": "query",
    "prompt": "query",
    "queries": "query",
    "search": "query",
    "link": "url",
    "uri": "url",
    "href": "url",
    "urls": "url",
    "url": "urls",
    "links": "urls",
    "limit": "count",
    "max_results": "count",
    "num_results": "count",
    "maxlength": "max_chars",
    "max_length": "max_chars",
    "offset": "start",
    "start_index": "start",
    "maxresults": "max_results",
    "maxtokens": "max_tokens",
    "hash": "snapshot",
    "quote": "quotes",
}

_LARGEST = 2**53  # what a JSON number holds exactly, and well within a database's integers
_LONGEST = 20_000  # characters of a text whose parameter says nothing else
_TRUE = {"true", "1", "yes", "on"}
_FALSE = {"false", "0", "no", "off"}


def bind(tool: Tool, given: Mapping[str, Any] | None) -> tuple[dict[str, Any], list[str]]:
    """The tool's arguments with defaults filled in, and notes on what was changed."""
    notes: list[str] = []
    known = {param.name: param for param in tool.params}
    bound: dict[str, Any] = {}
    for name, value in (given or {}).items():
        param = known.get(name) or _by_alias(name, known)
        if param is None:
            raise InvalidInput(_unknown(tool, name, known), parameter=name)
        if param.name in bound and param.name != name:
            continue  # the real name wins over an alias of it
        if value is None or (not param.required and isinstance(value, str) and not value.strip()):
            continue  # agents write "" for what they leave out
        bound[param.name] = _coerce(param, value, notes)
    for param in tool.params:
        if param.name in bound:
            continue
        if param.required:
            raise InvalidInput(f"{tool.name} needs the parameter {param.name!r}: {param.help}", parameter=param.name)
        bound[param.name] = param.default
    return bound, notes


def _by_alias(name: str, known: Mapping[str, Param]) -> Param | None:
    folded = name.lower().replace("-", "_")
    if folded in known:
        return known[folded]
    for param in known.values():
        if folded in param.aliases or folded.replace("_", "") == param.name.replace("_", ""):
            return param
    return known.get(ALIASES.get(folded, ""))


def _unknown(tool: Tool, name: str, known: Mapping[str, Param]) -> str:
    near = difflib.get_close_matches(name, list(known), n=1, cutoff=0.5)
    hint = f" Did you mean {near[0]!r}?" if near else f" It takes: {', '.join(known)}."
    return f"{tool.name} has no parameter {name[:60]!r}.{hint}"


def _coerce(param: Param, value: Any, notes: list[str]) -> Any:
    if param.kind == "array":
        return _list(param, value, notes)
    if param.kind == "boolean":
        return _boolean(param, value)
    if param.kind in ("integer", "number"):
        return _number(param, value, notes)
    return _string(param, value)


def _wrong(param: Param, value: Any, allowed: str) -> InvalidInput:
    shown = _shown(value)
    return InvalidInput(f"The parameter {param.name!r} is {shown}, but it must be {allowed}.", parameter=param.name)


def _shown(value: Any) -> str:
    """A value as one reads it, short whatever was sent."""
    try:
        shown = repr(value[:100] if isinstance(value, str | list) else value)
    except (RecursionError, ValueError):  # nested without end, or a number of thousands of digits
        shown = f"a {type(value).__name__} too large to show"
    return shown if len(shown) <= 80 else shown[:77] + "…"


def _string(param: Param, value: Any) -> str:
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, bool | int | float):
        value = json.dumps(value) if isinstance(value, bool) else _shown(value)
    if not isinstance(value, str):
        raise _wrong(param, value, "text")
    text: str = encodable(value)
    if param.choices:
        return _choice(param, text)
    if param.required and not text.strip():
        raise _wrong(param, text, "text that is not empty")
    longest = _LONGEST if param.max_length is None else param.max_length
    if len(text) > longest:
        raise _wrong(param, text, f"at most {longest:,} characters (it has {len(text):,})")
    return text


def _choice(param: Param, value: str) -> str:
    folded = value.strip().lower()
    for choice in param.choices:
        if choice.lower() == folded:
            return choice
    raise _wrong(param, value, "one of: " + ", ".join(param.choices))


def _boolean(param: Param, value: Any) -> bool:
    if isinstance(value, bool):
        return value
    word = _shown(value).strip("' ").lower()
    if word in _TRUE:
        return True
    if word in _FALSE:
        return False
    raise _wrong(param, value, "true or false")


def _number(param: Param, value: Any, notes: list[str]) -> int | float:
    whole = param.kind == "integer"
    words = "a whole number" if whole else "a number"
    try:
        if isinstance(value, bool):
            raise ValueError
        number = float(str(value).replace("_", "").replace(",", "")) if isinstance(value, str) else float(value)
    except OverflowError:  # more digits than a float can hold
        number = math.inf if value > 0 else -math.inf
    except (TypeError, ValueError):
        raise _wrong(param, value, words) from None
    if math.isnan(number) or (whole and math.isfinite(number) and number != int(number)):
        raise _wrong(param, value, words)
    clamped = number
    if param.least is not None:
        clamped = max(clamped, param.least)
    if param.most is not None:
        clamped = min(clamped, param.most)
    if math.isinf(clamped):
        raise _wrong(param, value, words)
    clamped = max(-_LARGEST, min(clamped, _LARGEST))
    if clamped != number:
        notes.append(f"{param.name} was {_shown(value)}, out of range: {int(clamped) if whole else clamped} was used.")
    return int(clamped) if whole else clamped


def _list(param: Param, value: Any, notes: list[str]) -> list[str]:
    items = _items(param, value)
    if param.required and not items:
        raise _wrong(param, value, "a list with at least one item")
    if param.max_items is not None and len(items) > param.max_items:
        notes.append(f"{param.name} had {len(items)} items: the first {param.max_items} were used.")
        items = items[: param.max_items]
    one = Param(param.name, "string", param.help, choices=param.choices, max_length=param.max_length, required=True)
    return [_string(one, item).strip() for item in items]


def _items(param: Param, value: Any) -> list[Any]:
    if isinstance(value, list | tuple):
        return [item for item in value if not (isinstance(item, str) and not item.strip())]
    if not isinstance(value, str):
        raise _wrong(param, value, "a list of strings")
    text = value.strip()
    if text.startswith("["):
        try:
            parsed = json.loads(text)
        except (ValueError, RecursionError):
            parsed = None
        if isinstance(parsed, list):
            return _items(param, parsed)
    parts = text.split("\n") if param.lines else text.replace("\n", ",").split(",")
    return [part.strip() for part in parts if part.strip()]
