"""Results without a text of their own: maps, packages, files, torrents and code, described by their fields."""

from __future__ import annotations

from typing import Any

from mcp_web.text.json_fields import JsonObject, items, mapping, text

_PLAIN = ("abstract", "comments", "metadata")  # shown without their field name
_NAMED = ("version", "license_name", "price", "resolution", "length", "filesize", "size", "seed", "leech", "doi")


def describe(row: JsonObject) -> str:
    """A text for a result without one: its abstract, address, size and the like in one line, or its first eight lines
    of code; "" if it has none of these fields."""
    lines = row.get("codelines")
    if isinstance(lines, list) and (code := [line[1] for line in lines if isinstance(line, list) and len(line) > 1]):
        return " ".join(map(text, code[:8]))
    place = mapping(row.get("address")).values()
    facts = {name.replace("_", " "): row.get(name) for name in _NAMED} | mapping(row.get("kvmap"))
    parts = [_as_text(row.get(name)) for name in _PLAIN]
    parts.append(", ".join(part for part in place if isinstance(part, str) and part).strip())
    parts += [f"{name}: {value}" for name, fact in facts.items() if (value := _as_text(fact))]
    return ", ".join(filter(None, parts))


def infobox_text(box: JsonObject) -> str:
    """An infobox as one line, after its title: its text, or else its table; "" if it has neither."""
    rows = [(text(row.get("label")), text(row.get("value"))) for row in items(box.get("attributes"))]
    body = text(box.get("content")) or "; ".join(f"{label}: {value}" for label, value in rows if label and value)
    return f"{text(box.get('infobox'))}: {body}".strip(": ") if body.strip() else ""


def _as_text(value: Any) -> str:
    return str(value).strip() if isinstance(value, (str, int, float)) and not isinstance(value, bool) else ""
