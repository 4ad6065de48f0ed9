"""The public addresses of this very machine: open on the web, but what listens there may trust its own host."""

from __future__ import annotations

import ipaddress
import re
import socket
from pathlib import Path

from mcp_web.net.address import Address, parse_address, reason_closed

_FIB = Path("/proc/net/fib_trie")
_SIX = Path("/proc/net/if_inet6")


def own_addresses() -> frozenset[Address]:
    """Found without sending anything. Connections that end where they began are refused at the dial as well."""
    found = {*_from_linux_tables(), *_from_routes()}
    return frozenset(address for address in found if reason_closed(address) is None)


def _from_linux_tables() -> set[Address]:
    found: set[Address] = set()
    try:
        for line in re.findall(r"\|-- (\S+)\n\s+/32 host LOCAL", _FIB.read_text()):
            found.add(ipaddress.ip_address(line))
        for line in _SIX.read_text().splitlines():
            found.add(ipaddress.IPv6Address(int(line.split()[0], 16)))
    except (OSError, ValueError, IndexError):
        return found
    return found


def _from_routes() -> set[Address]:
    """Connecting a datagram socket sends nothing, but makes the system choose the address it would send from."""
    found: set[Address] = set()
    for family, far in ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1")):
        try:
            with socket.socket(family, socket.SOCK_DGRAM) as probe:
                probe.connect((far, 9))
                address = parse_address(str(probe.getsockname()[0]))
        except OSError:
            continue
        if address is not None:
            found.add(address)
    return found
