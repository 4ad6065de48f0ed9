"""What the archive reads out of a snapshot, to be kept with it."""

from __future__ import annotations

from mcp_web.archive.citations import mentions
from mcp_web.archive.dates import document_date
from mcp_web.archive.names import names_of
from mcp_web.model.snapshot import Snapshot
from mcp_web.store.protocol import Derived


def derive(snapshot: Snapshot) -> Derived:
    """The document's date, the names it is cited by, and what it cites."""
    document = snapshot.document
    return Derived(
        date=document_date(document, snapshot.path),
        names=names_of(snapshot),
        mentions=mentions(document.markdown, snapshot.final_url, snapshot.path),
    )
