"""Copies one store into another, page by page; each page is read back and compared."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby

import anyio.to_thread

from mcp_web.archive.derive import derive
from mcp_web.errors import CacheError
from mcp_web.model.progress import OnProgress
from mcp_web.model.snapshot import snapshot_hash
from mcp_web.store.protocol import PageRecord, Store

# The size of one transaction, which is also the most that is copied again after an interruption: a number of pages, and
# an estimate in characters from the pages before.
_BATCH_PAGES, _BATCH_CHARS = 100, 4_000_000
_ALL = 1 << 62  # records of a kind: all of them


@dataclass(slots=True)
class CopyReport:
    """How many pages, records and notes were copied from one store to another, and a digest of all pages."""

    pages: int = 0  # of the source
    copied: int = 0
    unchanged: int = 0  # were in the target already, equal in every part
    records: int = 0
    notes: int = 0
    digest: str = ""  # of the versions, screenshots and vectors of all pages: the same for equal stores


async def copy_store(source: Store, target: Store, on_progress: OnProgress | None = None) -> CopyReport:
    """Copy all pages, records, notes and metrics from `source` to `target`; equal pages are skipped, so a copy can be
    resumed. Other pages of the target stay.

    Metrics are copied only if the target has none. Raises CacheError if a page differs when it is read back, or if its
    text does not match its hash.
    """
    report = CopyReport()
    await _copy_pages(source, target, report, on_progress or (lambda text, done, total: None))
    await _copy_records(source, target, report)
    await _copy_notes(source, target, report)
    if not any((await target.metrics()).values()):
        await target.add_metrics(await source.metrics())
    await target.maintain()
    return report


async def _copy_pages(source: Store, target: Store, report: CopyReport, on_progress: OnProgress) -> None:
    """Copy the pages that differ, in batches; the counts and the digest of all pages are written to `report`."""
    total = (await source.size()).pages
    whole = hashlib.sha256()
    after, limit = "", _BATCH_PAGES
    while keys := await source.keys(after, limit):
        there = await source.page_records(keys)
        here = await target.page_records(keys)
        whole.update(await anyio.to_thread.run_sync(_digests, there.values()))
        report.pages += len(there)
        wanted = {key: record for key, record in there.items() if here.get(key) != record}
        report.unchanged += len(there) - len(wanted)
        await _write(target, wanted, report)
        after, limit = keys[-1], _next_limit(there.values())
        on_progress("copying pages", report.pages, max(total, report.pages))
    report.digest = whole.hexdigest()


def _next_limit(records: Collection[PageRecord]) -> int:
    """How many pages to read next, so that a batch has about _BATCH_CHARS characters."""
    chars = sum(len(version.document.markdown) for one in records for version in one.versions)
    return min(_BATCH_PAGES, _BATCH_CHARS * len(records) // max(1, chars) + 1)


async def _write(target: Store, batch: Mapping[str, PageRecord], report: CopyReport) -> None:
    """Write a batch of pages, and count them in `report`; raises CacheError if one differs when it is read back."""
    if not batch:
        return
    derived = await anyio.to_thread.run_sync(lambda: [derive(one.versions[-1]) for one in batch.values()])
    await target.keep_page_records(list(zip(batch.values(), derived, strict=True)))
    kept = await target.page_records(list(batch))
    for key, record in batch.items():
        if kept.get(key) != record:
            url = record.versions[-1].url
            raise CacheError(f"The copy of {url} differs from the original.", suggestion="Run `mcp-web store check`.")
    report.copied += len(batch)


async def _copy_records(source: Store, target: Store, report: CopyReport) -> None:
    """Copy all records (small JSON values), overwriting those that differ in the target; counts them in `report`."""
    for kind in await source.record_kinds():
        found = await source.records(kind, limit=_ALL)
        for expires_at, group in groupby(found, key=lambda one: one.expires_at):
            items = {one.key: one.value for one in group}
            for key in items.keys() - await target.add_records(kind, items, expires_at):
                if await target.record(kind, key) != items[key]:
                    await target.keep_record(kind, key, items[key], expires_at)
            report.records += len(items)


async def _copy_notes(source: Store, target: Store, report: CopyReport) -> None:
    after = ("", "")
    while found := await source.notes(after):
        for kind, one in found:
            await target.keep_note(kind, one.key, one.value, one.expires_at or 0.0)
        report.notes += len(found)
        after = found[-1][0], found[-1][1].key


def _digests(records: Iterable[PageRecord]) -> bytes:
    return b"".join(map(page_digest, records))


def page_digest(record: PageRecord) -> bytes:
    """The SHA-256 digest of a page's versions, screenshots and vectors; raises CacheError if a hash is wrong."""
    found = hashlib.sha256()
    for version in record.versions:
        if snapshot_hash(version.key, version.document.markdown) != version.hash:
            raise CacheError(
                f"The kept text of {version.url} does not match its hash {version.hash[:16]}.",
                suggestion="Restore it from a backup, or delete the page and open it again.",
            )
        found.update(repr((version, record.since[version.hash])).encode("utf-8", "surrogatepass"))
    for hash_ in sorted(record.screenshots):
        found.update(hash_.encode() + record.screenshots[hash_])
    for vectors in record.vectors:
        found.update(repr((vectors.model, vectors.dim, vectors.snapshot)).encode() + vectors.digests + vectors.data)
    return found.digest()
