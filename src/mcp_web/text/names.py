"""Names of what documentation describes (functions, exceptions, flags, settings): where a text defines one, and where a
question asks for one. A title of several words is the name of its document.

A name has one key for all its spellings: "readtimeout" for `read_timeout`, `readTimeout` and `--read-timeout`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from mcp_web.text.markdown import BULLET
from mcp_web.text.words import compounds, fold, is_stop_word, words

_LONGEST = 80  # characters: what is longer is no name
_LONGEST_TITLE = 300  # characters
_LONGEST_SIGNATURE = 2000  # characters with the addresses of its links: a longer line is none
_MOST = 5000  # signatures and terms of a text that are read; the manual of all settings of Git has a thousand
# A paragraph that is a signature, in code: `json.dumps(obj)`, `exception KeyError`, `--depth <n>`.
# In C the type before the name may be a link.
_SIGNATURE_LINE = re.compile(r"^(?:\[`\w+`\]\([^)\n]*\) )?`[^\n]*[`)*]$", re.MULTILINE)
_LINKED = re.compile(r"\[(`[^`\n]*`)\]\([^)\n]*\)")
# The terms of a definition list, each on its line: `--depth <n>`, then `: Create a shallow clone`.
_TERM_LINES = re.compile(r"(?:^(?![:>#|])\S[^\n]{0,199}\n){1,4}(?=: )", re.MULTILINE)
# An item of a list that begins with a name and says more of it: "- **timeout** `number` - …", "- `initialState`: …".
_ITEM = re.compile(
    rf"^[ \t]*{BULLET}[ \t]+(?:\*\*`|\*\*|`)(?P<name>-{{0,2}}[A-Za-z_$][\w.$-]*\w)(?:\([^)\n]*\))?"
    r"(?:`\*\*|\*\*|`)(?=[ \t]*(?:[:—–({<`-]|\\<))",
    re.MULTILINE,
)
# What is behind the name: arguments, values, a type, a description.
_BEHIND = re.compile(r"&lt;|[(\[<=:,{]|\s[—–-]\s")
# What kind of thing a name is, before it (`class Popen`, `Class: http.Agent`) or behind it (`AllowOverride Directive`).
_KINDS = (
    "class|exception|function|method|property|attribute|type|enum|interface|struct|event|macro|variable|option|module"
)
_KIND = re.compile(
    rf"(?:(?:abstract|async|static|classmethod|staticmethod|const|var|let|def|new|{_KINDS})\s+|(?i:{_KINDS}):\s+)+"
)
_KIND_BEHIND = re.compile(rf"(?<=\S)\s+(?:directive|command|element|statement|{_KINDS})$", re.IGNORECASE)
_NEGATION = re.compile(r"\[no-\]")  # of `--[no-]verify`
# How a name is written that is one word: a flag, a call, a variable, capitals.
_WRITTEN_AS_NAME = re.compile(r"--?\w|[$@]\w|_+\w+|[A-Z][A-Z0-9]{2,}$|.*\w\(\)$")


# Between a title and the name of its site or a description: `json — JSON encoder and decoder`.
_TITLE_END = re.compile(r"\s[—–|·»:-]+\s")


class Name(NamedTuple):
    """A name of a function, setting or the like in a question: its key, which is the same for all spellings, and the
    words that it is searched by."""

    key: str
    words: tuple[str, ...]


def asked_names(text: str) -> tuple[Name, ...]:
    """The names that a word of a question may mean: the whole word, then its parts between dots, the last one first.

    A manual may describe `OrderedDict.move_to_end` as `move_to_end` under `OrderedDict`.
    """
    found = (Name(_key(part), (*words(part), *compounds(part))) for part in (text, *reversed(text.split("."))))
    return tuple(dict.fromkeys(name for name in found if name.key))


def asked_title(asked: Sequence[str]) -> tuple[Name, ...]:
    """The words of a question as the one title that they may be; nothing for a single word."""
    return (Name(fold("".join(asked)), tuple(asked)),) if len(asked) > 1 else ()


def title_keys(title: str) -> set[str]:
    """The keys that a title is found by, whole and without what follows a dash or a bar; none for a single word."""
    texts = (title[:_LONGEST_TITLE], _TITLE_END.split(title[:_LONGEST_TITLE], maxsplit=1)[0])
    return {name.key for text in texts for name in asked_title(tuple(dict.fromkeys(words(text))))}


def _key(name: str) -> str:
    """The key of a name, the same for all its spellings; empty for a number."""
    key = "".join(words(name))
    return "" if key.isdigit() else key


def _keys(name: str) -> set[str]:
    """The keys that a defined name is found by: those of the whole and of its part after the last dot."""
    return {key for key in map(_key, (name, name.rpartition(".")[2])) if key}


def signature_name(signature: str) -> str:
    """The name in the line with which documentation begins to describe it, such as `json.dumps(obj)`, `--depth <n>` or
    a heading; empty where the line is a text of several words."""
    if len(signature) > _LONGEST_SIGNATURE:
        return ""
    signature = _LINKED.sub(r"\1", signature)
    plain = _NEGATION.sub("", signature.replace("`", "").replace("\\", "")).strip()
    is_call = "(" in plain
    named = _KIND.sub("", plain, count=1) if _KIND.match(plain) else plain
    before = _KIND_BEHIND.sub("", _BEHIND.split(named, maxsplit=1)[0].strip() or named).split()
    if not before:
        return ""
    # `--color always|never` begins with its name; `PyObject *PyObject_Call(…)` ends with it.
    name = before[0] if plain.startswith("-") else before[-1]
    single = len(before) == 1 or plain.startswith("-") or (is_call and signature.startswith("`"))
    return name if single and len(name) <= _LONGEST else ""


def heading_keys(heading: str) -> set[str]:
    """The keys of the name that a heading consists of; empty if it is not a name."""
    return _keys(signature_name(heading))


def defined_keys(markdown: str, headings: Iterable[str]) -> frozenset[str]:
    """The keys of all names that a text defines: those that `definitions` finds, and headings that are names."""
    return frozenset(key for _, key in definitions(markdown)).union(*map(heading_keys, headings))


def definitions(markdown: str) -> Iterator[tuple[int, str]]:
    """(offset, key) of each name that a text defines: in a line of code such as `json.dumps(obj)`, or as the term of a
    definition list, a line with `: ` and its description below. A name with dots has two keys."""
    return ((start, key) for start, name in islice(_defined(markdown), _MOST) for key in _keys(name))


def described(markdown: str) -> Iterator[tuple[int, str]]:
    """(offset, key) of each name that an item of a list begins with and describes, as parameters and options are. A
    document may describe the options of what another one defines, so these are no definitions of the document."""
    return ((found.start(), key) for found in islice(_ITEM.finditer(markdown), _MOST) for key in _keys(found["name"]))


def _defined(markdown: str) -> Iterator[tuple[int, str]]:
    """(offset, name) of each line of code such as `json.dumps(obj)` and each term of a definition list. Terms that
    share a definition have the offset of the first; the name is "" where `signature_name` finds none."""
    for found in _SIGNATURE_LINE.finditer(markdown):
        yield found.start(), signature_name(found[0])
    for found in _TERM_LINES.finditer(markdown):
        for term in found[0].splitlines():
            yield found.start(), signature_name(term)


def is_name(text: str) -> bool:
    """Whether a word of a question, as it was typed, is written as a name: a flag, a call, capitals, or words joined as
    in `read_timeout` or `readTimeout`."""
    return bool(_WRITTEN_AS_NAME.match(text) or compounds(text)) and not is_stop_word(text.lower(), "en")
