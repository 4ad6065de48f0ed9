"""Checks URLs against the robots.txt of their site, which is fetched once a day.

What a response means (RFC 9309 2.3.1, and where it leaves a choice, ours):

    2xx        its rules
    401 403    the site refuses to show even its rules: nothing is fetched
    429        asked too fast: nothing is fetched for a while
    other 4xx  no rules, everything may be fetched; the same for redirects that loop or lead nowhere
    5xx        unreachable: nothing is fetched for a while
    no response  as 5xx, but the error is the network's own, because that is what can be acted on

The last two, and a 429, hold only for callers with no more time than the failed request had.
"""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import anyio

from mcp_web.errors import FetchFailed, FetchTimeout, PolicyError, RobotsDisallowed, WebError
from mcp_web.fetch.robots import Robots, kept_text, parse_robots
from mcp_web.limit.flight import MemorySingleFlight
from mcp_web.lru import LruDict
from mcp_web.net.connection import HttpResponse
from mcp_web.store.best_effort import BestEffortNotes
from mcp_web.text.urls import Url, join

KIND = "robots"
DAY = 24 * 3600.0
_RETRY_AT_ONCE = 10.0  # seconds; so the pages of a batch do not wait one by one for a host that does not respond
_RETRY_SOON = 60.0
_RETRY_LATER = 600.0
_SHARE_OF_TIME = 0.5  # of a page's time, at most, goes to its robots.txt
_REMEMBERED = 1024
_LARGE = 64 * 1024  # bytes
# Crawl-delay is meant for crawlers of whole sites; a longer one would make reading single pages too slow.
MAX_DELAY = 30.0

Ask = Callable[[Url, float], Awaitable[HttpResponse | None]]  # None: it leads to an address that is not opened


@dataclass(frozen=True, slots=True)
class _SiteRules:
    """What is known about the robots.txt of one site, until `expires`."""

    expires: float  # seconds since the epoch
    robots: Robots | None = None  # None without refusal and error: everything is allowed
    refusal: str = ""  # why nothing is fetched, as a sentence
    error: WebError | None = None  # of the network
    # Seconds that the request had when it failed: a caller with more time asks again, because a slow answer or another
    # try may still come in that time.
    holds_within: float = math.inf


class RobotsCheck:
    """Checks whether robots.txt lets one user agent fetch URLs; keeps the rules for a day. `ask` fetches the file."""

    def __init__(self, ask: Ask, agent: str, notes: BestEffortNotes) -> None:
        self._ask = ask
        self._agent = agent
        self._notes = notes
        self._kept: LruDict[str, _SiteRules] = LruDict(_REMEMBERED)
        self._flights = MemorySingleFlight()

    async def check(self, url: Url, deadline: float) -> float | None:
        """Raise RobotsDisallowed, or return the Crawl-delay of the site in seconds, at most 30; None if it has none.

        Raises the network's error if robots.txt could not be fetched before `deadline` (a time of
        `anyio.current_time()`), and PolicyError if our own rules do not let it be fetched.
        """
        if url.path == "/robots.txt":
            return None
        rules = await self._rules(url, deadline)
        if rules.error is not None:
            error = copy.copy(rules.error)  # other pages raise it too: what one page adds is not theirs
            error.url, error.details = url.href, dict(error.details)
            raise error
        if rules.refusal:
            raise _disallowed(url, rules.refusal, retry_after=max(0.0, round(rules.expires - time.time())))
        if rules.robots is None:
            return None
        if not rules.robots.allows(self._agent, url.href):
            raise _disallowed(url, f"The robots.txt of {url.host} does not allow {self._agent} to fetch {url.path}.")
        delay = rules.robots.delay(self._agent)
        return min(delay, MAX_DELAY) if delay else None

    async def _rules(self, url: Url, deadline: float) -> _SiteRules:
        """The rules of a site, from memory, the store or the site; callers that ask at the same time share one request.

        A failure within the time of one caller does not count for a caller with more time, which asks again.
        """
        kept = self._kept.get(url.origin)
        rules = kept if kept is not None and _holds(kept.expires) else None
        while rules is None or rules.holds_within < _seconds_for_robots(deadline):
            rules = await self._flights.once(url.origin, lambda: self._find_rules(url, deadline))
        return rules

    async def _find_rules(self, url: Url, deadline: float) -> _SiteRules:
        """The rules of a site from the store, or else from its robots.txt; they are then kept in memory."""
        rules = await self._stored_rules(url.origin) or await self._fetched_rules(url, deadline)
        self._kept[url.origin] = rules
        return rules

    async def _stored_rules(self, origin: str) -> _SiteRules | None:
        """The rules of a site that this or another process stored; None if there are none or they have expired."""
        kept = await self._notes.get(KIND, origin)
        if not isinstance(kept, dict) or not isinstance(kept.get("expires"), int | float):
            return None
        if not _holds(float(kept["expires"])):
            return None
        text = kept.get("text")
        return _SiteRules(float(kept["expires"]), await _parsed(text.encode()) if isinstance(text, str) else None)

    async def _fetched_rules(self, url: Url, deadline: float) -> _SiteRules:
        """Fetch the robots.txt of a site. After a failure the rules have an `error` or a `refusal`; too many redirects
        count as no robots.txt. A PolicyError is raised."""
        seconds = _seconds_for_robots(deadline)
        # Rounded up, so that callers with the same time, as the pages of a batch, do not ask one after the other.
        within = math.ceil(seconds)
        try:
            response = await self._ask(join(url, "/robots.txt"), anyio.current_time() + seconds)
        except PolicyError:
            raise  # the page itself would be refused the same way
        except (FetchFailed, FetchTimeout) as error:
            if error.details.get("reason") != "redirects":
                return _SiteRules(time.time() + _RETRY_AT_ONCE, error=error, holds_within=within)
            response = HttpResponse(404, (), b"")
        except WebError:
            return _refused(f"The robots.txt of {url.host} cannot be read.", _RETRY_LATER)
        if response is None:
            return _refused(f"The robots.txt of {url.host} leads to an address that is not opened.", _RETRY_LATER)
        return await self._rules_from(url, response, within)

    async def _rules_from(self, url: Url, response: HttpResponse, within: float) -> _SiteRules:
        """The rules that follow from a response to a request for robots.txt, also stored unless they refuse everything.
        `within` is the `holds_within` of a temporary refusal."""
        status = response.status
        if 200 <= status < 300:
            expires = time.time() + DAY
            await self._notes.keep(KIND, url.origin, {"text": kept_text(response.body), "expires": expires}, expires)
            return _SiteRules(expires, await _parsed(response.body))
        if status in (401, 403):
            return _refused(f"{url.host} answers {status} to a request for its robots.txt.", DAY)
        if status == 429 or status >= 500:
            return _refused(
                f"{url.host} answers {status} to a request for its robots.txt, so nothing is fetched for now.",
                _RETRY_SOON,
                within,
            )
        expires = time.time() + DAY
        await self._notes.keep(KIND, url.origin, {"text": None, "expires": expires}, expires)
        return _SiteRules(expires)


def _seconds_for_robots(deadline: float) -> float:
    """How many seconds a page with this deadline waits for its robots.txt: half of those left on anyio's clock."""
    return (deadline - anyio.current_time()) * _SHARE_OF_TIME


async def _parsed(body: bytes) -> Robots:
    """Parse a robots.txt, in a thread if it is large."""
    if len(body) > _LARGE:
        return await anyio.to_thread.run_sync(parse_robots, body)
    return parse_robots(body)


def _holds(expires: float) -> bool:
    """Whether a Unix time is in the future, but by a day at most: one further away was set by a wrong clock."""
    return 0 < expires - time.time() <= DAY


def _refused(sentence: str, seconds: float, within: float = math.inf) -> _SiteRules:
    return _SiteRules(time.time() + seconds, refusal=sentence, holds_within=within)


def _disallowed(url: Url, sentence: str, retry_after: float | None = None) -> RobotsDisallowed:
    """The error for a URL that may not be fetched; `retry_after` in seconds, None if a rule of the file says so."""
    return RobotsDisallowed(
        sentence,
        url=url.href,
        path=url.path,
        robots_url=f"{url.origin}/robots.txt",
        retryable=retry_after is not None and retry_after <= _RETRY_SOON,
        retry_after=retry_after,
    )
