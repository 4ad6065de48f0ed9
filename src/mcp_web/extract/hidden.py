"""Text a person would not see: found by markup and style, removed and counted."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from turbohtml import Node

_CONTROL = re.compile(
    "\x1b(?:\\][^\x07\x1b]*(?:\x07|\x1b\\\\)|\\[[0-?]*[ -/]*[@-~]|[@-Z\\\\-_])|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]"
    "|[\u00ad\u034f\u115f\u1160\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb"
    "\U000e0000-\U000e0fff\ue000-\uf8ff\U000f0000-\U0010ffff]"
)


def clean_text(text: str) -> tuple[str, int]:
    """The text without invisible and control characters, and how many pieces were removed."""
    return _CONTROL.subn("", text)


def remove_hidden(tree: Node) -> int:
    """Remove what a person would not see; returns how many pieces."""
    found = tree.select(
        "script:not([type^='math/tex' i]),style,template,dialog:not([open]),[hidden],"
        "[style*='display:none' i],[style*='display: none' i],[style*='visibility:hidden' i]"
    )
    for element in found:
        if element.parent is not None:
            element.decompose()
    return len(found)
