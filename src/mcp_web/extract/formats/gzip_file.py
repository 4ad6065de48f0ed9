"""A gzip file (sitemap.xml.gz, data.csv.gz) → the document in it."""

from __future__ import annotations

import zlib
from dataclasses import replace

from mcp_web.errors import ExtractFailed, UnsupportedContent
from mcp_web.extract.options import ExtractOptions
from mcp_web.model.page import Document, ExtractRequest, Fetched
from mcp_web.text.media_types import file_name, text_type_of_name

_MOST = 20_000_000  # bytes, unpacked
_MEMBERS = 1000  # that follow each other in a file; programs that write several put 64 kB into each
_MAGIC = b"\x1f\x8b"


def read_gzip(page: Fetched, request: ExtractRequest, options: ExtractOptions) -> Document:
    """Reads a gzip file as what its name says without `.gz`. Raises UnsupportedContent if its name says nothing of
    that, ExtractFailed if the file is damaged."""
    from mcp_web.extract.document import extract_document

    media_type = text_type_of_name(file_name(page.final_url).lower().removesuffix(".gz"))
    if not media_type:
        raise UnsupportedContent(
            f"{page.final_url} is a gzip file ({len(page.body):,} bytes) whose name does not say what is inside.",
            url=page.final_url,
            content_type=page.media_type,
        )
    body, cut = _unpacked(page)
    document = extract_document(replace(page, body=body, media_type=media_type), request, options)
    note = f"Only the first {_MOST:,} bytes of the unpacked file, or {_MEMBERS:,} parts of it, were read."
    return replace(document, notes=(*document.notes, note)) if cut else document


def _unpacked(page: Fetched) -> tuple[bytes, bool]:
    """The content of the file, and whether something of it was left out; raises ExtractFailed for a damaged file."""
    members: list[bytes] = []
    rest, room, cut = page.body, _MOST, False
    for _ in range(_MEMBERS):
        reader = zlib.decompressobj(wbits=31)
        try:
            members.append(reader.decompress(rest, room))
        except zlib.error as error:
            raise ExtractFailed(f"The gzip file at {page.final_url} is damaged.", url=page.final_url) from error
        rest, cut = reader.unused_data, bool(reader.unconsumed_tail)
        room -= len(members[-1])
        if not room or not rest.startswith(_MAGIC):  # bytes after the last member are padding
            break
    return b"".join(members), cut or rest.startswith(_MAGIC)
