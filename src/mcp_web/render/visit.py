"""One page, from its URL to its settled document, in a context that exists only for it."""

from __future__ import annotations

import asyncio
import secrets
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mcp_web.errors import DomainDenied, FetchFailed, InvalidUrl, RenderFailed, SsrfBlocked, UnsupportedContent
from mcp_web.net.egress import Denial, Lease
from mcp_web.net.url import parse_url
from mcp_web.render.browser import within
from mcp_web.render.flatten import Flat, flatten
from mcp_web.render.options import RenderOptions
from mcp_web.render.settle import Settled, Traffic, explore
from mcp_web.render.world import World, script

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, CDPSession, Page, Request, Response

VIEWPORT_WIDTH = 1280
VIEWPORT_HEIGHT = 1000
_MAX_SITES = 5
_CAPTURE_SECONDS = 2.5
_HTML = ("text/html", "application/xhtml+xml")
_TEXT = ("text/", "application/json", "application/xml", "application/ld+json", "application/javascript")
_UNWANTED = ("Image", "Font", "Media")


@dataclass(slots=True)
class Seen:
    """What a visit brought home."""

    flat: Flat
    settled: Settled
    response: Response | None
    redirects: tuple[str, ...]
    media_type: str
    raw: bytes | None  # of an answer that is no HTML but text
    screenshot: bytes | None
    timings: dict[str, float]


@dataclass  # no slots: the driver leaves a mark on whose methods it calls
class Visit:
    """Opens one URL. `until` is on the monotonic clock."""

    browser: Browser
    lease: Lease
    proxy_port: int
    options: RenderOptions
    until: float
    user_agent: str
    unfinished: bool = False
    _traffic: Traffic = field(default_factory=Traffic)
    _channel: str = field(default_factory=lambda: secrets.token_hex(8))
    _navigations: list[Request] = field(default_factory=list)
    _failed: set[Request] = field(default_factory=set)
    _gone: asyncio.Future[None] = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    _download: bool = False

    async def see(self, url: str) -> Seen:
        """The page, settled; raises our errors, the driver's Error or TimeoutError."""
        self.unfinished = True  # until the context is known, nobody could close it
        context = await within(self._left(), self._context())
        self.unfinished = False
        try:
            return await self._see(context, url)
        finally:
            with suppress(Exception):  # the browser may be gone; what was learnt is what counts
                await within(1.0, context.close())

    async def _see(self, context: BrowserContext, url: str) -> Seen:
        timings: dict[str, float] = {}
        begun = time.monotonic()
        page = await within(self._left(), context.new_page())
        session = await within(self._left(), context.new_cdp_session(page))
        world = World(session, self._gone)
        self._listen(context, page)
        watch = script("watch").replace("__CHANNEL__", self._channel)
        await asyncio.gather(world.enter(watch, self.until), self._leave_out(session))
        timings["prepare"] = _ms(begun)
        begun = time.monotonic()
        settled = await self._arrive(page, world, url)
        timings["settle"] = _ms(begun)
        begun = time.monotonic()
        flat = await flatten(page, world, max(self.until, time.monotonic() + 1.0))
        timings["flatten"] = _ms(begun)
        picture = await self._picture(page)
        response = await within(self._left(1.0), self._navigations[-1].response()) if self._navigations else None
        media_type = _media_type(response)
        raw = None
        if response is not None and media_type not in _HTML and media_type.startswith(_TEXT):
            raw = await within(self._left(1.0), response.body())
        return Seen(flat, settled, response, self._redirects(), media_type, raw, picture, timings)

    async def _context(self) -> BrowserContext:
        return await self.browser.new_context(
            proxy={
                "server": f"http://127.0.0.1:{self.proxy_port}",
                "username": self.lease.name,
                "password": self.lease.password,
            },
            user_agent=self.user_agent,
            viewport={"width": VIEWPORT_WIDTH, "height": VIEWPORT_HEIGHT},
            accept_downloads=False,
            service_workers="block",
            reduced_motion="reduce",
            permissions=[],
        )

    def _listen(self, context: BrowserContext, page: Page) -> None:
        context.on("page", lambda other: _close_other(page, other))
        page.on("request", self._began)
        page.on("requestfinished", self._traffic.ended)
        page.on("requestfailed", self._ended_badly)
        page.on("crash", self._crash)
        page.on("download", self._downloading)

    async def _leave_out(self, session: CDPSession) -> None:
        """Refuse pictures, fonts and media before they are asked for; nothing else is held up by this."""
        if self.options.images:
            return

        async def refuse(event: dict[str, Any]) -> None:
            with suppress(Exception):  # the page may be gone by then
                await session.send(
                    "Fetch.failRequest", {"requestId": event["requestId"], "errorReason": "BlockedByClient"}
                )

        session.on("Fetch.requestPaused", refuse)
        patterns = [{"urlPattern": "*", "resourceType": kind} for kind in _UNWANTED]
        await within(self._left(), session.send("Fetch.enable", {"patterns": patterns}))

    async def _arrive(self, page: Page, world: World, url: str) -> Settled:
        """Go there, and on to where the page leads, as long as the gate lets it."""
        target = url
        for _ in range(_MAX_SITES):
            await self._go(page, target)
            onward = self._onward()
            if onward is None:
                settle_until = self.until - _CAPTURE_SECONDS
                settled = await explore(world, self._traffic, self._channel, settle_until, lambda h: _enlarge(page, h))
                onward = self._onward()
                if onward is None:
                    return settled
            target = onward
        raise RenderFailed(f"The page {url} was sent on more than {_MAX_SITES} times across sites.", url=url)

    async def _go(self, page: Page, url: str) -> None:
        from playwright.async_api import Error

        try:
            going = page.goto(url, wait_until="commit", timeout=self._left() * 1000)
            await within(self._left(), going, self._gone)
        except Error as error:
            if self.crashed:
                raise
            self._failed.update(self._navigations[-1:])
            if self._download or "Download is starting" in error.message:
                raise UnsupportedContent(f"The address {url} is a download, not a page.", url=url) from error
            if self._refusal() is None:
                raise FetchFailed(f"The browser could not open {url}: {_reason(error)}.", url=url) from error

    def _onward(self) -> str | None:
        """Where the main frame was refused and may now go; raises when it may not."""
        refused = self._refusal()
        if refused is None:
            return None
        request, denial = refused
        url = request.url
        if denial.reason in ("third party", "background"):
            # A page of another site is not a third party of its own: the reader was sent there.
            self.lease.admit(denial.host)
            self._navigations.clear()
            return url
        if isinstance(denial.error, SsrfBlocked | DomainDenied | FetchFailed):
            told = f"The page led to {url}, which cannot be opened. {denial.error.message}"
            raise type(denial.error)(told, suggestion=denial.error.way_on, url=url) from denial.error
        raise RenderFailed(f"The browser could not open {url}: {denial.error or denial.reason}.", url=url)

    def _refusal(self) -> tuple[Request, Denial] | None:
        """The main frame's last request, if the proxy refused it."""
        if not self._navigations:
            return None
        request = self._navigations[-1]
        try:
            place = parse_url(request.url)
        except InvalidUrl:
            return None
        denial = self.lease.denial(place.host, place.port)
        if denial is None:
            return None
        failed = request in self._failed or self.lease.refused(request.url)
        return (request, denial) if failed else None

    async def _picture(self, page: Page) -> bytes | None:
        from playwright.async_api import Error

        if not self.options.screenshot:
            return None
        try:
            return await within(self._left(1.0), page.screenshot(timeout=self._left(1.0) * 1000))
        except (Error, TimeoutError):
            return None

    def _redirects(self) -> tuple[str, ...]:
        chain: list[str] = []
        request = self._navigations[-1] if self._navigations else None
        while request is not None and request.redirected_from is not None:
            request = request.redirected_from
            chain.append(request.url)
        return tuple(reversed(chain))

    def _began(self, request: Request) -> None:
        self._traffic.began(request)
        if request.is_navigation_request() and request.frame.parent_frame is None:
            self._navigations.append(request)

    def _ended_badly(self, request: Request) -> None:
        self._failed.add(request)
        self._traffic.ended(request)

    def _crash(self, _: Page) -> None:
        if not self._gone.done():
            self._gone.set_result(None)

    def _downloading(self, _: Any) -> None:
        self._download = True

    def _left(self, least: float = 0.0) -> float:
        return max(least, self.until - time.monotonic())

    @property
    def crashed(self) -> bool:
        return self._gone.done()


async def _close_other(page: Page, other: Page) -> None:
    if other is not page:
        with suppress(Exception):  # it may close itself first
            await other.close()


async def _enlarge(page: Page, height: int) -> None:
    await within(2.0, page.set_viewport_size({"width": VIEWPORT_WIDTH, "height": height}))


def _media_type(response: Response | None) -> str:
    given = response.headers.get("content-type", "") if response is not None else ""
    media_type = given.partition(";")[0].strip().lower() or "text/html"
    return "text/html" if media_type in _HTML else media_type


def _reason(error: Exception) -> str:
    """`Page.goto: net::ERR_NAME_NOT_RESOLVED at …` → `ERR_NAME_NOT_RESOLVED`."""
    line = str(error).splitlines()[0]
    return line.partition("net::")[2].split(" ")[0] or line


def _ms(begun: float) -> float:
    return round((time.monotonic() - begun) * 1000, 1)
