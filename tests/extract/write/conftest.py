"""`md(html)` writes a fragment as the engine would, hidden text removed first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import turbohtml

from mcp_web.extract.hidden.remove import remove_hidden
from mcp_web.extract.html.write import Written, write_markdown

BASE = "https://docs.example.org/guide/page.html"


def write(html: str, **options: Any) -> Written:
    tree = turbohtml.parse(html, positions=False)
    remove_hidden(tree)
    body = tree.select_one("body")
    assert body is not None
    return write_markdown([body], BASE, **options)


@pytest.fixture
def written() -> Callable[..., Written]:
    return write


@pytest.fixture
def md() -> Callable[..., str]:
    return lambda html, **options: write(html, **options).markdown
