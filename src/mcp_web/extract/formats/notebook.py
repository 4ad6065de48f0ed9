"""Jupyter notebooks → Markdown: text cells as they are, code cells fenced, outputs trimmed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from mcp_web.extract.assemble import assemble
from mcp_web.extract.embedded import sheets_of, without_hidden
from mcp_web.extract.markdown import absolute_targets, fence, map_outside_code
from mcp_web.extract.snippet import snippet_markdown
from mcp_web.model.page import Document, Fetched, Metadata, PageKind
from mcp_web.text.headings import read_headings

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
    """A notebook of format 3 or 4, already parsed from JSON."""
    cells = _cells(value)
    language = _language(value)
    sheets = "".join(
        sheets_of(_text(cell.get("source"))) for cell in cells[:_CELLS] if cell.get("cell_type") == "markdown"
    )
    reader = _Reader(language, page.final_url, sheets)
    text = "\n\n".join(part for cell in cells[:_CELLS] for part in reader.cell(cell) if part.strip())
    headings = read_headings(text)
    notes = (f"The notebook has {len(cells)} cells; the first {_CELLS} are shown.",) if len(cells) > _CELLS else ()
    title = headings[0].text if headings else ""
    metadata = Metadata(author=_authors(value))
    kind: PageKind = "documentation"
    return assemble(page, "notebook", text, title=title, kind=kind, metadata=metadata, notes=notes, hidden=reader.hidden)


def _cells(value: dict[str, Any]) -> list[dict[str, Any]]:
    cells = value.get("cells")
    if not isinstance(cells, list):
        sheets = value.get("worksheets") or []
        cells = [cell for sheet in sheets if isinstance(sheet, dict) for cell in sheet.get("cells") or []]
    return [cell for cell in cells if isinstance(cell, dict)]


class _Reader:
    """Writes the cells of one notebook, and counts their hidden parts."""

    def __init__(self, language: str, base: str, sheets: str) -> None:
        self._language = language
        self._sheets = sheets  # of all text cells: a style sheet applies to the whole page
        self._base = base
        self.hidden = 0

    def cell(self, cell: dict[str, Any]) -> Iterator[str]:
        kind = cell.get("cell_type")
        source = _text(cell.get("source") or cell.get("input"))
        if kind in ("markdown", "raw"):
            yield self._markdown(source) if kind == "markdown" else fence(source)
        elif kind == "heading":
            yield "#" * min(6, int(cell.get("level") or 1)) + " " + source
        elif kind == "code":
            if source.strip():
                yield fence(source, self._language)
            for output in cell.get("outputs") or []:
                if isinstance(output, dict):
                    yield self._output(output)

    def _markdown(self, source: str) -> str:
        text, hidden = without_hidden(source, self._sheets)
        self.hidden += hidden
        return absolute_targets(map_outside_code(text, _without_invisible), self._base)

    def _output(self, output: dict[str, Any]) -> str:
        """An output of a cell as a notebook shows it: the richest of its formats."""
        kind = output.get("output_type")
        if kind == "stream":
            return _block(_text(output.get("text")))
        if kind in ("error", "pyerr"):
            return _block(f"{output.get('ename', 'Error')}: {_text(output.get('evalue'))}")
        data = output.get("data") if isinstance(output.get("data"), dict) else output
        assert isinstance(data, dict)
        if markdown := _text(data.get("text/markdown")):
            return _cut(self._markdown(markdown))
        if html := _text(data.get("text/html")):
            text, hidden = snippet_markdown(html[:100_000], self._base)
            self.hidden += hidden
            if text or hidden:
                return _cut(text)
        if plain := _text(data.get("text/plain") or data.get("text")):
            return _block(plain)
        pictures = ("image/", "png", "jpeg", "svg")
        return "*(output: an image)*" if any(str(key).startswith(pictures) for key in data) else ""


def _without_invisible(text: str) -> str:
    """The text without what Markdown does not show: titles of link definitions, and invisible TeX."""
    if "]:" in text:
        text = _DEFINITION.sub(lambda found: "" if found[1] in ("//", "comment") else f"[{found[1]}]: {found[2]}", text)
    return _INVISIBLE_TEX.sub("", text) if "\\" in text and "$" in text else text


def _block(text: str) -> str:
    text = _ANSI.sub("", text).strip("\n")
    return fence(_cut(text), "text") if text.strip() else ""


def _cut(text: str) -> str:
    if len(text) <= _OUTPUT:
        return text
    end = text.rfind("\n", _OUTPUT // 2, _OUTPUT)
    end = end if end > 0 else _OUTPUT
    return text[:end] + f"\n… {len(text) - end:,} more characters of output"


def _language(value: dict[str, Any]) -> str:
    facts = value.get("metadata")
    if not isinstance(facts, dict):
        return "python"
    for holder in ("language_info", "kernelspec"):
        info = facts.get(holder)
        if isinstance(info, dict):
            name = info.get("name") if holder == "language_info" else info.get("language")
            if isinstance(name, str) and re.fullmatch(r"[\w+#-]{1,20}", name):
                return name.lower()
    return "python"


def _authors(value: dict[str, Any]) -> str | None:
    facts = value.get("metadata")
    found = facts.get("authors") if isinstance(facts, dict) else None
    names = [str(each.get("name")) for each in found or [] if isinstance(each, dict) and each.get("name")]
    return ", ".join(names[:10]) or None


def _text(value: Any) -> str:
    """The text of a notebook field, which is a string or a list of lines."""
    if isinstance(value, list):
        return "".join(part for part in value if isinstance(part, str))
    return value if isinstance(value, str) else ""
