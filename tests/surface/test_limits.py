"""Whatever an agent sends, the answer is whole, within the ceiling and never a defect of ours."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any

import pytest

from mcp_web.tools.sets import STANDARD, tool_named
from mcp_web.tools.tool import Param
from miniweb import MiniWeb

from .house import House, house

pytestmark = pytest.mark.anyio
ROUNDS = int(os.environ.get("FUZZ_ROUNDS", "40"))
PLAIN = "<title>Plain</title><main><h1>Plain</h1><p>Some words that can be read, searched and quoted again.</p></main>"

NASTY_TEXT = [
    "", " ", "\x00", "a\x00b", "\ud800", "x\udfffy", "\u202e\u2066gnihtemos\u2069", "\ufeff", "🧑‍🚀" * 50, "é" * 500,
    "[" * 5_000, "{" * 5_000, '["a", "b"', "null", "-1", "1e999", "NaN", "../../etc/passwd", "'; DROP TABLE page; --",
    "%00%ff", "*" * 300, '"unbalanced', "a OR NOT (b", "<script>", "</untrusted>", "::::", "http://", "https://[::1",
    "https://plain.example/" + "a" * 7_900, "javascript:alert(1)", "https://plain.example:99999/", "x" * 20_000,
]  # fmt: skip
NASTY = [
    *NASTY_TEXT, None, True, False, 0, -1, 1.5, 10**400, -(10**5000), 1e308, float("inf"), float("nan"), [], {}, [None],
    [[]], [{"a": 1}], {"a": {"b": []}}, ["a"] * 100, [10**400], "1,2,3",
]  # fmt: skip
GOOD: dict[str, Any] = {
    "url": "https://plain.example/", "urls": ["https://plain.example/"], "query": "words", "html": PLAIN,
    "source": "https://plain.example/", "quotes": ["Some words"], "snapshot": "0" * 64, "text": "A text to keep.",
}  # fmt: skip


@pytest.fixture
async def home(miniweb: MiniWeb, tmp_path: Path) -> object:
    miniweb.site("plain.example").page("/*", PLAIN)
    miniweb.site("plain.example").page("/", PLAIN)
    # Searches go to a port where nobody listens.
    quiet = {"MCP_WEB_SEARCH_PROVIDERS": "searxng", "MCP_WEB_SEARXNG_URLS": "http://127.0.0.1:9", "MCP_WEB_LOG": "off"}
    async with house(miniweb, tmp_path, **quiet, MCP_WEB_SEARX_SPACE_URL="", MCP_WEB_EMBEDDINGS="none") as made:
        yield made


def deep(levels: int) -> Any:
    value: Any = "end"
    for _ in range(levels):
        value = [value]
    return value


def argument(param: Param, chance: random.Random) -> Any:
    if chance.random() < 0.5 and param.name in GOOD:
        return GOOD[param.name]
    return deep(50_000) if chance.random() < 0.02 else chance.choice(NASTY)


@pytest.mark.parametrize("name", STANDARD)
async def test_arguments_of_any_kind_are_answered_without_a_defect(home: House, name: str) -> None:
    chance = random.Random(name)
    tool = tool_named(name)
    for _ in range(ROUNDS):
        given = {param.name: argument(param, chance) for param in tool.params if param.required}
        given |= {p.name: argument(p, chance) for p in tool.params if not p.required and chance.random() < 0.3}
        if chance.random() < 0.1:
            given[chance.choice(["unknown", "", "\ud800", "x" * 9_000])] = 1
        result = await home.call(name, structured=chance.random() < 0.5, seconds=10, **given)
        shown = {key: value[:120] if isinstance(value, str) else type(value) for key, value in given.items()}
        assert "failed inside the server" not in result.text, (shown, result.text)
        assert "Traceback" not in result.text
        if result.is_error:
            assert result.meta["error"]["code"] != "INTERNAL_ERROR", shown
            assert result.meta["error"]["suggestion"]
        on_the_wire(result)


def on_the_wire(result: Any) -> None:
    """As a client gets it: UTF-8 JSON."""
    json.dumps([result.text, result.meta, result.data], ensure_ascii=False, default=str).encode()
