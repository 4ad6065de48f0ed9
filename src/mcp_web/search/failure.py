"""The error when no provider answered, chosen by the cause, with what to do about it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict

from mcp_web.errors import SearchAuthError, SearchRateLimited, SearchUnavailable, WebError
from mcp_web.search.reply import Reply

_LIMITED = ("rate_limited", "quota")


def failure(replies: Sequence[Reply], intended: Collection[str], backoff: float) -> WebError:
    """The error to raise when no provider answered: SearchAuthError, SearchRateLimited or SearchUnavailable.

    The replies of the providers in `intended` (named in the call, or set up by the operator) decide which, if there are
    any: a wrong key is reported even if the last resort failed too. `backoff`: the wait in seconds if none states one.
    """
    named = [{reply.capabilities.name, *(attempt.name for attempt in reply.attempts)} for reply in replies]
    deciding = [reply for reply, names in zip(replies, named, strict=True) if names & set(intended)] or list(replies)
    real = [attempt for reply in deciding for attempt in reply.attempts if attempt.outcome != "skipped"]
    outcomes = {attempt.outcome for attempt in real}
    waits = [attempt.retry_after for attempt in real if attempt.retry_after is not None and attempt.outcome != "auth"]
    parts = dict.fromkeys(attempt.detail or f"{attempt.name}: {attempt.outcome}" for attempt in real[:6])
    details = " ".join(part if part.endswith(".") else part + "." for part in parts)
    attempted = [  # a detail that is in the message is not repeated
        {name: value for name, value in asdict(attempt).items() if value not in (None, "", *parts)}
        for reply in replies
        for attempt in reply.attempts
    ]
    fix = " ".join(dict.fromkeys(fix for reply in deciding for fix in reply.fixes))
    if not real or outcomes == {"auth"}:
        return SearchAuthError(
            f"Search is not set up correctly: {details or 'no provider is configured.'}",
            suggestion=fix or "The operator sets up a provider; `mcp-web doctor` says what each one lacks.",
            attempted=attempted,
        )
    if outcomes - {"auth"} == {"rejected"}:
        return SearchUnavailable(
            f"The query was not accepted: {details}",
            suggestion=fix or "Change the words or the filters of the query, or name another provider.",
            retryable=False,
            attempted=attempted,
        )
    wait = round(min(waits), 1) if waits else backoff
    kind: type[WebError] = SearchUnavailable
    if outcomes <= {"auth", *_LIMITED}:
        kind = SearchRateLimited
        message = f"Search is rate limited: {details}"
        advice = f"Try again in {wait:.0f} s, or name another provider."
    elif outcomes <= {"blocked", "auth", *_LIMITED}:
        message = f"Search was blocked: {details} This does not mean that there are no results."
        advice = f"Wait {wait:.0f} s or name another provider, preferably one with a key."
    else:
        message = f"No search provider answered: {details}"
        advice = f"Try again in {wait:.0f} s; `mcp-web doctor` shows what each provider answers."
    return kind(message, suggestion=f"{advice} {fix}".strip(), retry_after=wait, attempted=attempted)
