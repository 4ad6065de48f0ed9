"""The syntax that sheets, selectors and values share: escapes, comments, strings and brackets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})[ \t\r\n\f]?|([^\n]))")
# What is read as a whole: an escape, a string, a bracket.
_WHOLE = r"""\\(?:[0-9a-fA-F]{1,6}\s?|.)|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[()\[\]]"""
_SPECIAL = re.compile(r"""[(\[\]"'\\]""")
_CALL = re.compile(r"([a-z0-9-]+)\(")
_UNSAFE = re.compile(r"[{};,()]")
_MARKS = ("/*", '"', "'", "url(", "URL(")
# A comment, which may not be closed, an escape, a URL that does not refer to the page, and a string.
_OPAQUE = re.compile(
    r"""/\*.*?(?:\*/|\Z)|\\.|url\((?!#)[^()"']*\)|"[^"\\\n]*(?:\\.[^"\\\n]*)*"|'[^'\\\n]*(?:\\.[^'\\\n]*)*'""",
    re.S | re.I,
)
_NAME_CHARACTER = re.compile(r"[\w-]")


class Call(NamedTuple):
    """A function in a CSS value; `start` and `end` are its offsets in the text, if it comes from one."""

    name: str
    argument: str
    start: int = 0
    end: int = 0


def unescaped(text: str) -> str:
    """The text with CSS escapes replaced by their characters."""
    return _ESCAPE.sub(_character, text) if "\\" in text else text


def _character(found: re.Match[str]) -> str:
    if found[2]:
        return found[2]
    code = int(found[1], 16)
    known = 0x20 < code < 0x110000 and not 0xD800 <= code < 0xE000
    return chr(code) if known else "\ufffd"  # an escaped space or control character is part of a name


def found_outside(text: str, pattern: str, start: int = 0) -> Iterator[re.Match[str]]:
    """The matches of a regular expression, from the offset `start` on, that are outside brackets and strings."""
    depth = 0
    for found in _scanner(pattern).finditer(text, start):
        if not depth and found["wanted"] is not None:
            yield found
        elif found[0] in ("(", "["):
            depth += 1
        elif depth and found[0] in (")", "]"):
            depth -= 1


@lru_cache(maxsize=64)
def _scanner(pattern: str) -> re.Pattern[str]:
    return re.compile(f"(?P<wanted>{pattern})|{_WHOLE}", re.S)


def split_outside(text: str, separator: str = " ") -> list[str]:
    """The parts of a text, stripped, split at a separator outside brackets and strings. Empty parts are
    left out only of a text with a bracket, a quote or an escape."""
    if separator not in text and separator != " ":
        return [text.strip()]
    if _SPECIAL.search(text) is None:
        return [part.strip() for part in (text.split() if separator == " " else text.split(separator))]
    parts: list[str] = []
    start = 0
    for found in found_outside(text, re.escape(separator)):
        parts.append(text[start : found.start()])
        start = found.end()
    return [stripped for part in (*parts, text[start:]) if (stripped := part.strip())]


def split_declarations(text: str) -> list[str]:
    """The texts of the declarations of a rule or a style attribute, split at semicolons outside brackets."""
    parts = text.split(";")
    if "[" in text or ("(" in text and any(part.count("(") > part.count(")") for part in parts if "(" in part)):
        return split_outside(text, ";")
    return parts


def closing(text: str, start: int) -> int:
    """The offset of the bracket that closes the one just before `start`; the end of the text if there is none."""
    end = text.find(")", start)
    if end >= 0 and _SPECIAL.search(text, start, end) is None:
        return end
    return next((found.start() for found in found_outside(text, r"\)", start)), len(text))


def calls(text: str, names: re.Pattern[str] = _CALL) -> Iterator[Call]:
    """The functions of a value that are not inside others, in order.

    `names` matches a name, its first group, and the opening bracket.
    """
    end = 0
    for call in names.finditer(text):
        if call.start() >= end:
            close = closing(text, call.end())
            end = close + 1
            yield Call(call[1], text[call.end() : close], call.start(), end)


def cleaned(text: str) -> str:
    """The text of a sheet or of declarations in a form that can be split at braces and semicolons.

    Comments are removed, and URLs emptied that are not in quotes and do not begin with "#". Braces, brackets, commas
    and semicolons in strings are escaped; long strings are emptied.
    """
    return _OPAQUE.sub(_cleaned, text) if any(mark in text for mark in _MARKS) else text


def _cleaned(found: re.Match[str]) -> str:
    whole = found[0]
    if whole[0] == "/":
        before, after = found.string[found.start() - 1 : found.start()], found.string[found.end() : found.end() + 1]
        return " " if _NAME_CHARACTER.match(before) and _NAME_CHARACTER.match(after) else ""
    if whole[0] == "\\":
        return whole
    if whole[0] in "uU":
        return "url()"
    inside = whole[1:-1] if len(whole) < 200 else ""
    return f'"{_UNSAFE.sub(lambda unsafe: f"{chr(92)}{ord(unsafe[0]):x} ", inside)}"'
