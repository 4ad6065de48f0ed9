"""Vectors of whole documents, which the archive compares with the vector of a question.

Every passage gets a static vector: that takes thousands of documents a minute, in every language. The model, if it
knows the language, embeds a summary of each document (title, headings and beginning) and, of a long one, the beginning
of its first sections. The nearest of them counts. To embed every passage would take twenty times as long as a summary
alone, and passages are ranked when a page is read.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

import anyio.to_thread

from mcp_web.embed.embedder import Calibration, Embedder, supports_language
from mcp_web.embed.static import NAME, StaticEmbedder
from mcp_web.index.calibrate import stored_calibration
from mcp_web.index.page import Cut
from mcp_web.model.passage import PackedVectors
from mcp_web.model.snapshot import Snapshot
from mcp_web.store.protocol import Store
from mcp_web.text.headings import sections
from mcp_web.text.languages import language_of
from mcp_web.text.markdown import readable

if TYPE_CHECKING:
    from mcp_web.embed.embedder import Rows

STATIC_MODEL = NAME
# What the model embeds of a document: all of a short one, such as an abstract, and about 200 tokens of a longer one.
SHORT_CHARS, SUMMARY_CHARS = 1600, 900
_HEADING_CHARS = 250  # of the headings in a summary
# The sections of a long document that the model embeds, and how much of each. On seven manuals and seven sites, each
# judged by the numbers that are best for the others, the mean of MRR and nDCG@5 rises from .818 to .840; from 4
# sections to all of them and with 300 or 600 characters it is .821 to .840 (docs/concepts/archive.md).
_MOST_SECTIONS, _SECTION_CHARS = 8, 300
_MOST_PASSAGES = 400  # of a document that get a vector: the first 50,000 words


class DocumentVectors:
    """Computes and stores the vectors of documents, by which the archive finds those that are about a question."""

    def __init__(self, store: Store, embedder: Embedder, cut: Cut) -> None:
        self._store = store
        self._embedder = embedder
        self._static = StaticEmbedder()
        self._cut = cut

    @property
    def models(self) -> tuple[str, ...]:
        """The names under which vectors of documents are stored: the static vectors, then the model if there is one."""
        return (STATIC_MODEL,) if self._embedder.dim == 0 else (STATIC_MODEL, summary_model(self._embedder))

    async def scale(self, model: str) -> Calibration | None:
        """What the cosines of a model (one of `models`) mean; None for a custom model not used for a page yet."""
        return await stored_calibration(self._store, self._static if model == STATIC_MODEL else self._embedder)

    async def embed(self, model: str, snapshots: Sequence[Snapshot]) -> None:
        """Compute and store the vectors of documents by one of `models`. For a document in a language that the model
        does not know, an empty set of vectors is stored."""
        packed = {}
        for snapshot, rows in zip(snapshots, await self._rows(model, snapshots), strict=True):
            data = rows.astype("<f4").tobytes()
            packed[snapshot.key] = PackedVectors(model, rows.shape[1] or 1, (), data, snapshot.hash)
        await self._store.keep_vectors(packed)

    async def _rows(self, model: str, snapshots: Sequence[Snapshot]) -> list[Rows]:
        """For each document its vectors, a row for each text that the model embeds of it; without rows for a document
        in a language that the model does not know. All are embedded in one call."""
        texts = await anyio.to_thread.run_sync(self._texts, model, list(snapshots))
        embedder = self._static if model == STATIC_MODEL else self._embedder
        rows = await embedder.embed([text for each in texts for text in each], "passage")
        ends = itertools.accumulate(map(len, texts), initial=0)
        return [rows[begin:end] for begin, end in itertools.pairwise(ends)]

    def _texts(self, model: str, snapshots: Sequence[Snapshot]) -> list[list[str]]:
        """For each document the texts that a model embeds: its passages for the static vectors, else its summary and
        first sections, or none if the model does not know its language."""
        if model == STATIC_MODEL:
            return [self._passages(snapshot) for snapshot in snapshots]
        return [[summary(one), *section_texts(one)] if self._can_embed(one) else [] for one in snapshots]

    def _passages(self, snapshot: Snapshot) -> list[str]:
        """The first passages of a document, at most 400, each with the title and the heading above it; none twice."""
        cut = self._cut(snapshot.document.markdown, snapshot.document.headings)[:_MOST_PASSAGES]
        texts = ["\n".join([snapshot.document.title, *one.section_path[-1:], readable(one.text)]) for one in cut]
        return list(dict.fromkeys(texts))

    def _can_embed(self, snapshot: Snapshot) -> bool:
        """Whether the document has text, and in a language that the model knows."""
        text = snapshot.document.markdown
        return bool(text.strip()) and supports_language(self._embedder, language_of(text))


def summary_model(embedder: Embedder) -> str:
    """The name under which a model's vectors of summaries and sections are stored, apart from those of passages."""
    return f"{embedder.name};summary"


def summary(snapshot: Snapshot) -> str:
    """The text that is embedded for a whole document: title, headings and beginning; of a short document, all of it."""
    document = snapshot.document
    if len(document.markdown) <= SHORT_CHARS:
        return "\n".join(part for part in (document.title, readable(document.markdown)) if part)
    headings = " · ".join(one.text for one in document.headings)[:_HEADING_CHARS]
    beginning = readable(document.markdown[: 2 * SUMMARY_CHARS])
    return "\n".join(part for part in (document.title, headings, beginning) if part)[:SUMMARY_CHARS]


def section_texts(snapshot: Snapshot) -> list[str]:
    """The first sections of a long document, each as title, headings and beginning; none of a short one, which is
    embedded as a whole."""
    document = snapshot.document
    if len(document.markdown) <= SHORT_CHARS:
        return []
    found = []
    for path, held in itertools.islice(sections(document.markdown), _MOST_SECTIONS):
        text = document.markdown[held[0].start : held[-1].end][: 3 * _SECTION_CHARS]
        headings = " › ".join(path[1:] if path[:1] == (document.title,) else path)
        parts = (document.title, headings, readable(text)[:_SECTION_CHARS])
        found.append("\n".join(part for part in parts if part))
    return list(dict.fromkeys(found))
