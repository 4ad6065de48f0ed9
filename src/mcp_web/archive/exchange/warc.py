"""WARC, the format of web archives, through warcio (an extra: pip install 'mcp-web[warc]').

A version is a `conversion` record with its Markdown and a `metadata` record with everything else. The `response`
records of other archives are read by the `extract` function that the caller passes.
"""

from __future__ import annotations

import importlib
import io
import json
from collections.abc import Awaitable, Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO

import anyio.to_thread

from mcp_web.archive.exchange.records import Exporter, Importer, record_of, snapshot_of
from mcp_web.errors import ConfigError, InvalidInput, WebError
from mcp_web.model.page import Document, Fetched
from mcp_web.model.snapshot import Snapshot
from mcp_web.text.dates import iso
from mcp_web.text.json_fields import read_json

_MAX_BODY = 50_000_000
_MAX_HEADERS = 256_000  # bytes of a record's or an answer's headers
_MAX_LINE = 64_000
_FACTS_TYPE = "application/vnd.mcp-web.snapshot+json"

Extract = Callable[[Fetched], Awaitable[Document]]
_UNREADABLE = (WebError, ValueError, KeyError, TypeError)  # what a hostile record may raise


async def export_warc(exporter: Exporter, file: Path) -> None:
    """Write every document with all its versions into one compressed WARC file."""
    writer_class = _warc_writer()
    with await anyio.to_thread.run_sync(open, file, "wb") as out:
        writer = writer_class(out, gzip=True)
        await anyio.to_thread.run_sync(_write_info, writer, file.name)
        async for snapshot, _ in exporter.versions():
            await anyio.to_thread.run_sync(_write, writer, snapshot)


async def import_warc(importer: Importer, file: Path, extract: Extract | None = None) -> None:
    """Import the versions that `export_warc` wrote, as they were, and the pages of other WARC files as research, which
    `extract` reads; without `extract` these are skipped."""
    _warc_writer()
    with await anyio.to_thread.run_sync(open, file, "rb") as stream:
        records = _read(stream)
        while (read := await anyio.to_thread.run_sync(next, records, None)) is not None:
            url, found = read
            if isinstance(found, Fetched):
                if extract is None:
                    continue
                try:
                    found = await _extracted(found, extract)
                except _UNREADABLE as error:
                    found = error
            if isinstance(found, Snapshot):
                await importer.keep(found)
            else:
                importer.fail(url, found)


async def _extracted(page: Fetched, extract: Extract) -> Snapshot:
    """The snapshot of a page from another archive, whose document `extract` returns."""
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
    """The class WARCWriter of warcio; raises ConfigError if warcio is not installed."""
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

    def write(kind: str, body: bytes, media_type: str, **headers: str) -> Any:
        record = writer.create_warc_record(
            snapshot.url,
            kind,
            payload=io.BytesIO(body),
            length=len(body),
            warc_content_type=media_type,
            warc_headers_dict={"WARC-Date": iso(snapshot.fetched_at), **headers},
        )
        writer.write_record(record)
        return record

    text = snapshot.document.markdown.encode("utf-8", "surrogatepass")
    page = write("conversion", text, "text/markdown; charset=utf-8")
    facts = json.dumps(record_of(snapshot), separators=(",", ":")).encode()
    refers = {"WARC-Refers-To": page.rec_headers.get_header("WARC-Record-ID")}
    write("metadata", facts, _FACTS_TYPE, **refers)


def _read(stream: BinaryIO) -> Iterator[tuple[str, Snapshot | Fetched | Exception]]:
    """For each document of a WARC file its URL, and one of three: a version that mcp-web wrote, a page of another
    archive, or the error that made it unreadable. Raises InvalidInput where the file is damaged."""
    iterate = importlib.import_module("warcio.archiveiterator").ArchiveIterator
    broken = importlib.import_module("warcio.exceptions").ArchiveLoadFailed
    waiting: dict[str, str] = {}
    records = iterate(stream)
    _bound_headers(records.loader, broken)
    try:
        for record in records:
            url = record.rec_headers.get_header("WARC-Target-URI") or ""
            found: Snapshot | Fetched | Exception | None
            try:
                found = _document(record, url, waiting)
            except UnicodeDecodeError as error:
                found = InvalidInput(f"The record is not UTF-8: {error.reason}.")
            except _UNREADABLE as error:
                found = error
            if found is not None:
                yield url, found
    except (broken, EOFError, OSError) as error:
        raise InvalidInput(f"The WARC file cannot be read further: {error}.") from error


def _document(record: Any, url: str, waiting: dict[str, str]) -> Snapshot | Fetched | None:
    """The version or page that a record completes, None if it completes none; `waiting` holds a text by the id of its
    record until its metadata record is read."""
    header = record.rec_headers.get_header
    if record.rec_type == "conversion":
        waiting.clear()
        waiting[header("WARC-Record-ID") or ""] = _body(record).decode("utf-8", "surrogatepass")
    elif record.rec_type == "metadata" and header("Content-Type") == _FACTS_TYPE:
        text = waiting.pop(header("WARC-Refers-To") or "", None)
        return snapshot_of(read_json(_body(record)), text) if text is not None else None
    elif record.rec_type == "response" and record.http_headers is not None:
        return _page(record, url, header("WARC-Date"))
    return None


def _bound_headers(loader: Any, broken: type[Exception]) -> None:
    """Make the parsers of `loader` raise `broken` for headers larger than _MAX_HEADERS; warcio itself has no limit."""
    for name in ("warc_parser", "http_parser", "http_req_parser"):
        parser = getattr(loader, name)
        parse = parser.parse
        parser.parse = lambda stream, status=None, parse=parse: parse(_Lines(stream, broken), status)


class _Lines:
    """A stream for a parser of headers: raises `broken` after more than _MAX_HEADERS bytes of lines."""

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
    """The page in a response record; None unless its status is 200 and `url` is http(s). `at` is the record's date."""
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
