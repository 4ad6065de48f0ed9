"""Stores pages, as a new version when the text has changed, and deletes what the options say."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Mapping
from typing import TypeVar

from mcp_web import trace
from mcp_web.archive.derive import keep
from mcp_web.archive.freshness import Headers, fresh_until, is_fresh
from mcp_web.archive.options import EVERY_DOMAIN, ArchiveOptions
from mcp_web.errors import CacheError
from mcp_web.lru import LruDict
from mcp_web.model.page import Document, Fetched
from mcp_web.model.snapshot import Snapshot
from mcp_web.store.protocol import PurgeRule, Store
from mcp_web.text.urls import host_matches, host_of

T = TypeVar("T")
_PURGE_FIRST, _PURGE_EVERY = 20, 500  # pages kept by this process
_IN_MEMORY = 64  # pages that are not to be kept on disk stay readable for a while, so paging works


class Keeper:
    """Reads and writes kept pages, as far as the options allow a page to be stored."""

    def __init__(self, store: Store, options: ArchiveOptions) -> None:
        self._store = store
        self._options = options
        self._unkept: LruDict[str, Snapshot] = LruDict(_IN_MEMORY)
        self._kept = 0

    async def latest(self, key: str) -> Snapshot | None:
        """The newest version of a page, fresh or not, by its key; None if none is kept."""
        return self._unkept.get(key) or await self._store.latest(key)

    def is_fresh(self, snapshot: Snapshot, max_age: float | None = None) -> bool:
        return is_fresh(snapshot, time.time(), max_age)

    def age(self, snapshot: Snapshot) -> float:
        """Seconds since this version was fetched or last revalidated."""
        return max(0.0, time.time() - snapshot.checked_at)

    def may_store(self, url: str) -> bool:
        """Whether the options allow this page to be written to disk."""
        return _nearest(host_of(url), self._options.remember)[1]

    def snapshot_of(self, fetched: Fetched, document: Document, variant: str) -> Snapshot:
        """The snapshot of a page that was just fetched, not stored: for callers that could not write to the store."""
        return Snapshot.of(
            fetched.url,
            variant,
            document,
            fetched.fetched_at,
            final_url=fetched.final_url,
            fresh_until=self._fresh_until(fetched.url, fetched.headers, fetched.fetched_at),
            status=fetched.status,
            etag=fetched.header("etag"),
            last_modified=fetched.header("last-modified"),
            media_type=fetched.media_type,
            headers=fetched.headers,
            timings=fetched.timings,
            authenticated=fetched.authenticated,
        )

    async def keep(self, fetched: Fetched, document: Document, variant: str) -> Snapshot:
        """Store a page that was just fetched, without its raw bytes, and return its snapshot; in memory only if the
        options do not allow more. A page that is research stays research."""
        made = self.snapshot_of(fetched, document, variant)
        # Read now, not when the fetch began: a person may have saved the page meanwhile, also one kept in memory only.
        before = await self._store.latest(made.key) or self._unkept.get(made.key)
        if before is not None and before.source == "research":
            # A page that a person saved stays research when an agent opens it.
            made = dataclasses.replace(made, source=before.source, path=before.path, tags=before.tags)
        if before is not None and before.hash == made.hash:
            made = dataclasses.replace(made, fetched_at=before.fetched_at)
        if made.source == "research" or self.may_store(made.url):
            self._unkept.pop(made.key, None)
            await keep(self._store, made)
            await self._purge_at_intervals()
        else:
            self._unkept[made.key] = made
        return made

    async def confirm(self, snapshot: Snapshot, fetched: Fetched) -> Snapshot:
        """Store that a kept version is still current, after the 304 response `fetched`; returns it with new times."""
        # A 304 repeats only the headers that matter for caching; the others are unchanged.
        named = {name for name, _ in fetched.headers}
        headers = (*(pair for pair in snapshot.headers if pair[0] not in named), *fetched.headers)
        until = self._fresh_until(snapshot.url, headers, fetched.fetched_at)
        confirmed = dataclasses.replace(snapshot, checked_at=fetched.fetched_at, fresh_until=until)
        if snapshot.key in self._unkept:
            self._unkept[snapshot.key] = confirmed
        else:
            await self._store.confirm(snapshot.key, confirmed.checked_at, confirmed.fresh_until)
        return confirmed

    async def _purge_at_intervals(self) -> None:
        """Delete what the options say after the 20th page stored by this process and every 500 more; log failures."""
        self._kept += 1
        if self._kept % _PURGE_EVERY == _PURGE_FIRST:
            try:
                await purge_configured(self._store, self._options)
            except CacheError as error:
                trace.log("error", "purge", error_code=error.code)

    def _fresh_until(self, url: str, headers: Headers, at: float) -> float:
        """Until when a page fetched `at` is fresh (Unix times): by the option for its domain if any, or its headers."""
        domain, seconds = _nearest(host_of(url), self._options.ttl)
        return fresh_until(headers, at, self._options) if domain == EVERY_DOMAIN else at + seconds


def conditional_headers(snapshot: Snapshot) -> tuple[tuple[str, str], ...]:
    """The request headers that allow the origin to respond with 304 instead of the page."""
    headers = (("if-none-match", snapshot.etag), ("if-modified-since", snapshot.last_modified))
    return tuple((name, value) for name, value in headers if value)


def _nearest(host: str, rules: Mapping[str, T]) -> tuple[str, T]:
    """The most specific domain of the rules that matches the host, with its value; `*` matches every host."""
    return max((rule for rule in rules.items() if host_matches(host, rule[0])), key=lambda rule: len(rule[0]))


async def purge_configured(store: Store, options: ArchiveOptions) -> None:
    """Delete what the options say: unused pages, domains not kept, old versions. (The store limits its size.)"""
    if options.forget_after_days > 0:
        await store.purge(PurgeRule(older_than=options.forget_after_days * 86400.0), dry_run=False)
    kept = [domain for domain, is_kept in options.remember.items() if is_kept]
    for domain in options.remember.keys() - {*kept, EVERY_DOMAIN}:
        if not any(host_matches(one, domain) for one in kept):
            await store.purge(PurgeRule(domain=domain), dry_run=False)
    await store.trim_versions(options.keep_versions)
