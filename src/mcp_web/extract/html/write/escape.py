"""Escapes text so that it does not become Markdown syntax."""

from __future__ import annotations

import re

from mcp_web.text.spaces import fold_spaces

JOINT = "\x02"  # between "]" and "(" of links that the writer makes; the text of a page never has it
_SPECIAL = re.compile(r"[\\`*_\[<&~\x02]")

_NOT_ESCAPED = r"(?<!\\)((?:\\\\)*+)"  # before a character: an even number of backslashes
_BRACKET = re.compile(_NOT_ESCAPED + r"([\[\]])")
_LINK = re.compile(_NOT_ESCAPED + r"\](?=\()")

# One alternative per inline structure that text could start. `<` and `&` become entities: programs that strip HTML tags
# would remove `\<T>`, but not an entity.
_ESCAPE = re.compile(
    r"(?P<slash>\\(?=[!-/:-@\[-`{-~]|$)|`|\*(?=\S)|(?<=\S)\*|^\*|\*$|(?<!\w)_++|(?<=[^\W_])_++(?!\w)|~(?=~)|\[(?=\^))"
    r"|(?P<tag><(?=[A-Za-z/!?]|$))"
    r"|(?P<entity>&(?=#?\w{1,31};))"
    r"|(?P<joint>\x02)"
)

# Beginnings that make a line a heading, list item, quote, rule, fence, table row or link definition.
_LINE_START = re.compile(
    r"^(?:(?P<mark>#{1,6}(?=\s|$)|[-+*](?=\s|$)|>|\||[-=|:][-=|: ]*$|~{3,}|\[(?=[^\]]{1,200}\]:))"
    r"|(?P<number>\d{1,9})(?P<dot>[.)])(?=\s|$))"
)


def _escaped(match: re.Match[str]) -> str:
    """What a match of `_ESCAPE` is replaced by: its characters with backslashes, an entity or nothing."""
    kind = match.lastgroup
    if kind == "slash":
        return "".join(f"\\{mark}" for mark in match[0])
    return "&lt;" if kind == "tag" else "&amp;" if kind == "entity" else ""


def escape(text: str) -> str:
    """The text with everything escaped that would start an inline structure of Markdown."""
    if _SPECIAL.search(text) is None:
        return text
    return _ESCAPE.sub(_escaped, text)


def escape_links(line: str) -> str:
    """Escape "](" in text, which would make a link; then remove JOINT, which the writer puts into its own links."""
    return (_LINK.sub(r"\1\\]", line) if has_link(line) else line).replace(JOINT, "")


def has_link(line: str) -> bool:
    """Whether a line contains "](" that is not escaped."""
    return "](" in line and _LINK.search(line) is not None


def escape_brackets(text: str) -> str:
    """The text of a link, with its brackets escaped if they would end the link early or make another one."""
    depth = 0
    for _, bracket in _BRACKET.findall(text):
        depth += 1 if bracket == "[" else -1
        if depth < 0:
            break
    return text if depth == 0 and not has_link(text) else _BRACKET.sub(r"\1\\\2", text)


def escape_line_start(line: str) -> str:
    """The line, with a backslash if it would start a block structure, such as a heading or a list."""
    found = _LINE_START.match(line)
    if found is None:
        return line
    if found["number"] is not None:
        return f"{found['number']}\\{line[found.start('dot') :]}"
    return "\\" + line


def code_span(code: str) -> str:
    """A run of code as inline code, which `escape_links` must not change; "" if it is only white space."""
    return in_ticks(fold_spaces(code).replace(JOINT, "").replace("](", f"]{JOINT}("))


def in_ticks(code: str) -> str:
    """Code of one line between delimiters longer than any run of backticks inside; "" for none."""
    if "`" not in code:
        return f"`{code}`" if code else ""
    longest = max(len(run) for run in re.findall(r"`+", code))
    ticks = "`" * (longest + 1)
    pad = " " if code[0] == "`" or code[-1] == "`" else ""
    return f"{ticks}{pad}{code}{pad}{ticks}"
