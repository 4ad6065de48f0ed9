"""A document as a question: the words that tell it from others."""

from __future__ import annotations

from math import log

from mcp_web.archive.derive import word_counts
from mcp_web.model.snapshot import Snapshot
from mcp_web.store.protocol import Store
from mcp_web.text.languages import language_of
from mcp_web.text.words import fold, is_stop_word

_WORDS = 12  # of the question
_COUNTED = 60  # frequent words of the document whose rarity is looked up


async def question_like(store: Store, snapshot: Snapshot) -> str:
    """The words that are frequent in the document, titles and headings counting more, and rare in the others."""
    language = language_of(snapshot.document.markdown) or "en"
    counts = {
        word: count
        for word, count in word_counts(snapshot).items()
        if len(word) > 2 and not word.isdigit() and not is_stop_word(word, language)
    }
    frequent = sorted(counts, key=lambda word: (-counts[word], word))[:_COUNTED]
    held = await store.word_counts([fold(word) for word in frequent])
    most = max(held.values(), default=1)
    worths = {word: log(1 + counts[word]) * log(1 + most / held.get(fold(word), most)) for word in frequent}
    return " ".join(sorted(worths, key=lambda word: (-worths[word], word))[:_WORDS])
