"""Citations: links from a kept document to its sources."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

CitationKind = Literal["link", "reference", "wiki", "doi", "arxiv", "url"]


@dataclass(frozen=True, slots=True)
class Citation:
    source_id: str  # `document_id` of the page that cites
    target_id: str | None  # None while the target is not in the archive
    target_url: str
    context: str  # the sentence that contains it
    confidence: float  # 0…1
    kind: CitationKind = "link"


@dataclass(frozen=True, slots=True)
class Mention:
    """A citation in a text, before it is known whether the archive has its target."""

    name: str  # what it cites, normalised: a URL, "doi:…", "arxiv:…", "path:…", "wiki:…"
    url: str  # as a reader would follow it
    kind: CitationKind
    start: int  # of its sentence, in the Markdown
    end: int
    confidence: float  # 0…1
