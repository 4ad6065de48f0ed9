"""The structured data of a page: JSON-LD, OpenGraph, microdata, as plain JSON values of bounded size.

It is not visible to a reader, so it may be used to hide text: strings are cleaned and limited in length. The text of an
article is dropped, because the Markdown has its visible part.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

from turbohtml import Document as Tree
from turbohtml import MicrodataItem

from mcp_web.extract.characters import clean_line
from mcp_web.text.json_fields import read_json
from mcp_web.text.shorten import shortened

_SCRIPT_CHARS = 500_000  # of JSON-LD read from one page
_MOST_NODES = 200
_MOST_PROPERTIES = 5000  # nested itemprops repeat their text; beyond this microdata is not read
_DEPTH = 5
_WIDTH = 30
_STRING = 300
_TOTAL = 12_000  # characters of JSON per page

_WRAPPING = re.compile(r"^\s*(?:<!--|/\*\s*<!\[CDATA\[\s*\*/|<!\[CDATA\[)|(?:-->|/\*\s*\]\]>\s*\*/|\]\]>)\s*;?\s*$")
_TRAILING_COMMA = re.compile(r",(\s{0,200}[\]}])")
_PREFIX = re.compile(r".*[/#:]", re.S)
_EMPTY: tuple[Any, ...] = (None, "", [], {})
_REDUNDANT = frozenset({"articlebody", "text", "reviewbody", "@context", "transcript", "potentialaction"})


@dataclass(frozen=True, slots=True)
class Structured:
    """The JSON-LD and the microdata of a page; `bounded` returns the part that is put into the document."""

    json_ld: tuple[Mapping[str, Any], ...]  # every object with an @type, including those in lists and @graph
    microdata: tuple[Mapping[str, Any], ...]  # in JSON-LD's shape

    def nodes(self) -> Iterator[Mapping[str, Any]]:
        """All objects with a type, those of JSON-LD first."""
        return chain(self.json_ld, self.microdata)

    def bounded(self, opengraph: Mapping[str, str]) -> tuple[Mapping[str, Any], ...]:
        """The data and the OpenGraph properties as `{"format", "data"}` entries; what exceeds the limits in size is
        left out."""
        entries: list[dict[str, Any]] = [{"format": "json-ld", "data": node} for node in self.json_ld]
        if opengraph:
            entries.append({"format": "opengraph", "data": opengraph})
        entries.extend({"format": "microdata", "data": item} for item in self.microdata)
        kept: list[Mapping[str, Any]] = []
        left = _TOTAL
        for entry in entries:
            small = {"format": entry["format"], "data": _bound(entry["data"], _DEPTH)}
            size = len(json.dumps(small, ensure_ascii=False))
            if size <= left and small["data"]:
                kept.append(small)
                left -= size
        return tuple(kept)


def read_structured(tree: Tree) -> Structured:
    """The structured data of a parsed page; data that cannot be parsed is ignored."""
    nodes: list[Mapping[str, Any]] = []
    for value in _json_ld(tree):
        _collect(value, nodes, 0)
    items: list[Mapping[str, Any]] = []
    if 0 < len(tree.select("[itemprop]")) <= _MOST_PROPERTIES:
        items = [_microdata(item, 0) for item in tree.microdata()[:_MOST_NODES] if item.type]
    return Structured(tuple(nodes), tuple(items))


def types_of(node: Mapping[str, Any]) -> tuple[str, ...]:
    """The schema.org types of an object: `https://schema.org/NewsArticle` → `NewsArticle`; empty if it has none."""
    found = node.get("@type")
    if isinstance(found, str):
        return (_PREFIX.sub("", found),)
    return tuple(_PREFIX.sub("", name) for name in found if isinstance(name, str)) if isinstance(found, list) else ()


def _json_ld(tree: Tree) -> Iterator[Any]:
    """The values of the JSON-LD blocks of a page; invalid ones and those beyond `_SCRIPT_CHARS` are left out."""
    left = _SCRIPT_CHARS
    for script in tree.select("script[type*='ld+json' i]"):
        text = script.text
        left -= len(text)
        if left < 0:
            return
        # Half of all invalid blocks on real pages have raw line breaks in strings, comment wrappers or a trailing
        # comma.
        text = text.strip()
        if text[:1] not in "{[" or text[-1:] not in "}]":
            text = _WRAPPING.sub("", _WRAPPING.sub("", text))
        for repaired in (text, _TRAILING_COMMA.sub(r"\1", text)):
            try:
                yield read_json(repaired, strict=False, parse_constant=lambda name: None)
            except ValueError:
                continue
            break


def _collect(value: Any, nodes: list[Mapping[str, Any]], depth: int) -> None:
    """Append the objects with an @type in a JSON-LD value to `nodes`. `depth` is how many lists and @graphs are around
    the value; what is in more than four is left out."""
    if depth > 4 or len(nodes) >= _MOST_NODES:
        return
    if isinstance(value, list):
        for each in value:
            _collect(each, nodes, depth + 1)
    elif isinstance(value, dict):
        if "@type" in value:
            nodes.append({key: inner for key, inner in value.items() if key != "@graph"})
        if isinstance(value.get("@graph"), (list, dict)):
            _collect(value["@graph"], nodes, depth + 1)


def _microdata(item: MicrodataItem, depth: int) -> dict[str, Any]:
    """A microdata item in the shape of JSON-LD; `depth` is how many items are around it, and deep ones are left out."""
    node: dict[str, Any] = {"@type": (item.type or "").split(" ")[0]}
    if item.id:
        node["@id"] = item.id
    for name, values in item.properties.items():
        plain = [
            value if isinstance(value, str) else _microdata(value, depth + 1)
            for value in values[:_WIDTH]
            if isinstance(value, str) or depth < _DEPTH
        ]
        node[name] = plain[0] if len(plain) == 1 else plain
    return node


def _bound(value: Any, depth: int) -> Any:
    """A copy of a JSON value with at most `depth` levels and limited numbers of items and characters, without the keys
    in _REDUNDANT; None if it is too deep."""
    if isinstance(value, str):
        return shortened(clean_line(value[: _STRING * 4]), _STRING)
    if not isinstance(value, dict | list):
        return value if isinstance(value, bool | int | float) else None
    if depth == 0:
        return None
    if isinstance(value, list):
        return [small for each in value[:_WIDTH] if (small := _bound(each, depth - 1)) not in _EMPTY]
    wanted = ((str(key), inner) for key, inner in islice(value.items(), _WIDTH) if str(key).lower() not in _REDUNDANT)
    bounded = ((name[:60], _bound(inner, depth - 1)) for name, inner in wanted)
    return {name: small for name, small in bounded if small not in _EMPTY}
