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
    """Answers by query, filters and providers. The key is a digest, and the query itself is not in the value."""

    def __init__(self, notes: BestEffortNotes, ttl: float) -> None:
        self._notes = notes
        self._ttl = ttl

    async def get(self, key: str, query: SearchQuery) -> SearchAnswer | None:
        """The answer that was kept under this key, as an answer to `query`; None if there is none or it is too old."""
        value = await self._notes.get(_KIND, key) if self._ttl > 0 else None
        return _from_json(value, query) if value else None

    async def keep(self, key: str, found: SearchAnswer, *, on_disk: bool, max_seconds: float | None = None) -> None:
        """Keep an answer for the configured time, or for `max_seconds` if that is shorter; not at all for 0 seconds."""
        ttl = self._ttl if max_seconds is None else min(self._ttl, max_seconds)
        if ttl > 0:
            await self._notes.keep(_KIND, key, _to_json(found), time.time() + ttl, on_disk=on_disk)


def cache_key(query: SearchQuery, names: tuple[str, ...], how: str, raw: bool) -> str:
    """A digest of the query with its filters, the providers' names, how they are asked and whether `raw` was."""
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
    """A dataclass from its fields as JSON, with tuples in place of lists."""
    return kind(**{name: tuple(part) if isinstance(part, list) else part for name, part in row.items()})
