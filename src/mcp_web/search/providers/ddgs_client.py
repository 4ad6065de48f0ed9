"""Calls the ddgs library like a server: off the event loop, with real statuses and untouched links.

The library's public class hides what matters: every refusal becomes "No results found", and links are
percent-decoded until they no longer work. So its backends are called directly, each with a `request` that
records the status and with result types that leave URLs unchanged.
"""

from __future__ import annotations

import json
from types import FunctionType
from typing import Any
from urllib.parse import urlsplit

import anyio
from anyio import to_thread

from mcp_web.errors import FetchFailed, FetchTimeout
from mcp_web.search.provider import HttpResponse, ProviderRefused

_ROBOT_CHECKS = ("anomaly-modal", "captcha", "unusual traffic", "verify you are human", "are you a robot")
_ADDRESSES = frozenset({"href", "url", "image", "thumbnail"})


class DdgsClient:
    """The `ProviderClient` for `ddgs:` addresses: calls the keyless search library in threads."""

    def __init__(self, proxy: str | None) -> None:
        self._proxy = proxy
        self._threads = anyio.CapacityLimiter(8)

    async def request(
        self, method: str, url: str, *, params: Any = None, timeout: float = 10.0, **unused: Any
    ) -> HttpResponse:
        """Run one search in a thread, which goes on when the caller is cancelled; `url` is `ddgs://BACKEND/KIND`.

        The body of the response is JSON with the rows as `results`. Raises FetchTimeout, FetchFailed or
        ProviderRefused. `method` and further arguments are ignored.
        """
        return await to_thread.run_sync(
            _call, url, dict(params), timeout, self._proxy, abandon_on_cancel=True, limiter=self._threads
        )


def _call(url: str, params: dict[str, str], timeout: float, proxy: str | None) -> HttpResponse:
    """Run one search (`url`: `ddgs://BACKEND/KIND`), blocking for up to about `timeout` seconds; returns the results as
    JSON and the real HTTP status. Raises FetchTimeout, FetchFailed or ProviderRefused."""
    from ddgs.engines import ENGINES
    from ddgs.exceptions import DDGSException, RatelimitException, TimeoutException

    parts = urlsplit(url)
    backend, kind = parts.hostname or "", parts.path.strip("/")
    found = ENGINES.get(kind, {}).get(backend)
    if found is None:
        return HttpResponse(404, (), b"{}")
    engine = _exact(found)(proxy=proxy, timeout=max(1, round(timeout)))
    query = params.pop("query")
    page = int(params.pop("page", "1"))
    try:
        results = engine.search(query, page=page, **({"timelimit": None} | params))
    except TimeoutException as error:
        raise FetchTimeout(f"{backend} did not answer in time.") from error
    except RatelimitException:
        return HttpResponse(429, (), b"{}")
    except DDGSException as error:
        # The message may quote the query, so only its kind is passed on.
        if "vqd" in str(error):
            return HttpResponse(403, (), b"{}")
        raise FetchFailed(f"{backend} could not be reached.") from error
    except Exception as error:  # the page is untrusted, and the library does not validate it
        raise ProviderRefused("error", f"{backend} sent a page that cannot be read.") from error
    status, page_text = engine.seen
    rows = [dict(vars(result)) for result in results or ()]
    if not rows and status == 200 and any(sign in page_text.lower() for sign in _ROBOT_CHECKS):
        status = 429
    return HttpResponse(status, (), json.dumps({"results": rows}, default=str).encode())


def _exact(engine: Any) -> Any:
    """A subclass of the ddgs library's class `engine` that remembers the last response's status and text (`seen`) and
    leaves the links in results unchanged."""

    def request(self: Any, *args: Any, **kwargs: Any) -> str | None:
        response = self.http_client.request(*args, **kwargs)
        self.seen = (response.status_code, response.text)
        return response.text if response.status_code == 200 else None

    def result_type(self: Any) -> Any:
        theirs = engine.result_type.fget(self)
        cleaning = {name: how for name, how in theirs._normalizers.items() if name not in _ADDRESSES}
        return type(theirs.__name__, (theirs,), {"_normalizers": cleaning})

    def extract_results(self: Any, page: str) -> list[Any]:
        # Some backends refer to the result class by its global name, so it is replaced there.
        kept, theirs = self.result_type, engine.extract_results
        seen = {**theirs.__globals__, kept.__name__: kept}
        method = FunctionType(theirs.__code__, seen, theirs.__name__, theirs.__defaults__, theirs.__closure__)
        return list(method(self, page))

    body = {"seen": (200, ""), "request": request, "extract_results": extract_results}
    return type(engine.__name__, (engine,), body | {"result_type": property(result_type)})
