"""The only place that opens a socket for a URL an agent chose.

    resolve once → check every address → connect to a checked address → verify the peer

Because the check is where the connection is made, it covers redirects, robots.txt, retries, pooled
connections and the browser's proxy. DNS rebinding has no effect: there is one lookup, and the
connection goes to an address from it that was checked.
Proxies are those of the operator's setting; netrc files are never read.
"""

from __future__ import annotations

import errno
import os
import socket
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from itertools import zip_longest

import anyio
from anyio.abc import ByteStream, SocketAttribute
from anyio.lowlevel import RunVar

from mcp_web.errors import FetchFailed, FetchTimeout, SsrfBlocked
from mcp_web.net.address import AddressPolicy, is_private_host, parse_address
from mcp_web.net.proxy import ForwardStream, Proxies, Proxy, tunnel
from mcp_web.net.tls import wrap_tls

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]  # host and port → addresses
Connect = Callable[[str, int], Awaitable[ByteStream]]  # address and port → stream

MAX_ADDRESSES = 4  # of a host that are tried
WEB_PROTOCOLS = ("h2", "http/1.1")  # offered in the TLS handshake
# How long one address may stay silent before the next is tried beside it (RFC 8305 recommends 250 ms).
STAGGER = 0.25
# Lookups under way. A hanging one keeps its thread for 10 to 20 s (glibc: 5 s, two attempts per name server), and up to
# 64 pages are fetched at a time, each for 20 s at most: a name that can be resolved still finds a thread.
_LOOKUPS = 128


class BaseDialer(ABC):
    """Opens byte streams to hosts. Subclasses decide which hosts, and through which proxy."""

    def __init__(self, *, proxies: Proxies | None = None, ca_bundle: str | None = None) -> None:
        self._proxies = proxies or Proxies()
        self._ca_bundle = ca_bundle

    async def open(
        self, host: str, port: int, *, tls: bool = False, timeout: float = 10.0, forward: bool = False
    ) -> ByteStream:
        """Open a stream to the host, with `tls` an encrypted one. Raises FetchTimeout after `timeout` seconds,
        FetchFailed, SsrfBlocked. With `forward` (for plain HTTP) it may be a `ForwardStream`, which ends at a proxy."""
        try:
            with anyio.fail_after(timeout):
                stream = await self._open_plain(host, port, tls=tls, forward=forward)
                return await wrap_tls(stream, host, self._ca_bundle, WEB_PROTOCOLS) if tls else stream
        except TimeoutError as error:
            raise FetchTimeout(f"No connection to {host} within {timeout:.3g} seconds.", reason="connect") from error

    @abstractmethod
    async def _open_plain(self, host: str, port: int, *, tls: bool, forward: bool) -> ByteStream:
        """A stream without TLS, perhaps through a proxy; `tls`: TLS will be used on it, which may decide the proxy.
        `forward` as in `open`."""


class Dialer(BaseDialer):
    """Opens connections only to the public web and to what the operator exempted: every address is checked first, or
    the name alone if the operator lets a proxy resolve it."""

    def __init__(
        self,
        policy: AddressPolicy,
        *,
        resolve: Resolve | None = None,
        connect: Connect | None = None,
        proxies: Proxies | None = None,
        ca_bundle: str | None = None,
    ) -> None:
        super().__init__(proxies=proxies, ca_bundle=ca_bundle)
        self.policy = policy
        self._resolve = resolve or system_resolve
        self._connect = connect or connect_literal

    async def _open_plain(self, host: str, port: int, *, tls: bool, forward: bool) -> ByteStream:
        proxy = None if self.policy.is_exempt(host, port) else self._proxies.proxy_for(host, port, tls=tls)
        if proxy is not None and self._proxies.resolves:
            self.policy.check_host(host, port)
            return await _open_via_proxy(proxy, host, port, self._ca_bundle, forward=forward)
        addresses = await self.addresses(host, port)
        if proxy is not None:
            # The tunnel leads to the checked address: given a name, the proxy would look it up again.
            return await _open_via_proxy(proxy, addresses[0], port, self._ca_bundle)
        return await _first_to_answer(self._connect, host, addresses, port)

    async def addresses(self, host: str, port: int) -> tuple[str, ...]:
        """Look up the addresses of a host and check all; returns at most four, IPv6 and IPv4 in turn.

        Raises SsrfBlocked if any of them is not allowed, FetchFailed if there is none.
        """
        self.policy.check_host(host, port)
        literal = parse_address(host)
        answers = [str(literal)] if literal is not None else list(await self._resolve(host, port))
        if not answers:
            raise _unresolved(host)
        return _interleaved(self.policy.check_addresses(host, port, answers))[:MAX_ADDRESSES]


class OperatorDialer(BaseDialer):
    """Opens connections to configured endpoints, unchecked, private ones too: never for a URL that an agent chose."""

    async def _open_plain(self, host: str, port: int, *, tls: bool, forward: bool) -> ByteStream:
        proxy = None if is_private_host(host) else self._proxies.proxy_for(host, port, tls=tls)
        if proxy is None:
            return await open_direct(host, port)
        return await _open_via_proxy(proxy, host, port, self._ca_bundle, forward=forward)


async def _open_via_proxy(
    proxy: Proxy, target: str, port: int, ca_bundle: str | None, *, forward: bool = False
) -> ByteStream:
    """A tunnel through a proxy to `target`; with `forward`, a stream to the proxy itself unless it is a SOCKS proxy."""
    stream = await open_direct(proxy.host, proxy.port)
    if proxy.scheme == "https":
        stream = await wrap_tls(stream, proxy.host, ca_bundle)
    if forward and proxy.scheme != "socks5":
        return ForwardStream(stream, proxy)
    return await tunnel(stream, target, port, proxy)


async def open_direct(host: str, port: int) -> ByteStream:
    """A TCP connection to a configured host, without an address check; raises FetchFailed."""
    literal = parse_address(host)
    answers = [str(literal)] if literal is not None else await system_resolve(host, port)
    return await _first_to_answer(connect_literal, host, _interleaved(answers)[:MAX_ADDRESSES], port)


_lookups: RunVar[anyio.CapacityLimiter] = RunVar("lookups")


async def system_resolve(host: str, port: int) -> Sequence[str]:
    """The addresses of a host from the operating system's resolver; raises FetchFailed if there are none.

    In threads of its own: a slow name server must not delay other work.
    """
    limiter = _lookups.get(None) or anyio.CapacityLimiter(_LOOKUPS)
    _lookups.set(limiter)

    def look_up() -> list[str]:
        # Bytes keep Python's own IDNA codec out: the host is already ASCII.
        found = socket.getaddrinfo(host.encode("ascii"), port, type=socket.SOCK_STREAM)
        return list(dict.fromkeys(str(entry[4][0]) for entry in found))

    try:
        return await anyio.to_thread.run_sync(look_up, abandon_on_cancel=True, limiter=limiter)
    except (OSError, UnicodeError) as error:
        if isinstance(error, socket.gaierror) and error.errno == socket.EAI_AGAIN:
            raise FetchFailed(f"The name server did not answer for {host}.", reason="resolver") from error
        raise _unresolved(host) from error


async def connect_literal(address: str, port: int) -> ByteStream:
    """Connect to exactly this address; raises OSError, or SsrfBlocked if the peer has another address."""
    stream = await anyio.connect_tcp(address, port)
    peer = stream.extra(SocketAttribute.remote_address, None)
    if peer is None:  # the peer has already reset the connection
        await anyio.aclose_forcefully(stream)
        raise ConnectionResetError(errno.ECONNRESET, os.strerror(errno.ECONNRESET))
    if parse_address(str(peer[0])) != parse_address(address):
        await anyio.aclose_forcefully(stream)
        raise SsrfBlocked(f"The connection to {address} ended at {peer[0]}.")
    return stream


async def _first_to_answer(connect: Connect, host: str, addresses: Sequence[str], port: int) -> ByteStream:
    """Connect to the address that answers first: each is tried when the one before has failed, or after 0.25 seconds.

    If none answers, raises SsrfBlocked if one was blocked, else FetchFailed.
    """
    won: list[ByteStream] = []
    failures: list[Exception] = []

    async def attempt(address: str, ended: anyio.Event, scope: anyio.CancelScope) -> None:
        try:
            stream = await connect(address, port)
        except (OSError, SsrfBlocked) as error:
            failures.append(error)
        else:
            if won:
                await anyio.aclose_forcefully(stream)
            else:
                won.append(stream)
                scope.cancel()
        finally:
            ended.set()

    try:
        async with anyio.create_task_group() as group:
            for address in addresses:
                ended = anyio.Event()
                group.start_soon(attempt, address, ended, group.cancel_scope)
                with anyio.move_on_after(STAGGER):
                    await ended.wait()
    except BaseException:
        for stream in won:
            await anyio.aclose_forcefully(stream)
        raise
    if won:
        return won[0]
    raise _connect_error(host, port, failures)


def _connect_error(host: str, port: int, failures: Sequence[Exception]) -> Exception:
    """The error when no address could be connected to: the first SsrfBlocked, else a FetchFailed for the last one."""
    if blocked := [failure for failure in failures if isinstance(failure, SsrfBlocked)]:
        return blocked[0]
    cause = failures[-1] if failures else None
    number = getattr(cause, "errno", None) or getattr(getattr(cause, "__cause__", None), "errno", None)
    why = os.strerror(number).lower() if number else "no address answered"
    advice = "Try the same URL with http://; the site may not offer https." if port == 443 else None
    refused = FetchFailed(f"No connection to {host} on port {port}: {why}.", suggestion=advice, reason="connect")
    refused.__cause__ = cause
    return refused


def _interleaved(addresses: Sequence[str]) -> tuple[str, ...]:
    """The addresses in another order: IPv6 and IPv4 in turn, beginning with the kind of the first one."""
    first = [one for one in addresses if (":" in one) == (":" in addresses[0])]
    second = [one for one in addresses if one not in first]
    return tuple(one for pair in zip_longest(first, second) for one in pair if one is not None)


def _unresolved(host: str) -> FetchFailed:
    return FetchFailed(
        f"The host name {host} could not be resolved.",
        suggestion="Check the spelling of the host; search for the page when you are not sure of its address.",
        retryable=False,
        reason="dns",
    )
