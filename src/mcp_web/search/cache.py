"""Search answers kept for an hour: on disk where the provider's terms allow it, in memory otherwise."""

from __future__ import annotations

import hashlib
import json
import time
from dataclasses import asdict, fields
from typing import Any

from mcp_web import trace
from mcp_web.errors import WebError
from mcp_web.lru import LruDict
from mcp_web.model.search import Attempt, Hit, SearchAnswer, SearchQuery
from mcp_web.store.protocol import Store

_KIND = "search"
_MOST_IN_MEMORY = 256


class SearchCache:
    """Answers by query, filters and providers. The key is a digest, and the query itself is not in the value."""

    def __init__(self, notes: Store, ttl: float) -> None:
        self._notes = notes
        self._memory: LruDict[str, tuple[float, Any]] = LruDict(_MOST_IN_MEMORY)  # what must not be stored
        self._ttl = ttl

    async def get(self, key: str, query: SearchQuery) -> SearchAnswer | None:
        if self._ttl <= 0:
            return None
        expires_at, in_memory = self._memory.get(key, (0.0, None))
        value = in_memory if expires_at > time.time() else await self._stored(key)
        return _from_json(value, query) if value else None

    async def keep(self, key: str, found: SearchAnswer, *, on_disk: bool, at_most: float | None = None) -> None:
        ttl = self._ttl if at_most is None else min(self._ttl, at_most)
        if ttl <= 0:
            return
        value, expires_at = _to_json(found), time.time() + ttl
        try:
            if on_disk:
                await self._notes.keep_note(_KIND, key, value, expires_at)
                return
        except WebError as error:  # a store that cannot be written must not lose the answer
            trace.log("error", "search_cache", error_code=error.code)
        self._memory[key] = (expires_at, value)

    async def _stored(self, key: str) -> Any | None:
        try:
            return await self._notes.note(_KIND, key)
        except WebError as error:
            trace.log("error", "search_cache", error_code=error.code)
            return None


def cache_key(query: SearchQuery, names: tuple[str, ...], how: str, raw: bool) -> str:
    words = " ".join(query.text.split())
    facts = json.dumps([asdict(query) | {"text": words}, names, how, raw], sort_keys=True, default=list)
    return hashlib.sha256(facts.encode()).hexdigest()


def _to_json(found: SearchAnswer) -> dict[str, Any]:
    facts = {one.name: getattr(found, one.name) for one in fields(found) if one.name not in ("query", "cache")}
    facts["hits"] = [asdict(hit) for hit in found.hits]
    facts["attempted"] = [asdict(attempt) for attempt in found.attempted]
    facts["raw"] = dict(found.raw)
    value: dict[str, Any] = json.loads(json.dumps(facts))  # plain JSON, for any store
    return value


def _from_json(value: Any, query: SearchQuery) -> SearchAnswer | None:
    try:
        facts = dict(value)
        facts["hits"] = tuple(_rebuilt(Hit, row) for row in facts["hits"])
        facts["attempted"] = tuple(_rebuilt(Attempt, row) for row in facts["attempted"])
        facts["notes"], facts["answers"] = tuple(facts["notes"]), tuple(facts["answers"])
        return SearchAnswer(query=query, cache="hit", **facts)
    except (KeyError, TypeError, ValueError):
        return None  # written by another version: treated as absent


def _rebuilt(kind: type[Any], row: dict[str, Any]) -> Any:
    return kind(**{name: tuple(part) if isinstance(part, list) else part for name, part in row.items()})
