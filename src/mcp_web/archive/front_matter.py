"""The few lines of facts at the head of a Markdown file. Broken ones are text, never an error."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

_BLOCK = re.compile(r"\A\ufeff?---[ \t]*\r?\n(.{0,20000}?)\r?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_LINE = re.compile(r"^([A-Za-z_][\w-]{0,60}):[ \t]*(.*)$")
_PLAIN = re.compile(r"[A-Za-z0-9][\w ./@+-]*")

Value = str | tuple[str, ...]


def read(text: str) -> tuple[dict[str, Value], str]:
    """The facts, with lower-case names, and the text after them."""
    block = _BLOCK.match(text)
    if block is None:
        return {}, text
    facts: dict[str, Value] = {}
    name = ""
    for line in block[1].splitlines():
        found = _LINE.match(line)
        if found:
            name = found[1].lower()
            facts[name] = _value(found[2].strip())
        elif name and (item := re.match(r"^\s*-\s+(.*)$", line)):
            before = facts[name]
            facts[name] = (*(before if isinstance(before, tuple) else ()), _scalar(item[1].strip()))
    return facts, text[block.end() :]


def write(facts: Mapping[str, str | Sequence[str] | None]) -> str:
    """The facts as front matter that `read` and every YAML parser understand."""
    lines = []
    for name, value in facts.items():
        if value is None or value == "" or value == ():
            continue
        shown = _quoted(value) if isinstance(value, str) else "[" + ", ".join(_quoted(one) for one in value) + "]"
        lines.append(f"{name}: {shown}")
    return "---\n" + "\n".join(lines) + "\n---\n"


def texts(value: Value | None) -> tuple[str, ...]:
    """A fact that may be one word, a list, or words between commas."""
    if value is None:
        return ()
    parts = value.split(",") if isinstance(value, str) else value
    return tuple(dict.fromkeys(part.strip().lstrip("#") for part in parts if part.strip()))


def _value(text: str) -> Value:
    if text.startswith("[") and text.endswith("]"):
        parts = re.findall(r"\s*(\"(?:[^\"\\]|\\.)*\"|'[^']*'|[^,\s][^,]*)", text[1:-1])
        return tuple(scalar for part in parts if (scalar := _scalar(part.strip())))
    return _scalar(text)


def _scalar(text: str) -> str:
    if len(text) > 1 and text[0] == text[-1] == '"':
        try:
            return str(json.loads(text))
        except ValueError:
            return text[1:-1]
    if len(text) > 1 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'")
    return text


def _quoted(text: str) -> str:
    # JSON strings are YAML strings; words that YAML reads as something else are quoted too.
    plain = _PLAIN.fullmatch(text) and text.lower() not in ("true", "false", "yes", "no", "null", "on", "off")
    return text if plain and not text.endswith(" ") else json.dumps(text)
