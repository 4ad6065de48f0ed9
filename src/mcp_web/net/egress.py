"""The browser's only network access: a proxy on loopback that applies the address guard to every connection.

    Chromium ──HTTP / CONNECT──► Egress ──Dialer.open──► the public web

A page gets a `Lease`: a user name and a password that are valid as long as the page is open, the sites it may load
from, and a budget of bytes. A connection without a valid lease is refused, so other programs on this machine and the
browser's own background services cannot use the proxy. The lease records what was refused, with the reason.
TLS is not decrypted: only the destination of a connection is checked.
"""

from __future__ import annotations

import asyncio
import base64
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Literal

import anyio
from anyio.abc import ByteStream, Listener, SocketAttribute, SocketStream

from mcp_web import trace
from mcp_web.errors import DomainDenied, FetchFailed, SsrfBlocked, WebError
from mcp_web.net.address import led_to_private_target, site_of
from mcp_web.net.dial import Dialer
from mcp_web.net.forward import CLOSED, ProxyRequest, Refused, copy_both_ways, read_request, relay
from mcp_web.text.urls import host_matches

Reason = Literal["private", "domain", "third party", "background", "budget", "unreachable"]

# Hosts that Chromium itself contacts, whatever the flags (seen with 156). Allowed only for a page of such a host.
BACKGROUND = (
    "update.googleapis.com",
    "clients1.google.com",
    "clients2.google.com",
    "clients2.googleusercontent.com",
    "clients4.google.com",
    "clientservices.googleapis.com",
    "accounts.google.com",
    "safebrowsing.googleapis.com",
    "safebrowsingohttpgateway.googleapis.com",
    "optimizationguide-pa.googleapis.com",
    "content-autofill.googleapis.com",
    "edgedl.me.gvt1.com",
    "redirector.gvt1.com",
    "android.clients.google.com",
    "mtalk.google.com",
)
# A URL that only this proxy serves: a tab requests it once, to authenticate with its lease.
AUTH_URL = "http://lease.mcp-web.invalid/"
_AUTH_HOST = "lease.mcp-web.invalid"
_CONNECT_SECONDS = 10.0
_HEAD_SECONDS = 30.0  # for the browser to send a request
_MAX_CONNECTIONS = 256  # of the browser at the same time
_MAX_DENIALS = 1000  # that a lease records


@dataclass(frozen=True, slots=True)
class Denial:
    """A host and port that a page could not load from, and why."""

    host: str
    port: int
    reason: Reason
    error: WebError | None = None  # what a check or the connection raised; None if a rule of the lease refused it


@dataclass(slots=True)
class Lease:
    """What one page may load through the proxy: its credentials, hosts and budget of bytes, and what was refused."""

    name: str
    password: str
    budget: int  # bytes
    sites: set[str]  # it may load from every host of them
    hosts: set[str]  # the hosts of the page itself and of its redirects
    received: int = 0
    ports: dict[str, int] = field(default_factory=dict)  # hosts with a login: the one port that may receive it
    public: bool = False  # the page, or one it went through, came from the public web
    denials: dict[tuple[str, int], Denial] = field(default_factory=dict)
    _refused: set[str] = field(default_factory=set)
    _open: set[anyio.CancelScope] = field(default_factory=set)
    _closed: bool = False

    def admit(self, host: str) -> None:
        """Let the page load from one more host and all hosts of its site: its own host, or one it was redirected to.

        Earlier denials of that host are deleted.
        """
        self.hosts.add(host)
        self.sites.add(site_of(host))
        self._refused.clear()
        self.denials = {place: denial for place, denial in self.denials.items() if denial.host != host}

    def refused(self, url: str) -> bool:
        """Whether a request for this http URL was refused. False for https, where the proxy sees only host and port."""
        return url.partition("#")[0] in self._refused

    def deny(self, denial: Denial, target: str) -> None:
        """Record a refused request (the first thousand); `target` is its URL, or host:port for a CONNECT."""
        if len(self.denials) < _MAX_DENIALS:
            self.denials[denial.host, denial.port] = denial
            self._refused.add(target)

    def count_received(self, size: int) -> None:
        """Add `size` to the bytes that the page received; beyond its budget, the lease is closed."""
        self.received += size
        if self.received > self.budget:
            self.close()

    def close(self) -> None:
        """End every connection of the page, and from now on each new one at once."""
        self._closed = True
        for scope in list(self._open):
            scope.cancel()

    @contextmanager
    def connection(self) -> Iterator[None]:
        """Context manager around one connection of the page: the block is cancelled when the lease is closed."""
        with anyio.CancelScope() as scope:
            if self._closed:
                scope.cancel()
            self._open.add(scope)
            try:
                yield
            finally:
                self._open.discard(scope)


class Egress:
    """The browser's HTTP proxy, which checks every connection. `start` binds a free port of 127.0.0.1; `grant` gives a
    page a lease (credentials and limits), `withdraw` ends it."""

    def __init__(
        self,
        dialer: Dialer,
        *,
        third_parties: Sequence[str] = (),
        max_bytes: int = 50_000_000,
        check_domain: Callable[[str], None] | None = None,
    ) -> None:
        """`third_parties`: domains that every page may load from, `*` for all. `max_bytes`: the budget of a page.

        `check_domain` raises DomainDenied for a host that the operator does not allow.
        """
        self._dialer = dialer
        self._third_parties = tuple(third_parties)
        self._max_bytes = max_bytes
        self._check_domain = check_domain
        self._leases: dict[str, Lease] = {}
        self._connections = anyio.Semaphore(_MAX_CONNECTIONS)
        self._server: asyncio.Task[None] | None = None
        self.port = 0

    async def start(self) -> None:
        """Listen on a free port of 127.0.0.1, which is then `port`."""
        listener = await anyio.create_tcp_listener(local_host="127.0.0.1", local_port=0)
        self.port = int(listener.extra(SocketAttribute.local_port))
        # A task of its own: the proxy starts with the first page and outlives the call that opened it.
        self._server = asyncio.create_task(self._listen(listener), name="egress")

    async def _listen(self, listener: Listener[SocketStream]) -> None:
        """Serve connections until cancelled, then close the listening socket."""
        async with listener:
            await listener.serve(self._handle)

    async def aclose(self) -> None:
        for lease in list(self._leases.values()):
            lease.close()
        if self._server is not None:
            self._server.cancel()
            with suppress(asyncio.CancelledError):
                await self._server
            self._server = None

    def grant(self) -> Lease:
        """A new lease with its own credentials; until a host is admitted, it allows only hosts of `third_parties`."""
        lease = Lease(secrets.token_hex(8), secrets.token_urlsafe(24), self._max_bytes, set(), set())
        self._leases[lease.name] = lease
        return lease

    def withdraw(self, lease: Lease) -> None:
        """End a lease with all its connections; its credentials are refused from now on."""
        lease.close()
        self._leases.pop(lease.name, None)

    async def _handle(self, client: SocketStream) -> None:
        """Serve one connection of the browser; errors are logged, never raised."""
        try:
            with suppress(*CLOSED):  # the browser closed the connection
                async with client, self._connections:
                    await self._serve(client)
        except Exception as error:  # noqa: BLE001 - one bad connection must not end the proxy for all pages
            trace.log("error", "egress", error=f"{type(error).__name__}: {error}")

    async def _serve(self, client: SocketStream) -> None:
        """Ask for credentials until a request has those of a lease; then connect it to its host, or respond why not."""
        while True:
            with anyio.move_on_after(_HEAD_SECONDS):
                request = await read_request(client)
                if request is None:
                    return
                lease = self._lease_of(request.authorization)
                if lease is not None:
                    break
                await request.challenge()
                if request.reusable():
                    continue
            return
        if request.host == _AUTH_HOST:
            await request.accept()
            return
        with lease.connection():
            try:
                upstream = await self._open(lease, request)
            except Refused as refusal:
                await request.refuse(refusal.status, str(refusal))
                return
            async with upstream:
                if request.method == "CONNECT":
                    await copy_both_ways(request, client, upstream, lease.count_received)
                else:
                    await relay(request, client, upstream, lease.count_received)

    def _lease_of(self, authorization: str) -> Lease | None:
        """The lease whose credentials a Proxy-Authorization header has; None if they are wrong."""
        scheme, _, encoded = authorization.partition(" ")
        if scheme.lower() != "basic":
            return None
        try:
            name, _, password = base64.b64decode(encoded, validate=True).decode().partition(":")
        except ValueError:  # not base64, or not UTF-8
            return None
        lease = self._leases.get(name)
        if lease is None or not secrets.compare_digest(lease.password.encode(), password.encode()):
            return None
        return lease

    async def _open(self, lease: Lease, request: ProxyRequest) -> ByteStream:
        """Connect to the host of a request; records a denial and raises Refused if the page may not or it fails."""
        host, port = request.host, request.port
        try:
            reason = self._reason_to_refuse(lease, host)
            if reason is not None:
                raise self._refuse(lease, request, Denial(host, port, reason))
            if self._check_domain is not None:
                self._check_domain(host)
            self._check_exemption(lease, host, port)
            allowed = lease.ports.get(host, port)
            if port != allowed:  # a browser sends cookies to every port of a host
                message = f"The login for {host} is for port {allowed}, so port {port} is not opened."
                raise FetchFailed(message, retryable=False)
            plain = request.method != "CONNECT"
            stream = await self._dialer.open(host, port, timeout=_CONNECT_SECONDS, forward=plain)
        except SsrfBlocked as error:
            raise self._refuse(lease, request, Denial(host, port, "private", error)) from error
        except DomainDenied as error:
            raise self._refuse(lease, request, Denial(host, port, "domain", error)) from error
        except WebError as error:
            raise self._refuse(lease, request, Denial(host, port, "unreachable", error), status=502) from error
        trace.metrics.count("egress_total", outcome="ok")
        return stream

    def _check_exemption(self, lease: Lease, host: str, port: int) -> None:
        """Raise SsrfBlocked if the operator exempted this private host, but the page, or one that redirected to it, is
        on the public web; `lease.public` records the latter."""
        exempt = self._dialer.policy.is_exempt(host, port)
        lease.public = lease.public or (host in lease.hosts and not exempt)
        if exempt and lease.public:
            raise led_to_private_target(host)

    def _reason_to_refuse(self, lease: Lease, host: str) -> Reason | None:
        """Why the page may not load from a host, by the rules of its lease; None if it may."""
        if lease.received > lease.budget:
            return "budget"
        if host in lease.hosts:
            return None
        if any(host_matches(host, pattern) for pattern in BACKGROUND):
            return "background"
        known = site_of(host) in lease.sites or any(host_matches(host, pattern) for pattern in self._third_parties)
        return None if known else "third party"

    def _refuse(self, lease: Lease, request: ProxyRequest, denial: Denial, status: int = 403) -> Refused:
        """Record a denial in the lease, the metrics and the log; returns the error to raise, with its HTTP status."""
        lease.deny(denial, request.target)
        trace.metrics.count("egress_total", outcome=denial.reason)
        trace.log("debug", "egress", host=denial.host, port=denial.port, outcome=denial.reason)
        return Refused(status, denial.reason)
