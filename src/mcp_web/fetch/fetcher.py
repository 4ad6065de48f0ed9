"""URL → bytes: leak guard, domain lists, admission, robots.txt, redirects one by one, retries, conditional requests."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import anyio

from mcp_web import trace
from mcp_web.errors import FetchFailed, FetchTimeout, HttpError, InvalidUrl, PolicyError, WebError
from mcp_web.fetch.admission import Admission
from mcp_web.fetch.allowed import check_domain
from mcp_web.fetch.failures import Failures
from mcp_web.fetch.leak import LeakGuard
from mcp_web.fetch.login import Logins, RedirectCookies
from mcp_web.fetch.options import FetchOptions
from mcp_web.fetch.robots import MAX_BYTES as ROBOTS_BYTES
from mcp_web.fetch.robots import agent_token
from mcp_web.fetch.robots_check import RobotsCheck
from mcp_web.fetch.sniff import charset_of, media_type
from mcp_web.fetch.status import http_error
from mcp_web.model.page import Fetched
from mcp_web.net.address import AddressPolicy, parse_exemptions
from mcp_web.net.client import WebClient
from mcp_web.net.connection import HttpResponse
from mcp_web.net.dial import Dialer
from mcp_web.net.own import own_addresses
from mcp_web.net.proxy import parse_proxies
from mcp_web.net.retry import RETRIED_STATUSES, retrying
from mcp_web.store.best_effort import BestEffortNotes
from mcp_web.store.protocol import Store
from mcp_web.text.urls import Url, join, parse_url

MAX_REDIRECTS = 5
_REPORTING = 0.1  # seconds
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_CONDITIONS = frozenset({"if-none-match", "if-modified-since"})
_ACCEPT = (
    "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, application/pdf;q=0.8, text/plain;q=0.8, */*;q=0.5"
)

Conditional = tuple[tuple[str, str], ...]  # If-None-Match and If-Modified-Since, as headers


class _CutOff(FetchFailed):
    """A body ended before its announced length; `response` has the first part, which is used if retries fail too."""

    def __init__(self, response: HttpResponse, url: Url) -> None:
        super().__init__(f"{url.host} closed the connection in the middle of the body.", url=url.href, reason="cut")
        self.response = response


@dataclass(slots=True)
class _PageFetch:
    """One page being fetched: the current URL, the redirects so far, the deadline and the duration of each step."""

    asked: Url
    conditional: Conditional
    deadline: float  # a time of `anyio.current_time()`
    at: Url
    cookies: RedirectCookies = field(default_factory=RedirectCookies)
    redirects: list[str] = field(default_factory=list)
    timings: dict[str, float] = field(default_factory=dict)  # milliseconds of each step
    authenticated: bool = False  # a login was sent with the last request

    def spent(self, step: str, since: float) -> None:
        """Add the time since `since` (a time of `anyio.current_time()`) to the duration of a step, in milliseconds."""
        self.timings[step] = self.timings.get(step, 0.0) + (anyio.current_time() - since) * 1000


@contextmanager
def _time_limit(page: _PageFetch) -> Iterator[None]:
    """Context manager: raise FetchTimeout if the block is not done at the deadline of the page."""
    seconds = page.deadline - anyio.current_time()
    try:
        with anyio.fail_after(seconds):
            yield
    except TimeoutError as error:
        raise FetchTimeout(
            f"{page.asked.href} was not fetched within {max(seconds, 0):.3g} seconds.",
            url=page.asked.href,
            at=page.at.href,
            timeout_ms=round(seconds * 1000),
        ) from error


class Fetcher:
    """Fetches pages for agents, after checks: leaks, domains, limits, robots.txt, and the client's address guard."""

    def __init__(
        self,
        options: FetchOptions,
        client: WebClient,
        admission: Admission | None = None,
        *,
        notes: Store | None = None,
        secrets: Iterable[str] = (),
    ) -> None:
        kept = BestEffortNotes(notes)
        self._options = options
        self._client = client
        self._logins = Logins(options.login)
        self.login_for_browser = self._logins.for_browser
        self.leaks = LeakGuard([*secrets, *self._logins.secrets()])
        self._failures = Failures(kept)
        self._robots = RobotsCheck(self._get_robots, agent_token(options.user_agent), kept)
        self._admission = admission or Admission(per_caller=options.concurrency, per_host=options.host_concurrency)

    async def get(
        self, url: str, *, conditional: Conditional = (), deadline: float | None = None, fresh: bool = False
    ) -> Fetched:
        """Fetch one page.

        `conditional` are the headers of a conditional request: the result may then be `not_modified`. `deadline` is a
        time of `anyio.current_time()`; the configured timeout also applies, from the moment the page is admitted.
        `fresh` retries a URL that failed permanently a moment ago. Raises WebError, from status 400 on HttpError.
        """
        target = parse_url(url)
        notes = self.leaks.check(target.href)
        self.check_domain(target)
        if not (fresh or conditional) and (failed := await self._failures.recall(target.href)):
            raise failed
        with trace.step("fetch", url=target.href) as facts:
            fetched = await self._admitted(target, conditional, deadline)
            facts |= {"status": fetched.status, "bytes": len(fetched.body), "redirects": len(fetched.redirects)}
        return replace(fetched, notes=(*notes, *fetched.notes)) if notes else fetched

    async def admit(self, url: str, *, deadline: float | None = None) -> None:
        """Check whether a page may be opened by other means, such as a browser: leak guard, domain lists, robots.txt.

        Raises the error that `get` would raise.
        """
        target = parse_url(url)
        self.leaks.check(target.href)
        self.check_domain(target)
        if self._options.respect_robots:
            page = _PageFetch(target, (), self._until(deadline), target)
            with _time_limit(page):  # the rules may come from the request of a caller with more time
                await self._robots.check(target, page.deadline)

    def check_domain(self, url: Url | str) -> None:
        """Raise DomainDenied for a URL or host on the deny-list, or not on the allow-list if there is one."""
        host, address = (url.host, url.href) if isinstance(url, Url) else (url, None)
        check_domain(self._options, host, address)

    def is_public(self, url: Url) -> bool:
        """Whether the URL may be disclosed to third parties: it has no login and is not an exempted internal host."""
        exempt = any(one.covers(url.host, url.port) for one in parse_exemptions(self._options.allow_private))
        return not exempt and not self._logins.headers(url)

    async def aclose(self) -> None:
        await self._client.aclose()

    async def _admitted(self, target: Url, conditional: Conditional, deadline: float | None) -> Fetched:
        """Wait for a slot and fetch the page, both before the deadline, else raise FetchTimeout; permanent failures are
        remembered.

        An error names the URL that was asked for, not one it redirected to.
        """
        try:
            async with self._admission.page(deadline):
                page = _PageFetch(target, conditional, self._until(deadline), target)
                with _time_limit(page):
                    return await self._fetch(page)
        except WebError as error:
            error.url = target.href
            raise

    def _until(self, deadline: float | None) -> float:
        """The time at which a page that starts now must be done: after the timeout, or at `deadline` if earlier."""
        until = anyio.current_time() + self._options.timeout
        return until if deadline is None else min(until, deadline)

    async def _fetch(self, page: _PageFetch) -> Fetched:
        """Request the page and follow its redirects, at most five; raises WebError, and remembers a permanent one."""
        try:
            while True:
                response = await self._hop(page)
                following = self._following(page.at, response)
                if following is None:
                    return self._fetched(page, response)
                page.cookies.keep(page.at, response.headers)
                page.redirects.append(page.at.href)
                if len(page.redirects) > MAX_REDIRECTS:
                    raise _failed_for_good(page.asked, f"redirects more than {MAX_REDIRECTS} times")
                page.at = following
        except WebError as error:
            if page.at != page.asked:
                error.details.setdefault("redirected_to", page.at.href)
            await self._failures.remember(page.asked.href, error)
            raise

    def _following(self, at: Url, response: HttpResponse) -> Url | None:
        """The URL that a redirect leads to; None for other responses.

        Raises a PolicyError if it may not be opened, and FetchFailed if it is invalid.
        """
        location = response.header("location") if response.status in _REDIRECTS else None
        if location is None:
            return None
        try:
            following = join(at, location)
        except InvalidUrl as error:
            raise _failed_for_good(at, "redirects to an address that cannot be opened") from error
        self.check_domain(following)
        self._client.check_redirect(at, following)
        return following

    async def _hop(self, page: _PageFetch) -> HttpResponse:
        """Request the page's current URL, if robots.txt allows it and once the host has a free slot; retries failures.

        Redirects are not followed. If a body was cut off and no try got the whole page, returns the longest part.
        """
        parts: list[HttpResponse] = []

        async def once() -> HttpResponse:
            try:
                # At the deadline the call ends without a page: a part must be returned before.
                deadline = page.deadline - _REPORTING if parts else page.deadline
                return await self._get_once(page.at, headers, deadline)
            except _CutOff as cut:
                parts.append(cut.response)
                raise

        begun = anyio.current_time()
        delay = await self._robots.check(page.at, page.deadline) if self._options.respect_robots else None
        page.spent("robots", begun)
        login = self._logins.headers(page.at)
        page.authenticated = bool(login)
        headers = self._headers(page, login)
        begun = anyio.current_time()
        async with self._admission.host(page.at.host, delay=delay, deadline=page.deadline):
            page.spent("queue", begun)
            try:
                response = await retrying(once, deadline=page.deadline)
            except (FetchFailed, FetchTimeout, HttpError) as error:
                if not parts or (error.status_code or 500) < 500:
                    raise
                response = max(parts, key=lambda part: len(part.body))
        for step, ms in response.timings.items():
            page.timings[step] = page.timings.get(step, 0.0) + ms
        return response

    def _headers(self, page: _PageFetch, login: list[tuple[str, str]]) -> list[tuple[str, str]]:
        conditions = [(name, value) for name, value in page.conditional if name.lower() in _CONDITIONS]
        cookies = [] if any(name.lower() == "cookie" for name, _ in login) else page.cookies.headers(page.at)
        return [
            ("User-Agent", self._options.user_agent),
            ("Accept", _ACCEPT),
            ("Accept-Language", "en, *;q=0.5"),
            *conditions,
            *login,
            *cookies,
        ]

    async def _get_once(self, url: Url, headers: list[tuple[str, str]], deadline: float) -> HttpResponse:
        """Send one request; raises HttpError for a status of 400 or more, _CutOff for an incomplete body."""
        response = await self._client.get(url, headers=headers, max_bytes=self._options.max_bytes, deadline=deadline)
        if response.status >= 400:
            raise http_error(response, url.href, time.time())
        if response.truncated:
            raise _CutOff(response, url)
        return response

    async def _get_robots(self, url: Url, deadline: float) -> HttpResponse | None:
        """Fetch robots.txt and follow its redirects; None if one leads to an address that may not be opened.

        Raises FetchFailed(reason="redirects") for too many, and what the client raises.
        """
        response = await self._get_robots_once(url, deadline)
        for _ in range(MAX_REDIRECTS):
            try:
                following = self._following(url, response)
                if following is None:
                    return response
                url, response = following, await self._get_robots_once(following, deadline)
            except PolicyError:
                return None
        if response.status in _REDIRECTS:
            raise _failed_for_good(url, "redirects too often")
        return response

    async def _get_robots_once(self, url: Url, deadline: float) -> HttpResponse:
        """Request robots.txt without a login and without following a redirect; retries temporary failures.

        The body is truncated at 512 KiB. A status of 400 or more is returned, not raised.
        """
        headers = [("User-Agent", self._options.user_agent), ("Accept", "text/plain, */*;q=0.5")]

        async def once() -> HttpResponse:
            response = await self._client.get(url, headers=headers, max_bytes=ROBOTS_BYTES, deadline=deadline, cut=True)
            if response.status in RETRIED_STATUSES:
                raise http_error(response, url.href, time.time())
            if response.truncated and len(response.body) < ROBOTS_BYTES:
                # The missing part may disallow the page.
                raise FetchFailed(f"{url.host} closed the connection in the middle of its robots.txt.", reason="cut")
            return response

        try:
            return await retrying(once, deadline=deadline)
        except HttpError as error:
            return HttpResponse(error.status_code or 500, (), b"")

    def _fetched(self, page: _PageFetch, response: HttpResponse) -> Fetched:
        """The fetched page, from its last response; raises FetchFailed for a 3xx that is no answer to `conditional`."""
        not_modified = response.status == 304 and bool(page.conditional)
        if 300 <= response.status < 400 and not not_modified:
            raise _no_page(page.at, response.status)
        kind = response.header("content-type")
        return Fetched(
            url=page.asked.href,
            final_url=page.at.href,
            status=response.status,
            headers=tuple(pair for pair in response.headers if pair[0] != "set-cookie"),
            body=response.body,
            media_type=media_type(kind, response.body, page.at.href),
            charset=charset_of(kind),
            fetched_at=time.time(),
            redirects=tuple(page.redirects),
            timings={step: round(ms, 1) for step, ms in page.timings.items()},
            notes=_notes(page, response),
            authenticated=page.authenticated,
            not_modified=not_modified,
        )


def _notes(page: _PageFetch, response: HttpResponse) -> tuple[str, ...]:
    notes = []
    if response.truncated:
        notes.append("The server closed the connection before the end of the page; this is the part that arrived.")
    if response.status == 206:
        notes.append("The server sent only a part of the page.")
    if page.asked.scheme == "https" and page.at.scheme == "http":
        notes.append("The page was redirected from https to plain http.")
    return tuple(notes)


def _failed_for_good(url: Url, what: str) -> FetchFailed:
    """A FetchFailed that is not worth another try; `what` completes its message, which begins with the URL."""
    return FetchFailed(f"{url.href} {what}.", url=url.href, retryable=False, reason="redirects")


def _no_page(url: Url, status: int) -> FetchFailed:
    """The error for a 3xx that is neither a redirect to follow nor the response to a conditional request."""
    if status == 304:
        return FetchFailed(
            f"{url.href} answered 304 Not Modified, although the request had no conditions, and sent no page.",
            suggestion="The server, or a cache in front of it, is at fault. Try again later, or use another source.",
            url=url.href,
            status_code=status,
            reason="not modified",
        )
    what = "without a usable Location header" if status in _REDIRECTS else "instead of a page"
    return _failed_for_good(url, f"answers {status} {what}")


def guarded_dialer(options: FetchOptions, environment: Mapping[str, str] | None = None) -> Dialer:
    """A dialer with the address guard and the proxies of the operator's options: for the web client and the browser.

    `environment` has HTTP_PROXY and the like, which are used if the options say so.
    """
    policy = AddressPolicy(parse_exemptions(options.allow_private), own_addresses())
    proxies = parse_proxies(options.proxy, environment, resolves=options.proxy_resolves)
    return Dialer(policy, proxies=proxies, ca_bundle=options.ca_bundle or None)
