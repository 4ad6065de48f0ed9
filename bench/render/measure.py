"""The same pages on the same Chromium by mcp-web and by bare Playwright scripts, in turn.

What the bare script does: new context, new page, goto until the load event, content(), close; started with our flags
besides Playwright's own (without those that lead through the proxy), straight to the page, with no policy and no
settling. `networkidle` is the same script waiting as Playwright's documentation describes for a settled page.
Ours is `Chromium.render`, everything included.

Two ways of asking. *Now and then*, as an agent does: what each prepares between two pages is done by then, and costs
the others nothing. *Without a pause*: the next page is asked for the moment the last one is answered, so that whatever
is prepared between pages is paid in full.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from statistics import median

import anyio

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

from mcp_web.net.address import AddressPolicy, parse_exemptions
from mcp_web.net.dial import Dialer
from mcp_web.render.chromium import Chromium, find_chromium
from mcp_web.render.chromium_flags import chromium_flags
from mcp_web.render.options import RenderOptions
from miniweb import MiniWeb

WARM_UP = 2
BLOCK = 4  # pages without a pause
_WORDS = "The lamp burned all night and the keeper wrote it down. "
_SMALL = (
    f"<!doctype html><title>Small</title><h1>Small page</h1><p>{_WORDS * 20}</p><p id=p></p>"
    "<script src=/small.js></script>"
)
_APPLICATION = "<!doctype html><title>App</title><div id=root></div><script src=/app.js></script>"
_APP_SCRIPT = """fetch('/data.json').then(r => r.json()).then(rows => { for (const row of rows) {
  const p = document.createElement('p'); p.textContent = row; root.append(p); } });"""
_PROXY_FLAGS = ("--headless", "--remote", "--no-startup", "--proxy", "--host-resolver")

_PAUSE = 0.5  # seconds in which a runner may prepare the next page

Runner = Callable[[str], Awaitable[str]]


def serve() -> dict[str, str]:
    """The pages, and under "exemption" what lets ours reach them."""
    site = MiniWeb().site("bench.example")
    script = {"Content-Type": "text/javascript"}
    site.page("/small", _SMALL)
    site.page("/small.js", "p.textContent = 'Written by a script.'", headers=script)
    site.page("/app", _APPLICATION)
    site.page("/app.js", _APP_SCRIPT, headers=script)
    site.page("/data.json", json.dumps([_WORDS + str(n) for n in range(40)]))
    return {
        "small page": site.loopback_url("/small"),
        "application": site.loopback_url("/app"),
        "exemption": site.exemption,
    }


async def measure(pages: int) -> dict[str, dict[str, float]]:
    """Median milliseconds by page and way of asking, then by runner."""
    places = serve()
    exemption = places.pop("exemption")
    results: dict[str, dict[str, float]] = {}
    async with AsyncExitStack() as ends:
        runners = await _runners(exemption, ends)
        for name, url in places.items():
            results[f"{name}, now and then"] = await _now_and_then(url, runners, pages)
            results[f"{name}, without a pause"] = await _without_a_pause(url, runners, max(2, pages // BLOCK))
    return results


async def _runners(exemption: str, ends: AsyncExitStack) -> dict[str, Runner]:
    from playwright.async_api import async_playwright

    playwright = await ends.enter_async_context(async_playwright())
    flags = [flag for flag in chromium_flags(0) if not flag.startswith(_PROXY_FLAGS)]
    browser = await playwright.chromium.launch(executable_path=find_chromium(), args=flags)
    ends.push_async_callback(browser.close)
    ours = Chromium(RenderOptions(enabled=True), Dialer(AddressPolicy(parse_exemptions([exemption]))))
    ends.push_async_callback(ours.aclose)

    def bare(until: str) -> Runner:
        async def work(url: str) -> str:
            context = await browser.new_context()
            page = await context.new_page()
            await page.goto(url, wait_until=until)  # type: ignore[arg-type]
            html = await page.content()
            await context.close()
            return html

        return work

    async def render(url: str) -> str:
        return (await ours.render(url)).body.decode()

    return {
        "mcp-web": render,
        "bare, load": bare("load"),
        "bare, networkidle": bare("networkidle"),
    }


async def _now_and_then(url: str, runners: dict[str, Runner], pages: int) -> dict[str, float]:
    """The runners take turns, so that a busy machine is busy for all of them."""
    times: dict[str, list[float]] = {name: [] for name in runners}
    for turn in range(pages + WARM_UP):
        for name, runner in runners.items():
            begun = time.perf_counter()
            await runner(url)
            taken = (time.perf_counter() - begun) * 1000
            await anyio.sleep(_PAUSE)
            if turn >= WARM_UP:
                times[name].append(taken)
    return {name: median(taken) for name, taken in times.items()}


async def _without_a_pause(url: str, runners: dict[str, Runner], blocks: int) -> dict[str, float]:
    times: dict[str, list[float]] = {name: [] for name in runners}
    for _ in range(blocks):
        for name, runner in runners.items():
            await runner(url)  # uses up what was prepared in a pause
            begun = time.perf_counter()
            for _ in range(BLOCK):
                await runner(url)
            times[name].append((time.perf_counter() - begun) * 1000 / BLOCK)
            await anyio.sleep(_PAUSE)
    return {name: median(taken) for name, taken in times.items()}
