"""Reads stdin and writes stdout from the start of the process: standard library only.

The SDK takes most of a second to import, and some clients wait only half a second for the answer to their first
request. So a thread reads stdin from the start and answers `initialize` and `server/discover` from `handshake`, and
the first `tools/list` from our own declarations. `initialize` is then passed to the SDK as well, and the SDK's answer
to it is dropped. `server/discover` is always answered here, so a client that probes and then still sends `initialize`
is served.

While it is active, fd 0 reads nothing and fd 1 is stderr: a stray print cannot corrupt the protocol.
"""

from __future__ import annotations

import json
import os
import queue
import threading
from collections.abc import Callable
from typing import Any

from mcp_web.errors import WebError
from mcp_web.server import handshake

_VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
_GREETINGS = (b'"initialize"', b'"server/discover"', b'"tools/list"')
MAX_LINE = 16 * 1024 * 1024


class Wire:
    """Reads lines from stdin and writes lines to stdout, each in its own thread; answers the first requests itself."""

    def __init__(
        self, instructions: str, tools: Callable[[], list[dict[str, Any]]], exit_early: Callable[[], None]
    ) -> None:
        """`tools` returns the entries of `tools/list`. `exit_early` is called when the client leaves before `hand_over`
        and every request was answered here."""
        self._instructions = instructions
        self._tools = tools
        self._exit_early = exit_early
        self._in = os.fdopen(os.dup(0), "rb")
        self._out = os.fdopen(os.dup(1), "wb", buffering=0)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(2, 1)
        self.answered: set[Any] = set()  # ids of `initialize` requests answered here
        self._waiting: list[bytes | None] = []
        self._take: Callable[[bytes | None], None] | None = None
        self._lock = threading.Lock()
        self._lines_out: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._writer = threading.Thread(target=self._write, name="stdout", daemon=True)
        self._writer.start()
        threading.Thread(target=self._read, name="stdin", daemon=True).start()

    def hand_over(self, take: Callable[[bytes | None], None]) -> None:
        """From now on pass every line to `take`, and None at the end of input; first the lines that already arrived."""
        with self._lock:
            for line in self._waiting:
                take(line)
            self._waiting.clear()
            self._take = take

    def send(self, line: bytes) -> None:
        """Queue one line for the client; never blocks."""
        self._lines_out.put(line)

    def close(self) -> None:
        """Write out the queued lines, for at most two seconds, and end the thread that writes."""
        self._lines_out.put(None)
        self._writer.join(timeout=2)

    def _read(self) -> None:
        """The thread of stdin: answer each line here or pass it to the SDK, until the input ends."""
        while line := self._in.readline(MAX_LINE):
            if len(line) == MAX_LINE and not line.endswith(b"\n"):
                while (rest := self._in.readline(MAX_LINE)) and not rest.endswith(b"\n"):
                    pass
                line = b"(a line longer than 16 MiB)\n"  # answered with a parse error
            if line.strip() and not self._answer(line):
                self._pass(line)
        with self._lock:  # whether the SDK has not taken over yet and no request waits for it
            answered = self._take is None and not any(self._awaits_answer(line) for line in self._waiting if line)
        if answered:
            self.close()
            self._exit_early()
        self._pass(None)

    def _awaits_answer(self, line: bytes) -> bool:
        """Whether a line is a request that was not answered here; True for an invalid line, not for a notification."""
        try:
            message = json.loads(line)
            return "id" in message and message["id"] not in self.answered
        except (ValueError, TypeError, RecursionError):
            return True  # the SDK says what is wrong with it

    def _pass(self, line: bytes | None) -> None:
        """Give a line to the SDK, or keep it until the SDK is there."""
        with self._lock:
            if self._take is None:
                self._waiting.append(line)
            else:
                self._take(line)

    def _answer(self, line: bytes) -> bool:
        """Answer a line here if it is one of the first requests; True when the SDK need not see it. `initialize` is
        answered here, but the SDK has to see it too."""
        if not any(greeting in line for greeting in _GREETINGS):
            return False
        try:
            message = json.loads(line)
            method, identity, params = message["method"], message["id"], message.get("params") or {}
            version = (params.get("_meta") or {}).get(_VERSION_KEY)
            hash((identity, version))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return False  # the SDK reports the error
        if method == "initialize" and self._take is None and not self.answered:
            self.answered.add(identity)
            self._reply(identity, handshake.initialize_result(str(params.get("protocolVersion")), self._instructions))
            return False
        if method == "server/discover" and version in handshake.MODERN_VERSIONS:
            self._reply(identity, handshake.discover_result(self._instructions))
            return True
        modern = version in handshake.MODERN_VERSIONS
        if method != "tools/list" or self._take is not None or not (modern or self.answered):
            return False
        try:
            tools = self._tools()
        except WebError:
            return False  # a wrong setting: reported when the server starts
        self._reply(identity, handshake.tools_result(tools, modern=modern))
        return True

    def _reply(self, identity: Any, result: dict[str, Any]) -> None:
        body = {"jsonrpc": "2.0", "id": identity, "result": result}
        self.send(json.dumps(body, ensure_ascii=False).encode() + b"\n")

    def _write(self) -> None:
        """The thread of stdout: write the queued lines, until None is queued or the client is gone."""
        while (line := self._lines_out.get()) is not None:
            view = memoryview(line)
            try:
                while view:
                    view = view[self._out.write(view) :]
            except OSError:
                return  # the client is gone: the end of input follows
