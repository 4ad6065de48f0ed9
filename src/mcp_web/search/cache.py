"""Search answers kept for an hour: on disk where the provider's terms allow it, in memory otherwise."""

from __future__ import annotations

import hashlib
import json
import time
from dataclasses import asdict, replace
from typing import Any

from mcp_web.model.search import Attempt, Hit, SearchAnswer, SearchQuery
from mcp_web.store.best_effort import BestEffortNotes

_KIND = "search"


class SearchCache:
    """Keeps search answers for a time, by a digest of query, filters and providers; without the query itself."""

    def __init__(self, notes: BestEffortNotes, ttl: float) -> None:
        self._notes = notes
        self._ttl = ttl

    async def get(self, key: str, query: SearchQuery) -> SearchAnswer | None:
        """The answer kept under this key, with `query` as its query; None if there is none or it has expired."""
        value = await self._notes.get(_KIND, key) if self._ttl > 0 else None
        return _from_json(value, query) if value else None

    async def keep(self, key: str, found: SearchAnswer, *, on_disk: bool, max_seconds: float | None = None) -> None:
        """Keep an answer for the configured time or `max_seconds`, whichever is shorter (0: not at all); unless
        `on_disk`, in memory only."""
        ttl = self._ttl if max_seconds is None else min(self._ttl, max_seconds)
        if ttl > 0:
            await self._notes.keep(_KIND, key, _to_json(found), time.time() + ttl, on_disk=on_disk)


def cache_key(query: SearchQuery, names: tuple[str, ...], how: str, raw: bool) -> str:
    """The key of an answer in the cache: a digest of the query with its filters, the names of the providers, `how` they
    are asked ("failover" or "together") and whether their raw JSON is included."""
    words = " ".join(query.text.split())
    facts = json.dumps([asdict(query) | {"text": words}, names, how, raw], sort_keys=True, default=list)
    return hashlib.sha256(facts.encode()).hexdigest()


def _to_json(found: SearchAnswer) -> dict[str, Any]:
    """The answer as plain JSON values, without the query."""
    # `asdict` would copy the providers' JSON value by value, and fail where it is nested deeply.
    facts = asdict(replace(found, raw={})) | {"raw": dict(found.raw)}
    del facts["query"], facts["cache"]
    value: dict[str, Any] = json.loads(json.dumps(facts))  # plain JSON, for any store
    return value


def _from_json(value: Any, query: SearchQuery) -> SearchAnswer | None:
    """The answer from what `_to_json` returned; None if it was written by another version."""
    try:
        facts = dict(value)
        facts["hits"] = tuple(_rebuilt(Hit, row) for row in facts["hits"])
        facts["attempted"] = tuple(_rebuilt(Attempt, row) for row in facts["attempted"])
        facts["notes"], facts["answers"] = tuple(facts["notes"]), tuple(facts["answers"])
        return SearchAnswer(query=query, cache="hit", **facts)
    except (KeyError, TypeError, ValueError):
        return None


def _rebuilt(kind: type[Any], row: dict[str, Any]) -> Any:
    """An instance of the dataclass `kind` from a JSON object of its fields; lists become tuples."""
    return kind(**{name: tuple(part) if isinstance(part, list) else part for name, part in row.items()})
