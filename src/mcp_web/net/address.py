"""Which addresses may be dialled. Pure: no socket, no lookup.

The tables are derived from the IANA registries. `ipaddress.is_global` is not used: its
result depends on the patch level, and it reports NAT64 addresses of private hosts as global.
For IPv4 there is a list of what is denied, for IPv6 a list of what is allowed (2000::/3 and little else).
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import TYPE_CHECKING

from mcp_web.errors import ConfigError, SsrfBlocked
from mcp_web.text.urls import domain_pattern, host_matches

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList


Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

_CLOSED = tuple(
    (ipaddress.ip_network(net), name)
    for net, name in (
        ("0.0.0.0/8", "this network"),
        ("10.0.0.0/8", "private"),
        ("100.64.0.0/10", "carrier-grade NAT"),
        ("127.0.0.0/8", "loopback"),
        ("168.63.129.16/32", "cloud metadata"),  # Azure WireServer, in a public range
        ("169.254.0.0/16", "link-local"),
        ("172.16.0.0/12", "private"),
        ("192.0.0.0/24", "IETF protocol assignments"),
        ("192.0.2.0/24", "documentation"),
        ("192.31.196.0/24", "AS112"),
        ("192.52.193.0/24", "AMT"),
        ("192.88.99.0/24", "6to4 relay"),
        ("192.168.0.0/16", "private"),
        ("192.175.48.0/24", "AS112"),
        ("198.18.0.0/15", "benchmarking"),
        ("198.51.100.0/24", "documentation"),
        ("203.0.113.0/24", "documentation"),
        ("224.0.0.0/4", "multicast"),
        ("240.0.0.0/4", "reserved"),
        ("2001::/23", "IETF protocol assignments (Teredo, ORCHID, benchmarking …)"),
        ("2001:db8::/32", "documentation"),
        ("2002::/16", "6to4"),
        ("2620:4f:8000::/48", "AS112"),
        ("3fff::/20", "documentation"),
        ("::1/128", "loopback"),
        ("::/128", "unspecified"),
        ("::ffff:0:0/96", "IPv4-mapped"),
        ("64:ff9b:1::/48", "local NAT64"),
        ("fc00::/7", "private"),
        ("fe80::/10", "link-local"),
        ("ff00::/8", "multicast"),
    )
)
_V6_OPEN = IPv6Network("2000::/3")
_NAT64 = IPv6Network("64:ff9b::/96")
_LOW_CARRIERS = IPv6Network("::/64")  # IPv4-compatible, -mapped and -translated: the address is in the low 32 bits

# Never allowed, whatever the operator exempts: these serve credentials of the machine to any client.
_METADATA: tuple[Network, ...] = tuple(
    ipaddress.ip_network(net)
    for net in (
        "169.254.0.0/16",  # AWS, GCP, Azure, Oracle, DigitalOcean, Tencent, ECS and EKS credentials
        "168.63.129.16/32",  # Azure WireServer
        "100.100.100.200/32",  # Alibaba
        "192.0.0.192/32",  # Oracle classic
        "fe80::/10",
        "fd00:ec2::/32",  # AWS
        "fd20:ce::/32",  # GCP
        "fd00:42::42/128",  # Scaleway
        "fd00:c1::a9fe:a9fe/128",  # Oracle
    )
)

# Names that mean this machine or this network, or that no public resolver answers: RFC 6761, 6762, 7686, 8375,
# 9476, ICANN's private-use `internal` and the collision names, and what clusters and routers use.
_INTERNAL_NAME = re.compile(
    r"(?:^|\.)(?:localhost|localhost[46]|localdomain|localdomain[46]|local|internal|intranet|private|corp|home|lan"
    r"|home\.arpa|in-addr\.arpa|ip6\.arpa|onion|test|invalid|alt|svc|workgroup|cluster\.local|docker|consul|default|mail|i2p)$"
)

# No public name ends in a number, but the C library reads 127.1 and 0x7f.1 as addresses, and so may a proxy.
_NUMERIC_END = re.compile(r"\.(?:0x[0-9a-f]*|\d+)$")

# The ports of web servers. The bad-port list of the Fetch standard lets Redis, memcached and Docker through, so this is
# an allow-list.
WEB_PORTS = frozenset({80, 443, 3000, 5000, 8000, 8008, 8080, 8081, 8443, 8888})


@lru_cache(maxsize=256)  # the guard reads the host of one page several times
def parse_address(text: str) -> Address | None:
    """The IP address that a host is written as, or None for a name."""
    try:
        return ipaddress.ip_address(text.strip("[]"))
    except ValueError:
        return None


def reason_not_public(address: Address) -> str | None:
    """Why this address is not part of the public web, such as `loopback`; None if it is."""
    if isinstance(address, IPv6Address) and address.scope_id:
        return "an address with a zone"
    closed = next((name for net, name in _CLOSED if address in net), None)
    if closed or isinstance(address, IPv4Address):
        return closed
    if address in _NAT64:
        # An IPv6-only host reaches the IPv4 web this way, so it is as public as the IPv4 address inside.
        inner = reason_not_public(IPv4Address(int(address) & 0xFFFFFFFF))
        return f"NAT64 of {inner}" if inner else None
    if address not in _V6_OPEN:
        return "outside the allocated IPv6 space"
    inner = next(filter(None, map(reason_not_public, _embedded(address))), None)
    return f"ISATAP of {inner}" if inner else None


def is_private_host(host: str) -> bool:
    """Whether a host is in a private network, as far as its name or address shows.

    Fewer names than the address guard refuses: an `.onion` name, for example, is not private, but needs a proxy.
    """
    address = parse_address(host)
    if address is not None:
        return reason_not_public(address) is not None
    return "." not in host or host.endswith((".localhost", ".local", ".internal", ".lan", ".home.arpa"))


def is_metadata(address: Address) -> bool:
    """Whether this is, or embeds, a link-local address or another one where a cloud provider serves credentials."""
    return any(inner in net for inner in (address, *_embedded(address)) for net in _METADATA)


def _embedded(address: Address) -> tuple[IPv4Address, ...]:
    """The IPv4 addresses that are embedded in an IPv6 address; none for an IPv4 address."""
    if isinstance(address, IPv4Address):
        return ()
    number = int(address)
    low = number & 0xFFFFFFFF
    if address in _LOW_CARRIERS or address in _NAT64 or (number >> 32) & 0xFDFFFFFF == 0x5EFE:  # the last is ISATAP
        return (IPv4Address(low),)
    if address in IPv6Network("2002::/16"):
        return (IPv4Address((number >> 80) & 0xFFFFFFFF),)
    if address in IPv6Network("2001::/32"):  # Teredo: the server in clear, the client inverted
        return IPv4Address((number >> 64) & 0xFFFFFFFF), IPv4Address(low ^ 0xFFFFFFFF)
    if address in IPv6Network("64:ff9b:1::/48"):  # RFC 6052: at /48 the octet of bits 64 to 71 is skipped
        split = ((number >> 64) & 0xFFFF) << 16 | (number >> 40) & 0xFFFF
        return IPv4Address(low), IPv4Address(split)
    return ()


@dataclass(frozen=True, slots=True)
class Exemption:
    """A name, an address or a network that may be opened though it is not public, on every port or on one."""

    port: int | None  # None: every port
    pattern: str | None = None  # a host name, or `*.` and a domain; None if `network` is set
    network: Network | None = None

    def covers(self, host: str, port: int) -> bool:
        """Whether the exemption applies to a host and port of a URL: a network covers addresses, not names that resolve
        to them. Otherwise the owner of a public name could point it at an exempted address."""
        if self.port is not None and self.port != port:
            return False
        if self.network is not None:
            address = parse_address(host)
            return address is not None and address.version == self.network.version and address in self.network
        pattern = self.pattern or ""  # a plain name covers only itself, `*.name` its subdomains
        return host_matches(host, pattern) if pattern.startswith("*.") else host.lower().rstrip(".") == pattern


def parse_exemptions(entries: Iterable[str]) -> tuple[Exemption, ...]:
    """Read the entries of MCP_WEB_ALLOW_PRIVATE: host, host:port, address, CIDR network; ConfigError for others."""
    return tuple(_parse_exemption(entry.strip()) for entry in entries if entry.strip())


def _parse_exemption(entry: str) -> Exemption:
    """Read one entry of MCP_WEB_ALLOW_PRIVATE; raises ConfigError if it is invalid."""
    with suppress(ValueError):
        return Exemption(port=None, network=ipaddress.ip_network(entry.strip("[]"), strict=False))
    host, _, port_text = entry.rpartition(":") if ":" in entry else (entry, "", "")
    if not port_text or (port_text.isdecimal() and 0 < int(port_text) < 65536):
        port = int(port_text) if port_text else None
        address = parse_address(host)
        if address is not None:
            return Exemption(port=port, network=ipaddress.ip_network(address))
        if re.fullmatch(r"(?:\*\.)?[\w.-]+", host) and host.strip(".*"):
            return Exemption(port=port, pattern=domain_pattern(host))
    raise ConfigError(
        f"MCP_WEB_ALLOW_PRIVATE contains {entry!r}, which is neither a host, a host:port nor a CIDR network.",
        suggestion="Write for example MCP_WEB_ALLOW_PRIVATE=wiki.corp,10.1.0.0/16,127.0.0.1:8080.",
    )


@dataclass(frozen=True, slots=True)
class AddressPolicy:
    """Decides which hosts may be connected to: public ones on web ports, others only if the operator exempted them."""

    exemptions: tuple[Exemption, ...] = ()
    own: frozenset[Address] = field(default_factory=frozenset)  # this machine's public addresses, which are refused

    def check_host(self, host: str, port: int) -> None:
        """Raise SsrfBlocked for a host or port that is not allowed, as far as that can be told without a DNS lookup."""
        if parse_address(host) is not None:
            self._checked(host, port, host)
        elif not self.is_exempt(host, port):
            self._check_name_and_port(host, port)

    def check_addresses(self, host: str, port: int, answers: Sequence[str]) -> tuple[str, ...]:
        """Normalise `answers`, the addresses that a host resolved to; raises SsrfBlocked if any is not allowed."""
        return tuple(str(self._checked(host, port, answer)) for answer in answers)

    def is_exempt(self, host: str, port: int) -> bool:
        """Whether the operator allows this host (the name or address in the URL) on this port, private or not."""
        return any(exemption.covers(host, port) for exemption in self.exemptions)

    def _checked(self, host: str, port: int, answer: str) -> Address:
        """Parse `answer`, an address that a host resolved to; raises SsrfBlocked if it or the port is not allowed."""
        address = parse_address(answer)
        shown = answer if answer == host else f"{host} ({answer})"
        if address is None or "%" in answer:
            raise SsrfBlocked(f"The address {shown} is not a valid IP address.", host=host)
        if is_metadata(address):
            advice = "Only public web addresses can be opened; metadata addresses cannot be exempted."
            raise SsrfBlocked(f"The address {shown} is a metadata or link-local address.", suggestion=advice, host=host)
        if self.is_exempt(host, port):
            return address
        reason = reason_not_public(address) or ("this machine's own address" if address in self.own else None)
        if reason:
            by_name = " Its address is exempted, but not this name." if self.is_exempt(str(address), port) else ""
            raise SsrfBlocked(f"The address {shown} is not on the public web: {reason}.{by_name}", host=host)
        self._check_name_and_port(host, port)
        return address

    def _check_name_and_port(self, host: str, port: int) -> None:
        """Raise SsrfBlocked for a name of internal networks, such as `wiki.local`, or a port not in WEB_PORTS."""
        name = host.lower().rstrip(".")
        internal = "." not in name or _INTERNAL_NAME.search(name) or _NUMERIC_END.search(name)
        if internal and parse_address(host) is None:
            raise SsrfBlocked(f"The host {host} is an internal name, not a part of the public web.", host=host)
        if port not in WEB_PORTS:
            advice = f"Ports that can be opened: {', '.join(map(str, sorted(WEB_PORTS)))}."
            raise SsrfBlocked(f"Port {port} of {host} is not a web port.", suggestion=advice, host=host)


def led_to_private_target(host: str) -> SsrfBlocked:
    """The error for a public page that leads to a host the operator exempted: exemptions are for callers, not pages."""
    return SsrfBlocked(f"A page of the public web led to {host}, which is private.", host=host)


@cache
def _suffixes() -> PublicSuffixList:
    from publicsuffixlist import PublicSuffixList

    return PublicSuffixList()


def site_of(host: str) -> str:
    """The registrable domain of a host: `docs.example.co.uk` → `example.co.uk`; for an address or a suffix, itself."""
    name = host.lower().rstrip(".")
    if parse_address(name) is not None:
        return name
    return _suffixes().privatesuffix(name) or name
