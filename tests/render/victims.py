"""What a hostile page would like to reach: real sockets on this machine, which count whoever comes."""

from __future__ import annotations

import selectors
import socket
import threading
from contextlib import suppress


class Victims:
    """Listens on loopback addresses, TCP and UDP; `reached` must stay empty."""

    def __init__(self) -> None:
        self.reached: list[str] = []
        self._selector = selectors.DefaultSelector()
        self._sockets: list[socket.socket] = []
        first = self._listen(socket.AF_INET, "127.0.0.1", 0)
        self.port = int(first.getsockname()[1])
        self._listen(socket.AF_INET, "127.0.0.2", self.port)
        with suppress(OSError):
            self._listen(socket.AF_INET6, "::1", self.port)
        with suppress(OSError):
            self._listen(socket.AF_INET, _own_address(), self.port)
        self._stop, stopper = socket.socketpair()
        self._selector.register(stopper, selectors.EVENT_READ, "stop")
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    @property
    def places(self) -> list[str]:
        """host:port spellings that all lead here."""
        spellings = ("127.0.0.1", "localhost", "127.0.0.2", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "2130706433")
        return [f"{spelling}:{self.port}" for spelling in spellings] + [f"{_own_address()}:{self.port}"]

    def _listen(self, family: socket.AddressFamily, address: str, port: int) -> socket.socket:
        stream = socket.socket(family, socket.SOCK_STREAM)
        stream.bind((address, port))
        stream.listen()
        datagram = socket.socket(family, socket.SOCK_DGRAM)
        datagram.bind((address, stream.getsockname()[1]))
        for sock, kind in ((stream, "tcp"), (datagram, "udp")):
            self._sockets.append(sock)
            self._selector.register(sock, selectors.EVENT_READ, f"{kind} {address}")
        return stream

    def _watch(self) -> None:
        while True:
            for key, _ in self._selector.select():
                if key.data == "stop":
                    return
                self.reached.append(key.data)
                sock = key.fileobj
                assert isinstance(sock, socket.socket)
                if sock.type == socket.SOCK_STREAM:
                    sock.accept()[0].close()
                else:
                    sock.recv(2048)

    def close(self) -> None:
        self._stop.send(b".")
        self._thread.join(5)
        for sock in self._sockets:
            sock.close()


def _own_address() -> str:
    """This machine's address on its network; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.3"
