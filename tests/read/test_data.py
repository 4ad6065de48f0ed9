"""Tables and lists as data."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mcp_web.read.data import to_data
from miniweb import MiniWeb
from surface.tool_caller import tool_caller

TEXT = """# Limits

| name | value |
|------|-------|
| `rate` | 5 a second |
| a\\|b | [ten](https://a.example/) |

## Steps

- Open the *lid*
- Close it
"""


def test_tables_are_rows_by_column_and_lists_are_items() -> None:
    assert to_data(TEXT) == {
        "tables": [
            {"section": "Limits", "rows": [{"name": "rate", "value": "5 a second"}, {"name": "a|b", "value": "ten"}]}
        ],
        "lists": [{"section": "Steps", "items": ["Open the lid", "Close it"]}],
    }


def test_columns_without_a_name_or_with_the_same_name_are_told_apart() -> None:
    (table,) = to_data("| size | price | price | |\n|-|-|-|-|\n| 1 | 2 | 3 | 4 |\n")["tables"]
    assert table["rows"] == [{"size": "1", "price": "2", "price column 3": "3", "column 4": "4"}]


def test_a_text_without_tables_and_lists_has_no_data() -> None:
    assert to_data("Only words.\n") == {}


@pytest.mark.anyio
async def test_web_open_returns_tables_and_facts_as_json(miniweb: MiniWeb, tmp_path: Path) -> None:
    facts = '<script type="application/ld+json">{"@type": "Product", "name": "Gauge", "sku": "G-7"}</script>'
    table = "<table><tr><th>size</th><th>price</th></tr><tr><td>small</td><td>12</td></tr></table>"
    prose = "<p>" + "A tide gauge measures the height of the water at a harbour wall. " * 8 + "</p>"
    html = (
        f"<html><head><title>Gauge</title>{facts}</head><body><main><h1>Gauge</h1>{prose}{table}</main></body></html>"
    )
    url = miniweb.site("shop.example").page("/gauge", html)
    async with tool_caller(miniweb, tmp_path) as caller:
        found = await caller.data("web_open", url=url, format="data")
        text = (await caller.call("web_open", url=url, format="data")).text
    assert json.loads(found["content"])["tables"] == [{"section": "Gauge", "rows": [{"size": "small", "price": "12"}]}]
    assert '"sku": "G-7"' in text
