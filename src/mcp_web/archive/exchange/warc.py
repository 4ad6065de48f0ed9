"""WARC, the format of web archives, through warcio (an extra: pip install 'mcp-web[warc]').

A version is a `conversion` record with its Markdown and a `metadata` record with everything else. The `response`
records of other archives are read by the `extract` function that the caller passes.
"""

from __future__ import annotations

import importlib
import io
import json
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO

import anyio.to_thread

from mcp_web.archive.exchange.records import Exporter, Importer, record_of, snapshot_of
from mcp_web.errors import ConfigError, InvalidInput, WebError
from mcp_web.model.page import Document, Fetched
from mcp_web.model.snapshot import Snapshot
from mcp_web.text.dates import iso

_MAX_BODY = 50_000_000
_MAX_HEADERS = 256_000  # bytes of a record's or an answer's headers
_MAX_LINE = 64_000
_FACTS_TYPE = "application/vnd.mcp-web.snapshot+json"

Extract = Callable[[Fetched], Awaitable[Document]]


async def export_warc(exporter: Exporter, file: Path) -> None:
    """Write every document with all its versions into one compressed WARC file."""
    writer_class = _warc_writer()
    with await anyio.to_thread.run_sync(open, file, "wb") as out:
        writer = writer_class(out, gzip=True)
        await anyio.to_thread.run_sync(_write_info, writer, file.name)
        async for snapshot, _ in exporter.versions():
            await anyio.to_thread.run_sync(_write, writer, snapshot)


async def import_warc(importer: Importer, file: Path, extract: Extract | None = None) -> None:
    """Import what `export_warc` wrote unchanged, and the pages of other WARC files as research."""
    _warc_writer()
    with await anyio.to_thread.run_sync(open, file, "rb") as stream:
        pieces = _read(stream)
        while (piece := await anyio.to_thread.run_sync(next, pieces, None)) is not None:
            try:
                snapshot = await _snapshot(piece, extract)
            except (WebError, RecursionError, ValueError, KeyError, TypeError) as error:
                importer.fail(piece.url, error)
                continue
            if snapshot is not None:
                await importer.keep(snapshot)


@dataclass(frozen=True, slots=True)
class _Piece:
    """What one record, or a pair of ours, yields: a version of ours, a page, or a failure."""

    url: str
    text: str | None = None  # one of ours, with its facts
    facts: bytes = b""
    page: Fetched | None = None  # a page of another archive
    failure: str = ""  # why the record could not be read


async def _snapshot(piece: _Piece, extract: Extract | None) -> Snapshot | None:
    """The version to import; None if there is none. Raises for a record that could not be read."""
    if piece.failure:
        raise InvalidInput(piece.failure)
    if piece.text is not None:
        return snapshot_of(json.loads(piece.facts), piece.text)
    if piece.page is None or extract is None:
        return None
    page = piece.page
    return Snapshot.of(
        page.url,
        "readable",
        await extract(page),
        page.fetched_at,
        final_url=page.final_url,
        status=page.status,
        media_type=page.media_type,
        headers=page.headers,
        source="research",
    )


def _warc_writer() -> Any:
    """The class WARCWriter of warcio; raises ConfigError if it is not installed."""
    try:
        return importlib.import_module("warcio.warcwriter").WARCWriter
    except ImportError as error:
        raise ConfigError(
            "WARC files need the package warcio, which is not installed.", suggestion="pip install 'mcp-web[warc]'"
        ) from error


def _write_info(writer: Any, name: str) -> None:
    writer.write_record(writer.create_warcinfo_record(name, {"software": "mcp-web", "format": "WARC File Format 1.0"}))


def _write(writer: Any, snapshot: Snapshot) -> None:
    """Write the two records of a version: its text, and everything else."""
    at = iso(snapshot.fetched_at)
    text = snapshot.document.markdown.encode("utf-8", "surrogatepass")
    page = writer.create_warc_record(
        snapshot.url,
        "conversion",
        payload=io.BytesIO(text),
        length=len(text),
        warc_content_type="text/markdown; charset=utf-8",
        warc_headers_dict={"WARC-Date": at},
    )
    writer.write_record(page)
    facts = json.dumps(record_of(snapshot), separators=(",", ":")).encode()
    refers = page.rec_headers.get_header("WARC-Record-ID")
    writer.write_record(
        writer.create_warc_record(
            snapshot.url,
            "metadata",
            payload=io.BytesIO(facts),
            length=len(facts),
            warc_content_type=_FACTS_TYPE,
            warc_headers_dict={"WARC-Date": at, "WARC-Refers-To": refers},
        )
    )


def _read(stream: BinaryIO) -> Iterator[_Piece]:
    """What the records of a file yield, in order; raises InvalidInput where the file is damaged."""
    iterate = importlib.import_module("warcio.archiveiterator").ArchiveIterator
    broken = importlib.import_module("warcio.exceptions").ArchiveLoadFailed
    waiting: dict[str, str] = {}
    records = iterate(stream)
    _bound_headers(records.loader, broken)
    try:
        for record in records:
            try:
                piece = _piece(record, waiting)
            except (InvalidInput, UnicodeDecodeError) as error:
                piece = _Piece(record.rec_headers.get_header("WARC-Target-URI") or "", failure=str(error))
            if piece is not None:
                yield piece
    except (broken, EOFError, OSError) as error:
        raise InvalidInput(f"The WARC file cannot be read further: {error}.") from error


def _piece(record: Any, waiting: dict[str, str]) -> _Piece | None:
    """The import item that one record yields; `waiting` holds a text until its metadata record is read."""
    header = record.rec_headers.get_header
    url = header("WARC-Target-URI") or ""
    if record.rec_type == "conversion":
        waiting.clear()
        waiting[header("WARC-Record-ID") or ""] = _body(record).decode("utf-8", "surrogatepass")
    elif record.rec_type == "metadata" and header("Content-Type") == _FACTS_TYPE:
        text = waiting.pop(header("WARC-Refers-To") or "", None)
        return _Piece(url, text, _body(record)) if text is not None else None
    elif record.rec_type == "response" and record.http_headers is not None:
        return _Piece(url, page=_page(record, url, header("WARC-Date")))
    return None


def _bound_headers(loader: Any, broken: type[Exception]) -> None:
    """Limit the size of headers: the library itself reads them whole, however large."""
    for name in ("warc_parser", "http_parser", "http_req_parser"):
        parser = getattr(loader, name)
        parse = parser.parse
        parser.parse = lambda stream, status=None, parse=parse: parse(_Lines(stream, broken), status)


class _Lines:
    """The lines of a stream, up to a number of bytes."""

    def __init__(self, stream: Any, broken: type[Exception]) -> None:
        self._stream = stream
        self._broken = broken
        self._left = _MAX_HEADERS

    def readline(self) -> bytes:
        line: bytes = self._stream.readline(_MAX_LINE)
        self._left -= len(line)
        if self._left < 0:
            raise self._broken(f"a record has more than {_MAX_HEADERS:,} bytes of headers")
        return line


def _page(record: Any, url: str, at: str | None) -> Fetched | None:
    """The page of a successful response; redirects and errors are not documents."""
    status = record.http_headers.get_statuscode()
    if status != "200" or not url.startswith("http"):
        return None
    headers = tuple((name.lower(), value) for name, value in record.http_headers.headers)
    media_type = dict(headers).get("content-type", "").partition(";")[0].strip().lower()
    try:
        fetched_at = datetime.fromisoformat((at or "").replace("Z", "+00:00")).timestamp()
    except ValueError:
        fetched_at = 0.0
    return Fetched(url, url, 200, headers, _body(record), media_type, None, fetched_at)


def _body(record: Any) -> bytes:
    """The decoded body of a record; raises InvalidInput if it is too large."""
    body: bytes = record.content_stream().read(_MAX_BODY + 1)
    if len(body) > _MAX_BODY:
        raise InvalidInput(f"A record of the WARC file is larger than {_MAX_BODY:,} bytes.")
    return body


def warc_of(snapshot: Snapshot) -> bytes:
    """One version of one document as a compressed WARC file."""
    out = io.BytesIO()
    writer = _warc_writer()(out, gzip=True)
    _write_info(writer, f"{snapshot.hash[:16]}.warc.gz")
    _write(writer, snapshot)
    return out.getvalue()
