"""The operator's forward proxies: HTTP, HTTPS and SOCKS5. Used only when a setting says so."""

from __future__ import annotations

import base64
import ipaddress
import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import quote, unquote, urlsplit

import anyio
from anyio.abc import ByteStream
from anyio.streams.buffered import BufferedByteReceiveStream
from anyio.streams.stapled import StapledByteStream

from mcp_web.errors import ConfigError, FetchFailed
from mcp_web.net.address import parse_address

ENVIRONMENT = "environment"  # the value of MCP_WEB_PROXY that takes HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY
_DEFAULT_PORTS = {"http": 8080, "https": 443, "socks5": 1080}
_MAX_REPLY = 16 * 1024
_SOCKS_REFUSALS = {
    1: "general failure",
    2: "not allowed by its rules",
    3: "network unreachable",
    4: "host unreachable",
    5: "connection refused",
    6: "time to live expired",
    7: "command not supported",
    8: "address type not supported",
}


@dataclass(frozen=True, slots=True)
class Proxy:
    """One proxy server."""

    scheme: Literal["http", "https", "socks5"]
    host: str
    port: int
    username: str | None = field(default=None, repr=False)
    password: str = field(default="", repr=False)

    @property
    def authorization(self) -> str | None:
        """The value of the Proxy-Authorization header; None if the proxy has no login."""
        if self.username is None:
            return None
        return "Basic " + base64.b64encode(f"{self.username}:{self.password}".encode()).decode("ascii")

    @property
    def url(self) -> str:
        """The URL of the proxy with its login, for libraries that have an HTTP client of their own."""
        login = "" if self.username is None else f"{quote(self.username, safe='')}:{quote(self.password, safe='')}@"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{login}{host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Proxies:
    """The proxies for http and https, and the hosts that use none. With `resolves`, the proxy looks up host names."""

    http: Proxy | None = None
    https: Proxy | None = None
    exceptions: tuple[str, ...] = ()  # as in NO_PROXY
    resolves: bool = False

    def proxy_for(self, host: str, port: int, *, tls: bool = False) -> Proxy | None:
        """The proxy for a target (that for https with `tls` or port 443 or 8443); None for a direct connection."""
        if any(_matches(host, port, entry) for entry in self.exceptions):
            return None
        return self.https if tls or port in (443, 8443) else self.http


def _matches(host: str, port: int, entry: str) -> bool:
    """Whether an entry of NO_PROXY covers a target: `*`, a network, or a domain or address with or without a port."""
    if entry == "*":
        return True
    address = parse_address(host)
    if address is not None and "/" in entry:
        network = ipaddress.ip_network(entry, strict=False)
        return address.version == network.version and address in network
    name, _, entry_port = entry.rpartition(":") if re.search(r"(?:^[^:]+|\]):\d+$", entry) else (entry, "", "")
    if entry_port and int(entry_port) != port:
        return False
    if address is not None:
        return address == parse_address(name)
    name = name.removeprefix("*").strip(".").lower()
    return host == name or host.endswith("." + name)


def parse_proxies(text: str, environment: Mapping[str, str] | None = None, *, resolves: bool = False) -> Proxies:
    """Read `text` of MCP_WEB_PROXY: empty, `environment`, or the URL of an http, https or socks5 proxy.

    `environment` holds HTTP_PROXY and the like, by names in upper case (None: no such variables). `resolves`: the proxy
    resolves host names. Raises ConfigError for an invalid value.
    """
    text = text.strip()
    if text.lower() != ENVIRONMENT:
        proxy = parse_proxy(text, "MCP_WEB_PROXY")
        return Proxies(proxy, proxy, resolves=resolves)
    given = environment or {}
    every = parse_proxy(given.get("ALL_PROXY", ""), "ALL_PROXY")
    return Proxies(
        parse_proxy(given.get("HTTP_PROXY", ""), "HTTP_PROXY") or every,
        parse_proxy(given.get("HTTPS_PROXY", ""), "HTTPS_PROXY") or every,
        _parse_exceptions(given.get("NO_PROXY", "")),
        resolves,
    )


def _parse_exceptions(text: str) -> tuple[str, ...]:
    """Read NO_PROXY: entries separated by commas; raises ConfigError for an invalid network."""
    entries = tuple(entry.strip() for entry in text.split(",") if entry.strip())
    for entry in entries:
        if "/" in entry:
            try:
                ipaddress.ip_network(entry, strict=False)
            except ValueError as error:
                raise ConfigError(f"NO_PROXY contains {entry!r}, which is not a network.") from error
    return entries


def parse_proxy(text: str, variable: str) -> Proxy | None:
    """Read one proxy URL; None when it is empty. Raises ConfigError, which names `variable`, when it is invalid.

    Without a scheme it is http, as other programs read it; MCP_WEB_PROXY must have one.
    """
    text = text.strip()
    if not text:
        return None
    if "://" not in text and variable != "MCP_WEB_PROXY":
        text = f"http://{text}"
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise _bad_proxy(variable) from error
    scheme = {"http": "http", "https": "https", "socks5": "socks5", "socks5h": "socks5"}.get(parts.scheme)
    if scheme is None or not host:
        raise _bad_proxy(variable)
    username = None if parts.username is None else unquote(parts.username)
    return Proxy(scheme, host, port or _DEFAULT_PORTS[scheme], username, unquote(parts.password or ""))  # type: ignore[arg-type]  # one of the three literals


def _bad_proxy(variable: str) -> ConfigError:
    # The value may hold a password, so it is not repeated.
    return ConfigError(
        f"{variable} is not a proxy URL.",
        suggestion="Write http://host:port, https://host:port or socks5://host:port; MCP_WEB_PROXY=environment takes "
        "HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY.",
    )


class ForwardStream(StapledByteStream):
    """A stream to an HTTP proxy itself: requests on it must have the whole URL and the login of the proxy."""

    def __init__(self, stream: ByteStream, proxy: Proxy) -> None:
        super().__init__(stream, stream)
        self.proxy = proxy


async def tunnel(stream: ByteStream, host: str, port: int, proxy: Proxy) -> ByteStream:
    """Ask a proxy for a tunnel to host:port; returns `stream`, the open stream to the proxy, which is then the tunnel.

    Raises FetchFailed if the proxy refuses; the stream is then closed.
    """
    try:
        if proxy.scheme == "socks5":
            await _socks(stream, host, port, proxy)
        else:
            await _connect(stream, host, port, proxy)
    except BaseException as error:
        await anyio.aclose_forcefully(stream)
        if isinstance(error, anyio.EndOfStream | anyio.IncompleteRead | anyio.BrokenResourceError):
            raise FetchFailed("The configured proxy closed the connection.", reason="proxy") from error
        raise
    return stream


async def _connect(stream: ByteStream, host: str, port: int, proxy: Proxy) -> None:
    """Ask an HTTP proxy for a tunnel, with CONNECT; raises FetchFailed if it refuses."""
    target = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    lines = [f"CONNECT {target} HTTP/1.1", f"Host: {target}"]
    if proxy.authorization:
        lines.append(f"Proxy-Authorization: {proxy.authorization}")
    await stream.send("\r\n".join([*lines, "", ""]).encode("ascii"))
    status = await _reply_status(stream)
    if not 200 <= status < 300:
        raise FetchFailed(f"The configured proxy refused a tunnel to {target} with status {status}.", reason="proxy")


async def _reply_status(stream: ByteStream) -> int:
    """The HTTP status of the proxy's reply, read byte by byte: what follows the blank line belongs to the tunnel."""
    reply = bytearray()
    while not reply.endswith(b"\r\n\r\n"):
        reply += await stream.receive(1)
        if len(reply) > _MAX_REPLY:
            raise FetchFailed("The configured proxy sent a response that is too long.", reason="proxy")
    found = re.match(rb"HTTP/1\.[01] (\d{3})", reply)
    if not found:
        raise FetchFailed("The configured proxy did not answer in HTTP.", reason="proxy")
    return int(found[1])


async def _socks(stream: ByteStream, host: str, port: int, proxy: Proxy) -> None:
    """Ask a SOCKS5 proxy for a tunnel (RFC 1928, with the login of RFC 1929).

    The proxy sends nothing but replies before the tunnel is used, so a buffered reader loses no bytes of the tunnel.
    """
    reader = BufferedByteReceiveStream(stream)
    method = 0 if proxy.username is None else 2
    await stream.send(bytes((5, 1, method)))
    if await reader.receive_exactly(2) != bytes((5, method)):
        raise FetchFailed("The configured SOCKS proxy does not accept this kind of login.", reason="proxy")
    if proxy.username is not None:
        name, password = proxy.username.encode()[:255], proxy.password.encode()[:255]
        await stream.send(bytes((1, len(name))) + name + bytes((len(password),)) + password)
        if (await reader.receive_exactly(2))[1] != 0:
            raise FetchFailed("The configured SOCKS proxy refused the login.", reason="proxy")
    await stream.send(b"\x05\x01\x00" + _socks_address(host) + struct.pack(">H", port))
    _, refusal, _, kind = await reader.receive_exactly(4)
    if refusal:
        why = _SOCKS_REFUSALS.get(refusal, f"code {refusal}")
        raise FetchFailed(f"The configured SOCKS proxy refused a connection to {host}:{port}: {why}.", reason="proxy")
    size = {1: 4, 4: 16}.get(kind) or (await reader.receive_exactly(1))[0]
    await reader.receive_exactly(size + 2)


def _socks_address(host: str) -> bytes:
    """A host as SOCKS5 encodes it: its type, then an address or a name."""
    address = parse_address(host)
    if address is not None:
        return (b"\x01" if address.version == 4 else b"\x04") + address.packed
    name = host.encode("ascii")
    return b"\x03" + bytes((len(name),)) + name
