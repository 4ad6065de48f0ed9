"""The vectors of questions, each embedded once: the same question is asked of several pages and with other filters."""

from __future__ import annotations

from collections import OrderedDict

from mcp_web.embed.embedder import Embedder

_MOST = 512  # questions kept: 1.5 kB each


class QuestionVectors:
    """One for each process; everything that compares questions with texts shares it."""

    def __init__(self, embedder: Embedder) -> None:
        self.model = embedder.name
        self._embedder = embedder
        self._known: OrderedDict[str, list[float]] = OrderedDict()

    async def vector(self, text: str) -> list[float]:
        """The vector of a question, from the cache or from the model."""
        if (known := self._known.get(text)) is not None:
            self._known.move_to_end(text)
            return known
        found: list[float] = (await self._embedder.embed([text], "query"))[0].tolist()
        self._known[text] = found
        while len(self._known) > _MOST:
            self._known.popitem(last=False)
        return found
