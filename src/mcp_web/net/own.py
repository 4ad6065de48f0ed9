"""The public addresses of this machine: services that listen on them may trust connections from the same machine.

Found without sending a packet. Addresses on the loopback device are left out: those are routed, not owned
(load balancers put the addresses they serve there), and nothing but loopback answers on them.
"""

from __future__ import annotations

import socket
import struct
import sys
from collections.abc import Iterator
from contextlib import suppress
from ipaddress import ip_address

from mcp_web.net.address import Address, reason_not_public

# rtnetlink(7): the only list of all addresses that needs neither a library nor a program.
_NETLINK_ROUTE, _GET_ADDRESSES, _DUMP, _DONE, _ERROR = 0, 22, 0x301, 3, 2
_LOOPBACK_INDEX = 1
_IFA_ADDRESS, _IFA_LOCAL = 1, 2


def own_addresses() -> frozenset[Address]:
    """The public addresses of this machine (outside Linux only those that it sends from); empty behind NAT."""
    try:
        found = set(_from_netlink() if sys.platform == "linux" else outgoing_addresses())
    except OSError:
        found = set(outgoing_addresses())
    return frozenset(address for address in found if reason_not_public(address) is None)


def _from_netlink() -> Iterator[Address]:
    """The addresses of all interfaces, from the kernel."""
    if sys.platform != "linux":
        return
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _NETLINK_ROUTE) as netlink:
        netlink.settimeout(1.0)
        netlink.send(struct.pack("=IHHIIBBBBI", 24, _GET_ADDRESSES, _DUMP, 1, 0, 0, 0, 0, 0, 0))
        while True:
            reply = netlink.recv(1 << 17)
            while len(reply) >= 16:
                size, kind = struct.unpack_from("=IH", reply)
                if kind in (_DONE, _ERROR) or size < 16:
                    return
                yield from _address(reply[16:size])
                reply = reply[(size + 3) & ~3 :]


def _address(message: bytes) -> Iterator[Address]:
    """The addresses in one message (interface header, then attributes); none for the loopback interface."""
    index = struct.unpack_from("=I", message, 4)[0]
    at = 8
    while index != _LOOPBACK_INDEX and at + 4 <= len(message):
        size, kind = struct.unpack_from("=HH", message, at)
        if size < 4:
            return
        value = message[at + 4 : at + size]
        if kind in (_IFA_ADDRESS, _IFA_LOCAL) and len(value) in (4, 16):
            yield ip_address(value)
        at += (size + 3) & ~3


def outgoing_addresses() -> Iterator[Address]:
    """The addresses from which this machine would send to the internet, by IPv4 and by IPv6; nothing is sent."""
    for family, target in ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1")):
        with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((target, 9))
            yield ip_address(probe.getsockname()[0])
