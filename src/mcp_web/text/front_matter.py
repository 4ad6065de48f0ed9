"""Front matter: the YAML block of facts at the head of a Markdown file.

Only the common part of YAML is supported: plain and quoted text, also over several lines, `|` and `>` blocks,
and lists in brackets or one item to a line. Values stay text (`yes`, `2024`), and nested mappings are left out.
A block without any fact is ordinary text; no input raises an error.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence

_BLOCK = re.compile(r"\A\ufeff?---[ \t]*\r?\n(.{0,20000}?)\r?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_LINE = re.compile(r"([A-Za-z_][\w-]{0,60}):(?:[ \t]+(.*))?$")
_ITEM = re.compile(r"(\s*)-(?:\s+(.*))?$")
_BLOCK_SCALAR = re.compile(r"([|>])[-+\d]{0,2}(?:\s+#.*)?$")
_COMMENT = re.compile(r"\s#\s.*")
_QUOTED = re.compile(r"""("(?:[^"\\]|\\.)*+"|'(?:[^']|'')*+')\s*(?:#.*)?""", re.DOTALL)
_IN_BRACKETS = re.compile(r"""\s*("(?:[^"\\]|\\.)*+"|'(?:[^']|'')*+'|[^,\s][^,]*)""")
_PLAIN = re.compile(r"[A-Za-z0-9][\w ./@+-]*")

Value = str | tuple[str, ...]


def read(text: str) -> tuple[dict[str, Value], str]:
    """(the facts of the front matter of a Markdown text, by lower-case name; the text after it). Without front matter,
    no facts and the whole text."""
    block = _BLOCK.match(text)
    if block is None:
        return {}, text
    facts = {name: _value(first, more) for name, first, more in _entries(block[1].replace("\r\n", "\n").split("\n"))}
    if not facts and block[1].strip():
        return {}, text
    return facts, text[block.end() :]


def write(facts: Mapping[str, str | Sequence[str] | None]) -> str:
    """The facts as front matter that `read` and every YAML parser understand; empty ones are left out."""
    lines = []
    for name, value in facts.items():
        if value is None or value == "" or value == ():
            continue
        shown = _quoted(value) if isinstance(value, str) else "[" + ", ".join(_quoted(one) for one in value) + "]"
        lines.append(f"{name}: {shown}")
    return "---\n" + "\n".join(lines) + "\n---\n"


def texts(value: Value | None) -> tuple[str, ...]:
    """The items of a fact that is a list or comma-separated text, without duplicates and without a leading `#` as tags
    have.

    Empty for None.
    """
    if value is None:
        return ()
    parts = value.split(",") if isinstance(value, str) else value
    return tuple(dict.fromkeys(part.strip().lstrip("#") for part in parts if part.strip()))


def joined(value: Value | None) -> str:
    """A fact as one text, "" for None; list items are separated by commas."""
    return value if isinstance(value, str) else ", ".join(value or ())


def _entries(lines: Sequence[str]) -> Iterator[tuple[str, str, list[str]]]:
    """For each fact its name, the rest of its line, and the lines below that belong to it: those that are indented,
    blank or list items."""
    name, first, more = "", "", list[str]()
    for line in lines:
        if found := _LINE.match(line):
            if name:
                yield name, first, more
            name, first, more = found[1].lower(), (found[2] or "").strip(), []
        elif not line.strip() or line[0] in " \t" or _ITEM.match(line):
            more.append(line)
    if name:
        yield name, first, more


def _value(first: str, more: list[str]) -> Value:
    """The value of a fact, from the rest of the line with its name and the lines below it."""
    if block := _BLOCK_SCALAR.match(first):
        return _block_scalar(more, keep_breaks=block[1] == "|")
    more = [line for line in more if not line.lstrip().startswith("# ")]
    head = next((line for line in more if line.strip()), "")
    if not first and _ITEM.match(head):
        return tuple(item for item in map(_scalar, _items(more)) if item)
    if not first and _LINE.match(head.strip()):
        return ""
    text = _folded([first, *more])
    if text.startswith("[") and (end := text.rfind("]")) > 0:
        return tuple(item for part in _IN_BRACKETS.findall(text[1:end]) if (item := _scalar(part.strip())))
    return _scalar(text)


def _items(lines: list[str]) -> list[str]:
    """The items of a list; a line that is indented further continues the item above it."""
    items: list[list[str]] = []
    indent = -1
    for line in lines:
        found = _ITEM.match(line)
        if found and (indent < 0 or len(found[1]) <= indent):
            indent = len(found[1])
            items.append([found[2] or ""])
        elif items:
            items[-1].append(line)
    return [_folded(item) for item in items]


def _block_scalar(lines: list[str], *, keep_breaks: bool) -> str:
    indent = next((len(line) - len(line.lstrip()) for line in lines if line.strip()), 0)
    return "\n".join(line[indent:].rstrip() for line in lines).strip("\n") if keep_breaks else _folded(lines)


def _folded(lines: Sequence[str]) -> str:
    """Lines as one text: joined by spaces, and by a line break in place of each empty line."""
    text = "\n".join(line.strip() for line in lines).strip()
    return re.sub(r"\n+", lambda breaks: "\n" * (len(breaks[0]) - 1) or " ", text)


def _scalar(text: str) -> str:
    """A text without its quotation marks, escapes and comment."""
    quoted = _QUOTED.fullmatch(text)
    if quoted is None:
        return _COMMENT.sub("", text).strip()
    inner = quoted[1][1:-1]
    if text[0] == "'":
        return inner.replace("''", "'")
    try:
        return str(json.loads(quoted[1], strict=False))  # the escapes of JSON are those people use in YAML
    except ValueError:
        return inner


def _quoted(text: str) -> str:
    """A text as it is written into front matter, in quotation marks where YAML needs them."""
    # JSON strings are YAML strings; words that YAML reads as something else are quoted too.
    plain = _PLAIN.fullmatch(text) and text.lower() not in ("true", "false", "yes", "no", "null", "on", "off")
    return text if plain and not text.endswith(" ") else json.dumps(text)
