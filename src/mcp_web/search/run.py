"""Asks one endpoint: within its rate limit, with one retry policy and a circuit breaker."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import anyio
from anyio import to_thread

from mcp_web import trace
from mcp_web.errors import FetchTimeout, QuotaExceeded, WebError
from mcp_web.limit.limiter import BudgetSpent, Limiter, RateExceeded
from mcp_web.model.search import Attempt, Outcome, SearchQuery
from mcp_web.search.health import Health
from mcp_web.search.hits import clean
from mcp_web.search.options import SearchOptions
from mcp_web.search.plan import AdaptedQuery, PageRequest, adapt
from mcp_web.search.provider import ApiRequest, HttpResponse, ProviderClient, ProviderRefused, ResultPage
from mcp_web.search.providers.api import Provider
from mcp_web.search.reply import Reply
from mcp_web.text.amounts import amount

REPORTING = 0.1  # seconds before a deadline: a caller that waits until then still gets what came
_MARGIN = 1.15  # our second is a little longer than the provider's: clocks and queues differ
_ANSWER_CHARS = 1000  # characters of an instant answer, and of a suggested query
_SUGGESTION_CHARS = 200
Charge = Callable[[], Awaitable[None]]  # counts one request; raises QuotaExceeded
_SHORT_WAIT = 5.0  # seconds: a limit that ends this soon is waited for; a longer one is reported
_SLOW = 0.8  # of the usual time: an endpoint that was cancelled after that long was slow


@dataclass
class Runner:
    """Sends requests to endpoints, within their limits, and records the health of each endpoint."""

    options: SearchOptions
    clients: Mapping[str, ProviderClient]  # "api", "guarded" (with the address guard) and "ddgs"
    limiter: Limiter
    health: dict[str, Health] = field(default_factory=lambda: defaultdict(Health))
    rates: dict[str, int] = field(default_factory=dict)  # requests a second, from the headers of responses
    charge: Charge | None = None  # counts one request to a provider with a key; raises QuotaExceeded
    _learning: dict[str, anyio.Lock] = field(default_factory=lambda: defaultdict(anyio.Lock))

    async def ask(self, endpoint: Provider, query: SearchQuery, deadline: float, *, retries: int = 1) -> Reply:
        """Get as many pages as the query needs from one endpoint; a failure is part of the reply, never raised.

        `deadline` is a time of `anyio.current_time()`, shortly before which the pages that came are returned; each page
        is tried up to `retries` more times. A paused endpoint is not asked, unless `retries` is given and the pause is
        a rate limit that ends within five seconds.
        """
        deadline -= REPORTING
        plan = adapt(query, endpoint.capabilities, datetime.now(UTC).date())
        health = self.health[endpoint.name]
        begun = anyio.current_time()
        if not health.wait(begun) and (shared := await self.limiter.shared_pause(_rate_key(endpoint))) is not None:
            seconds, health.why = shared  # another replica has paused it
            health.paused_until, health.outcome = begun + seconds, "unreachable"
        wait = health.wait(begun)
        if wait and not (retries and health.outcome == "rate_limited" and wait <= min(_SHORT_WAIT, deadline - begun)):
            paused = Attempt(endpoint.name, health.outcome, 0.0, f"paused after: {health.why}", round(wait, 1))
            return Reply(endpoint.capabilities, (paused,), fixes=(health.fix,) if health.fix else ())
        if not plan.page_requests:
            done = Attempt(endpoint.name, "empty", 0.0, "no results on this page")
            note = f"{endpoint.capabilities.name} has no results beyond this page."
            return Reply(endpoint.capabilities, (done,), ResultPage((), notes=(note,)))
        try:
            pages, broken_off = await self._pages(endpoint, plan, query.count, deadline, retries)
            reply = _reply(endpoint, plan, pages, broken_off, query, (anyio.current_time() - begun) * 1000)
        except ProviderRefused as refused:
            ms = round((anyio.current_time() - begun) * 1000, 1)
            attempt = Attempt(endpoint.name, refused.outcome, ms, refused.detail, refused.retry_after)
            reply = Reply(endpoint.capabilities, (attempt,), fixes=(refused.fix,) if refused.fix else ())
        trace.metrics.count("search_outcomes", provider=endpoint.capabilities.name, outcome=reply.attempts[0].outcome)
        return reply

    async def send(self, endpoint: Provider, request: ApiRequest, timeout: float) -> HttpResponse:
        """Send one request with the client for its address, and return the response, whatever its status.

        Raises ProviderRefused if the endpoint cannot be reached or does not answer within `timeout` seconds.
        """
        kind = "ddgs" if request.url.startswith("ddgs://") else "api"
        client = self.clients["guarded" if endpoint.capabilities.guarded else kind]
        with trace.step("search_provider", provider=endpoint.name) as facts:
            try:
                with anyio.fail_after(timeout):
                    response = await client.request(
                        request.method,
                        request.url,
                        headers=request.headers,
                        params=request.params,
                        json=request.json,
                        timeout=timeout,
                    )
            except (TimeoutError, WebError) as error:
                late = isinstance(error, TimeoutError | FetchTimeout)
                detail = f"did not answer in time ({timeout:.1f} s)." if late else "could not be reached."
                raise ProviderRefused("timeout" if late else "unreachable", f"{endpoint.name} {detail}") from error
            facts["status"] = response.status
        return response

    async def _pages(
        self, endpoint: Provider, plan: AdaptedQuery, count: int, deadline: float, retries: int
    ) -> tuple[list[tuple[PageRequest, ResultPage]], tuple[str, ...]]:
        """Request the planned pages until `count` results are found; returns each with its request, and notes: one if a
        page after the first was refused. Raises ProviderRefused if the first one was."""
        pages: list[tuple[PageRequest, ResultPage]] = []
        found = 0
        # A caller waits for the last provider no longer than that: further pages must not cost it the first.
        usual = anyio.current_time() + self.options.timeout - REPORTING
        for page_request in plan.page_requests:
            query = replace(plan.query, page=page_request.page, count=page_request.size)
            try:
                page = await self._page(endpoint, query, min(deadline, usual) if pages else deadline, retries)
            except ProviderRefused as refused:
                if not pages:
                    raise
                name = endpoint.capabilities.name
                return pages, (f"{name} stopped after {amount(found, 'result')}: {refused.detail}",)
            pages.append((page_request, page))
            found += max(0, len(page.hits) - page_request.skip)
            if found >= count or not page.more or not page.hits:
                break
        return pages, ()

    async def _page(self, endpoint: Provider, query: SearchQuery, deadline: float, retries: int) -> ResultPage:
        """One page, tried up to `retries` more times; the last ProviderRefused is recorded in the health and raised."""
        try:
            return await self._once(endpoint, query, deadline)
        except ProviderRefused as refused:
            wait = await self._before_retry(endpoint, deadline, refused)
            if wait is not None and retries:
                await anyio.sleep(wait)
                return await self._page(endpoint, query, deadline, retries - 1)
            if refused.counts:
                now, health = anyio.current_time(), self.health[endpoint.name]
                health.failed(now, refused.outcome, refused.detail, self.options, refused.retry_after, refused.fix)
                if pause := health.wait(now):  # for the other replicas too
                    await self.limiter.share_pause(_rate_key(endpoint), pause, health.why)
            raise

    async def _once(self, endpoint: Provider, query: SearchQuery, deadline: float) -> ResultPage:
        """One page, without retries; raises ProviderRefused. While an endpoint's rate limit is still to be learned from
        its first response, its requests are sent one by one."""
        if endpoint.capabilities.learns_rate and endpoint.name not in self.rates:
            # The first response has the rate limit of the plan; concurrent requests wait for it.
            async with self._learning[endpoint.name]:
                if endpoint.name not in self.rates:
                    return await self._in_turn(endpoint, query, deadline)
        return await self._in_turn(endpoint, query, deadline)

    async def _in_turn(self, endpoint: Provider, query: SearchQuery, deadline: float) -> ResultPage:
        """One page: wait for the rate limit, send, record the rate, quota and health. Raises ProviderRefused."""
        await self._take_slot(endpoint, deadline)
        response = await self._send_watched(endpoint, endpoint.request(query), deadline)
        quota = endpoint.quota(response)
        if endpoint.capabilities.learns_rate:
            self.rates[endpoint.name] = quota.rate if quota and quota.rate else endpoint.capabilities.rate
        if quota is not None and quota.pause:
            await self.limiter.pause(_rate_key(endpoint), quota.pause)
        page = await to_thread.run_sync(read, endpoint, response, query)
        now = anyio.current_time()
        health = self.health[endpoint.name]
        health.succeeded(now)
        if quota is not None and quota.left_this_month == 0:  # this answer counts; the next would be refused
            health.failed(now, "quota", "the month's quota is used up", self.options, quota.month_resets)
        return page

    async def _send_watched(self, endpoint: Provider, request: ApiRequest, deadline: float) -> HttpResponse:
        """As `send`. If it is cancelled after taking long, that is recorded as a timeout in the endpoint's health."""
        begun = anyio.current_time()
        try:
            return await self.send(endpoint, request, max(0.05, deadline - begun))
        except anyio.get_cancelled_exc_class():
            # Another endpoint was faster, or the deadline passed: one that is often slow should not be asked first.
            now = anyio.current_time()
            if now - begun >= _SLOW * min(self.options.hedge_after, self.options.timeout):
                self.health[endpoint.name].failed(now, "timeout", "was too slow", self.options)
            raise

    async def _take_slot(self, endpoint: Provider, deadline: float) -> None:
        """Wait until the endpoint's rate limit allows a request, then count it in the quota and the monthly budget.

        Raises ProviderRefused if the wait would end after the deadline, or the quota or the budget is used up.
        """
        capabilities = endpoint.capabilities
        budget = self.options.monthly_budgets.get(capabilities.name, 0)
        rate = self.rates.get(endpoint.name, capabilities.rate)
        try:
            # Evenly spaced, not in bursts: a delayed burst would fall into the same second as the next one.
            await self.limiter.acquire(_rate_key(endpoint), capabilities.per / rate * _MARGIN, deadline=deadline)
            if self.charge is not None and capabilities.needs_key:
                await self.charge()
            if budget:
                await self.limiter.spend(f"search:{capabilities.name}", budget)
        except RateExceeded as late:
            detail = f"{endpoint.name} is asked at most {rate} times in {capabilities.per:g} s; the queue is too long."
            after = round(late.retry_after, 1)
            raise ProviderRefused("rate_limited", detail, retry_after=after, counts=False) from late
        except QuotaExceeded as spent:
            raise ProviderRefused("quota", spent.message, retry_after=spent.retry_after, counts=False) from spent
        except BudgetSpent as spent:
            detail = f"The monthly budget of {budget} requests for {capabilities.name} is used up."
            raise ProviderRefused("quota", detail, retry_after=round(spent.retry_after), counts=False) from spent

    async def _before_retry(self, endpoint: Provider, deadline: float, refused: ProviderRefused) -> float | None:
        """Seconds to wait before one more try; None if the request should not be repeated, or not before the deadline.

        A rate limit with a stated time pauses the endpoint in the limiter. The result is then 0, because the next try
        waits there, or None if the time is too long to wait; without a stated time it is None.
        """
        left = deadline - anyio.current_time()
        if not refused.counts:
            return None
        if refused.outcome == "rate_limited":
            wait = refused.retry_after
            if wait is not None:
                await self.limiter.pause(_rate_key(endpoint), wait)
            return 0.0 if wait is not None and wait <= min(_SHORT_WAIT, left) else None
        if refused.outcome in ("error", "unreachable") and (refused.retry_after or 0) <= _SHORT_WAIT:
            wait = random.uniform(0.15, 0.45)  # noqa: S311 - jitter
            return wait if wait < left else None
        return None


def read(endpoint: Provider, response: HttpResponse, query: SearchQuery) -> ResultPage:
    """The page of results in a response; raises ProviderRefused for a refusal and for an answer that cannot be read."""
    try:
        return endpoint.parse(response, query)
    except ProviderRefused:
        raise
    except Exception as error:  # an answer of unexpected shape loses that answer, not the whole search
        trace.log("error", "search_parse", provider=endpoint.name, error_code=type(error).__name__)
        raise ProviderRefused("error", f"{endpoint.name} sent an answer that cannot be read.") from error


def _rate_key(endpoint: Provider) -> str:
    """The key of the endpoint's rate limit in the `Limiter`."""
    return f"search:{endpoint.name}"


def _reply(
    endpoint: Provider,
    plan: AdaptedQuery,
    requested: list[tuple[PageRequest, ResultPage]],
    broken_off: tuple[str, ...],
    query: SearchQuery,
    ms: float,
) -> Reply:
    """The reply of one endpoint from its pages, with the results filtered as planned.

    `broken_off` are notes about pages that were refused, `ms` is the duration of the attempt in milliseconds.
    """
    hits = [hit for page_request, page in requested for hit in page.hits[page_request.skip :]]
    kept, filter_notes = plan.result_filter.apply(hits)
    pages = [page for _, page in requested]
    answers = (clean(answer, _ANSWER_CHARS) for page in pages for answer in page.answers)
    notes = (*plan.notes, *(note for page in pages for note in page.notes), *filter_notes, *broken_off)
    outcome: Outcome = "ok" if kept or any(page.answers for page in pages) else "empty"
    return Reply(
        endpoint.capabilities,
        (Attempt(endpoint.name, outcome, round(ms, 1)),),
        ResultPage(
            hits=kept,
            total=next((page.total for page in pages if page.total is not None), None),
            more=pages[-1].more or len(kept) > query.count,
            suggestion=next((clean(page.suggestion, _SUGGESTION_CHARS) for page in pages if page.suggestion), None),
            answers=tuple(dict.fromkeys(filter(None, answers))),
            notes=tuple(dict.fromkeys(notes)),
            incomplete=any(page.incomplete for page in pages),
            raw=pages[0].raw if len(pages) == 1 else [page.raw for page in pages],
        ),
    )
