"""The reply of one endpoint, or of all endpoints of a provider."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from mcp_web.model.search import Attempt, Hit, Outcome
from mcp_web.search.provider import Capabilities

_GOOD: tuple[Outcome, ...] = ("ok", "empty")


@dataclass(frozen=True, slots=True)
class Reply:
    """Hits and the attempts that led to them, or only the failed attempts."""

    capabilities: Capabilities
    attempts: tuple[Attempt, ...]
    hits: tuple[Hit, ...] = ()
    total: int | None = None
    more: bool = False
    suggestion: str | None = None
    answers: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    incomplete: bool = False  # some engines behind the provider did not answer
    raw: tuple[Any, ...] = ()
    fixes: tuple[str, ...] = ()

    @property
    def answered(self) -> bool:
        """Whether an endpoint answered, with or without results."""
        return any(attempt.outcome in _GOOD for attempt in self.attempts)


def best_of(winner: Reply | None, replies: Sequence[Reply], capabilities: Capabilities) -> Reply:
    """The winner, else an answer without results, else an empty reply; with the attempts and fixes of all replies."""
    best = winner or next((reply for reply in replies if reply.answered), Reply(capabilities, ()))
    return replace(
        best,
        attempts=tuple(attempt for reply in replies for attempt in reply.attempts),
        fixes=tuple(dict.fromkeys(fix for reply in replies for fix in reply.fixes)),
    )
