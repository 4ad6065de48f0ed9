"""A page prepared for questions: cut into passages and indexed once, and cached for the next question."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mcp_web.embed.static import PassagePieces, static_vectors
from mcp_web.errors import EmbeddingError
from mcp_web.index.evidence import Evidence
from mcp_web.index.words import PageWords
from mcp_web.model.page import Heading
from mcp_web.model.passage import Passage
from mcp_web.text.languages import language_of
from mcp_web.text.markdown import readable

Cut = Callable[[str, Sequence[Heading]], Sequence[Passage]]

# Languages whose words are split into pieces of a few letters, which match any text a little: the static signal orders
# their passages, but it would call 27 % of 150 unrelated Thai pages an answer; coverage alone, 11 %.
SHORT_PIECES = frozenset({"th", "lo", "km", "my"})
# Pages whose index is cached in memory: about 5 kB a passage, so about 20 MB at most.
MOST_PAGES, MOST_PASSAGES = 32, 4000

_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class PreparedPage:
    """A page cut into passages, with the indexes for the signals that need no model: words and static vectors."""

    passages: tuple[Passage, ...]  # none twice
    words: PageWords
    pieces: PassagePieces | None  # for the static signal; None if its weights are missing

    def evidence(self, question: str) -> Evidence:
        """The ranking signals of all passages for one question that need no model: words and static vectors."""
        static = self.pieces.similarities(static_vectors(), question) if self.pieces else None
        languages = {self.words.language, language_of(question)} - {""}
        return Evidence(
            self.words.scores(question),
            self.words.coverage(question),
            static,
            static_judges=self.words.language not in SHORT_PIECES,
            cross_language=len(languages) > 1,
        )

    def text(self, number: int) -> str:
        """The text that a model reads for a passage: the headings above it, the entry that it continues, its words."""
        passage = self.passages[number]
        return "\n".join(filter(None, (" > ".join(passage.above), readable(passage.text))))


def prepare(markdown: str, headings: Sequence[Heading], cut: Cut) -> PreparedPage:
    """Cut a page into passages, drop those that repeat the text of an earlier one, index the rest. Takes two seconds
    for 200,000 words, so it must not run in the event loop."""
    seen: set[str] = set()
    kept = []
    for passage in cut(markdown, headings):
        text = _SPACE.sub(" ", passage.text.casefold())
        if text not in seen:
            seen.add(text)
            kept.append(passage)
    words = PageWords([one.text for one in kept], [one.above for one in kept])
    return PreparedPage(tuple(kept), words, _pieces(kept))


def _pieces(kept: Sequence[Passage]) -> PassagePieces | None:
    """The pieces of words in each passage, and their static vectors; None without passages or without the vectors."""
    try:
        texts = [readable(f"{one.entry}\n{one.text}") for one in kept]
        return PassagePieces.of(static_vectors(), texts) if kept else None
    except EmbeddingError:
        return None  # `mcp-web doctor` reports it; words and the model still rank


class IndexedPages:
    """A cache of the prepared pages that were asked about last, limited in pages and passages."""

    def __init__(self) -> None:
        self._pages: OrderedDict[tuple[str, int, int], PreparedPage] = OrderedDict()

    def get(self, key: str, markdown: str) -> PreparedPage | None:
        """The prepared page with this key and text, if it is cached."""
        name = key, len(markdown), hash(markdown)
        if name in self._pages:
            self._pages.move_to_end(name)
        return self._pages.get(name)

    def keep(self, key: str, markdown: str, page: PreparedPage) -> None:
        self._pages[key, len(markdown), hash(markdown)] = page
        size = sum(len(one.passages) for one in self._pages.values())
        while len(self._pages) > MOST_PAGES or (len(self._pages) > 1 and size > MOST_PASSAGES):
            size -= len(self._pages.popitem(last=False)[1].passages)
