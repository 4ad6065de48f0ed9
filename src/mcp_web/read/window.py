"""Cuts a long text into windows of limited size, at the end of a block or sentence; each begins where one ends."""

from __future__ import annotations

from dataclasses import dataclass

from mcp_web.errors import InvalidInput
from mcp_web.text.markdown import Block, blocks, pieces
from mcp_web.text.sentences import sentence_ends

# A window that is filled to a smaller share than this gets a part of the next list or paragraph, but not of the next
# code or table.
HALF = 0.5
_BEYOND = 20  # characters after the limit that show whether a sentence ends there


@dataclass(frozen=True, slots=True)
class Window:
    text: str
    start: int
    end: int
    next_start: int | None  # None at the end of the text


def cut(markdown: str, start: int = 0, max_chars: int = 10_000, *, stop: int | None = None) -> Window:
    """The window of at most `max_chars` characters from `start`, and not beyond the offset `stop`; if possible, it ends
    after a block or a sentence. Raises InvalidInput if `start` is outside the text."""
    end = len(markdown) if stop is None else min(stop, len(markdown))
    if start < 0 or (start >= end and start > 0):
        raise InvalidInput(
            f"start={start} lies outside the text, which has {end} characters.",
            suggestion=f"Use a start from 0 to {max(0, end - 1)}, such as the next_start of the answer before.",
        )
    limit = start + max(1, max_chars)
    if limit >= end:
        return Window(markdown[start:end], start, end, None)
    at = _cut_at(markdown, start, limit)
    return Window(markdown[start:at], start, at, at)


def _cut_at(markdown: str, start: int, limit: int) -> int:
    """The best offset at which to end a window that begins at `start`: after `start` and at most `limit`."""
    best = start
    # Text more than a window after the limit has no effect, so that a page of megabytes is not read to its end.
    markdown = markdown[: 2 * limit - start + 2]
    found = blocks(markdown)
    starts = [*(block.start for block in found[1:]), len(markdown)]
    for block, following in zip(found, starts, strict=False):
        if block.end <= start:
            continue
        if block.end <= limit:
            # The blank lines after a block belong to its window, so that the next window begins with text.
            best = max(start, block.start) if block.kind == "heading" else min(following, limit)
            continue
        if block.start > limit:
            break
        return _inside(markdown, block, start, best, limit)
    return best if best > start else limit


def _inside(markdown: str, block: Block, start: int, best: int, limit: int) -> int:
    """Where to stop if a block extends beyond the limit: at `best`, where the blocks before it end, or inside it."""
    filled = (best - start) / (limit - start)
    too_large = block.end - max(block.start, start) > limit - start
    if best > start and (filled >= HALF or (not too_large and block.kind in ("code", "table", "math"))):
        return best
    if block.kind in ("paragraph", "quote", "heading"):
        return _prose_cut(markdown, max(start, block.start), limit)
    ends = [end for _, end in pieces(markdown, block) if start < end <= limit]
    if ends:
        return ends[-1]
    return best if best > start else _prose_cut(markdown, max(start, block.start), limit)


def _prose_cut(markdown: str, start: int, limit: int) -> int:
    """Where to cut prose: after the last sentence if that fills half of the text up to `limit`, else after a word."""
    text = markdown[start:limit]
    ends = [end for end in sentence_ends(markdown[start : limit + _BEYOND]) if end <= limit - start]
    if ends and ends[-1] > len(text) * HALF:
        return start + ends[-1]
    space = max(text.rfind(" "), text.rfind("\n"))
    if space > 0:
        return start + space + 1
    return limit
