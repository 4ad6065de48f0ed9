"""A bare JSON-RPC client over a subprocess: sees exactly what an MCP client sees on the wire."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .program import Program

WAIT = 60.0  # generous: a bound against hanging, not a measurement
MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


def clean_environment(data_dir: Path, **more: str) -> dict[str, str]:
    """The environment of a new user: nothing of ours is set, everything lands in `data_dir`."""
    ours = ("MCP_WEB_", "BRAVE_", "GOOGLE_", "EMBEDDING_", "WEB_")
    env = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return (
        env | {"DATA_DIR": str(data_dir), "XDG_CONFIG_HOME": str(data_dir / "config"), "PYTHONUNBUFFERED": "1"} | more
    )


class Stdio:
    """`mcp-web` on a pipe."""

    def __init__(self, data_dir: Path, *args: str, **env: str) -> None:
        self.process = self._start(args, clean_environment(data_dir, **env))
        self._lines: queue.Queue[bytes] = queue.Queue()
        self.errors: list[bytes] = []
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        for stream, keep in ((self.process.stdout, self._lines.put), (self.process.stderr, self.errors.append)):
            threading.Thread(target=_pump, args=(stream, keep), daemon=True).start()
        self._number = 0

    def _start(self, args: Sequence[str], env: dict[str, str]) -> Program | subprocess.Popen[bytes]:
        return Program(args, env)

    def __enter__(self) -> Stdio:
        return self

    def __exit__(self, *caught: object) -> None:
        self.close()

    def send(self, message: object) -> None:
        self.send_line(json.dumps(message).encode())

    def send_line(self, line: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def receive(self, seconds: float = WAIT) -> dict[str, Any]:
        """The next line of stdout: JSON or the test fails; raises queue.Empty when none comes in that time."""
        message = json.loads(self._lines.get(timeout=seconds))
        assert isinstance(message, dict)
        return message

    def request(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """The answer to one request, notifications passed over."""
        self._number += 1
        identity = f"r{self._number}"
        message: dict[str, Any] = {"jsonrpc": "2.0", "id": identity, "method": method}
        self.send(message | ({"params": params} if params is not None else {}))
        while True:
            answer = self.receive()
            if answer.get("id") == identity:
                return answer

    def initialize(self, version: str = "2025-11-25") -> dict[str, Any]:
        params = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        answer = self.request("initialize", params)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer

    def call(self, name: str, **arguments: Any) -> dict[str, Any]:
        answer = self.request("tools/call", {"name": name, "arguments": arguments})
        result = answer["result"]
        assert isinstance(result, dict)
        return result

    def close(self) -> int:
        """Close stdin, as a client does that is done."""
        assert self.process.stdin is not None
        if not self.process.stdin.closed:
            self.process.stdin.close()
        try:
            return self.process.wait(WAIT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise


class FreshStdio(Stdio):
    """The same in a new interpreter, for tests about the start, the imports and the memory of a server."""

    def _start(self, args: Sequence[str], env: dict[str, str]) -> Program | subprocess.Popen[bytes]:
        pipe = subprocess.PIPE
        command = [sys.executable, "-m", "mcp_web", *args]
        return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=env)


def _pump(stream: Any, keep: Any) -> None:
    for line in stream:
        keep(line)


def text_of(result: dict[str, Any]) -> str:
    text = result["content"][0]["text"]
    assert isinstance(text, str)
    return text
