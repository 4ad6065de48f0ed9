"""The last step of every API call: no configured secret in a result or an error, and a timeout is an error of ours."""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable
from typing import ParamSpec, TypeVar

from mcp_web import trace
from mcp_web.errors import FetchTimeout, WebError, ungrouped
from mcp_web.tools.clean_output import clean_error

P = ParamSpec("P")
T = TypeVar("T")


def clean_output(method: Callable[P, Awaitable[T]]) -> Callable[P, Awaitable[T]]:
    """Decorator: masks configured secrets in what a method returns or raises; a timeout raises FetchTimeout."""

    @functools.wraps(method)
    async def call(*args: P.args, **options: P.kwargs) -> T:
        try:
            with ungrouped():
                result: T = trace.redact_all(await method(*args, **options))
        except WebError as error:
            raise clean_error(error) from error.__cause__
        except TimeoutError as error:
            raise FetchTimeout("The call took longer than its timeout.") from error
        return result

    return call
