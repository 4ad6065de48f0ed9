"""Warm renders, side by side: ours and bare Playwright scripts on the same Chromium, the same pages, in turn.

    python bench/render/bench.py [--pages 30] [--json]

Bare `load`: new context, new page, goto until the load event, content(), close — what a quick script does.
Bare `networkidle`: the same, waiting as Playwright's documentation describes for a settled page.
Both bare scripts open the page directly, with no proxy, no policy, no settling beyond their own.
Ours: `Chromium.render`, everything included. The figure is the ratio of medians.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

from mcp_web.net.address import AddressPolicy, parse_exemptions
from mcp_web.net.dial import Dialer
from mcp_web.render.chromium import Chromium, find_chromium
from mcp_web.render.options import RenderOptions
from miniweb import MiniWeb

_WORDS = "The lamp burned all night and the keeper wrote it down. "
_SMALL = (
    f"<!doctype html><title>Small</title><h1>Small page</h1><p>{_WORDS * 20}</p><p id=p></p>"
    "<script src=/small.js></script>"
)
_APPLICATION = "<!doctype html><title>App</title><div id=root></div><script src=/app.js></script>"
_APP_SCRIPT = """fetch('/data.json').then(r => r.json()).then(rows => { for (const row of rows) {
  const p = document.createElement('p'); p.textContent = row; root.append(p); } });"""

Work = Callable[[str], Awaitable[str]]


def serve() -> dict[str, str]:
    web = MiniWeb()
    site = web.site("bench.example")
    script = {"Content-Type": "text/javascript"}
    site.page("/small", _SMALL)
    site.page("/small.js", "p.textContent = 'Written by a script.'", headers=script)
    site.page("/app", _APPLICATION)
    site.page("/app.js", _APP_SCRIPT, headers=script)
    site.page("/data.json", json.dumps([_WORDS + str(n) for n in range(40)]))
    return {
        "small": site.loopback_url("/small"),
        "application": site.loopback_url("/app"),
        "exemption": site.exemption,
    }


async def measure(pages: int) -> dict[str, dict[str, float]]:
    from playwright.async_api import async_playwright

    places = serve()
    exemption = places.pop("exemption")
    ours = Chromium(RenderOptions(enabled=True), Dialer(AddressPolicy(parse_exemptions([exemption]))))
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=find_chromium())

        def bare(until: str) -> Work:
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

        runners: dict[str, Work] = {"ours": render, "bare load": bare("load"), "bare networkidle": bare("networkidle")}
        results = {name: await compare(url, runners, pages) for name, url in places.items()}
        await browser.close()
    await ours.aclose()
    return results


async def compare(url: str, runners: dict[str, Work], pages: int) -> dict[str, float]:
    """Medians in milliseconds; the runners take turns, so that a busy machine is busy for all of them."""
    times: dict[str, list[float]] = {name: [] for name in runners}
    for turn in range(pages + 2):
        for name, work in runners.items():
            begun = time.perf_counter()
            await work(url)
            if turn >= 2:  # the first two warm up
                times[name].append((time.perf_counter() - begun) * 1000)
    return {name: statistics.median(taken) for name, taken in times.items()}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pages", type=int, default=30)
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    results = asyncio.run(measure(chosen.pages))
    if chosen.json:
        print(json.dumps(results, indent=2))
        return
    for page, medians in results.items():
        print(f"{page}:")
        for name, ms in medians.items():
            print(f"  {name:18} {ms:7.0f} ms   ours / this = {medians['ours'] / ms:.2f}")


if __name__ == "__main__":
    main()
