"""What a caller was shown of a kept page: for people who check an agent's sources."""

from __future__ import annotations

from dataclasses import dataclass

from mcp_web.model.passage import Span


@dataclass(frozen=True, slots=True)
class ReadingRecord:
    """Passages of one version that were returned for one question, or quotes that were checked against it."""

    at: float  # seconds since the epoch
    tool: str
    question: str  # of quotes: the quote
    client: str  # the name of the program that asked, and of its token; empty when neither is known
    snapshot: str  # the hash of the version
    spans: tuple[Span, ...]
