"""Rendering with the Chromium of this machine."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from pathlib import Path

import anyio

from mcp_web import trace
from mcp_web.errors import RenderDisabled, RenderFailed, WebError
from mcp_web.model.login import SiteLogin
from mcp_web.net.dial import Dialer
from mcp_web.net.egress import Egress
from mcp_web.render.browser import RunningBrowser, SharedBrowser
from mcp_web.render.driver import PageGone, first_line, within
from mcp_web.render.isolated_world import KeptNavigating
from mcp_web.render.options import RenderOptions
from mcp_web.render.rendered import Rendered
from mcp_web.render.tab import Tab, TabFailed
from mcp_web.render.visit import Visit
from mcp_web.text.untrusted import quoted
from mcp_web.text.urls import Url, parse_url

# Executables before the wrapper scripts of distributions, which add their own flags.
_PLACES = (
    "/usr/lib/chromium/chromium",
    "/usr/lib64/chromium-browser/chromium-browser",
    "/usr/lib/chromium-browser/chromium-browser",
    "/opt/google/chrome/chrome",
    "/opt/microsoft/msedge/msedge",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
_NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome", "chromium-headless-shell")
# Seconds reserved for closing the page and returning the result.
_RESERVE = 0.7


def find_chromium(executable: str = "") -> Path | None:
    """The path of the browser: `executable` if given, else the first in the usual places; None if it does not exist."""
    found = (shutil.which(one) for one in ((executable,) if executable else (*_PLACES, *_NAMES)))
    return next((Path(one) for one in found if one), None)


class Chromium:
    """Renders pages in one shared browser behind the address guard, each in a browser context of its own."""

    def __init__(
        self,
        options: RenderOptions,
        dialer: Dialer,
        *,
        check_domain: Callable[[str], None] | None = None,
        login: Callable[[Url], SiteLogin | None] | None = None,
        ca_bundle: str | None = None,
    ) -> None:
        """`check_domain` raises DomainDenied for a host; `login` returns the operator's login for a URL, if any.

        `ca_bundle`: a PEM file with further certificate authorities.
        """
        self._options = options
        self._ca_bundle = ca_bundle
        self._login = login
        self._egress = Egress(
            dialer, third_parties=options.third_parties, max_bytes=options.max_bytes, check_domain=check_domain
        )
        self._browser: SharedBrowser | None = None
        self._warming: asyncio.Task[None] | None = None
        self._opening = anyio.Lock()
        self._places = anyio.Semaphore(options.max_pages)

    async def render(self, url: str, *, deadline: float | None = None, screenshot: bool = False) -> Rendered:
        """Open a page in the browser and return it once it is loaded and its scripts change nothing more.

        `deadline` is a time of `anyio.current_time()` and can only shorten the configured time; `screenshot` takes one
        even if the operator does not keep them. Raises RenderDisabled, RenderFailed, SsrfBlocked, DomainDenied,
        UnsupportedContent, FetchFailed, or HttpError for an error response without a page.
        """
        begun = anyio.current_time()
        seconds = self._options.timeout if deadline is None else min(self._options.timeout, deadline - begun)
        target = parse_url(url)
        with trace.step("render", url=target.href) as facts:
            browser = await self._shared()
            async with AsyncExitStack() as held:
                try:
                    with anyio.fail_after(max(0.0, seconds - _RESERVE)):
                        await self._places.acquire()
                    held.callback(self._places.release)
                    # Without a deadline, a start that fails ends by itself, with an error that says why.
                    left = None if deadline is None else max(0.0, deadline - _RESERVE - anyio.current_time())
                    with anyio.fail_after(left):
                        running = await held.enter_async_context(browser.use())
                except TimeoutError:
                    raise RenderFailed(f"No browser page became free within {seconds:g} seconds.", url=url) from None
                until = begun + seconds - _RESERVE
                rendered = await self._visit(running, target, until, begun, screenshot=screenshot)
            running.prepare_tab()
            facts["status"] = rendered.status
            return rendered

    def warm(self) -> None:
        """Start the browser and open a blank tab in the background, because a page will probably be rendered."""
        if self._options.enabled and (self._warming is None or self._warming.done()):
            self._warming = asyncio.create_task(self._prepare(), name="warm the browser")

    async def _prepare(self) -> None:
        """Start the browser and a spare tab; errors are ignored."""
        with suppress(WebError):  # `render` will meet the same error and report it
            browser = await self._shared()
            async with browser.use() as running:
                running.prepare_tab()

    async def _visit(
        self, running: RunningBrowser, target: Url, until: float, begun: float, *, screenshot: bool
    ) -> Rendered:
        """Open a page in a tab of its own, logged in if the operator has a login for it. A browser that fails or hangs
        is retired. On anyio's clock, `begun` is when rendering began and `until` the deadline."""
        from playwright.async_api import Error

        url = target.href
        tab: Tab | None = None
        try:
            tab = await running.take_tab(until)
            tab.lease.admit(target.host)
            login = self._login(target) if self._login is not None else None
            if login is not None:
                await within(until - anyio.current_time(), tab.log_in(target, login), tab.gone)
            rendered = await Visit(tab, until, self._options.patience, screenshot or self._options.screenshot).open(url)
            timings = {**rendered.timings, "render": round((anyio.current_time() - begun) * 1000, 1)}
            return replace(rendered, authenticated=login is not None, timings=timings)
        except TimeoutError as error:
            running.retired = True  # something in it hangs: the next page gets a new browser
            raise RenderFailed(f"The page {url} could not be rendered in time.", url=url) from error
        except (Error, PageGone, KeptNavigating, TabFailed) as error:
            running.retired = True  # the cause is unknown: the next page gets a new browser
            raise RenderFailed(f"The browser failed on {url}: {_cause(error, tab)}.", url=url) from error
        finally:
            if tab is not None:
                await tab.close()

    async def _shared(self) -> SharedBrowser:
        """The shared browser; the first call makes it and starts its proxy. Raises RenderDisabled."""
        if not self._options.enabled:
            raise RenderDisabled("Rendering pages in a browser is turned off.")
        async with self._opening:
            if self._browser is None:
                executable = find_chromium(self._options.executable)
                if executable is None:
                    where = f"at {self._options.executable}" if self._options.executable else "on this machine"
                    raise RenderDisabled(f"Rendering is enabled, but there is no Chromium {where}.")
                await self._egress.start()
                self._browser = SharedBrowser(executable, self._options, self._egress, self._ca_bundle)
            return self._browser

    async def aclose(self) -> None:
        if self._warming is not None:
            await asyncio.wait({self._warming})
        if self._browser is not None:
            await self._browser.aclose()
            self._browser = None
        await self._egress.aclose()


def _cause(error: Exception, tab: Tab | None) -> str:
    """Why the browser failed, as the end of an error message."""
    if tab is not None and tab.gone.done():
        return "the page crashed it, because of its memory use or nesting depth"
    if isinstance(error, KeptNavigating):
        return "the page kept navigating"
    return quoted(first_line(error), 200)
