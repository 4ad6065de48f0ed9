"""The plug-in point of extraction: bytes in, `Document` out, nothing else touched."""

from __future__ import annotations

from typing import Protocol

from mcp_web.model.page import Document, ExtractRequest, Fetched


class Extractor(Protocol):
    """Reads one media type. Pure: no network, no clock, no disk."""

    name: str  # "name@version", stored with every snapshot

    def extract(self, page: Fetched, request: ExtractRequest) -> Document:
        """Read the page; raises ExtractFailed or SelectorNotFound."""
        ...
