"""What all tests share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from miniweb import MiniWeb


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def miniweb() -> Iterator[MiniWeb]:
    """A small real web on loopback; see tests/miniweb/README.md."""
    from miniweb import MiniWeb

    web = MiniWeb()
    yield web
    web.close()
