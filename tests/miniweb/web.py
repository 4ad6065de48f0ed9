"""The whole small web: sites, a name service under the test's control, and a private network that must stay unseen.

The production guard is used unchanged. It judges public-looking addresses; only after it has judged one does
`connect`, which a test passes to the Dialer as a constructor argument, lead that address to a loopback port.
No option, variable or tool parameter can do the same.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from anyio.abc import ByteStream

from mcp_web.net.address import AddressPolicy, parse_address, parse_exemptions, reason_not_public
from mcp_web.net.client import WebClient
from mcp_web.net.dial import Dialer, connect_literal
from miniweb.authority import authority
from miniweb.server import Listener, Reply, Request, Wire
from miniweb.site import Site
from miniweb.thread import loop_thread

if TYPE_CHECKING:
    from mcp_web.fetch.fetcher import Fetcher


class Names:
    """The name service: what each lookup of a host answers."""

    def __init__(self) -> None:
        self._answers: dict[str, list[Sequence[str]]] = {}
        self.lookups: list[str] = []

    def answer(self, host: str, *addresses: str) -> None:
        self._answers[host] = [addresses]

    def answer_in_turn(self, host: str, *answers: Sequence[str]) -> None:
        """Another answer for each lookup, the last for all that follow: a name that rebinds."""
        self._answers[host] = list(answers)

    def look_up(self, host: str) -> Sequence[str]:
        self.lookups.append(host)
        waiting = self._answers.get(host, [()])
        return waiting.pop(0) if len(waiting) > 1 else waiting[0]


class PrivateNetwork:
    """What stands behind every closed address: it answers, and counts who came."""

    def __init__(self) -> None:
        self.reached: list[tuple[str, int]] = []
        self.log: list[Request] = []
        self.listener = Listener(self._answer)

    async def _answer(self, request: Request, wire: Wire) -> bool:
        self.log.append(request)
        await wire.send(Reply("secret of the private network").wire())
        return True


class MiniWeb:
    def __init__(self) -> None:
        self.sites: dict[str, Site] = {}
        self.names = Names()
        self.private = PrivateNetwork()
        self._by_address: dict[str, Site] = {}
        self._spare = (
            f"93.184.{third}.{fourth}" for third, fourth in itertools.product(range(216, 256), range(1, 255))
        )
        loop_thread().run(self.private.listener.start())

    def site(self, host: str, address: str | None = None) -> Site:
        """The site of a host, made on first use, with a public-looking address and a name that leads to it."""
        if host not in self.sites:
            address = address or next(self._spare)
            self.sites[host] = self._by_address[address] = Site(host, address)
            self.names.answer(host, address)
        return self.sites[host]

    def also_at(self, site: Site, *addresses: str) -> None:
        """Let further public-looking addresses lead to a site."""
        self._by_address |= dict.fromkeys(addresses, site)

    async def resolve(self, host: str, port: int) -> Sequence[str]:
        """For Dialer(resolve=…)."""
        return self.names.look_up(host)

    async def connect(self, address: str, port: int) -> ByteStream:
        """For Dialer(connect=…): from a judged address to the loopback port behind it."""
        site = self._by_address.get(address)
        if site is not None:
            return await connect_literal("127.0.0.1", site.port_for(port) or 0)
        if address == "127.0.0.1" and any(site.owns(port) for site in self.sites.values()):
            return await connect_literal(address, port)
        judged = parse_address(address)
        if judged is None or reason_not_public(judged):
            self.private.reached.append((address, port))
            return await connect_literal("127.0.0.1", self.private.listener.port)
        raise ConnectionRefusedError(111, "Connection refused")

    @property
    def ca_bundle(self) -> str:
        """The PEM file of the authority that signed every site of this web."""
        return str(authority().bundle)

    def dialer(self, allow_private: Sequence[str] = (), **changes: Any) -> Dialer:
        """The production dialer on this web."""
        policy = AddressPolicy(parse_exemptions(allow_private))
        return Dialer(
            policy, **{"resolve": self.resolve, "connect": self.connect, "ca_bundle": self.ca_bundle} | changes
        )

    def client(self, allow_private: Sequence[str] = ()) -> WebClient:
        return WebClient(self.dialer(allow_private))

    def fetcher(self, *, secrets: tuple[str, ...] = (), notes: Any = None, **options: Any) -> Fetcher:
        """The production fetcher on this web; keyword arguments are fields of FetchOptions."""
        from mcp_web.fetch.fetcher import Fetcher
        from mcp_web.fetch.options import FetchOptions

        chosen = FetchOptions(**options)
        return Fetcher(chosen, WebClient(self.dialer(chosen.allow_private)), notes=notes, secrets=secrets)

    def close(self) -> None:
        for site in self.sites.values():
            site.close()
        loop_thread().run(self.private.listener.stop())
