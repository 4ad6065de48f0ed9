"""The host names and addresses under which this machine is reached."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Sequence

from mcp_web.net.own import outgoing_addresses

EVERYWHERE = frozenset({"", "0.0.0.0", "::"})  # noqa: S104 — compared, never listened on


def own_names() -> tuple[str, ...]:
    """The host names of this machine, with and without the local domain, and its addresses, as URLs write them."""
    name = socket.gethostname()
    found = [name, socket.getfqdn(), f"{name.partition('.')[0]}.local", *map(str, outgoing_addresses())]
    with contextlib.suppress(OSError):
        found += [str(entry[4][0]) for entry in socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)]
    return tuple(dict.fromkeys(_bracketed(one) for one in found if one and one != "localhost"))


def host_for_clients(host: str, names: Sequence[str]) -> str:
    """The host in clients' URLs: where the server listens or, if that is every address, the first of `names`."""
    if host in EVERYWHERE:
        return names[0] if names else "127.0.0.1"
    return _bracketed(host)


def _bracketed(host: str) -> str:
    """The host as URLs write it: an IPv6 address in brackets, without its zone."""
    return f"[{host.partition('%')[0]}]" if ":" in host else host
