"""The address policy: pure, and the same for every spelling."""

from __future__ import annotations

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_web.errors import ConfigError, SsrfBlocked
from mcp_web.net.address import AddressPolicy, is_metadata, parse_exemptions, reason_not_public
from mcp_web.net.own import own_addresses


def closed(address: str) -> bool:
    return reason_not_public(ipaddress.ip_address(address)) is not None


@given(st.ip_addresses(v=4))
def test_an_address_wrapped_in_ipv6_is_never_more_open_than_itself(address: ipaddress.IPv4Address) -> None:
    number = int(address)
    for wrapped in (
        f"::ffff:{address}",
        f"::{address}",
        f"::ffff:0:{address}",
        f"64:ff9b::{address}",
        f"64:ff9b:1::{address}",
        f"2002:{number >> 16:x}:{number & 0xFFFF:x}::1",
        str(ipaddress.IPv6Address((0x20010000 << 96) | (number ^ 0xFFFFFFFF))),
        f"2a00:1450::5efe:{address}",
        f"2a00:1450::200:5efe:{address}",
    ):
        if closed(str(address)):
            assert closed(wrapped), wrapped


@given(st.ip_addresses(v=6))
def test_only_the_allocated_ipv6_space_is_open(address: ipaddress.IPv6Address) -> None:
    inside = address in ipaddress.ip_network("2000::/3") or address in ipaddress.ip_network("64:ff9b::/96")
    assert inside or reason_not_public(address)


@given(st.ip_addresses())
def test_the_policy_is_never_more_open_than_the_standard_library(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> None:
    if address in ipaddress.ip_network("64:ff9b::/96"):
        return  # reserved there, and for IPv6-only hosts the way to the IPv4 web
    if address.is_private or address.is_loopback or address.is_multicast or address.is_reserved:
        assert reason_not_public(address)


@pytest.mark.parametrize(
    "address",
    [
        *[
            "169.254.169.254",
            "::ffff:169.254.169.254",
            "64:ff9b::a9fe:a9fe",
            "2002:a9fe:a9fe::",
            "64:ff9b:1:a9fe:a9:fe00::",
        ],
        *["168.63.129.16", "fd00:ec2::254", "100.100.100.200", "192.0.0.192", "2001:0:a9fe:a9fe::1", "::a9fe:a9fe"],
    ],
)
def test_metadata_is_recognised_in_every_wrapping(address: str) -> None:
    assert is_metadata(ipaddress.ip_address(address))


@pytest.mark.parametrize("address", ["2a00:1450::a9fe:a9fe", "1.1.1.1", "2606:4700::1"])
def test_an_ordinary_address_is_not_taken_for_metadata(address: str) -> None:
    assert not is_metadata(ipaddress.ip_address(address))


@pytest.mark.parametrize("port", [1, 21, 22, 25, 53, 110, 445, 2375, 3306, 5432, 6379, 9200, 11211, 27017, 65535])
def test_a_port_of_another_service_is_refused(port: int) -> None:
    with pytest.raises(SsrfBlocked, match=f"Port {port}"):
        AddressPolicy().check_host("www.example.org", port)


@pytest.mark.parametrize(
    "name", ["localhost", "printer.local", "x.internal", "intranet", "a.localhost", "db.svc.cluster.local"]
)
def test_an_internal_name_is_refused_before_it_is_looked_up(name: str) -> None:
    with pytest.raises(SsrfBlocked, match="internal name"):
        AddressPolicy().check_host(name, 80)


@pytest.mark.parametrize("name", ["127.1", "0x7f.0.0.1", "10.0x1", "0177.0.0.1", "1.2.3.4.5", "example.123", "127.1."])
def test_a_name_that_ends_in_a_number_is_no_name(name: str) -> None:
    with pytest.raises(SsrfBlocked):
        AddressPolicy().check_host(name, 80)


def test_a_public_name_and_port_pass() -> None:
    policy = AddressPolicy()
    policy.check_host("localhost.example.org", 443)
    assert policy.check_addresses("example.org", 443, ["93.184.215.14", "2606:4700::1"]) == (
        "93.184.215.14",
        "2606:4700::1",
    )


def test_our_own_public_address_is_refused() -> None:
    policy = AddressPolicy(own=frozenset({ipaddress.ip_address("93.184.215.14")}))
    with pytest.raises(SsrfBlocked, match="own address"):
        policy.check_addresses("me.example", 80, ["93.184.215.14"])
    exempted = AddressPolicy(parse_exemptions(["me.example"]), own=policy.own)
    assert exempted.check_addresses("me.example", 8443, ["93.184.215.14"])


def test_own_addresses_are_public_ones_only() -> None:
    assert all(reason_not_public(address) is None for address in own_addresses())


@pytest.mark.parametrize(
    ("entry", "host", "port", "address", "passes"),
    [
        ("wiki.corp", "wiki.corp", 8443, "10.0.0.1", True),
        ("wiki.corp", "wiki.corp", 12345, "10.0.0.1", True),
        ("wiki.corp:8080", "wiki.corp", 8080, "10.0.0.1", True),
        ("wiki.corp:8080", "wiki.corp", 8081, "10.0.0.1", False),
        ("wiki.corp", "a.wiki.corp", 80, "10.0.0.1", False),
        ("*.wiki.corp", "a.wiki.corp", 80, "10.0.0.1", True),
        ("10.1.0.0/16", "10.1.2.3", 9999, "10.1.2.3", True),
        ("10.1.0.0/16", "10.2.2.3", 80, "10.2.2.3", False),
        ("10.1.0.0/16", "db.example", 80, "10.1.2.3", False),
        ("10.1.0.0/16", "db.internal", 9999, "10.1.2.3", False),
        ("127.0.0.1", "127.0.0.1", 5555, "127.0.0.1", True),
        ("127.0.0.1:80", "x.example", 80, "127.0.0.1", False),
        ("[::1]:8080", "::1", 8080, "::1", True),
        ("fd12::/16", "fd12::5", 443, "fd12::5", True),
        ("10.1.0.0/16", "x.example", 22, "93.184.215.14", False),
        ("127.0.0.1", "x.example", 80, "::ffff:127.0.0.1", False),
    ],
)
def test_an_exemption_opens_what_it_names_and_no_more(
    entry: str, host: str, port: int, address: str, passes: bool
) -> None:
    policy = AddressPolicy(parse_exemptions([entry]))

    def judge() -> None:
        policy.check_host(host, port)
        policy.check_addresses(host, port, [address])

    if passes:
        judge()
    else:
        with pytest.raises(SsrfBlocked):
            judge()


@pytest.mark.parametrize(
    "entry", ["http://wiki.corp", "wiki.corp:99999", "wiki.corp:http", "wiki.corp:²", "10.0.0.0/99", "*", "a b"]
)
def test_a_wrong_exemption_names_the_variable(entry: str) -> None:
    with pytest.raises(ConfigError, match="MCP_WEB_ALLOW_PRIVATE"):
        parse_exemptions([entry])
