"""One page, from its URL to its settled document, in a tab that exists only for it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio

from mcp_web.errors import FetchFailed, HttpError, InvalidUrl, PolicyError, RenderFailed, UnsupportedContent
from mcp_web.net.egress import Denial, Lease
from mcp_web.render.driver import within
from mcp_web.render.flatten import Flat, flatten
from mcp_web.render.rendered import Rendered
from mcp_web.render.settle import Settled, explore
from mcp_web.render.tab import VIEWPORT_HEIGHT, VIEWPORT_WIDTH, Tab
from mcp_web.text.untrusted import quoted
from mcp_web.text.urls import parse_url

if TYPE_CHECKING:
    from playwright.async_api import FloatRect, Request, Response

_MAX_SITES = 5  # that a page may redirect across
_CAPTURE_SECONDS = 2.5  # kept for serialising the page and its screenshot
# Three screens. Screenshots of text stay far below the byte limit; photographs may not.
_SCREENSHOT_HEIGHT = 3_000
_SCREENSHOT_BYTES = 2_000_000
_HTML = ("text/html", "application/xhtml+xml")
_TEXT = ("text/", "application/json", "application/xml", "application/ld+json", "application/javascript")
_ENDINGS = {
    "stuck": "A script that did not end was stopped; this is the page at that time.",
    "ceiling": "The page did not settle in time; this is its last state.",
    "restless": "The page did not settle in time; this is its last state.",
    "waiting": "Some requests of the page were never answered.",
}


@dataclass(slots=True)
class Visit:
    """Opens one URL in an unused tab, by `until` on anyio's clock; `patience` is a factor of other time limits."""

    tab: Tab
    until: float
    patience: float = 1.0
    screenshot: bool = False

    async def open(self, url: str) -> Rendered:
        """Open the URL and return the page once it has settled; raises a WebError, Playwright's Error, PageGone,
        KeptNavigating or TimeoutError."""
        tab = self.tab
        begun = anyio.current_time()
        settled = await self._arrive(url)
        arrived = anyio.current_time()
        flat = await flatten(tab.page, tab.world, max(self.until, arrived + 1.0))
        timings = {"settle": arrived - begun, "flatten": anyio.current_time() - arrived}
        screenshot = await self._screenshot(settled.state.height if settled.state else 0)
        response = self._document()
        if flat.url.startswith("chrome-error:"):
            failed = self.tab.navigations[-1]
            why = (failed.failure or "").removeprefix("net::")
            raise FetchFailed(f"The page led to {failed.url}, which the browser could not open: {why}.", url=url)
        body, notes = flat.html.encode("utf-8", "replace"), _notes(settled, flat, tab.lease)
        media_type = _media_type(response)
        if response is not None and media_type != "text/html":
            kind = quoted(media_type)
            if not media_type.startswith(_TEXT):
                message = f"The address {url} is {kind}, which a browser does not render."
                raise UnsupportedContent(message, url=url)
            body = await within(self._left(1.0), response.body())
            notes.append(f"Nothing to render: the address is {kind}.")
        return Rendered(
            url=url,
            final_url=parse_url(flat.url).href,
            status=response.status if response else 200,
            headers=tuple((name.lower(), value) for name, value in response.headers.items()) if response else (),
            body=body,
            media_type=media_type,
            charset="utf-8",  # Playwright encodes again what the browser decoded
            fetched_at=time.time(),
            redirects=self._redirects(),
            timings={name: round(seconds * 1000, 1) for name, seconds in timings.items()},
            notes=tuple(notes),
            screenshot=screenshot,
            hidden=flat.hidden,
        )

    async def _arrive(self, url: str) -> Settled:
        """Navigate to the URL and on to at most four other sites that it redirects to; wait until the page settled."""
        target = url
        for _ in range(_MAX_SITES):
            await self._go(target)
            onward = self._next_url()
            if onward is None:
                settled = await explore(self.tab, self.until - _CAPTURE_SECONDS, self.patience)
                onward = self._next_url()
                if onward is None:
                    return settled
            target = onward
        raise RenderFailed(f"The page {url} was redirected across sites more than {_MAX_SITES} times.", url=url)

    async def _go(self, url: str) -> None:
        """Navigate to a URL; raises WebError if that fails. If the proxy refused the request, it returns, and
        `_next_url` decides what follows. Errors of the browser itself are not translated."""
        from playwright.async_api import Error

        try:
            going = self.tab.page.goto(url, wait_until="commit", timeout=self._left() * 1000)
            await within(self._left(), going, self.tab.gone)
        except Error as error:
            if self.tab.gone.done() or "has been closed" in error.message:  # the browser failed, not the navigation
                raise
            self.tab.failed.update(self.tab.navigations[-1:])
            if self.tab.download or "Download is starting" in error.message:
                raise UnsupportedContent(f"The address {url} is a download, not a page.", url=url) from error
            empty = "ERR_HTTP_RESPONSE_CODE_FAILURE" in error.message  # an error response without text
            response = await within(self._left(1.0), self.tab.navigations[-1].response()) if empty else None
            if self._refusal() is not None:
                return
            if response is not None:
                message = f"{url} answered {response.status} in the browser, with nothing to read."
                raise HttpError(message, url=url, status_code=response.status) from error
            raise FetchFailed(f"The browser could not open {url}: {_reason(error)}.", url=url) from error

    def _document(self) -> Response | None:
        """The response whose document the browser shows: the last one, but not one that redirects, nor that of a
        download or the like, which the browser does not open. None if there is none."""
        shown = (one for one in reversed(self.tab.answers) if one.request not in self.tab.failed)
        return next((one for one in shown if one.request.redirected_to is None), None)

    def _next_url(self) -> str | None:
        """The URL to navigate to next: one of another site, which the proxy refused to the main frame and now allows.
        None if it refused none; raises WebError if the URL may not be opened."""
        refused = self._refusal()
        if refused is None:
            return None
        request, denial = refused
        url = request.url
        if denial.reason in ("third party", "background"):
            # After a redirect to another site, that site is no longer a third party.
            self.tab.lease.admit(denial.host)
            self.tab.navigations.clear()
            return url
        if isinstance(denial.error, PolicyError | FetchFailed):
            message = f"The page led to {url}, which cannot be opened. {denial.error.message}"
            raise type(denial.error)(message, suggestion=denial.error.suggestion, url=url) from denial.error
        raise RenderFailed(f"The browser could not open {url}: {denial.error or denial.reason}.", url=url)

    def _refusal(self) -> tuple[Request, Denial] | None:
        """The last navigation request and the proxy's reason, if the proxy refused it; else None."""
        if not self.tab.navigations:
            return None
        request = self.tab.navigations[-1]
        try:
            place = parse_url(request.url)
        except InvalidUrl:
            return None
        denial = self.tab.lease.denials.get((place.host, place.port))
        failed = request in self.tab.failed or self.tab.lease.refused(request.url)
        return (request, denial) if denial is not None and failed else None

    async def _screenshot(self, height: int) -> bytes | None:
        """A PNG of the top of the page, at most three screens; None if not asked for, too late or over 2 MB."""
        from playwright.async_api import Error

        if not self.screenshot:
            return None
        shown = max(VIEWPORT_HEIGHT, min(height, _SCREENSHOT_HEIGHT))
        area: FloatRect = {"x": 0, "y": 0, "width": VIEWPORT_WIDTH, "height": shown}
        try:
            png = await within(self._left(1.0), self.tab.page.screenshot(full_page=True, clip=area))
        except (Error, TimeoutError):
            return None
        return png if len(png) <= _SCREENSHOT_BYTES else None

    def _redirects(self) -> tuple[str, ...]:
        """The URLs that redirected to the last document, in order; empty if there was no redirect."""
        chain: list[str] = []
        response = self._document()
        request = response.request if response else None
        while request is not None and request.redirected_from is not None:
            request = request.redirected_from
            chain.append(request.url)
        return tuple(reversed(chain))

    def _left(self, least: float = 0.0) -> float:
        """The seconds that are left, but no fewer than `least`."""
        return max(least, self.until - anyio.current_time())


def _media_type(response: Response | None) -> str:
    """The media type of a response; text/html for XHTML and if none is given."""
    given = response.headers.get("content-type", "") if response is not None else ""
    media_type = given.partition(";")[0].strip().lower() or "text/html"
    return "text/html" if media_type in _HTML else media_type


def _reason(error: Exception) -> str:
    """The error name in Playwright's message (`Page.goto: net::ERR_NAME_NOT_RESOLVED at …`), else its first line."""
    line = str(error).splitlines()[0]
    return line.partition("net::")[2].split(" ")[0][:60] or quoted(line, 200)


def _notes(settled: Settled, flat: Flat, lease: Lease) -> list[str]:
    notes = [*settled.notes, *flat.notes]
    if settled.ending in _ENDINGS:
        notes.append(_ENDINGS[settled.ending])
    if flat.hidden:
        notes.append(f"{flat.hidden} pieces of invisible text were left out.")
    outside = sorted({d.host for d in lease.denials.values() if d.reason == "third party"})
    if outside:
        shown = ", ".join(quoted(host) for host in outside[:5]) + (" …" if len(outside) > 5 else "")
        notes.append(f"Requests to {len(outside)} other sites were not made ({shown}).")
    private = sorted({d.host for d in lease.denials.values() if d.reason == "private"})
    if private:
        shown = ", ".join(quoted(host) for host in private[:5])
        notes.append(f"The page tried to reach non-public addresses ({shown}); none was contacted.")
    if lease.received > lease.budget:
        notes.append(f"The page was cut off after {lease.budget} bytes.")
    return notes
