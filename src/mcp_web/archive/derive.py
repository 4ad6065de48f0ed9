"""What is derived from a snapshot: the index data kept with it, and its most distinctive words."""

from __future__ import annotations

from collections import Counter
from math import inf, log

import anyio.to_thread

from mcp_web.archive.citations import mentions, names_of
from mcp_web.model.page import Document
from mcp_web.model.snapshot import Snapshot
from mcp_web.store.protocol import Derived, Store
from mcp_web.text.dates import date_in_path, day_of, iso
from mcp_web.text.languages import language_of
from mcp_web.text.markdown import prose
from mcp_web.text.names import defined_keys, title_keys
from mcp_web.text.words import fold, is_stop_word, word_frequencies

# A word in the title says more about a page than one in its text; headings count once more than the text they are in.
TITLE_WEIGHT, HEADING_WEIGHT, TAG_WEIGHT = 3, 1, 3
_AT_ONCE = 256  # documents indexed again in one transaction


def derive(snapshot: Snapshot) -> Derived:
    """The index data of a snapshot; its collections are its tags and the folder that it was synced from."""
    document = snapshot.document
    folder, inside, _ = (snapshot.path or "").partition("/")
    return Derived(
        date=document_date(document, snapshot.path) or iso(snapshot.fetched_at)[:10],
        language=language_of(document.markdown),
        words=word_counts(snapshot),
        defines=defined_keys(document.markdown, (heading.text for heading in document.headings))
        | title_keys(document.title),
        labels=(*snapshot.tags, *((folder,) if inside and folder and snapshot.source == "research" else ())),
        names=names_of(snapshot),
        mentions=mentions(document.markdown, snapshot.final_url, snapshot.path),
    )


async def keep(store: Store, snapshot: Snapshot) -> None:
    """Store a snapshot with its index data, which `derive` computes in a thread, because it takes long."""
    await store.keep(snapshot, await anyio.to_thread.run_sync(derive, snapshot))


def word_counts(snapshot: Snapshot) -> dict[str, int]:
    """The weight of each word of a page: how often it occurs in text, title, headings, tags and path (or URL); the
    title and the tags count three times, and headings once more than the text."""
    document = snapshot.document
    fields = (
        (prose(document.markdown), 1),
        (document.title, TITLE_WEIGHT),
        ("\n".join(heading.text for heading in document.headings), HEADING_WEIGHT),
        (snapshot.path or snapshot.url.partition("://")[2], 1),
        ("\n".join(snapshot.tags), TAG_WEIGHT),
    )
    total: Counter[str] = Counter()
    for text, weight in fields:
        for word, count in word_frequencies(text).items():
            total[word] += count * weight
    return dict(total)


async def reindex_outdated(store: Store, seconds: float = inf) -> None:
    """Reindex documents whose index format is out of date, for at most `seconds`. A few hundred are written per
    transaction; those that are left can still be found, by their old index."""
    until, done = anyio.current_time() + seconds, 0
    while anyio.current_time() < until and (keys := await store.unindexed(_AT_ONCE)):
        kept = [one for one in [await store.latest(key) for key in keys] if one is not None]
        if not kept:
            return  # pages that cannot be read
        await store.keep_many([(one, await anyio.to_thread.run_sync(derive, one)) for one in kept])
        done += len(kept)
    if done:
        await store.maintain()  # drops what the index held of them before


def document_date(document: Document, path: str | None) -> str | None:
    """The ISO date of a document: of its publication, else in its path, else of its last change; None without these."""
    metadata = document.metadata
    day = day_of(metadata.published) or day_of((date_in_path(path) if path else None) or metadata.modified)
    return day.isoformat() if day else None


_WORDS = 12  # of the question
_COUNTED = 60  # frequent words of the document whose rarity is looked up


async def distinctive_words(store: Store, snapshot: Snapshot) -> str:
    """At most 12 words that are frequent in a document and rare in the others of the store, as a text to search for."""
    language = language_of(snapshot.document.markdown) or "en"
    counts = {
        word: count
        for word, count in word_counts(snapshot).items()
        if len(word) > 2 and not word.isdigit() and not is_stop_word(word, language)
    }
    frequent = sorted(counts, key=lambda word: (-counts[word], word))[:_COUNTED]
    documents = await store.word_counts([fold(word) for word in frequent])
    most = max(documents.values(), default=1)
    scores = {word: log(1 + counts[word]) * log(1 + most / documents.get(fold(word), most)) for word in frequent}
    return " ".join(sorted(scores, key=lambda word: (-scores[word], word))[:_WORDS])
