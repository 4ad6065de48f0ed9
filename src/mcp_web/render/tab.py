"""A blank page in its own context, prepared in advance and used once: guarded and observed from its first request."""

from __future__ import annotations

import asyncio
import secrets
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import anyio

from mcp_web.model.login import SiteLogin
from mcp_web.net.egress import AUTH_URL, Egress, Lease
from mcp_web.render.driver import first_line, within
from mcp_web.render.isolated_world import IsolatedWorld, script
from mcp_web.render.options import RenderOptions
from mcp_web.render.settle import Traffic
from mcp_web.text.urls import Url

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, CDPSession, Page, Request, Response

VIEWPORT_WIDTH = 1280
VIEWPORT_HEIGHT = 1000
_CHALLENGES = 3  # the proxy asks once; where it asks again, it has refused the lease
_UNWANTED = ("Image", "Font", "Media")

_OPEN_SECONDS = 10.0


class TabFailed(Exception):
    """The browser could not open a blank page; the browser should be replaced."""


@dataclass  # no slots: the driver sets an attribute on objects whose methods are its callbacks
class Tab:
    """A browser tab for one page, which records the page's requests, crash and downloads.

    With the credentials of its `lease` it authenticates to the proxy, which limits what this page may load.
    """

    context: BrowserContext
    page: Page
    world: IsolatedWorld
    session: CDPSession
    lease: Lease
    egress: Egress
    channel: str  # the random name by which our scripts in the page find each other
    gone: asyncio.Future[None]  # done when the page has crashed
    traffic: Traffic = field(default_factory=Traffic)
    navigations: list[Request] = field(default_factory=list)  # requests of the main frame for a document
    answers: list[Response] = field(default_factory=list)  # to requests of the main frame for a document
    failed: set[Request] = field(default_factory=set)
    download: bool = False  # the page started one
    _challenges: int = 0
    _intercepted: list[dict[str, str]] = field(default_factory=list)
    _login: tuple[str, tuple[str, str]] | None = field(default=None, repr=False)  # origin, header

    @property
    def usable(self) -> bool:
        return not self.gone.done() and not self.page.is_closed()

    @property
    def leaving(self) -> bool:
        """Whether the last request of the main frame for a document has not ended."""
        return bool(self.navigations) and self.navigations[-1] in self.traffic.open

    async def close(self) -> None:
        """Close the page and its context, and end its lease; never raises an error."""
        self.forget()
        with suppress(Exception):  # the browser may be gone; what was recorded stays valid
            await within(1.0, self.context.close())

    def forget(self) -> None:
        """End the lease, so that the proxy refuses this tab, without closing it: for a tab whose browser has ended."""
        self.egress.withdraw(self.lease)

    async def enlarge(self, height: int) -> None:
        """Make the window this many pixels high; raises TimeoutError or Playwright's Error."""
        await within(2.0, self.page.set_viewport_size({"width": VIEWPORT_WIDTH, "height": height}))

    async def authenticate(self, options: RenderOptions) -> None:
        """Authenticate to the proxy for all requests to come; without screenshots, refuse images, fonts and media."""
        unwanted = [] if options.screenshot else [{"urlPattern": "*", "resourceType": kind} for kind in _UNWANTED]
        self._intercepted = [{"urlPattern": AUTH_URL}, *unwanted]
        self.session.on("Fetch.authRequired", self._identify)
        self.session.on("Fetch.requestPaused", self._paused)
        await self._intercept_requests()
        greeting = f"fetch('{AUTH_URL}', {{mode: 'no-cors'}}).then(() => null)"
        await self.session.send("Runtime.evaluate", {"expression": greeting, "awaitPromise": True})

    async def log_in(self, url: Url, login: SiteLogin) -> None:
        """From now on send the operator's login with requests to the origin of `url`, only for pages of this origin."""
        self.lease.ports[url.host] = url.port
        if login.cookies:
            secure = url.scheme == "https"
            await self.context.add_cookies(
                [
                    # Scripts cannot read it, and it is not sent with requests from other sites.
                    {"name": name, "value": value, "domain": url.host, "path": path, "secure": secure,
                     "httpOnly": True, "sameSite": "Strict"}
                    for name, value, path in login.cookies
                ]
            )  # fmt: skip
        if login.header is not None:
            self._login = (url.origin, login.header)
            self._intercepted.append({"urlPattern": f"{url.origin}/*"})
            await self._intercept_requests()

    async def _intercept_requests(self) -> None:
        await self.session.send("Fetch.enable", {"handleAuthRequests": True, "patterns": self._intercepted})

    def listen(self) -> None:
        """Record the page's requests, crash and downloads from now on; close its popups."""
        self.context.on("page", self._close_other)
        self.page.on("request", self._began)
        self.page.on("response", self._answered)
        self.page.on("requestfinished", self.traffic.ended)
        self.page.on("requestfailed", self._request_failed)
        self.page.on("crash", self._crash)
        self.page.on("download", self._downloading)

    async def _identify(self, event: dict[str, Any]) -> None:
        """Answer a request for a user name and password: the proxy gets those of the lease, a site gets none."""
        known = {"response": "ProvideCredentials", "username": self.lease.name, "password": self.lease.password}
        self._challenges += 1
        proxy = event["authChallenge"].get("source") == "Proxy" and self._challenges <= _CHALLENGES
        answer = known if proxy else {"response": "CancelAuth"}  # a site that asks for a password gets none
        await self._send("Fetch.continueWithAuth", requestId=event["requestId"], authChallengeResponse=answer)

    async def _paused(self, event: dict[str, Any]) -> None:
        """Refuse an intercepted request, add the operator's login to it, or let it go on, by its type and URL."""
        request, number = event["request"], event["requestId"]
        if {"urlPattern": "*", "resourceType": event["resourceType"]} in self._intercepted:
            await self._send("Fetch.failRequest", requestId=number, errorReason="BlockedByClient")
        elif self._login is not None and self._is_own(event):
            name, value = self._login[1]
            kept = [(key, text) for key, text in request["headers"].items() if key.lower() != name.lower()]
            shown = [{"name": key, "value": text} for key, text in (*kept, (name, value))]
            await self._send("Fetch.continueRequest", requestId=number, headers=shown)
        else:
            await self._send("Fetch.continueRequest", requestId=number)

    def _is_own(self, event: dict[str, Any]) -> bool:
        """Whether a request may carry the login: it goes to the login's origin, comes from the main frame, and is for a
        document or made by a page of that origin."""
        assert self._login is not None
        origin = self._login[0] + "/"
        if not event["request"]["url"].startswith(origin) or event["frameId"] != self.world.frame:
            return False
        return event["resourceType"] == "Document" or self.page.url.startswith(origin)

    async def _send(self, method: str, **parameters: Any) -> None:
        """Call a method of the DevTools protocol; errors are ignored."""
        with suppress(Exception):  # the page may be gone by then
            await self.session.send(method, parameters)

    def _began(self, request: Request) -> None:
        self.traffic.began(request)
        if _is_for_page(request):
            self.navigations.append(request)

    def _answered(self, response: Response) -> None:
        if _is_for_page(response.request):
            self.answers.append(response)

    def _request_failed(self, request: Request) -> None:
        self.failed.add(request)
        self.traffic.ended(request)

    def _crash(self, _: Page) -> None:
        if not self.gone.done():
            self.gone.set_result(None)

    def _downloading(self, _: Any) -> None:
        self.download = True

    async def _close_other(self, other: Page) -> None:
        if other is not self.page:
            with suppress(Exception):  # it may close itself first
                await other.close()


def _is_for_page(request: Request) -> bool:
    """Whether it is a request of the main frame for a document."""
    return request.is_navigation_request() and request.frame.parent_frame is None


async def open_tab(browser: Browser, egress: Egress, options: RenderOptions) -> Tab:
    """Open a blank tab in a browser context of its own, with a new lease for the proxy; raises TabFailed."""
    from playwright.async_api import Error

    lease = egress.grant()
    try:
        return await within(_OPEN_SECONDS, _open(browser, egress, lease, options))
    except (Error, TimeoutError) as error:
        egress.withdraw(lease)
        reason = "it did not answer in time" if isinstance(error, TimeoutError) else first_line(error)
        raise TabFailed(reason) from error


async def _open(browser: Browser, egress: Egress, lease: Lease, options: RenderOptions) -> Tab:
    """A blank tab in a new browser context, recorded and authenticated to the proxy; raises Playwright's Error."""
    context = await browser.new_context(
        # Without the password: if it is given here, the driver intercepts every request of the page.
        proxy={"server": f"http://127.0.0.1:{egress.port}"},
        user_agent=_user_agent(browser.version),
        viewport={"width": VIEWPORT_WIDTH, "height": VIEWPORT_HEIGHT},
        accept_downloads=False,
        service_workers="block",
        reduced_motion="reduce",
        permissions=[],
    )
    page = await context.new_page()
    session = await context.new_cdp_session(page)
    gone = asyncio.get_running_loop().create_future()
    tab = Tab(context, page, IsolatedWorld(session, gone), session, lease, egress, secrets.token_hex(8), gone)
    watch = script("watch").replace("__CHANNEL__", tab.channel)
    until = anyio.current_time() + _OPEN_SECONDS
    await asyncio.gather(tab.world.enter(watch, until), tab.authenticate(options))
    tab.listen()
    return tab


def _user_agent(version: str) -> str:
    """The User-Agent of a desktop Chrome, with the main number of this browser's version."""
    system = "Macintosh; Intel Mac OS X 10_15_7" if sys.platform == "darwin" else "X11; Linux x86_64"
    chrome = f"Chrome/{version.partition('.')[0]}.0.0.0"
    return f"Mozilla/5.0 ({system}) AppleWebKit/537.36 (KHTML, like Gecko) {chrome} Safari/537.36"
