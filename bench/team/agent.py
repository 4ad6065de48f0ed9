"""One agent over HTTP: a mix of calls, on the replica that answers."""

from __future__ import annotations

import http.client
import json
import random
import re
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bench.team.__main__ import Phase

HEADERS = {"content-type": "application/json", "accept": "application/json, text/event-stream"}


@dataclass(frozen=True, slots=True)
class Outcome:
    kind: str  # "ok", "wrong", or what failed
    ms: float
    phase: str
    retryable: bool = True


class Agent:
    def __init__(self, number: int, token: str, tenant: int, ports: list[int], site: str) -> None:
        self._number, self._token, self._tenant, self._ports, self._site = number, token, tenant, ports, site
        self._random = random.Random(number)
        self._at = number % len(ports)
        self._connections: dict[int, http.client.HTTPConnection] = {}
        self._retryable = True  # the last error
        self.added: list[str] = []  # snapshots that the server acknowledged

    def work(self, phase: Phase) -> list[Outcome]:
        done = []
        while time.monotonic() < phase.ends:
            before, begun = phase.now, time.monotonic()
            self._retryable = True
            kind = self._step()
            when = before if before != "normal" else phase.now
            done.append(Outcome(kind, (time.monotonic() - begun) * 1000, when, self._retryable))
            time.sleep(0.02 if kind == "ok" else 0.2)
        return done

    def _step(self) -> str:
        """One call; other replicas are tried when one cannot be reached, as a balancer would."""
        if self._random.random() < 0.1:
            self._at = (self._at + 1) % len(self._ports)
        choice = self._random.random()
        page = self._random.randrange(200)
        if choice < 0.5:
            return self._judged("web_open", {"url": f"{self._site}/page/{page}"}, f"The number of this page is {page}.")
        if choice < 0.7:
            word = f"word{self._number}x{self._random.randrange(10**9)}"
            text = f"Agent {self._number} of tenant {self._tenant} notes {word}."
            return self._judged("archive_add", {"content": text, "title": word}, "", adds=True)
        if choice < 0.75:
            query = f"subject {self._random.randrange(10**6)}"
            return self._judged("web_search", {"query": query}, "Result for subject")
        if choice < 0.9:
            return self._judged("archive_search", {"query": f"agent {self._number} notes"}, "")
        return self._judged("web_read", {"url": f"{self._site}/page/{page}", "query": "number of this page"}, str(page))

    def _judged(self, tool: str, arguments: dict[str, Any], wanted: str, *, adds: bool = False) -> str:
        result = self.call(tool, arguments)
        if isinstance(result, str):
            return result
        text = "".join(part.get("text", "") for part in result["content"])
        if result.get("isError"):
            self._retryable = bool(result.get("_meta", {}).get("error", {}).get("retryable"))
            return f"{tool} {text[:70]!r}"
        others = {int(found) for found in re.findall(r"of tenant (\d+) notes", text)} - {self._tenant}
        if wanted not in text or others:
            self._retryable = False
            return f"WRONG {tool} {text[:200]!r}"
        if adds and (found := re.search(r"\b[0-9a-f]{16,64}\b", text)):
            self.added.append(found[0])
        return "ok"

    def can_read(self, hash_: str) -> bool:
        result = self.call("cache_get", {"snapshot": hash_})
        return not isinstance(result, str) and not result.get("isError")

    def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any] | str:
        params = {"name": tool, "arguments": arguments}
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
        failure = ""
        for _ in self._ports:
            try:
                status, raw = self._post(body)
            except (OSError, http.client.HTTPException) as error:
                failure = f"connection: {type(error).__name__}"
                self._connections.pop(self._ports[self._at], None)
                self._at = (self._at + 1) % len(self._ports)
                continue
            if status != 200:
                return f"HTTP {status}"
            lines = [line[6:] for line in raw.splitlines() if line.startswith(b"data: ")]
            answer = json.loads(lines[-1] if lines else raw)
            return answer.get("result") or f"error {answer.get('error', {}).get('code')}"
        return failure

    def _post(self, body: bytes) -> tuple[int, bytes]:
        port = self._ports[self._at]
        connection = self._connections.setdefault(port, http.client.HTTPConnection("127.0.0.1", port, timeout=60))
        connection.request("POST", "/mcp", body, HEADERS | {"authorization": f"Bearer {self._token}"})
        answer = connection.getresponse()
        return answer.status, answer.read()

    def wait_until_ready(self) -> None:
        ends = time.monotonic() + 120
        for port in self._ports:
            while not is_ready(port) and time.monotonic() < ends:
                time.sleep(0.1)


def is_ready(port: int) -> bool:
    try:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        connection.request("GET", "/readyz")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
