"""The reply of one endpoint, or of all endpoints of a provider."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from mcp_web.model.search import Attempt, Outcome
from mcp_web.search.provider import Capabilities, ResultPage

_GOOD: tuple[Outcome, ...] = ("ok", "empty")
_NO_RESULTS = ResultPage(())


@dataclass(frozen=True, slots=True)
class Reply:
    """The results and the attempts that led to them, or only the failed attempts."""

    capabilities: Capabilities
    attempts: tuple[Attempt, ...]
    page: ResultPage = _NO_RESULTS
    fixes: tuple[str, ...] = ()  # what the operator can do about failed attempts

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
