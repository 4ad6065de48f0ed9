"""The health of a provider or an instance: a circuit breaker that pauses it after failures, longer each time."""

from __future__ import annotations

import random
from dataclasses import dataclass

from mcp_web.model.search import Outcome
from mcp_web.search.options import SearchOptions

_LONGEST = 3600.0  # seconds of a pause
# A bad key or a missing format is permanent, but the operator may fix it without a restart.
_MISCONFIGURED_PAUSE = 300.0


@dataclass(slots=True)
class Health:
    """The failures in a row and the pause of one provider or instance, by a monotonic clock that the caller reads."""

    failures: int = 0  # in a row
    limits: int = 0  # rate limits in a row
    paused_until: float = 0.0
    why: str = ""
    fix: str | None = None
    outcome: Outcome = "ok"
    last_checked: float | None = None

    def wait(self, now: float) -> float:
        """Seconds until the endpoint may be used again; 0 if it may be now."""
        return max(0.0, self.paused_until - now)

    def succeeded(self, now: float) -> None:
        """Record a success: no failures in a row, no pause."""
        self.failures = self.limits = 0
        self.paused_until = 0.0
        self.why, self.fix, self.outcome = "", None, "ok"
        self.last_checked = now

    def failed(
        self,
        now: float,
        outcome: Outcome,
        why: str,
        options: SearchOptions,
        retry_after: float | None = None,
        fix: str | None = None,
    ) -> None:
        """Record a failure at the time `now`, and pause the endpoint if needed.

        A rate limit, a used-up quota or a bot check pauses it at once, other failures from the
        `options.max_consecutive_failures`-th in a row on: for `retry_after` seconds, or a time that doubles each time.
        A wrong configuration ("auth") pauses it for five minutes. `why` and `fix` are sentences for the operator.
        """
        self.last_checked = now
        self.why, self.fix, self.outcome = why, fix, outcome
        if outcome in ("rate_limited", "quota", "blocked"):
            self.limits += 1
            pause = retry_after if retry_after is not None else _backoff(options.rate_limit_backoff, self.limits)
        elif outcome == "auth":
            pause = _MISCONFIGURED_PAUSE
        else:
            self.limits = self.limits if self.wait(now) else 0  # an earlier rate limit is over
            self.failures += 1
            over = self.failures - options.max_consecutive_failures + 1
            pause = max(retry_after or 0.0, _backoff(options.failure_backoff, over)) if over > 0 else 0.0
        self.paused_until = max(self.paused_until, now + pause)


def _backoff(base: float, times: int) -> float:
    """The pause in seconds after `times` failures in a row: `base`, doubled for each after the first, at most an hour;
    varied by up to 5 % at random, so that many processes do not retry at the same moment."""
    return min(_LONGEST, base * 2.0 ** min(times - 1, 16)) * random.uniform(0.95, 1.05)  # noqa: S311 - jitter
