"""Jupyter notebooks → Markdown: text cells as they are, code cells fenced, outputs trimmed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from mcp_web.extract.assemble import assemble
from mcp_web.extract.embedded import sheets_of, without_hidden
from mcp_web.extract.markdown import absolute_targets, fence, map_outside_code
from mcp_web.extract.snippet import snippet_markdown
from mcp_web.model.page import Document, Fetched, Metadata
from mcp_web.text.json_fields import at, count, items, mapping, text

_CELLS = 2000
_DEFINITION = re.compile(
    r"^ {0,3}\[([^\[\]\n]{1,200})\]:[ \t]*(<[^<>\n]{0,500}>|\S{1,500})[ \t]*\n?[ \t]*"
    r"(?:\"[^\"]{0,3000}\"|'[^']{0,3000}'|\([^()]{0,3000}\))[ \t]*$",
    re.M,
)
_INVISIBLE_TEX = re.compile(
    r"\\(?:[hv]?phantom|(?:text)?color\s*\{\s*(?:white|#?[fF]{3,6}|transparent)\s*\})\s*\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}"
)
_OUTPUT = 2000  # characters of one output; tables and logs can be very long
_ANSI = re.compile(r"\x1b\[[0-9;]{0,20}[A-Za-z]")


def read_notebook(value: dict[str, Any], page: Fetched) -> Document:
    """Reads a Jupyter notebook of format 3 or 4, already parsed from JSON."""
    cells = _cells(value)
    sheets = "".join(
        sheets_of(_text(cell.get("source"))) for cell in cells[:_CELLS] if cell.get("cell_type") == "markdown"
    )
    writer = _CellWriter(_language(value), page.final_url, sheets)
    written = "\n\n".join(part for cell in cells[:_CELLS] for part in writer.cell(cell) if part.strip())
    notes = (f"The notebook has {len(cells)} cells; the first {_CELLS} are shown.",) if len(cells) > _CELLS else ()
    return assemble(
        page,
        "notebook",
        written,
        title_from_heading=True,
        kind="documentation",
        metadata=Metadata(author=_authors(value)),
        notes=notes,
        hidden=writer.hidden,
    )


def _cells(value: dict[str, Any]) -> list[dict[str, Any]]:
    """The cells of a notebook of format 4, or those of the worksheets of format 3."""
    return items(value.get("cells")) or [
        cell for sheet in items(value.get("worksheets")) for cell in items(sheet.get("cells"))
    ]


class _CellWriter:
    """Writes the cells of one notebook as Markdown, and counts their hidden parts."""

    def __init__(self, language: str, base: str, sheets: str) -> None:
        self._language = language
        self._sheets = sheets  # of all text cells: a style sheet applies to the whole page
        self._base = base
        self.hidden = 0

    def cell(self, cell: dict[str, Any]) -> Iterator[str]:
        """The source of a cell and each of its outputs, as Markdown."""
        kind = cell.get("cell_type")
        source = _text(cell.get("source") or cell.get("input"))
        if kind in ("markdown", "raw"):
            yield self._markdown(source) if kind == "markdown" else fence(source)
        elif kind == "heading":
            yield "#" * max(1, min(6, count(cell.get("level")) or 1)) + " " + source
        elif kind == "code":
            if source.strip():
                yield fence(source, self._language)
            for output in items(cell.get("outputs")):
                yield self._output(output)

    def _markdown(self, source: str) -> str:
        """A text cell without hidden text, its links made absolute."""
        visible, hidden = without_hidden(source, self._sheets)
        self.hidden += hidden
        return absolute_targets(map_outside_code(visible, _without_invisible), self._base)

    def _output(self, output: dict[str, Any]) -> str:
        """The Markdown of an output of a cell, from the richest of its formats; "" if there is nothing to show."""
        kind = output.get("output_type")
        if kind == "stream":
            return _output_block(_text(output.get("text")))
        if kind in ("error", "pyerr"):
            return _output_block(f"{_text(output.get('ename')) or 'Error'}: {_text(output.get('evalue'))}")
        data = mapping(output.get("data")) or output
        if markdown := _text(data.get("text/markdown")):
            return _cut(self._markdown(markdown))
        if html := _text(data.get("text/html")):
            shown, hidden = snippet_markdown(html[:100_000], self._base)
            self.hidden += hidden
            if shown or hidden:
                return _cut(shown)
        if plain := _text(data.get("text/plain") or data.get("text")):
            return _output_block(plain)
        pictures = ("image/", "png", "jpeg", "svg")
        return "*(output: an image)*" if any(str(key).startswith(pictures) for key in data) else ""


def _without_invisible(text: str) -> str:
    """The text without what Markdown does not show: titles of link definitions, and invisible TeX."""
    if "]:" in text:
        text = _DEFINITION.sub(lambda found: "" if found[1] in ("//", "comment") else f"[{found[1]}]: {found[2]}", text)
    return _INVISIBLE_TEX.sub("", text) if "\\" in text and "$" in text else text


def _output_block(output: str) -> str:
    """Plain output of a cell as a code block, cut if it is long, without terminal colours; "" if it is blank."""
    plain = _ANSI.sub("", output).strip("\n")
    return fence(_cut(plain), "text") if plain.strip() else ""


def _cut(text: str) -> str:
    """An output of a cell; if it is too long, cut, at a line end if possible, with a note of how much is missing."""
    if len(text) <= _OUTPUT:
        return text
    end = text.rfind("\n", _OUTPUT // 2, _OUTPUT)
    end = end if end > 0 else _OUTPUT
    return text[:end] + f"\n… {len(text) - end:,} more characters of output"


def _language(value: dict[str, Any]) -> str:
    """The language of the code cells; Python if none is stated."""
    for path in (("metadata", "language_info", "name"), ("metadata", "kernelspec", "language")):
        if re.fullmatch(r"[\w+#-]{1,20}", name := text(at(value, path))):
            return name.lower()
    return "python"


def _authors(value: dict[str, Any]) -> str | None:
    """The names of at most ten authors in the metadata, separated by commas; None if there are none."""
    names = [str(each["name"]) for each in items(at(value, ("metadata", "authors"))) if each.get("name")]
    return ", ".join(names[:10]) or None


def _text(value: Any) -> str:
    """The text of a notebook field, which is a string or a list of lines; "" for other values."""
    if isinstance(value, list):
        return "".join(part for part in value if isinstance(part, str))
    return value if isinstance(value, str) else ""
