"""Links that scroll to a passage: `#:~:text=` fragments (text directives), as browsers match them.

A browser searches for each term of a directive from the top of the page, at word boundaries, inside one block. So a
term is a few words of one paragraph, item, cell or line of code; it gets more words until it occurs nowhere earlier on
the page; and it has no words beside a footnote mark, an image or a formula, which the page shows differently.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from html import unescape
from itertools import takewhile
from urllib.parse import quote as percent

from mcp_web.model.passage import Span
from mcp_web.read.plain import strip
from mcp_web.text.inline import Stripped
from mcp_web.text.markdown import CODE_SPAN, PIPE, Block, blocks, pieces
from mcp_web.text.spaces import fold_spaces

# A term of this many words is mostly unique, and still matches after an edit elsewhere in the passage.
FEWEST, MOST = 4, 12
# A run with at most this many words is given whole instead of by its two ends.
WHOLE_RUN = 9

_SHOWN_OTHERWISE = re.compile(  # code first, so that nothing is matched inside it
    CODE_SPAN
    + r"|(?P<mark>!\[[^\]]{0,300}\]\([^)]{0,500}\)|\[\^[^\]\s]{1,40}\]|\[\\?\[[^\]]{0,40}\\?\]\]\([^)]{0,500}\)"
    r"|\$\$[^$\n]{1,500}\$\$|\$(?=\S)[^$\n]{1,500}(?<=\S)\$(?!\d)"  # two prices are not a formula
    r"|</?(?!https?:)[a-zA-Z][^<>\n]{0,300}>|(?:(?<! ) {2,}+|\\)\n)"
)
_DEFINITION = re.compile(r"(?<![^\n])[ \t]*:[ \t]+")  # begins the second line of "term / : what it means"
_LETTER = re.compile(r"\w")


@dataclass(frozen=True, slots=True)
class _Run:
    """Words side by side on the page: their span in the Markdown, and `at`, their offset in the text of `_read`."""

    start: int
    end: int
    words: str
    kind: str  # of their block
    at: int


def quote_url(url: str, markdown: str, start: int, end: int) -> str:
    """A link to `url` that makes a browser scroll to `markdown[start:end]`; without a fragment if that has no words."""
    found = fragment(markdown, start, end)
    base = url.partition("#")[0]
    return f"{base}#:~:{found}" if found else base


def fragment(markdown: str, start: int, end: int) -> str:
    """The text directive (`text=…`, for a URL fragment) that finds `markdown[start:end]`; "" if that shows no words."""
    plain, runs, everything = _read(markdown)
    inside = list(takewhile(lambda run: run.start < end, runs[bisect_right(runs, start, key=lambda run: run.end) :]))
    if not inside:
        return ""
    # The words of a heading often occur earlier, in a table of contents that the Markdown does not have.
    body = _from_first_unique([run for run in inside if run.kind != "heading"] or inside, everything, start)
    texts = [run.words for run in body]
    # A passage may begin or end inside a run.
    first, last = body[0], body[-1]
    texts[-1] = _words(plain, last.kind, last.start, min(end, last.end)) or texts[-1]
    head = _words(plain, first.kind, max(start, first.start), min(end, first.end))
    skipped = _fold(_words(plain, first.kind, first.start, start)) if head else ""
    texts[0] = head or texts[0]
    before = everything[: first.at + len(skipped)].strip()
    return _directive(before, (skipped or before).split()[-3:], texts)


def _from_first_unique(runs: list[_Run], everything: str, start: int) -> list[_Run]:
    """The runs of a passage from the first one on whose opening words occur nowhere earlier on the page, else all.

    `everything` is the folded text of the page, `start` where the passage begins: a run from before it is not left out.
    """
    for at, run in enumerate(runs):
        opening = _fold(" ".join(run.words.split()[:MOST]))
        if run.start < start or everything.find(opening, 0, run.at + len(opening) - 1) < 0:
            return runs[at:]
    return runs


@lru_cache(maxsize=4)
def _read(markdown: str) -> tuple[Stripped, list[_Run], str]:
    """The page without markup, its runs, and their folded texts (`_fold`), joined; cached for the last four pages."""
    plain = strip(markdown, references=True)
    runs: list[_Run] = []
    folded: list[str] = []
    length = 0
    for block in blocks(markdown):
        for start, end in _run_spans(markdown, block):
            if words := _words(plain, block.kind, start, end):
                runs.append(_Run(start, end, words, block.kind, length))
                folded.append(_fold(words))
                length += len(folded[-1]) + 1
    return plain, runs, " ".join(folded)


def _directive(before: str, ahead: list[str], runs: list[str]) -> str:
    """The `text=` directive that finds runs of words; `before` is the folded text before them, `ahead` its end."""
    first, last = runs[0].split(), runs[-1].split()
    count = next((n for n in range(FEWEST, MOST + 1) if _fold(" ".join(first[:n])) not in before), MOST)
    if is_short := len(runs) == 1 and len(first) <= WHOLE_RUN:
        count = len(first)
    opening = first[:count]
    # The words before it, if it occurs earlier too.
    prefix = _term(ahead) + "-," if ahead and _fold(" ".join(opening)) in before else ""
    closing = [] if is_short else _closing(_fold(" ".join(runs)), last[count:] if len(runs) == 1 else last)
    return "text=" + prefix + _term(opening) + ("," + _term(closing) if closing else "")


def _closing(text: str, last: list[str]) -> list[str]:
    """The last 4 to 12 of the words `last`, as few as occur only at the end of `text`, the folded passage."""
    for count in range(min(FEWEST, len(last)), min(MOST, len(last)) + 1):
        words = last[len(last) - count :]
        if words and text.find(_fold(" ".join(words))) >= len(text) - len(_fold(" ".join(words))) - 1:
            return words
    return last[-MOST:]


def _run_spans(markdown: str, block: Block) -> Iterator[Span]:
    """The spans of a block whose words a page shows side by side: between images, formulas, tags and footnote marks.

    A table is cut into cells, a list or code into lines; a rule or a formula has no span.
    """
    if block.kind in ("rule", "math"):
        return
    spans = [(block.start, block.end)]
    if block.kind in ("code", "list", "table") or _DEFINITION.search(markdown, block.start, block.end):
        spans = pieces(markdown, Block("code", block.start, block.end))
    for start, end in spans:
        if block.kind == "code":
            yield start, end
            continue
        if mark := _DEFINITION.match(markdown, start, end):
            start = mark.end()
        cuts = [cut.span() for cut in _SHOWN_OTHERWISE.finditer(markdown, start, end) if cut["mark"]]
        if block.kind == "table":
            cuts = [cut.span() for cut in PIPE.finditer(markdown, start, end)]
        edges = [start, *(edge for cut in cuts for edge in cut), end]
        yield from zip(edges[::2], edges[1::2], strict=True)


def _words(plain: Stripped, kind: str, start: int, end: int) -> str:
    """The words that the page shows for `markdown[start:end]`, in a block of this kind; empty if it shows none."""
    text = plain.text[plain.plain(start) : plain.plain(end)]
    words = fold_spaces(text if kind == "code" else unescape(text))
    return words if _LETTER.search(words) else ""


def _fold(text: str) -> str:
    """Text as a browser compares it: case folded, and each run of white space as one space."""
    return fold_spaces(text.casefold())


def _term(words: list[str]) -> str:
    """Words joined by spaces and percent-encoded for a text directive, dashes included."""
    text = " ".join(words).encode("utf-16", "surrogatepass").decode("utf-16", "replace")  # as pages show half a pair
    # The dash separates prefix and suffix in a directive, so it is escaped though URLs allow it.
    return percent(text, safe="").replace("-", "%2D")
