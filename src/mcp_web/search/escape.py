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
    """The query with each word that a search engine could take for a command ("!images", ":de") put in quotes.

    In a phrase that is already in quotes the word loses its mark instead; a mark without a word is left out.
    """
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
    """The word, unless it begins like a command (`!`, `:`, `<`, `?`, a backslash): then in quotes, or without its
    mark if it is `quoted` (inside a phrase in quotes) or has a quotation mark; "" for a mark alone."""
    mark = _COMMAND.match(word)
    if mark is None:
        return word
    rest = word[mark.end() :]
    if quoted or '"' in rest:
        return rest  # quotes cannot be nested, so inside a phrase the command's mark is removed
    return f'"{word}"' if rest else ""
