"""Binds the arguments that a client sent to the parameters of a tool or of a contract.

Common aliases of a name are accepted and values are converted by `text.values`; everything else is refused with one
sentence that names the parameter, the value and what is allowed.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from mcp_web.errors import InvalidInput
from mcp_web.text.values import Unfit, convert, shown
from mcp_web.tools.tool import Param, Tool

# Alternative names of parameters, accepted if the tool has the real one.
ALIASES = {
    alias: name
    for name, aliases in {
        "query": ("q", "question", "prompt", "queries", "search"),
        "url": ("link", "uri", "href", "urls"),
        "urls": ("url", "links"),
        "count": ("limit", "max_results", "num_results"),
        "max_chars": ("maxlength", "max_length"),
        "start": ("offset", "start_index"),
        "snapshot": ("hash",),
        "quotes": ("quote",),
    }.items()
    for alias in aliases
}

_ALIKE = 0.5  # the similarity of `difflib` from which a name may be a misspelling
_TIE = 0.1  # of that similarity: a shared word such as `max_` decides no more than this


def bind(tool: Tool, given: Mapping[str, Any] | None) -> tuple[dict[str, Any], list[str]]:
    """The arguments of a call by parameter name, converted and with defaults, and a note on each value that was cut.

    Raises InvalidInput for a value that does not fit, a missing parameter, and an unknown one unless the tool drops it.
    """
    notes: list[str] = []
    known = {param.name: param for param in tool.params}
    bound: dict[str, Any] = {}
    for name, value in (given or {}).items():
        param = known.get(name) or _by_alias(name, known)
        if param is None:
            if tool.drops_unknown:
                continue
            raise InvalidInput(_unknown(tool, name, known), parameter=name[:60])
        if param.name in bound and param.name != name:
            continue  # the real name takes precedence over its alias
        if value is None or (not param.required and isinstance(value, str) and not value.strip()):
            continue  # agents pass "" for omitted parameters
        try:
            bound[param.name] = convert(value, param.rule, param.name, notes)
        except Unfit as error:
            raise InvalidInput(tool.wrong(param, shown(value), error.allowed), parameter=param.name) from None
    for param in tool.params:
        if param.name in bound:
            continue
        if param.required:
            raise InvalidInput(tool.missing(param), parameter=param.name)
        bound[param.name] = param.default
    return bound, notes


def refuse_both(tool: str, args: Mapping[str, Any], one: str, *others: str) -> None:
    """Raise InvalidInput if the parameter `one` of a tool is given together with one of `others`."""
    other = next((name for name in others if args[name]), None)
    if args[one] and other is not None:
        raise InvalidInput(
            f"{tool} shows either {one} or {other}, but both were given.",
            suggestion="Call it once with each.",
            parameter=other,
        )


def _by_alias(name: str, known: Mapping[str, Param]) -> Param | None:
    """The parameter that is meant by another spelling or a common alias of its name; None if there is none."""
    folded = name.lower().replace("-", "_")
    if folded in known:
        return known[folded]
    for param in known.values():
        if folded in param.aliases or folded.replace("_", "") == param.name.replace("_", "").lower():
            return param
    return known.get(ALIASES.get(folded, ""))


def _unknown(tool: Tool, name: str, known: Mapping[str, Param]) -> str:
    """The message for a parameter that the tool does not have, with the names that are spelt like it, or else all."""
    alike = {one: difflib.SequenceMatcher(None, name[:60], one).ratio() for one in known}
    # Several, if they are about as near: by its letters `max_tokens` is as near to `max_age` as to `max_chars`.
    least = max(_ALIKE, max(alike.values(), default=0.0) - _TIE)
    near = sorted((one for one in known if alike[one] >= least), key=lambda one: -alike[one])
    hint = f" Did you mean {' or '.join(map(repr, near))}?" if near else f" It takes: {', '.join(known)}."
    return f"{tool.name} has no parameter {name[:60]!r}.{hint}"
