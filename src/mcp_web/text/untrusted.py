"""Makes untrusted text, from a page, document, provider or site, safe to include in our messages."""

from __future__ import annotations

import re
from typing import Any

from mcp_web.text.shorten import shortened
from mcp_web.text.spaces import fold_spaces

QUOTE_CHARS = 80  # of an untrusted name, in a note or an error

# Role and turn markers of common chat formats, and the opening and closing words of our own envelope.
_MARKERS = re.compile(
    r"<\|(?=[a-z_]{2,30}\|>)|\[(?=/?INST\])|<(?=/?(?:system|assistant|user|human|tool_result|function_results)\s*>)"
    r"|<(?=/?untrusted\b)",
    re.IGNORECASE,
)
# Characters that move a terminal's cursor, reverse the text or are invisible; not line breaks and tabs.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]"
)


def defuse(text: str) -> str:
    """The text with `‹` in place of the first character of what could be taken for a chat turn, or for the tags that
    mark untrusted text in our answers."""
    if "<" not in text and "[" not in text:
        return text
    return _MARKERS.sub(lambda found: "‹" + found[0][1:], text)


def printable(text: str) -> str:
    """The text with invisible and control characters escaped, except tabs and line breaks."""
    if text.isprintable():
        return text
    return _UNSEEN.sub(lambda unseen: unseen[0].encode("unicode_escape").decode(), text)


def one_line(text: Any) -> str:
    """The value as text on one line, with single spaces."""
    return fold_spaces(str(text))


def quoted(value: Any, most: int = QUOTE_CHARS) -> str:
    """The value in quotation marks: on one line, defused and shortened to `most` characters.

    For all untrusted values in notes and errors: sheet names, media types, details of a provider.
    """
    line = defuse(printable(one_line(value))).replace('"', "'")
    return f'"{shortened(line, most)}"'
