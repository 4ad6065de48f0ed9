"""A server as an agent meets it: tools over stdio, and what each call costs."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from bench.scorecard import processes, tokens
from bench.wire import Peer

CALL_SECONDS = 60.0
IN_FLIGHT = 8


@dataclass(frozen=True, slots=True)
class Reply:
    text: str
    failed: bool
    tokens: int  # arguments and text
    seconds: float


class Session:
    """One running MCP server; a call that takes too long ends the process."""

    def __init__(self, command: list[str], **env: str) -> None:
        self.limit = CALL_SECONDS
        self._peer = Peer(command, **env)
        with self._watched():
            self._peer.hello()
            tools = self._peer.ask("tools/list")["result"]["tools"]
        seen = [{key: tool.get(key) for key in ("name", "description", "inputSchema")} for tool in tools]
        self.listing_tokens = tokens.count(json.dumps(seen, ensure_ascii=False, separators=(",", ":")))
        self.process = self._peer.process

    def call(self, tool: str, **arguments: Any) -> Reply:
        begun = time.perf_counter()
        with self._watched():
            answer = self._peer.ask("tools/call", {"name": tool, "arguments": arguments})
        seconds = time.perf_counter() - begun
        result = answer.get("result") or {"isError": True, "content": [{"text": json.dumps(answer.get("error"))}]}
        text = "\n".join(part.get("text") or "" for part in result.get("content", []))
        cost = tokens.count(text) + tokens.count(json.dumps(arguments, ensure_ascii=False))
        return Reply(text, bool(result.get("isError")), cost, seconds)

    def call_at_once(self, tool: str, many: list[dict[str, Any]]) -> float:
        """Seconds until all are answered, eight in flight; 0 when one of them failed."""
        begun = time.perf_counter()
        with self._watched():
            good = self._peer.call_at_once(tool, many, width=IN_FLIGHT)
        return time.perf_counter() - begun if good == len(many) else 0.0

    @contextmanager
    def _watched(self) -> Iterator[None]:
        watch = threading.Timer(self.limit, processes.kill, [self._peer.process.pid])
        watch.start()
        try:
            yield
        finally:
            watch.cancel()

    def close(self) -> None:
        self._peer.close()
