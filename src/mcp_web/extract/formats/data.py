"""Data as text: JSON formatted and fenced, CSV as a table, XML fenced, sitemaps as lists of links."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from mcp_web.extract.assemble import assemble
from mcp_web.extract.decode import decode
from mcp_web.extract.markdown import fence, table_of
from mcp_web.model.page import Document, Fetched
from mcp_web.text.amounts import amount
from mcp_web.text.json_fields import read_json as parse_json
from mcp_web.text.shorten import shortened
from mcp_web.text.sitemap import sitemap_entries

_LAID_OUT = 300_000  # characters of JSON; before a longer text there is an outline
_ROWS = 3000
_COLUMNS = 60
_CELL = 300
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')


def read_json(page: Fetched) -> Document:
    """Reads JSON, also broken; feeds, notebooks and API descriptions are passed to their own readers."""
    decoded = decode(page)
    notes = list(decoded.notes)
    value: Any = None
    try:
        value = parse_json(decoded.text)
    except ValueError:
        if "ndjson" not in page.media_type and "jsonl" not in page.media_type:
            notes.append("The text is not valid JSON; it is shown as it came.")
    if isinstance(value, dict) and (reader := _reader_of(value)):
        return reader(value, page)
    text = (
        lay_out(decoded.text)
        if value is not None and decoded.text.count("\n") < len(decoded.text) / 200
        else decoded.text
    )
    parts = [fence(text, "json")]
    if len(text) > _LAID_OUT and value is not None:
        parts.insert(0, "Outline:\n\n" + "\n".join(outline(value)))
        notes.append(f"A large JSON document ({len(decoded.text):,} characters): its outline comes first.")
    return assemble(page, "json", "\n\n".join(parts), kind="data", notes=notes)


def read_csv(page: Fetched) -> Document:
    """Reads comma-, semicolon-, tab- and bar-separated values; of a long or wide table the beginning."""
    decoded = decode(page)
    delimiter = "\t" if "tab-separated" in page.media_type else _delimiter(decoded.text)
    rows: list[list[str]] = []
    notes = list(decoded.notes)
    total = columns = 0
    try:
        for row in csv.reader(io.StringIO(decoded.text, newline=None), delimiter=delimiter):
            if any(cell.strip() for cell in row):
                total += 1
                if total <= _ROWS:
                    rows.append([shortened(" ".join(cell.split()), _CELL) for cell in row[:_COLUMNS]])
                    columns = max(columns, len(row))
    except csv.Error as error:  # a field is longer than the reader's limit, perhaps because its quotes are not closed
        notes.append(f"The rows after the first {total:,} could not be read: {error}.")
    if total > _ROWS:
        notes.append(f"The table has {total:,} rows; the first {_ROWS:,} are shown.")
    if columns > _COLUMNS:
        notes.append(f"Only the first {_COLUMNS} columns are shown.")
    return assemble(page, "csv", table_of(rows), kind="data", notes=notes)


def read_xml(page: Fetched) -> Document:
    """Reads XML: feeds as feeds, sitemaps as lists of links, everything else as fenced source."""
    decoded = decode(page)
    head = decoded.text[:3000].lower()
    if re.search(r"<(?:rss|feed)[\s>]|<rdf:rdf\s.*(?:/rss/|netscape\.com/rdf)", head, re.S):
        from mcp_web.extract.formats.feed import read_feed

        return read_feed(page)
    if re.search(r"<(?:urlset|sitemapindex)[\s>]", head):
        text = "\n".join(_sitemap(decoded.text))
        return assemble(page, "xml", text, title="Sitemap", kind="listing", notes=decoded.notes)
    text = decoded.text
    if text.count("\n") < len(text) / 500:
        text = re.sub(r">\s*<", ">\n<", text)
    return assemble(page, "xml", fence(text, "xml"), kind="data", notes=decoded.notes)


def lay_out(text: str) -> str:
    """JSON text with one value per line; every number stays as it was written, because the text is not parsed."""
    written: list[str] = []
    depth = 0
    line_is_empty = True
    before = ""
    for piece in _TOKEN.findall(text):
        if piece in "]}":
            depth -= 1
            if before not in "[{":
                written.append("\n" + "  " * depth)
            written.append(piece)
        else:
            if line_is_empty and before:
                written.append("\n" + "  " * depth)
            written.append(piece + " " if piece == ":" else piece)
            if piece in "[{":
                depth += 1
        line_is_empty = piece in ("[", "{", ",")
        before = piece
    return "".join(written)


def outline(value: Any, depth: int = 0, name: str = "") -> Iterator[str]:
    """The lines of an outline of a JSON value called `name`: keys, types and lengths, three levels deep from `depth` 0.
    Of a list, only the first item is shown."""
    label = f"`{name[:60]}`: " if name else ""
    if isinstance(value, dict):
        yield "  " * depth + f"- {label}object with {amount(len(value), 'key')}"
        if depth < 3:
            for key, inner in list(value.items())[:40]:
                yield from outline(inner, depth + 1, key)
    elif isinstance(value, list):
        yield "  " * depth + f"- {label}list of {len(value)}"
        if value and depth < 3:
            yield from outline(value[0], depth + 1, "[0]")
    else:
        yield "  " * depth + f"- {label}{json.dumps(value, ensure_ascii=False)[:80]}"


def _reader_of(value: dict[str, Any]) -> Callable[[dict[str, Any], Fetched], Document] | None:
    """The reader of JSON with a format of its own (notebook, feed or API description); None for other JSON."""
    if "nbformat" in value and ("cells" in value or "worksheets" in value):
        from mcp_web.extract.formats.notebook import read_notebook

        return read_notebook
    if str(value.get("version", "")).startswith("https://jsonfeed.org/version/"):
        from mcp_web.extract.formats.feed import read_json_feed

        return read_json_feed
    if ("openapi" in value or "swagger" in value) and isinstance(value.get("paths"), dict):
        from mcp_web.extract.formats.openapi import read_openapi

        return read_openapi
    return None


def _delimiter(text: str) -> str:
    """The separator (comma, semicolon, tab or bar) that is most frequent in the first line, outside quotes."""
    head = re.sub(r'"[^"\n]{0,1000}"', "", text.lstrip()[:5000].split("\n", 1)[0])
    return max(",;\t|", key=head.count)


def _sitemap(text: str) -> Iterator[str]:
    """The http(s) URLs of a sitemap as list items with their dates, the last changed first, the undated last."""
    for url, date in sorted(sitemap_entries(text), key=lambda one: one[1], reverse=True):
        if url.startswith(("http://", "https://")):
            yield f"- <{url}>" + (f" ({date})" if date else "")
