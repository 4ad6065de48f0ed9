"""The operator's forward proxy. Only a setting names it; the environment's *_PROXY variables are never read."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

import anyio
from anyio.abc import ByteStream

from mcp_web.errors import ConfigError, FetchFailed
from mcp_web.net.address import parse_address, reason_closed

_MAX_ANSWER = 16 * 1024


@dataclass(frozen=True, slots=True)
class Proxy:
    host: str
    port: int
    tls: bool = False
    authorization: str | None = field(default=None, repr=False)
    resolves: bool = False  # names are looked up by the proxy, whose own rules then decide where they may lead

    def serves(self, host: str) -> bool:
        """Whether a configured endpoint is reached through the proxy: what is on this network is not."""
        literal = parse_address(host)
        if literal is not None:
            return reason_closed(literal) is None
        return "." in host and not host.endswith((".localhost", ".local", ".internal"))


def parse_proxy(text: str | None, *, resolves: bool = False) -> Proxy | None:
    """Read MCP_WEB_PROXY: `http://[user:password@]host:port`, or https."""
    if not text or not text.strip():
        return None
    try:
        parts = urlsplit(text.strip())
        port = parts.port
    except ValueError as error:
        raise _bad_proxy() from error
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise _bad_proxy()
    authorization = None
    if parts.username is not None:
        pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()
        authorization = "Basic " + base64.b64encode(pair).decode("ascii")
    tls = parts.scheme == "https"
    return Proxy(parts.hostname, port or (443 if tls else 8080), tls, authorization, resolves)


def _bad_proxy() -> ConfigError:
    # The value may hold a password, so it is not repeated.
    return ConfigError("MCP_WEB_PROXY is not a proxy URL.", suggestion="Write http://host:port or https://host:port.")


async def tunnel(stream: ByteStream, host: str, port: int, proxy: Proxy) -> ByteStream:
    """Ask the proxy for a tunnel to host:port over an open stream to it."""
    target = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    lines = [f"CONNECT {target} HTTP/1.1", f"Host: {target}"]
    if proxy.authorization:
        lines.append(f"Proxy-Authorization: {proxy.authorization}")
    try:
        await stream.send("\r\n".join([*lines, "", ""]).encode("ascii"))
        status = await _answer_status(stream)
    except BaseException:
        await anyio.aclose_forcefully(stream)
        raise
    if not 200 <= status < 300:
        await anyio.aclose_forcefully(stream)
        raise FetchFailed(f"The configured proxy refused a tunnel to {target} with status {status}.", reason="proxy")
    return stream


async def _answer_status(stream: ByteStream) -> int:
    # One byte at a time: what follows the blank line belongs to the tunnel.
    answer = bytearray()
    while not answer.endswith(b"\r\n\r\n"):
        answer += await stream.receive(1)
        if len(answer) > _MAX_ANSWER:
            raise FetchFailed("The configured proxy sent an answer without an end.", reason="proxy")
    found = re.match(rb"HTTP/1\.[01] (\d{3})", answer)
    if not found:
        raise FetchFailed("The configured proxy did not answer in HTTP.", reason="proxy")
    return int(found[1])
