"""Titles and snippets as an agent should read them: one clean line, no markup, no hidden characters."""

from __future__ import annotations

import html
import re
import unicodedata

from mcp_web.text.shorten import shortened_at_word

SNIPPET_CHARS = 200

_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,500}>|<!--.*?-->", re.DOTALL)
_SPACES = re.compile(r"\s+")
_TRAILING_DOTS = re.compile(r"(?:\s*(?:\.{3,}|…)\s*)+$")
_INNER_DOTS = re.compile(r"(?:\s*(?:\.{3,}|…)\s*){2,}")


def clean(text: str, limit: int | None = None) -> str:
    """The text without tags, entities, control and zero-width characters, on one line, at most `limit` long."""
    if not text:
        return ""
    plain = html.unescape(_TAG.sub("", text))
    if "&" in plain or "<" in plain:
        # Providers escape text that was escaped before ("&amp;#39;"), so a second round; a tag that appears only
        # now was text on the page ("how to use &lt;b&gt;") and stays.
        plain = html.unescape(plain)
    visible = plain
    if not plain.isprintable():
        visible = "".join(_SPACE_OR_NOTHING.get(unicodedata.category(char), char) for char in plain)
    line = _SPACES.sub(" ", unicodedata.normalize("NFC", visible)).strip()
    return line if limit is None else shortened_at_word(line, limit)


_SPACE_OR_NOTHING = {"Cc": " ", "Zs": " ", "Zl": " ", "Zp": " ", "Cf": "", "Cs": "", "Co": "", "Cn": ""}


def snippet(text: str, limit: int = SNIPPET_CHARS) -> str:
    """A cleaned snippet: doubled and trailing dots gone, cut at a word."""
    line = _INNER_DOTS.sub(" … ", clean(text))
    ended = _TRAILING_DOTS.sub(" …", line).strip()
    return "" if ended == "…" else shortened_at_word(ended, limit)
