"""A look-alike of an OpenAI-compatible embedding server, on the mini web."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

from miniweb import MiniWeb, Reply

DIM = 64


def vector(text: str, dim: int = DIM) -> list[float]:
    """A vector that depends on the words, rare ones with digits most, so that like texts are near each other."""
    cells = [0.01] * dim
    for word in text.lower().split():
        weight = 5.0 if word.strip(".:").isalnum() and not word.strip(".:").isalpha() else 0.1
        cells[hashlib.sha256(word.encode()).digest()[0] % dim] += weight
    return cells


class EmbeddingServer:
    """Answers /v1/embeddings; `spoil` changes an answer, `statuses` are used up one per request."""

    def __init__(self, web: MiniWeb) -> None:
        self.site = web.site("embeddings.example")
        self.site.route("/v1/embeddings", self._answer)
        self.url = self.site.loopback_url("/v1")
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.statuses: list[int] = []
        self.spoil: Callable[[dict[str, Any]], Any] = lambda answer: answer

    @property
    def texts(self) -> list[str]:
        return [text for request in self.requests for text in request["input"]]

    def _answer(self, request: Any) -> Reply:
        asked = json.loads(request.body)
        self.requests.append(asked)
        self.keys.append(request.headers.get("authorization"))
        if self.statuses and (status := self.statuses.pop(0)) != 200:
            return Reply("{}", status=status)
        dim = asked.get("dimensions", DIM)
        data = [{"index": at, "embedding": vector(text, dim)} for at, text in enumerate(asked["input"])]
        answer = self.spoil({"object": "list", "data": data, "model": asked["model"]})
        return Reply(answer if isinstance(answer, str) else json.dumps(answer))
