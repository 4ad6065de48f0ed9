"""A bare JSON-RPC client over stdio with as little of its own in the way as possible."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from typing import Any

HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}


class Peer:
    def __init__(self, command: list[str], **env: str) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self.begun = time.perf_counter()
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"DATA_DIR": self._folder.name} | env,
        )
        self._number = 0

    def ask(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self._number += 1
        message: dict[str, Any] = {"jsonrpc": "2.0", "id": self._number, "method": method}
        if params is not None:
            message["params"] = params
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        while line := self.process.stdout.readline():
            answer = json.loads(line)
            if answer.get("id") == self._number and "method" not in answer:
                assert isinstance(answer, dict)
                return answer
        raise RuntimeError("the server ended")

    def hello(self) -> float:
        """Seconds from process start to the answer to `initialize`."""
        self.ask("initialize", HELLO)
        seconds = time.perf_counter() - self.begun
        assert self.process.stdin is not None
        self.process.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        self.process.stdin.flush()
        return seconds

    def tools(self) -> float:
        """Seconds from process start to the first `tools/list`."""
        assert self.ask("tools/list")["result"]["tools"]
        return time.perf_counter() - self.begun

    def call(self, name: str, **arguments: Any) -> dict[str, Any]:
        result = self.ask("tools/call", {"name": name, "arguments": arguments})["result"]
        assert isinstance(result, dict)
        return result

    def call_at_once(self, name: str, many: list[dict[str, Any]], width: int = 16) -> int:
        """Calls in flight side by side, as an eager client sends them; answers how many were not errors."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        waiting = list(reversed(many))
        flying = good = 0
        while waiting or flying:
            while waiting and flying < width:
                self._number += 1
                params = {"name": name, "arguments": waiting.pop()}
                message = {"jsonrpc": "2.0", "id": self._number, "method": "tools/call", "params": params}
                self.process.stdin.write(json.dumps(message).encode() + b"\n")
                flying += 1
            self.process.stdin.flush()
            line = self.process.stdout.readline()
            if not line:
                raise RuntimeError("the server ended")
            answer = json.loads(line)
            if "id" in answer:
                flying -= 1
                good += not answer.get("result", {"isError": True}).get("isError", False)
        return good

    def timed(self, name: str, **arguments: Any) -> float:
        begun = time.perf_counter()
        self.call(name, **arguments)
        return time.perf_counter() - begun

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self._folder.cleanup()
