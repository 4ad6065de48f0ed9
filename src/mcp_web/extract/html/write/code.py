"""Code blocks: the text as it was typed, in a fence that names its language."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from turbohtml import Element as ElementType
from turbohtml import Text

from mcp_web.extract.html.write.draft import Draft
from mcp_web.extract.html.write.language import language_of

if TYPE_CHECKING:
    from turbohtml import Element

_TICKS = re.compile(r"`{3,}")
_GUTTER = "lineno linenos line-number line-numbers line-numbers-rows linenumber linenumbers gutter hljs-ln-numbers"


def write_pre(draft: Draft, element: Element, out: list[str]) -> None:
    text = _text_of(element)
    if text.strip():
        out.append(fenced(text, language_of(element)))


def fenced(text: str, language: str) -> str:
    """The code in a fence longer than any inside it."""
    longest = max((len(run) for run in _TICKS.findall(text)), default=2)
    fence = "`" * max(3, longest + 1)
    lines = [line.rstrip() for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")]
    while lines and not lines[0]:
        lines.pop(0)
    while lines and not lines[-1]:
        lines.pop()
    return "\n".join([fence + language, *lines, fence])


def _text_of(element: Element) -> str:
    parts: list[str] = []
    for node in element.descendants:
        if type(node) is Text:
            parts.append(node.data)
        elif type(node) is ElementType and node.tag == "br":
            parts.append("\n")
    return "".join(parts).replace("\xa0", " ")
