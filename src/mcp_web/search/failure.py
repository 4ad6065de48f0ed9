"""When nothing answered: which of the three very different failures it is, and what to do about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from mcp_web.errors import SearchAuthError, SearchRateLimited, SearchUnavailable, WebError
from mcp_web.model.search import Attempt

_LIMITED = ("rate_limited", "quota")


def failure(attempts: Sequence[Attempt], fixes: Sequence[str], backoff: float) -> WebError:
    """The error that fits what was attempted: misconfigured, limited for a while, blocked, or not reachable."""
    told: list[dict[str, Any]] = [_told(attempt) for attempt in attempts]
    real = [attempt for attempt in attempts if attempt.outcome != "skipped"]
    outcomes = {attempt.outcome for attempt in real}
    waits = [attempt.retry_after for attempt in real if attempt.retry_after is not None and attempt.outcome != "auth"]
    said = _sentence(real)
    fix = " ".join(dict.fromkeys(fixes))
    if not real or outcomes == {"auth"}:
        return SearchAuthError(
            f"Search is not set up correctly: {said or 'no provider is configured.'}",
            suggestion=fix or "The operator sets a provider up; `mcp-web doctor` says what each one lacks.",
            attempted=told,
        )
    wait = round(min(waits), 1) if waits else backoff
    if outcomes - {"auth"} <= set(_LIMITED):
        return SearchRateLimited(
            f"Search is limited for now: {said}",
            suggestion=f"Try again in {wait:.0f} s, or name another provider. {fix}".strip(),
            retry_after=wait,
            attempted=told,
        )
    if outcomes & {"blocked"} and outcomes <= {"blocked", "auth", *_LIMITED}:
        return SearchUnavailable(
            f"Search was blocked: {said} This does not mean that there are no results.",
            suggestion=f"Wait {wait:.0f} s or name another provider, best one with a key. {fix}".strip(),
            retry_after=wait,
            attempted=told,
        )
    return SearchUnavailable(
        f"No search provider could be reached: {said}",
        suggestion=f"Try again in {wait:.0f} s; `mcp-web doctor` shows what each provider answers. {fix}".strip(),
        retry_after=wait,
        attempted=told,
    )


def _sentence(attempts: Sequence[Attempt]) -> str:
    """What each said, without repeating a name that its own sentence begins with."""
    parts = [attempt.detail or f"{attempt.name}: {attempt.outcome}" for attempt in attempts[:6]]
    return " ".join(part if part.endswith(".") else part + "." for part in dict.fromkeys(parts))


def _told(attempt: Attempt) -> dict[str, Any]:
    return {name: value for name, value in asdict(attempt).items() if value not in (None, "")}
