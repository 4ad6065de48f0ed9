"""JSON from other systems: whatever its depth, code that calls itself for each level can read it."""

from __future__ import annotations

import json

import pytest

from mcp_web.text.json_fields import read_json


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}"), ('[{"a":', "}]")])
def test_what_is_nested_too_deeply_is_left_out(opening: str, closing: str) -> None:
    written = json.dumps(read_json(opening * 300 + "[]" + closing * 300))
    assert written.count("[") + written.count("{") == 101


def test_other_values_are_read_whole() -> None:
    deep = "[" * 90 + '{"a": [1, "[[["], "b": null}' + "]" * 90
    assert read_json(deep) == json.loads(deep)


def test_json_too_deep_to_be_parsed_is_no_json() -> None:
    with pytest.raises(ValueError, match="nested too deeply"):
        read_json(b"[" * 200_000)
