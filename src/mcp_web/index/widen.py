"""Shows a found passage with its better neighbours: short passages are ranked best, longer ones answer best.

Measured with about the same number of words shown: for passages of 120 words that are shown with a neighbour,
hit@1/@3/@8 are .37/.66/.90 (PolicyQA) and .75/.92/.97 (chunking_eval); for those of 200, .33/.64/.89 and .69/.89/.97.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import replace
from typing import TYPE_CHECKING

from mcp_web.model.passage import Passage
from mcp_web.text.sizes import count_words

if TYPE_CHECKING:
    from mcp_web.index.evidence import Scores

# A passage shorter than this is shown with neighbours from its section, best first, up to twice as many words.
SHOW_WORDS = 150
# A definition (`term`, then `: text`), a signature in code or a term in bold on a line of its own.
_ENTRY = re.compile(r"^: |^`[^`\n]+`$|^\*\*[^*\n]+\*\*:?$", re.MULTILINE)


def widen(
    markdown: str,
    passages: Sequence[Passage],
    number: int,
    scores: Scores,
    shown: Set[int] = frozenset(),
    words: int = SHOW_WORDS,
) -> tuple[Passage, int, int]:
    """The passage with this number, as it is shown: if it is shorter than `words` words, with neighbours of its
    section, those with higher scores first, up to twice as many words. It is one slice of the Markdown. Also returns
    the numbers of the first and the last passage in it. Passages in `shown` are not added."""
    first = last = number
    size = count_words(passages[number].text)
    # Entries of a reference are each complete in itself: neighbours would add other subjects.
    lists_entries = len(_ENTRY.findall(passages[number].text)) >= 2
    while size < words and not lists_entries:
        beside = [at for at in (first - 1, last + 1) if 0 <= at < len(passages) and at not in shown]
        beside = [at for at in beside if size + count_words(passages[at].text) <= 2 * words]
        beside = [at for at in beside if _together(passages, number, at)]
        if not beside:
            break
        better = max(beside, key=lambda at: (float(scores[at]), at))
        size += count_words(passages[better].text)
        first, last = min(first, better), max(last, better)
    start, end = _own_start(markdown, passages, first), passages[last].end
    if (start, end) == (passages[number].start, passages[number].end):
        return passages[number], number, number
    wide = replace(passages[number], text=markdown[start:end], start=start, end=end, entry=passages[first].entry)
    return wide, first, last


def _own_start(markdown: str, passages: Sequence[Passage], first: int) -> int:
    """The offset at which a passage begins without its overlap with the passage before, which only helps ranking."""
    start, end = passages[first].start, passages[first].end
    if not first or not start < passages[first - 1].end < end:
        return start
    own = markdown[passages[first - 1].end : end]
    return end - len(own.lstrip())


def _together(passages: Sequence[Passage], number: int, other: int) -> bool:
    """Whether two passages are in the same section, and no passage between them was dropped as a repetition."""
    step = 1 if other > number else -1
    path = passages[number].section_path
    between = range(number, other, step)
    return passages[other].section_path == path and all(
        abs(passages[at + step].number - passages[at].number) == 1 for at in between
    )
