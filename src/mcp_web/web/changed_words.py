"""The lines of a comparison, with the words that differ marked."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from typing import Literal

Change = Literal["added", "removed", "same"]
Piece = tuple[str, bool]  # text, and whether it differs
Line = tuple[Change, list[Piece]]

_CHANGES: dict[str, Change] = {"+": "added", "-": "removed"}
# Kept pages have absolute targets; in code, `call[0](x)` is not a link.
_LINK = re.compile(r"!?\[([^\[\]]*+)\]\((?=[a-z][a-z0-9+.-]*+:|[#/])(?:[^()\s]|\([^()\s]*+\))*+(?:\s+\"[^\"]*+\")?\)")
_MOST_WORDS = 400  # of a line: longer ones are shown without marks, since comparing takes the square of it
_ALIKE = 0.4  # lines that share less are not versions of each other


def lines_of(hunk: str) -> list[Line]:
    """The lines of a unified diff: the change of each, and its text in pieces, each with whether it differs.

    A removed line is compared with the added line that took its place.
    """
    found: list[Line] = []
    removed: list[str] = []
    added: list[str] = []
    for line in [*hunk.splitlines(), " "]:
        change = _CHANGES.get(line[:1], "same")
        if change == "removed" and not added:
            removed.append(line[1:])
        elif change == "added":
            added.append(line[1:])
        else:
            found += _compared(removed, added)
            removed, added = ([line[1:]], []) if change == "removed" else ([], [])
            if change == "same":
                found.append(("same", [(_shown(line[1:]), False)]))
    return found[:-1]


def _shown(line: str) -> str:
    """The line with each link replaced by its text."""
    return _LINK.sub(r"\1", line)


def _compared(removed: Sequence[str], added: Sequence[str]) -> Iterator[Line]:
    """Removed and added lines in turn, compared in pairs; a line without a partner is one piece, not marked."""
    for old, new in zip(removed, added, strict=False):
        only_targets_differ = _shown(old) == _shown(new)
        before, after = _pieces(old, new) if only_targets_differ else _pieces(_shown(old), _shown(new))
        yield "removed", before
        yield "added", after
    paired = min(len(removed), len(added))
    for line in removed[paired:]:
        yield "removed", [(_shown(line), False)]
    for line in added[paired:]:
        yield "added", [(_shown(line), False)]


def _pieces(old: str, new: str) -> tuple[list[Piece], list[Piece]]:
    """Both lines in pieces, each with whether it differs; too long or too different lines are one piece, not marked."""
    first, second = re.findall(r"\s+|\S+", old), re.findall(r"\s+|\S+", new)
    if len(first) + len(second) > 2 * _MOST_WORDS:
        return [(old, False)], [(new, False)]
    matcher = difflib.SequenceMatcher(a=first, b=second, autojunk=False)
    if matcher.ratio() < _ALIKE:
        return [(old, False)], [(new, False)]
    before: list[Piece] = []
    after: list[Piece] = []
    for operation, a1, a2, b1, b2 in matcher.get_opcodes():
        before.append(("".join(first[a1:a2]), operation != "equal"))
        after.append(("".join(second[b1:b2]), operation != "equal"))
    return [piece for piece in before if piece[0]], [piece for piece in after if piece[0]]
