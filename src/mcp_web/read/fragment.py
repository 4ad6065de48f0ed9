"""Links that scroll to the words: `#:~:text=` fragments as browsers really find them.

A browser looks for each term inside one block of the page, from the top, at word boundaries. So a term is a
few words of one paragraph, item, cell or line of code; it is lengthened until it is the first of its kind;
and words beside a footnote mark, an image or a formula, which the page shows differently, are avoided.
"""

from __future__ import annotations

import re
from urllib.parse import quote as percent

from mcp_web.read.blocks import Block, blocks, pieces
from mcp_web.read.plain import inline

# Terms of so many words are mostly unique and survive small edits elsewhere in the passage.
FEWEST, MOST = 4, 12
# A run this short is named whole instead of by its two ends.
WHOLE_RUN = 9

_SHOWN_OTHERWISE = re.compile(
    r"!\[[^\]]*\]\([^)]*\)|\[\^[^\]]+\]|\[\\?\[[^\]]*\\?\]\]\([^)]*\)"
    r"|\$\$?[^$\n]+\$\$?|</?[a-zA-Z][^>\n]*>|(?: {2,}|\\)\n"
)


def quote_url(url: str, markdown: str, start: int, end: int) -> str:
    """The page's address with a fragment that scrolls to `markdown[start:end]`."""
    found = fragment(markdown, start, end)
    base = url.partition("#")[0]
    return f"{base}#:~:{found}" if found else base


def fragment(markdown: str, start: int, end: int) -> str:
    """The `text=` directive for a run of the Markdown, or an empty string when nothing can be named."""
    before: list[str] = []
    inside: list[tuple[str, bool]] = []
    for block in blocks(markdown):
        if block.start >= end:
            break
        if block.end <= start:
            before += [run for run, _ in _runs(markdown, block, block.start, block.end)]
        else:
            before += [run for run, _ in _runs(markdown, block, block.start, max(block.start, start))]
            inside += _runs(markdown, block, max(start, block.start), min(end, block.end))
    # A heading's words often stand in a table of contents above it, which is not part of the text kept.
    body = [run for run, heading in inside if not heading and run.split()] or [run for run, _ in inside if run.split()]
    return _directive(_fold(" ".join(before)), body) if body else ""


def _directive(before: str, runs: list[str]) -> str:
    first = runs[0].split()
    if len(runs) == 1 and len(first) <= WHOLE_RUN:
        return "text=" + _prefix(before, first) + _term(first)
    count = next((n for n in range(FEWEST, MOST + 1) if _fold(" ".join(first[:n])) not in before), MOST)
    opening = first[:count]
    last = runs[-1].split()
    if len(runs) == 1:
        last = last[count:]
    closing = _closing(_fold(" ".join(runs)), last)
    return "text=" + _prefix(before, opening) + _term(opening) + ("," + _term(closing) if closing else "")


def _closing(text: str, last: list[str]) -> list[str]:
    """The last words, as many as it takes to be found at the end and not before it."""
    for count in range(min(FEWEST, len(last)), min(MOST, len(last)) + 1):
        words = last[len(last) - count :]
        if words and text.find(_fold(" ".join(words))) >= len(text) - len(_fold(" ".join(words))) - 1:
            return words
    return last[-MOST:]


def _prefix(before: str, words: list[str]) -> str:
    """What stands just before, when the term alone would be found too early."""
    ahead = before.split()[-3:]
    if not ahead or _fold(" ".join(words)) not in before:
        return ""
    return _term(ahead) + "-,"


def _runs(markdown: str, block: Block, start: int, end: int) -> list[tuple[str, bool]]:
    """The pieces of a block that stand together on the page: (words, is it a heading)."""
    if block.kind in ("rule", "math") or end <= start:
        return []
    spans = [(start, end)]
    if block.kind in ("code", "list", "table"):
        lines = pieces(markdown, Block("code", block.start, block.end))
        spans = [(max(a, start), min(b, end)) for a, b in lines if b > start and a < end]
    texts = [markdown[a:b] for a, b in spans]
    if block.kind == "code":
        return [(" ".join(text.split()), False) for text in texts if not re.match(r"\s*(```|~~~)", text)]
    if block.kind == "table":
        texts = [cell for text in texts for cell in re.split(r"(?<!\\)\|", text) if re.search(r"\w", cell)]
    parts = [part for text in texts for part in _SHOWN_OTHERWISE.split(_unmarked(text))]
    return [(" ".join(inline(part).split()), block.kind == "heading") for part in parts if re.search(r"\w", part)]


def _unmarked(text: str) -> str:
    text = re.sub(r"^[ \t]*(?:>[ \t]?)+", "", text, flags=re.MULTILINE)
    text = re.sub(r"^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?", "", text)
    return re.sub(r"^ {0,3}#{1,6}[ \t]+|[ \t]+#+[ \t]*$", "", text)


def _fold(text: str) -> str:
    return " ".join(text.casefold().split())


def _term(words: list[str]) -> str:
    # The dash separates prefix and suffix in a directive, so it is escaped though URLs allow it.
    return percent(" ".join(words), safe="").replace("-", "%2D")
