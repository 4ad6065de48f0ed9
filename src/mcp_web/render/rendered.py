"""A page after its scripts ran."""

from __future__ import annotations

from dataclasses import dataclass

from mcp_web.model.page import Fetched


@dataclass(frozen=True, slots=True)
class Rendered(Fetched):
    """A page after its scripts ran: `body` is its visible part as HTML, or for another type of text the whole text,
    in UTF-8."""

    screenshot: bytes | None = None  # PNG
    hidden: int = 0  # pieces of invisible text left out
