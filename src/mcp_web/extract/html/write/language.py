"""The language of a code block, where the page states it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from turbohtml import Element as ElementType

if TYPE_CHECKING:
    from turbohtml import Element

_CLASS = re.compile(
    r"(?:^|\s)(?:language|lang|highlight|brush:?|highlight-source|src|hljs|code)[-: ]\s*([\w+#.-]+)",
    re.I,
)


def language_of(pre: Element) -> str:
    node: object = pre.select_one("code") or pre
    for _ in range(4):
        if not isinstance(node, ElementType):
            break
        found = _CLASS.search(node.attr("class") or "")
        if found:
            return found[1].lower()
        node = node.parent
    return ""
