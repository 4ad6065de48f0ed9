"""Holds fetched bodies until they are parsed.

Bodies arrive faster than they are parsed, and a hundred concurrent calls would hold a hundred of them. So the bytes in
memory are limited, and further bodies are written to temporary files. Parsing a page of megabytes takes many times its
size, so large ones are parsed one at a time.
"""

from __future__ import annotations

import contextlib
import dataclasses
import tempfile
from typing import IO

import anyio
import anyio.to_thread

from mcp_web.model.page import Fetched

LARGE = 1_000_000  # bytes of a body
_IN_MEMORY = 4_000_000  # bytes of the bodies that wait in memory, together
_READ_AT_ONCE = 12  # small ones: enough to keep workers, store and browser busy
# On many systems /tmp is in memory, /var/tmp never is; None is the default of the system.
_FOLDERS = ("/var/tmp", None)  # noqa: S108 — the file has no name that another user could guess


class BodyBuffer:
    """The bodies of one process that wait to be parsed; twelve small ones and one large one may be parsed at a time."""

    def __init__(self) -> None:
        self.in_memory = 0
        self._small = anyio.Semaphore(_READ_AT_ONCE)
        self._large = anyio.Semaphore(1)

    async def put(self, page: Fetched) -> WaitingBody:
        """Take over a page (the caller drops its reference); its body waits in memory or in a file if it cannot be
        parsed at once. `async with` the result returns the page when it may be parsed."""
        waiting = WaitingBody(self, page)
        if self._turn(len(page.body)).value == 0:
            await waiting.hold()
        return waiting

    def _turn(self, size: int) -> anyio.Semaphore:
        """The semaphore that a body of this size waits for."""
        return self._large if size > LARGE else self._small


class WaitingBody:
    """One body in the buffer. `async with`, once, waits until it may be parsed and gives the page with its body; the
    end of the block lets the next body go."""

    def __init__(self, buffer: BodyBuffer, page: Fetched) -> None:
        self._buffer = buffer
        self._page = page
        self._turn = buffer._turn(len(page.body))
        self._file: IO[bytes] | None = None
        self._counted = 0

    async def hold(self) -> None:
        """Keep the body in memory if it is within the limit or no file can be written, else move it to a file."""
        size = len(self._page.body)
        if self._buffer.in_memory + size > _IN_MEMORY:
            self._file = await anyio.to_thread.run_sync(_written, self._page.body)
        if self._file is not None:
            self._page = dataclasses.replace(self._page, body=b"")
        else:
            self._counted = size
            self._buffer.in_memory += size

    async def __aenter__(self) -> Fetched:
        page, self._page = self._page, dataclasses.replace(self._page, body=b"")
        try:
            await self._turn.acquire()
            if self._file is None:
                return page
            try:
                return dataclasses.replace(page, body=await anyio.to_thread.run_sync(self._file.read))
            except BaseException:
                self._turn.release()
                raise
        finally:
            self._leave()

    async def __aexit__(self, *caught: object) -> None:
        self._turn.release()

    def _leave(self) -> None:
        """Stop counting the body as waiting in memory, and delete its temporary file."""
        self._buffer.in_memory -= self._counted
        self._counted = 0
        if self._file is not None:
            self._file.close()
            self._file = None


def _written(body: bytes) -> IO[bytes] | None:
    """A temporary file with the body, positioned at its start; None if none can be written."""
    for folder in _FOLDERS:
        with contextlib.suppress(OSError), contextlib.ExitStack() as closing:
            file = closing.enter_context(tempfile.TemporaryFile(dir=folder))
            file.write(body)
            file.seek(0)
            closing.pop_all()
            return file
    return None
