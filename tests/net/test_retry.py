"""One retry policy."""

from __future__ import annotations

import anyio
import pytest

from mcp_web.errors import FetchFailed, FetchTimeout, HttpError, SsrfBlocked, WebError
from mcp_web.net.retry import RetryPolicy, retry_after_seconds, retrying

QUICK = RetryPolicy(attempts=3, first_wait=0.001, longest_wait=1.0)
NOW = 1_700_000_000.0


async def attempts_until_done(error: WebError, policy: RetryPolicy = QUICK, deadline: float | None = None) -> int:
    count = 0

    async def call() -> None:
        nonlocal count
        count += 1
        raise error

    with pytest.raises(type(error)):
        await retrying(call, policy=policy, deadline=deadline)
    return count


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("error", "count"),
    [
        (HttpError("Busy.", status_code=503), 3),
        (HttpError("Slow down.", status_code=429), 3),
        (HttpError("Slow down.", status_code=429, retry_after=0.01), 3),
        (HttpError("Come back tomorrow.", status_code=429, retry_after=3600), 1),
        (HttpError("Gone.", status_code=404), 1),
        (HttpError("No.", status_code=501), 1),
        (FetchFailed("It broke.", reason="broken"), 3),
        (FetchFailed("No such host.", reason="dns"), 1),
        (FetchFailed("Bad certificate.", reason="tls"), 1),
        (FetchTimeout("Too slow."), 1),
        (SsrfBlocked("Private."), 1),
    ],
)
async def test_only_what_may_pass_is_tried_again(error: WebError, count: int) -> None:
    assert await attempts_until_done(error) == count


@pytest.mark.anyio
async def test_no_attempt_begins_after_the_deadline() -> None:
    error = HttpError("Busy.", status_code=503)
    assert await attempts_until_done(error, RetryPolicy(3, 50, 50), anyio.current_time() + 1) == 1
    assert await attempts_until_done(error, RetryPolicy(attempts=1)) == 1


def test_waits_grow_and_are_spread() -> None:
    policy = RetryPolicy(attempts=10, first_wait=1.0, longest_wait=5.0)
    for attempt, ceiling in ((1, 1.0), (2, 2.0), (3, 4.0), (4, 5.0), (9, 5.0)):
        waits = {policy.wait(attempt, None) for _ in range(20)}
        assert len(waits) > 1
        assert all(wait is not None and ceiling / 2 <= wait <= ceiling for wait in waits)
    assert policy.wait(10, None) is None


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120),
        ("0", 0),
        (" 7 ", 7),
        ("99999999999999", 86400),
        ("Tue, 14 Nov 2023 22:14:20 GMT", 60),
        ("Tue, 14 Nov 2000 22:14:20 GMT", 0),
        ("soon", None),
        ("-5", None),
        ("Thu, 99 Foo 2099 99:99:99 GMT", None),
        ("", None),
        (None, None),
    ],
)
def test_retry_after_is_read_with_care(value: str | None, seconds: float | None) -> None:
    assert retry_after_seconds(value, NOW) == seconds
