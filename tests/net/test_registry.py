"""The IANA registries at their edges: every block is closed from its first to its last address, its neighbours are not.

`ipaddress.is_global` is no judge here: it changes with the patch level (3fff::/20 is "global" to many of them).
"""

from __future__ import annotations

import ipaddress
from ipaddress import IPv4Address, IPv6Address

import pytest

from mcp_web.net.address import is_metadata, reason_not_public

V4 = (
    *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"),
    *("192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16"),
    *("192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4"),
    "168.63.129.16/32",  # not in the registry: Azure's own
)
V6 = (
    *("::/128", "::1/128", "::ffff:0:0/96", "64:ff9b:1::/48", "100::/64", "100:0:0:1::/64", "2001::/23", "2001::/32"),
    *("2001:1::1/128", "2001:1::2/128", "2001:1::3/128", "2001:2::/48", "2001:3::/32", "2001:4:112::/48"),
    *("2001:10::/28", "2001:20::/28", "2001:30::/28", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20"),
    *("5f00::/16", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8", "4000::/2", "8000::/1"),
)
BLOCKS = [ipaddress.ip_network(block) for block in (*V4, *V6)]
PUBLIC = [
    *("1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0"),
    *("169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "191.255.255.255", "192.0.1.0", "192.0.3.0"),
    *("192.31.195.255", "192.31.197.0", "192.52.192.255", "192.52.194.0", "192.88.98.255", "192.88.100.0"),
    *("192.167.255.255", "192.169.0.0", "192.175.47.255", "192.175.49.0", "198.17.255.255", "198.20.0.0"),
    *("198.51.99.255", "198.51.101.0", "203.0.112.255", "203.0.114.0", "223.255.255.255"),
    *("168.63.129.15", "168.63.129.17", "2000::", "2001:200::", "2001:db7:ffff:ffff:ffff:ffff:ffff:ffff"),
    *("2001:db9::", "2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2003::", "2620:4f:7fff:ffff:ffff:ffff:ffff:ffff"),
    *("2620:4f:8001::", "3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "3fff:1000::"),
    *("3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "64:ff9b::808:808", "2a02:26f0::5efe:808:808"),
]
PRIVATE = (
    *("10.20.30.40", "172.31.255.254", "192.168.1.254", "127.9.9.9", "169.254.170.2", "100.127.0.1", "0.0.0.0"),
    *("168.63.129.16", "100.100.100.200", "192.0.0.192", "255.255.255.255", "224.0.0.251"),
)
METADATA = (
    *("169.254.169.254", "169.254.170.2", "169.254.170.23", "169.254.0.23", "168.63.129.16", "100.100.100.200"),
    *("192.0.0.192", "fd00:ec2::254", "fd00:ec2::23", "fd20:ce::254", "fd00:42::42", "fd00:c1::a9fe:a9fe"),
)


@pytest.mark.parametrize("block", BLOCKS, ids=str)
def test_a_block_is_closed_from_its_first_to_its_last_address(
    block: ipaddress.IPv4Network | ipaddress.IPv6Network,
) -> None:
    for address in (block[0], block[block.num_addresses // 2], block[-1]):
        assert reason_not_public(address), address


@pytest.mark.parametrize("address", PUBLIC)
def test_what_lies_beside_a_block_is_open(address: str) -> None:
    assert reason_not_public(ipaddress.ip_address(address)) is None


def wrapped(inner: str) -> dict[str, str]:
    """Every way an IPv6 address can carry an IPv4 address."""
    number = int(IPv4Address(inner))
    high, low, octets = number >> 16, number & 0xFFFF, IPv4Address(inner).packed
    teredo = str(IPv6Address((0x20010000 << 96) | (number ^ 0xFFFFFFFF)))
    split = f"64:ff9b:1:{octets[0]:02x}{octets[1]:02x}:00{octets[2]:02x}:{octets[3]:02x}00::"
    return {
        "mapped": f"::ffff:{inner}",
        "compatible": f"::{high:x}:{low:x}",
        "translated": f"::ffff:0:{inner}",
        "NAT64": f"64:ff9b::{high:x}:{low:x}",
        "local NAT64": f"64:ff9b:1::{high:x}:{low:x}",
        "local NAT64, split": split,
        "6to4": f"2002:{high:x}:{low:x}::1",
        "Teredo server": f"2001:0:{high:x}:{low:x}::1",
        "Teredo client": teredo,
        "ISATAP": f"2a02:26f0::5efe:{high:x}:{low:x}",
        "ISATAP, global": f"2a02:26f0::200:5efe:{high:x}:{low:x}",
        "ISATAP, link": f"fe80::5efe:{high:x}:{low:x}",
    }


@pytest.mark.parametrize("inner", PRIVATE)
def test_no_wrapping_opens_a_closed_address(inner: str) -> None:
    still_open = [form for form, address in wrapped(inner).items() if not reason_not_public(IPv6Address(address))]
    assert still_open == []


@pytest.mark.parametrize("address", METADATA)
def test_metadata_is_known_bare_and_wrapped(address: str) -> None:
    assert is_metadata(ipaddress.ip_address(address))
    if ":" not in address:
        hidden = [form for form, it in wrapped(address).items() if not is_metadata(IPv6Address(it))]
        assert hidden == []
