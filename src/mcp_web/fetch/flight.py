"""One request at a time for one thing: whoever asks meanwhile shares the answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

import anyio

from mcp_web.errors import FetchTimeout, WebError

T = TypeVar("T")


class _Flight(Generic[T]):
    def __init__(self) -> None:
        self.landed = anyio.Event()
        self.result: T | None = None
        self.error: WebError | None = None


class SingleFlight(Generic[T]):
    def __init__(self) -> None:
        self._flights: dict[str, _Flight[T]] = {}

    async def do(self, key: str, work: Callable[[], Awaitable[T]]) -> T:
        """Do the work, or wait for the one who is already at it.

        A leader that is cancelled or runs out of its own time hands over to the next.
        """
        while (flight := self._flights.get(key)) is not None:
            await flight.landed.wait()
            if flight.error is not None:
                raise flight.error
            if flight.result is not None:
                return flight.result
        flight = self._flights[key] = _Flight[T]()
        try:
            flight.result = await work()
            return flight.result
        except FetchTimeout:
            raise
        except WebError as error:
            flight.error = error
            raise
        finally:
            del self._flights[key]
            flight.landed.set()
