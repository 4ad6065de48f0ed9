"""Requests to the API of an official source, within its rate limit, with the configured address, contact and key."""

from __future__ import annotations

import json
import time
from collections.abc import Awaitable, Mapping
from typing import Any

import anyio

from mcp_web import trace
from mcp_web.app import App
from mcp_web.errors import FetchFailed, WebError
from mcp_web.limit.limiter import RateExceeded
from mcp_web.model.page import Fetched
from mcp_web.net.retry import retry_after_seconds
from mcp_web.search.options import SearchOptions
from mcp_web.text.json_fields import read_json

REFUSALS = (WebError, RateExceeded, ValueError)  # what a request to an API may raise; the page is read instead
_PAUSE = 60.0  # seconds without a request after a refusal that names no time


def deadline_within(seconds: float, deadline: float | None) -> float:
    """The time (of `anyio.current_time()`) in `seconds` from now, or the deadline of the call if that is earlier."""
    until = anyio.current_time() + seconds
    return min(until, deadline or until)


async def gathered(
    url: str, media_type: str, answers: Awaitable[Mapping[str, Any]], notes: tuple[str, ...]
) -> Fetched | None:
    """The answers of APIs about the page at `url` as a response with JSON, of this media type, for the extractor; None
    if a request for them was refused, which is logged."""
    begun = anyio.current_time()
    try:
        body = json.dumps(await answers).encode()
    except REFUSALS as error:
        trace.log("error", "official_api", url=url, error_code=type(error).__name__)
        return None
    timings = {"fetch": (anyio.current_time() - begun) * 1000}
    return Fetched(url, url, 200, (), body, media_type, "utf-8", time.time(), timings=timings, notes=notes)


class OfficialApi:
    """The API of one search source, such as GitHub. Its host comes from the options, never from an agent's argument."""

    def __init__(self, app: App, name: str, deadline: float) -> None:
        from mcp_web.search.providers import REGISTRY

        (source,) = REGISTRY[name].build(app.settings.of(SearchOptions))
        self._source = source
        self._process = app.process
        self._deadline = deadline
        # The key and the interval of the rate limit.
        self._pace = f"search:{source.name}", source.capabilities.per / source.capabilities.rate
        if source.lookup_interval is not None:
            self._pace = f"lookup:{source.name}", source.lookup_interval

    async def json(self, path: str, **params: str) -> Any:
        """The JSON that a GET request returns; its `backoff` (seconds) pauses later ones. Raises one of REFUSALS."""
        value = read_json(await self.get(path, **params))
        if isinstance(value, dict) and isinstance(value.get("backoff"), int):
            await self._process.coordination.limiter.pause(self._pace[0], float(value["backoff"]))
        return value

    async def get(self, path: str, **params: str) -> bytes:
        """The body that a GET request returns; raises one of REFUSALS."""
        return await self._request("GET", path, params)

    async def post(self, path: str, query: Any) -> Any:
        """The JSON that a POST request with the JSON `query` returns; raises one of REFUSALS, also without a key."""
        if not self._source.access.key:
            raise FetchFailed(f"The API of {self._source.name} answers such queries only with a key.", reason="key")
        return read_json(await self._request("POST", path, {}, query))

    async def _request(self, method: str, path: str, params: Mapping[str, str], query: Any = None) -> bytes:
        """Send one request within the rate limit and return the body. Raises FetchFailed unless the status is 200;
        then, except for 400 and 404, later requests wait as long as the response says."""
        source, limiter = self._source, self._process.coordination.limiter
        key, interval = self._pace
        await limiter.acquire(key, interval, deadline=self._deadline)
        identity = {name: value for name, value in source.identity().items() if value}
        answer = await self._process.api_client.request(
            method,
            source.access.base + path,
            headers=source.headers(),
            params={**params, **identity},
            json=query,
            timeout=max(0.1, self._deadline - anyio.current_time()),
        )
        if answer.status == 200:
            return answer.body
        if answer.status not in (400, 404):
            wait = retry_after_seconds(answer.header("retry-after"), time.time())
            await limiter.pause(key, wait or _PAUSE)
        raise FetchFailed(f"{source.label} answered {answer.status}.", reason="status")
