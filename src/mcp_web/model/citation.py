"""A link from one kept document to another thing worth citing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

CitationKind = Literal["link", "reference", "wiki", "doi", "arxiv", "url"]


@dataclass(frozen=True, slots=True)
class Citation:
    source_id: str
    target_id: str | None  # None while the target is not in the archive
    target_url: str
    context: str  # the sentence it stands in
    confidence: float
    kind: CitationKind = "link"
