"""One host of the small web: pages, routes, nasty behaviours, and a log of what was asked."""

from __future__ import annotations

from typing import TypeVar

from miniweb.authority import authority
from miniweb.server import Behaviour, Handler, Listener, Reply, Request, Wire, reply_of
from miniweb.thread import loop_thread

T = TypeVar("T")


class Site:
    """A host that answers on http (port 80) and https (port 443) of its public-looking address."""

    def __init__(self, host: str, address: str) -> None:
        self.host = host
        self.address = address
        self.log: list[Request] = []
        self.tls_ports = {443, 8443}  # of the public-looking address; every other port speaks plain http
        self._routes: dict[str, Handler] = {}
        self._behaviours: dict[str, Behaviour] = {}
        self._plain = Listener(self._answer)
        self._secure: Listener | None = None
        loop_thread().run(self._plain.start())

    def page(
        self, path: str, body: bytes | str = "", *, headers: dict[str, str] | None = None, status: int = 200
    ) -> str:
        """Serve a fixed answer; returns its https URL."""
        reply = Reply(body, status, headers or {})
        self._routes[path] = lambda request: reply
        return self.url(path)

    def route(self, path: str, handler: Handler) -> str:
        """Serve what `handler(request)` returns, sync or async; a path ending in * is a prefix."""
        self._routes[path] = handler
        return self.url(path)

    def behave(self, path: str, behaviour: Behaviour) -> str:
        """Let `behaviour(request, wire)` write the bytes itself; the connection is closed after it."""
        self._behaviours[path] = behaviour
        return self.url(path)

    def redirect(self, path: str, location: str, status: int = 302) -> str:
        return self.page(path, "", status=status, headers={"Location": location})

    def robots(self, text: str) -> None:
        self.page("/robots.txt", text, headers={"Content-Type": "text/plain"})

    def url(self, path: str = "/", scheme: str = "https") -> str:
        """The address of a page as an agent would write it."""
        return f"{scheme}://{self.host}{path}"

    def loopback_url(self, path: str = "/") -> str:
        """The same page as it is really reached, for a process that has no access to this web's names."""
        return f"http://127.0.0.1:{self._plain.port}{path}"

    @property
    def exemption(self) -> str:
        """What MCP_WEB_ALLOW_PRIVATE has to contain for `loopback_url` to be opened."""
        return f"127.0.0.1:{self._plain.port}"

    @property
    def connections(self) -> int:
        return self._plain.connections + (self._secure.connections if self._secure else 0)

    def asked(self, path: str) -> list[Request]:
        """The requests for one path."""
        return [request for request in self.log if request.path == path]

    def port_for(self, port: int) -> int | None:
        """The loopback port behind a public-looking one."""
        if port not in self.tls_ports:
            return self._plain.port
        if self._secure is None:
            self._secure = Listener(self._answer, authority().context(self.host))
            loop_thread().run(self._secure.start())
        return self._secure.port

    def owns(self, port: int) -> bool:
        return port in (self._plain.port, self._secure.port if self._secure else None)

    def close(self) -> None:
        for listener in (self._plain, self._secure):
            if listener is not None:
                loop_thread().run(listener.stop())

    async def _answer(self, request: Request, wire: Wire) -> bool:
        self.log.append(request)
        behaviour = _find(self._behaviours, request.path)
        if behaviour is not None:
            await behaviour(request, wire)
            return False
        handler = _find(self._routes, request.path)
        reply = await reply_of(handler, request) if handler else Reply("<h1>Not here</h1>", 404)
        await wire.send(reply.wire())
        return True


def _find(table: dict[str, T], path: str) -> T | None:
    if path in table:
        return table[path]
    prefixes = [key for key in table if key.endswith("*") and path.startswith(key[:-1])]
    return table[max(prefixes, key=len)] if prefixes else None
