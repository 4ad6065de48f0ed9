"""A page after its scripts ran."""

from __future__ import annotations

from dataclasses import dataclass

from mcp_web.model.page import Fetched


@dataclass(frozen=True, slots=True)
class Rendered(Fetched):
    """A page after its scripts ran: `body` is its visible part, as HTML in UTF-8; for other text, what the server
    sent."""

    screenshot: bytes | None = None  # PNG
    hidden: int = 0  # pieces of invisible text left out
