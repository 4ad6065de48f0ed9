"""What an output may hold: one rule for each kind of reader."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import quote, quote_plus

from .hostile_world import KEY, WORD

# agent: text that a model reads · facts: a JSON value that it may be shown · format: the answer of another system,
# which has no envelope · person: what a command prints · message: what a command or view says itself · html: a view
Reader = Literal["agent", "facts", "format", "person", "message", "html"]

_ENVELOPE = re.compile(r"<untrusted (\w+)>\n.*?\n</untrusted \1>", re.DOTALL)
_QUOTED = re.compile(r'"[^"\n]{0,200}"')
_ADDRESS = re.compile(r"https?://[^\s\"]{1,301}")
_OWN_ENVELOPE = re.compile(r"</?untrusted [0-9a-f]{10}>")
_TURN = re.compile(r"<\|im_start\|>|\[INST\]|</?(?:system|tool_result)>|</?untrusted\b", re.IGNORECASE)
_CONTROL = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]"
)
_LONGEST_FACT = 2_000
_SPELLINGS = (KEY, quote(KEY), quote(KEY, safe=""), quote_plus(KEY), KEY.replace("/", "\\/"), KEY[:16])


@dataclass(frozen=True)
class Output:
    """Something that left the process, and the call that it answers."""

    call: str
    value: Any
    reader: Reader


def faults(output: Output) -> Iterator[str]:
    """Every place in which somebody else's words could be taken for ours, and every secret."""
    found = list(strings(output.value))
    for text in found:
        if any(one in text for one in _SPELLINGS):
            yield f"{output.call}: the key stands in {_around(text, _SPELLINGS)!r}"
    check = {
        "agent": _agent,
        "facts": _facts,
        "format": _turns,
        "person": _controls,
        "message": _message,
        "html": _html,
    }
    for text in found:
        for fault in check[output.reader](text):
            yield f"{output.call} ({output.reader}): {fault!r}"


def strings(value: Any) -> Iterator[str]:
    """Every string in a JSON value, the names in objects too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for pair in value.items():
            yield from strings(pair)
    elif isinstance(value, list | tuple | set | frozenset):
        for item in value:
            yield from strings(item)


def _agent(text: str) -> Iterator[str]:
    yield from _turns(text)
    yield from _message(_ENVELOPE.sub("", text))


def _message(text: str) -> Iterator[str]:
    """A sentence of ours: what somebody else chose is in quotation marks and short, or an address."""
    for line in text.splitlines():
        rest = _ADDRESS.sub("", _QUOTED.sub("", line))
        if WORD in rest:
            yield rest[:300]
    yield from _controls(text)


def _facts(text: str) -> Iterator[str]:
    yield from _turns(text)
    if len(text) > _LONGEST_FACT or "\n" in text or _CONTROL.search(text):
        yield text[:300]


def _turns(text: str) -> Iterator[str]:
    """What could be taken for the beginning of a turn, or for the end of our envelope."""
    text = _OWN_ENVELOPE.sub("", text)
    yield from (text[max(0, one.start() - 60) : one.end() + 60] for one in _TURN.finditer(text))


def _controls(text: str) -> Iterator[str]:
    yield from (text[max(0, one.start() - 60) : one.end() + 60] for one in _CONTROL.finditer(text))


def _html(text: str) -> Iterator[str]:
    for one in ("<system>", "<script>alert", "<untrusted", "<tool_result>"):
        if one in text:
            yield _around(text, (one,))


def _around(text: str, needles: tuple[str, ...]) -> str:
    at = min(text.find(one) for one in needles if one in text)
    return text[max(0, at - 80) : at + 80]


def parsed(text: str) -> Any:
    """The JSON value in a text; the text itself where it is none."""
    try:
        return json.loads(text)
    except ValueError:
        return text


_RULES: dict[Reader, Callable[[str], Iterator[str]]] = {
    "agent": _agent,
    "facts": _facts,
    "format": _turns,
    "person": _controls,
    "message": _message,
    "html": _html,
}
