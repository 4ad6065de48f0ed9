"""One browser and one small web for all rendering tests: starting them for each would cost more than the tests."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest

from mcp_web.render.chromium import Chromium, find_chromium
from mcp_web.render.options import RenderOptions
from miniweb import MiniWeb


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def web() -> Iterator[MiniWeb]:
    web = MiniWeb()
    yield web
    web.close()


@pytest.fixture(scope="session")
async def renderer(anyio_backend: str, web: MiniWeb) -> AsyncIterator[Chromium]:
    """The production renderer with its default policy; it gives up late, since another program may take the machine."""
    if find_chromium() is None:
        pytest.skip("no Chromium on this machine")
    pytest.importorskip("playwright")
    chromium = Chromium(RenderOptions(enabled=True, timeout=55.0, patience=4.0), web.dialer(), ca_bundle=web.ca_bundle)
    yield chromium
    await chromium.aclose()
