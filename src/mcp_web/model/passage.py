"""A passage of a document that can be cited, and a passage that a search found."""

from __future__ import annotations

from dataclasses import dataclass

Span = tuple[int, int]  # start and end, in the Markdown of a snapshot


@dataclass(frozen=True, slots=True)
class Passage:
    """A slice of a snapshot's Markdown: `text == markdown[start:end]`."""

    number: int  # its place in the document, from 0
    text: str
    start: int
    end: int
    section_path: tuple[str, ...]  # headings above it, outermost first
    digest: str  # sha256 of section path, entry and text: same on every machine, unchanged chunks keep it
    entry: str = ""  # the name of the reference entry that it continues, as "json.dumps"

    @property
    def above(self) -> tuple[str, ...]:
        """The headings above the passage, outermost first, then the reference entry that it continues, if any."""
        return (*self.section_path, self.entry) if self.entry else self.section_path


@dataclass(frozen=True, slots=True)
class ScoredPassage:
    """A passage and the probability that it answers the question: comparable between pages, languages and models."""

    passage: Passage
    score: float  # 0…1


@dataclass(frozen=True, slots=True)
class PackedVectors:
    """The embedding vectors of a page: one blob of rows of `dim` little-endian float32 numbers."""

    model: str  # "name@version"
    dim: int
    digests: tuple[str, ...]  # of the passages, one for each row; empty for the vectors of a document
    data: bytes
    snapshot: str = ""  # hash of the version that a document's vectors were made from; empty for those of passages
