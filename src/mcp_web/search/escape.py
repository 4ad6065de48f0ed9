"""Escapes words of a query that an engine would take for a command.

SearXNG obeys `!engine`, `!!external`, `:language` and `<timeout`, DuckDuckGo obeys `!bang`; an external bang
redirects to another site. A word that looks like a command is put in quotes, so that engines search for it: a
query for `!important` still works.
"""

from __future__ import annotations

import re

_COMMAND = re.compile(r"^[!:<?\\]+")
_SPACES = re.compile(r"\s+")


def escape_operators(text: str) -> str:
    """The query with every word in quotes that an engine could take for a command."""
    words = []
    quoted = False
    for word in _SPACES.split(text.strip()):
        harmless = _harmless(word, quoted)
        quoted ^= word.count('"') % 2 == 1
        if harmless:
            words.append(harmless)
    if not words and text.strip():
        return '"{}"'.format(text.split()[0].replace('"', ""))
    return " ".join(words)


def _harmless(word: str, quoted: bool) -> str:
    """The word in a form that no engine takes for a command; `quoted`: it is inside a phrase in quotes."""
    mark = _COMMAND.match(word)
    if mark is None:
        return word
    rest = word[mark.end() :]
    if quoted or '"' in rest:
        return rest  # quotes cannot be nested, so inside a phrase the command's mark is removed
    return f'"{word}"' if rest else ""
