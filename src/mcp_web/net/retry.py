"""One retry policy for everything that goes over the network."""

from __future__ import annotations

import email.utils
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

import anyio

from mcp_web.errors import FetchFailed, WebError

T = TypeVar("T")

# Headers of services that block bots, whatever the status.
WALL_HEADERS = ("cf-mitigated", "x-datadome", "x-px-blocked", "x-amzn-waf-action", "x-sucuri-block")
RETRIED_STATUSES = frozenset({429, 500, 502, 503, 504, 522, 524})
# A broken connection is often temporary; a name that does not exist or a bad certificate is not.
_RETRIED_REASONS = frozenset({"connect", "broken", "cut"})
_MAX_RETRY_AFTER = 24 * 3600.0


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """The number of attempts and the delay between them: exponential backoff, half of it random."""

    attempts: int = 3
    first_wait: float = 0.3  # seconds
    longest_wait: float = 5.0

    def wait(self, attempt: int, retry_after: float | None) -> float | None:
        """Seconds to wait after attempt number `attempt` failed, counted from 1; None for no further attempt.

        `retry_after` is the time in seconds that the server asked for; beyond `longest_wait`, no attempt follows.
        """
        if attempt >= self.attempts:
            return None
        if retry_after is not None:
            return retry_after if retry_after <= self.longest_wait else None
        ceiling = min(self.longest_wait, self.first_wait * 2.0 ** (attempt - 1))
        return ceiling * random.uniform(0.5, 1)  # noqa: S311  spreads load, guards nothing


STANDARD = RetryPolicy()


def is_temporary(error: WebError) -> bool:
    """Whether the failure is temporary, so that the same request may succeed soon."""
    if error.status_code is not None:
        return error.status_code in RETRIED_STATUSES
    return isinstance(error, FetchFailed) and error.details.get("reason") in _RETRIED_REASONS


async def retrying(
    call: Callable[[], Awaitable[T]], *, policy: RetryPolicy = STANDARD, deadline: float | None = None
) -> T:
    """Await `call()` until it succeeds; raise its error when that is not temporary, or when the policy or the deadline
    (a time of `anyio.current_time()`) allows no further attempt."""
    attempt = 1
    while True:
        try:
            return await call()
        except WebError as error:
            wait = policy.wait(attempt, error.retry_after) if is_temporary(error) else None
            if wait is None or (deadline is not None and anyio.current_time() + wait >= deadline):
                raise
        attempt += 1
        await anyio.sleep(wait)


def retry_after_seconds(value: str | None, now: float) -> float | None:
    """A Retry-After header, a number or an HTTP date, as seconds from now, at most a day; None if missing or invalid.

    `now` is in seconds since the epoch.
    """
    if not value:
        return None
    text = value.strip()
    if text.isascii() and text.isdigit():
        return min(float(text[:9]), _MAX_RETRY_AFTER)
    try:
        when = email.utils.parsedate_to_datetime(text)
        return min(max(0.0, when.timestamp() - now), _MAX_RETRY_AFTER)
    except (ValueError, TypeError, OverflowError, OSError):
        return None
