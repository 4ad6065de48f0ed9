"""The two HTTP clients, which share only the protocol code.

`WebClient` opens URLs that an agent chose: guarded, without cookies, credentials or redirects of its own.
`ApiClient` speaks to endpoints from the configuration: they may be private and may be sent keys.
Nothing an agent passes ever becomes a host of the second.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

import anyio

from mcp_web import trace
from mcp_web.errors import FetchFailed, FetchTimeout, UnsupportedContent, WebError
from mcp_web.net.address import led_to_private_target
from mcp_web.net.body import ACCEPTED, BodyDecoder, too_large
from mcp_web.net.connection import Headers, HttpResponse
from mcp_web.net.dial import BaseDialer, Dialer
from mcp_web.net.pool import ConnectionPool, Exchange
from mcp_web.text.urls import Url, parse_url

_DRAIN = 16 * 1024  # bytes of a body that is read only so that its connection can be reused
_ENDLESS = ("text/event-stream", "multipart/x-mixed-replace")
_NOT_READ = ("video/", "audio/", "font/")  # nothing in them is text: refused before they are downloaded


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one request apart from its deadline: timeouts in seconds, and the least speed of a body."""

    connect: float = 10.0
    idle: float = 10.0  # without data in the middle of a body
    # Least bytes a second, after `grace` seconds. Otherwise a server that sends a byte a second could hold a slot
    # without end; 500 is slower than any modem.
    min_rate: float = 500.0
    grace: float = 5.0
    # Of bodies beyond `large` bytes only a few are received at a time, each at `large_rate` bytes a second at least.
    large: int = 1_000_000
    large_at_once: int = 3
    large_rate: float = 20_000.0


class WebClient:
    """Sends GET requests to URLs that agents choose, behind the address guard; callers follow redirects themselves."""

    def __init__(self, dialer: Dialer, limits: Limits | None = None) -> None:
        self._dialer = dialer
        self._pool = ConnectionPool(dialer)
        self._limits = limits or Limits()
        self._large = anyio.Semaphore(self._limits.large_at_once)

    def check_redirect(self, at: Url, following: Url) -> None:
        """Raise SsrfBlocked if `at`, on the public web, redirects to `following`, which the operator exempted."""
        is_exempt = self._dialer.policy.is_exempt
        leaves = at.host != following.host and not is_exempt(at.host, at.port)
        if leaves and is_exempt(following.host, following.port):
            raise led_to_private_target(following.host)

    async def get(
        self,
        url: Url,
        *,
        headers: Headers = (),
        max_bytes: int = 5_000_000,
        deadline: float | None = None,
        cut: bool = False,
    ) -> HttpResponse:
        """Send one GET request. `deadline` is a time of `anyio.current_time()`; without one, twenty seconds.

        A body above `max_bytes` raises FetchTooLarge, or is truncated if `cut` is set. Raises SsrfBlocked for an
        address that is not allowed, FetchTimeout at the deadline and for a slow server, UnsupportedContent for media
        types without text, else FetchFailed. A status such as 404 or 302 is no error here; only a 2xx has its body.
        """
        sent = [("Host", url.authority), *headers, ("Accept-Encoding", ACCEPTED)]
        with _limit_time(deadline if deadline is not None else anyio.current_time() + 20.0, url):
            async with self._pool.exchange(url, headers=sent, connect_timeout=self._limits.connect) as exchange:
                begun = anyio.current_time()
                body, truncated = b"", False
                if 200 <= exchange.head.status < 300:
                    body, truncated = await _read_body(exchange, url, max_bytes, self._limits, cut, self._large)
                else:
                    await _drain(exchange)
                body_ms = (anyio.current_time() - begun) * 1000
                timings = {"connect": exchange.connect_ms, "wait": exchange.wait_ms, "body": body_ms}
                return replace(exchange.head, body=body, truncated=truncated, timings=timings)

    async def aclose(self) -> None:
        await self._pool.aclose()


class ApiClient:
    """Sends requests to configured endpoints. Never follows a redirect, which could send a key to another host.

    `traced`: requests carry the headers of the current OpenTelemetry trace, if traces are collected.
    """

    def __init__(self, dialer: BaseDialer, *, user_agent: str = "mcp-web", traced: bool = False) -> None:
        self._pool = ConnectionPool(dialer)
        self._user_agent = user_agent
        self._traced = traced

    async def request(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        params: Mapping[str, Any] | Sequence[tuple[str, Any]] | None = None,
        json: Any = None,
        data: Mapping[str, Any] | None = None,
        timeout: float = 20.0,
        max_bytes: int = 10_000_000,
    ) -> HttpResponse:
        """Send one request, with `params` as its query and a body of JSON or a form (`data`); None values are left out.

        `timeout` is in seconds, for the whole exchange. Raises FetchTimeout, FetchTooLarge, UnsupportedContent or
        FetchFailed; no status is an error here.
        """
        if query := _url_encoded(params.items() if isinstance(params, Mapping) else params or ()):
            url += f"{'&' if '?' in url else '?'}{query}"
        target = parse_url(url)
        body, kind = _encode_body(json, data)
        carried = trace.propagation_headers() if self._traced else {}
        sent = _request_headers(target, {**carried, **(headers or {})}, self._user_agent, kind)
        if body or method.upper() != "GET":
            sent.append(("Content-Length", str(len(body))))
        using = self._pool.exchange(target, method=method.upper(), headers=sent, body=body, connect_timeout=timeout)
        with _limit_time(anyio.current_time() + timeout, target):
            async with using as exchange:
                answer, truncated = await _read_body(exchange, target, max_bytes, Limits(idle=timeout, min_rate=0))
                if truncated:
                    message = f"{target.host} closed the connection in the middle of its response."
                    raise FetchFailed(message, reason="cut")
                return replace(exchange.head, body=answer)

    async def aclose(self) -> None:
        await self._pool.aclose()


@contextmanager
def _limit_time(deadline: float, url: Url) -> Iterator[None]:
    """Context manager: raise FetchTimeout at the deadline (on anyio's clock); errors without a URL get this one."""
    begun = anyio.current_time()
    try:
        with anyio.fail_after(deadline - begun):
            yield
    except TimeoutError as error:
        waited = anyio.current_time() - begun
        raise FetchTimeout(f"{url.host} did not answer in full within {waited:.3g} seconds.", url=url.href) from error
    except WebError as error:
        error.url = error.url or url.href
        raise


async def _read_body(
    exchange: Exchange,
    url: Url,
    max_bytes: int,
    limits: Limits,
    cut: bool = False,
    large: anyio.Semaphore | None = None,
) -> tuple[bytes, bool]:
    """The decoded body, and whether it is incomplete: truncated at `max_bytes`, or by a server that closed early.

    `cut` as in `WebClient.get`; `large` limits the large bodies that are received at the same time. Raises FetchTimeout
    when the server stalls or sends too slowly, and FetchTooLarge, UnsupportedContent or FetchFailed.
    """
    head = exchange.head
    _refuse_unreadable(head, url)
    decoder = BodyDecoder(head.all_values("content-encoding"), max_bytes=max_bytes, url=url.href, cut=cut)
    announced = _content_length(head)
    if announced is not None and announced > max_bytes and not cut:
        raise too_large(url.href, max_bytes, announced)
    body = bytearray()
    rate, begun, received = limits.min_rate, anyio.current_time(), 0
    async with AsyncExitStack() as held:
        try:
            while True:
                with anyio.move_on_after(limits.idle) as waiting:
                    chunk = await exchange.connection.chunk()
                if waiting.cancelled_caught:
                    raise FetchTimeout(f"{url.host} stopped sending in the middle of the body.")
                if chunk is None:
                    return bytes(body), not decoder.complete
                received += len(chunk)
                passed = anyio.current_time() - begun
                if passed > limits.grace and received < rate * passed:
                    raise FetchTimeout(f"{url.host} sends too slowly: {received} bytes in {passed:.0f} seconds.")
                body += decoder.feed(chunk)
                if decoder.full:
                    return bytes(body[:max_bytes]), True
                if large is not None and len(body) > limits.large:
                    await held.enter_async_context(large)
                    large = None
                    rate, begun, received = limits.large_rate, anyio.current_time(), 0
        except FetchFailed as error:
            if error.details.get("reason") != "cut" or not body:
                raise
            return bytes(body), True


def _content_length(head: HttpResponse) -> int | None:
    """The number of bytes in the Content-Length header; None if it is missing or invalid."""
    length = head.header("content-length") or ""
    return int(length[:18]) if length.isdigit() else None


def _refuse_unreadable(head: HttpResponse, url: Url) -> None:
    """Raise UnsupportedContent if the Content-Type is an endless stream, or video, audio or a font."""
    kind = head.all_values("content-type").partition(";")[0].strip().lower()
    kind = kind if re.fullmatch(r"[a-z0-9.+/-]{3,80}", kind) else kind.partition("/")[0][:10] + "/unknown"
    if kind in _ENDLESS:
        raise UnsupportedContent(f"{url.href} is an endless stream of events, not a page.", url=url.href, type=kind)
    if kind.startswith(_NOT_READ):
        size = _content_length(head)
        measured = f" of {size:,} bytes" if size else ""
        raise UnsupportedContent(f"{url.href} is {kind}{measured}, not text.", url=url.href, type=kind, bytes=size)


async def _drain(exchange: Exchange) -> None:
    """Read and discard a body of known length up to 16 KiB, so that its connection can be reused; else do nothing."""
    announced = _content_length(exchange.head)
    if exchange.head.status in (204, 304) or (announced is not None and announced <= _DRAIN):
        with anyio.move_on_after(1.0), suppress(FetchFailed):
            while await exchange.connection.chunk() is not None:
                pass


def _url_encoded(pairs: Iterable[tuple[str, Any]]) -> str:
    """Name-value pairs, encoded as in a query or form; None values are left out, booleans are `true` and `false`."""
    given = ((name, value) for name, value in pairs if value is not None)
    return urlencode([(name, str(one).lower() if isinstance(one, bool) else one) for name, one in given], doseq=True)


def _encode_body(json_value: Any, data: Mapping[str, Any] | None) -> tuple[bytes, str | None]:
    """The body of a request and its media type (None for no body): `json_value` as JSON, else `data` as a form."""
    if json_value is not None:
        return json.dumps(json_value, ensure_ascii=False, separators=(",", ":")).encode(), "application/json"
    if data is None:
        return b"", None
    return _url_encoded(data.items()).encode(), "application/x-www-form-urlencoded"


def _request_headers(url: Url, given: Mapping[str, str], user_agent: str, kind: str | None) -> list[tuple[str, str]]:
    """The headers of a request: `given`, and defaults for those that it lacks; `kind` is the media type of the body."""
    sent = {"Host": url.authority, "User-Agent": user_agent, "Accept": "application/json, */*;q=0.5"}
    sent["Accept-Encoding"] = ACCEPTED
    if kind:
        sent["Content-Type"] = kind
    lowered = {name.lower() for name in given}
    return [(name, value) for name, value in sent.items() if name.lower() not in lowered] + list(given.items())
