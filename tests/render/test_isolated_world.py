"""Our scripts in a page."""

from __future__ import annotations

import asyncio

import anyio
import pytest

from mcp_web.errors import RenderFailed
from mcp_web.render.chromium import find_chromium
from mcp_web.render.isolated_world import IsolatedWorld

pytestmark = pytest.mark.anyio


async def test_script_of_ours_that_fails_is_an_error_for_the_agent(anyio_backend: str) -> None:
    executable = find_chromium()
    if executable is None:
        pytest.skip("no Chromium on this machine")
    playwright = pytest.importorskip("playwright.async_api")
    async with playwright.async_playwright() as driver:
        browser = await driver.chromium.launch(executable_path=executable)
        page = await browser.new_page()
        world = IsolatedWorld(await page.context.new_cdp_session(page), asyncio.get_running_loop().create_future())
        await world.enter("", anyio.current_time() + 30)
        with pytest.raises(RenderFailed, match=r"failed in the page: .+ is not a valid selector"):
            await world.call("decline", "!", seconds=30)
        await browser.close()
