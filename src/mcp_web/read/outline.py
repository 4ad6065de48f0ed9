"""The headings of a document: their paths, and sections looked up by name."""

from __future__ import annotations

import difflib
import re
from bisect import bisect_right
from collections.abc import Sequence

from mcp_web.errors import InvalidInput
from mcp_web.model.page import Heading

# A name that is less similar than this is more likely a guess than a misspelling.
CLOSE_ENOUGH = 0.8


def paths(headings: Sequence[Heading]) -> list[tuple[str, ...]]:
    """For each heading its path: the texts of the headings that contain it, outermost first, and its own."""
    open_now: list[Heading] = []
    found = []
    for heading in headings:
        while open_now and open_now[-1].level >= heading.level:
            open_now.pop()
        open_now.append(heading)
        found.append(tuple(one.text for one in open_now))
    return found


def path_at(headings: Sequence[Heading], offset: int) -> tuple[str, ...]:
    """The headings of the section at an offset of the text, outermost first; `()` before the first heading."""
    at = bisect_right([heading.start for heading in headings], offset)
    return paths(headings[:at])[-1] if at else ()


def section_range(markdown: str, headings: Sequence[Heading], name: str) -> tuple[int, int]:
    """The span of the section that `name` refers to (`_find`), with heading and subsections; InvalidInput if none."""
    at = _find(headings, name)
    if at is None:
        raise _unknown(headings, name)
    level = headings[at].level
    end = next((later.start for later in headings[at + 1 :] if later.level <= level), len(markdown))
    return headings[at].start, end


def _find(headings: Sequence[Heading], name: str) -> int | None:
    """The index of the heading that `name` refers to, or None: by its exact text, its text without number, case and
    punctuation, its path, its anchor, its beginning if no other has the same, or a similar spelling, in this order."""
    texts = [heading.text for heading in headings]
    if name in texts:
        return texts.index(name)
    wanted = _fold(name)
    folded = [_fold(text) for text in texts]
    if not wanted:
        return None
    if wanted in folded:
        return folded.index(wanted)
    whole = [" > ".join(_fold(part) for part in path) for path in paths(headings)]
    as_path = " > ".join(_fold(part) for part in re.split(r"\s*[>›/]\s*", name.strip()) if part)
    for at, path in enumerate(whole):
        if path == as_path or path.endswith(" > " + as_path):
            return at
    anchors = [(heading.anchor or "").casefold() for heading in headings]
    if (anchor := name.strip().lstrip("#").casefold()) in anchors:
        return anchors.index(anchor)
    starts = [at for at, text in enumerate(folded) if len(wanted) >= 4 and text.startswith(wanted)]
    if len(starts) == 1:
        return starts[0]
    near = difflib.get_close_matches(wanted, folded, n=1, cutoff=CLOSE_ENOUGH)
    return folded.index(near[0]) if near else None


def _fold(text: str) -> str:
    """The text of a heading for comparison: without its number, case and most punctuation."""
    text = re.sub(r"^\s*#+\s*", "", text)
    text = re.sub(r"^\s*(?:\d+[.)])+(?:\d+)?\s+", "", text)
    return " ".join(re.sub(r"[^\w\s+#.&-]", " ", text.casefold()).split()).strip(" .-")


def _unknown(headings: Sequence[Heading], name: str) -> InvalidInput:
    """The error for a section that does not exist; it lists the most similar headings, then the first of the page."""
    folded = {_fold(heading.text): heading.text for heading in headings}
    near = difflib.get_close_matches(_fold(name), list(folded), n=5, cutoff=0.3)
    if not headings:
        return InvalidInput(
            f"The page has no headings, so section “{name}” cannot be found.",
            suggestion="Leave `section` out; use `start` and `max_chars` to page through the text.",
        )
    shown = dict.fromkeys([*(folded[text] for text in near), *(heading.text for heading in headings[:12])])
    # Headings are untrusted text of the page: `page_text` is shown marked as such.
    return InvalidInput(
        f"The page has no section “{name}”.",
        suggestion="Use one of the page's headings, listed below.",
        page_text="\n".join(shown),
    )
