"""What changed between two versions of a page, by section."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile, zip_longest
from typing import Literal

from mcp_web.model.page import Heading
from mcp_web.read.outline import paths
from mcp_web.text.headings import read_headings
from mcp_web.text.markdown import blocks
from mcp_web.text.sentences import sentences
from mcp_web.text.shorten import shortened

Change = Literal["added", "removed", "changed", "renamed", "moved"]

HUNK_CHARS = 1200  # enough to see what changed
_LINE_CHARS = 400  # of a line that changed: the old and the new one fit into a hunk, with a line before them
_SAME_CHARS = 150  # of a line that is the same
_WORD = re.compile(r"\s?\S{1,40}|\s{1,40}")
_WORDS = 2000  # of a long line that are compared, from the first that changed
_SAME_WORDS = 6  # that are shown before and after those that changed


@dataclass(frozen=True, slots=True)
class SectionChange:
    """A section of a page that differs between two versions: how, under which headings, and its lines as a diff."""

    change: Change
    path: tuple[str, ...]  # as in the newer version, unless removed
    hunk: str  # its lines begin with "-", "+" or " "
    new_start: int | None = None


SectionKey = tuple[tuple[str, ...], int]  # its path, and a number that counts sections with the same path


def diff(
    old: str,
    new: str,
    old_headings: Sequence[Heading] | None = None,
    new_headings: Sequence[Heading] | None = None,
) -> list[SectionChange]:
    """The sections of two versions that differ: those of `new` in its order, then those that were removed. A section at
    a new path with the lines of one that is gone is "renamed" if both are below the same heading, else "moved".
    Headings are read from the Markdown unless given."""
    before = _sections(old, read_headings(old) if old_headings is None else old_headings)
    after = _sections(new, read_headings(new) if new_headings is None else new_headings)
    gone = {key: lines for key, (_, lines) in before.items() if key not in after}
    changes = []
    for key, (start, lines) in after.items():
        path = key[0]
        if key in before:
            if before[key][1] != lines:
                changes.append(SectionChange("changed", path, _hunk(before[key][1], lines), start))
            continue
        twin = next((other for other in gone if gone[other] == lines and lines), None)
        if twin is not None:
            del gone[twin]
            renamed: Change = "renamed" if twin[0][:-1] == path[:-1] else "moved"
            changes.append(SectionChange(renamed, path, "", start))
        else:
            changes.append(SectionChange("added", path, _hunk((), lines), start))
    return changes + [SectionChange("removed", path, _hunk(lines, ())) for (path, _), lines in gone.items()]


def _sections(markdown: str, headings: Sequence[Heading]) -> dict[SectionKey, tuple[int, tuple[str, ...]]]:
    """The offset and lines of each section, without heading and subsections; `()` is the text above all headings."""
    starts = [0, *(heading.start for heading in headings), len(markdown)]
    found: dict[SectionKey, tuple[int, tuple[str, ...]]] = {}
    seen: Counter[tuple[str, ...]] = Counter()
    for path, start, end in zip([(), *paths(headings)], starts, starts[1:], strict=False):
        lines = _lines(markdown[start:end])
        if path or lines:
            found[path, seen[path]] = start, lines
            seen[path] += 1
    return found


def _lines(text: str) -> tuple[str, ...]:
    """The units that are compared: sentences of paragraphs and quotes, lines of other blocks; headings are left out."""
    lines: list[str] = []
    for block in blocks(text):
        piece = text[block.start : block.end]
        if block.kind in ("paragraph", "quote"):
            lines += [" ".join(piece[start:end].split()) for start, end in sentences(piece)]
        elif block.kind not in ("heading", "rule"):
            lines += [line.rstrip() for line in piece.splitlines() if line.strip()]
    return tuple(lines)


def _hunk(old: Sequence[str], new: Sequence[str]) -> str:
    """The diff of two lists of lines: a line that was replaced is followed by the line at its place, "…" stands for
    lines that are the same. Beyond HUNK_CHARS it has only the number of lines that are left out."""
    lines = list(_diff_lines(old, new))[1:]
    text = ""
    for number, (mark, line, other) in enumerate(lines):
        if other and max(len(line), len(other)) > _LINE_CHARS:
            line = _changed_words(line, other)
        line = mark + shortened(line, _SAME_CHARS if mark == " " else _LINE_CHARS)
        if len(text) + len(line) > HUNK_CHARS:
            return text + f"… {len(lines) - number} more lines\n"
        text += line + "\n"
    return text.rstrip("\n")


def _diff_lines(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """The lines of a diff: the mark, the line, and the line that it replaces or that replaces it, "" if there is none.
    Each group of lines follows a mark "…"."""
    for group in difflib.SequenceMatcher(None, old, new).get_grouped_opcodes(1):
        yield "…", "", ""
        for tag, old_start, old_end, new_start, new_end in group:
            if tag == "equal":
                yield from ((" ", line, "") for line in old[old_start:old_end])
                continue
            for removed, added in zip_longest(old[old_start:old_end], new[new_start:new_end]):
                if removed is not None:
                    yield "-", removed, added or ""
                if added is not None:
                    yield "+", added, removed or ""


def _changed_words(line: str, other: str) -> str:
    """A long line without most of the words that another has too; "…" stands for these."""
    words, others = _WORD.findall(line), _WORD.findall(other)
    same = takewhile(lambda pair: pair[0] == pair[1], zip(words, others, strict=False))
    start = max(0, sum(1 for _ in same) - _SAME_WORDS)
    end = start + _WORDS
    parts = ["…"] if start else []
    matcher = difflib.SequenceMatcher(None, words[start:end], others[start:end])
    for tag, first, last, _, _ in matcher.get_opcodes():
        part = words[start + first : start + last]
        if tag == "equal" and len(part) > 2 * _SAME_WORDS:
            part = [*part[:_SAME_WORDS], " …", *part[-_SAME_WORDS:]]
        parts += part
    return "".join(parts) + (" …" if len(words) > end else "")
