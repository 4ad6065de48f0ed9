"""Graceful shutdown of the HTTP server: stop new connections, finish running calls, close everything."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import uvicorn


class DrainingServer(uvicorn.Server):
    """A uvicorn server that does not raise the signal again at its end: the app still has to be closed."""

    was_interrupted = False  # by Ctrl-C

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Context manager: SIGINT and SIGTERM shut the server down; the earlier handlers are then restored."""
        before = {number: signal.signal(number, self._stop) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self.was_interrupted = number == signal.SIGINT
        self.handle_exit(number, frame)
