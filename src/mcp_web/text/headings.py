"""The headings of a Markdown text."""

from __future__ import annotations

import re

from mcp_web.model.page import Heading
from mcp_web.text.inline import inline_text
from mcp_web.text.markdown import HEADING_MARKS, blocks

_PERMALINK = re.compile(r"(?<!\s)\s*+[¶§🔗#]+\s*$")


def read_headings(markdown: str) -> tuple[Heading, ...]:
    """The headings in order; `markdown[heading.start:]` begins with the heading. Code has none."""
    found = []
    for block in blocks(markdown):
        if block.kind == "heading":
            text = _PERMALINK.sub("", inline_text(HEADING_MARKS.sub("", markdown[block.start : block.end])))
            if text:
                found.append(Heading(block.level, text, block.start))
    return tuple(found)
