"""Markdown → data: tables as rows by column name, lists as items."""

from __future__ import annotations

import re
from typing import Any

from mcp_web.read.plain import to_plain
from mcp_web.text.markdown import BULLET, PIPE, blocks, pieces

_MARK = re.compile(rf"^\s*{BULLET}\s+")
_HASHES = re.compile(r"^\s*#+\s*")


def to_data(markdown: str) -> dict[str, Any]:
    """The tables and lists of a text: {"tables": [{"section", "rows"}], "lists": [{"section", "items"}]}.

    Each list is in the order of the text, and absent if the text has none. "section" is the nearest heading above, or
    "".
    """
    found: dict[str, list[dict[str, Any]]] = {"tables": [], "lists": []}
    section = ""
    for block in blocks(markdown):
        text = markdown[block.start : block.end]
        if block.kind == "heading":
            section = _plain(_HASHES.sub("", text.splitlines()[0]))
        elif block.kind == "table":
            found["tables"].append({"section": section, "rows": _rows(text)})
        elif block.kind == "list":
            items = [_plain(_MARK.sub("", markdown[start:end])) for start, end in pieces(markdown, block)]
            found["lists"].append({"section": section, "items": [item for item in items if item]})
    return {name: items for name, items in found.items() if items}


def _rows(table: str) -> list[dict[str, str]]:
    """The rows below a table's header, each as {column: cell}.

    A third column without a name is called "column 3", one with the name of an earlier column "NAME column 3".
    """
    lines = [_cells(line) for line in table.splitlines() if line.strip()]
    names: list[str] = []
    for at, name in enumerate(lines[0], start=1):
        names.append(name if name and name not in names else f"{name} column {at}".strip())
    return [dict(zip(names, cells, strict=False)) for cells in lines[2:]]


def _cells(line: str) -> list[str]:
    """The cells of a table row, as plain text."""
    inner = line.strip().removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return [_plain(cell.replace("\\|", "|")) for cell in PIPE.split(inner)]


def _plain(text: str) -> str:
    return " ".join(to_plain(text.strip()).split())
