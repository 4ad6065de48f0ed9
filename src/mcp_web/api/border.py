"""The last step of every API call: no configured secret in a result or an error."""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable
from dataclasses import fields, is_dataclass, replace
from typing import Any, ParamSpec, TypeVar

from mcp_web import trace
from mcp_web.errors import WebError
from mcp_web.tools.border import clean_error

P = ParamSpec("P")
T = TypeVar("T")


def at_border(method: Callable[P, Awaitable[T]]) -> Callable[P, Awaitable[T]]:
    """The method with its result and its errors cleaned."""

    @functools.wraps(method)
    async def call(*args: P.args, **options: P.kwargs) -> T:
        try:
            result: T = _redacted(await method(*args, **options))
        except WebError as error:
            raise clean_error(error) from error.__cause__
        return result

    return call


def _redacted(value: Any) -> Any:
    """The same value with every secret in its texts masked."""
    if isinstance(value, str):
        return trace.redact(value)
    if isinstance(value, list | tuple):
        return type(value)(_redacted(item) for item in value)
    if isinstance(value, dict):
        return {_redacted(name): _redacted(item) for name, item in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{one.name: _redacted(getattr(value, one.name)) for one in fields(value)})
    return value
