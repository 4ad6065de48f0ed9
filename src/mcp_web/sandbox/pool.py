"""A pool of worker processes, each of which can be killed at any time.

Measured: a C parser inside our own process holds the interpreter while it works and cannot be stopped;
a worker costs one start (about 0.15 s, hidden behind the first fetch by `warm`) and about a millisecond a page.
"""

from __future__ import annotations

import contextlib
import json
import pickle
import sys
from collections.abc import Callable, Mapping
from typing import Any

import anyio
from anyio.abc import Process
from anyio.streams.buffered import BufferedByteReceiveStream

from mcp_web import trace
from mcp_web.errors import ExtractFailed
from mcp_web.sandbox.child import FRAME
from mcp_web.sandbox.options import SandboxOptions

_MAX_REPLY = 64 * 1024 * 1024  # bytes
_SMALL_REPLY = 300_000  # bytes; larger replies are parsed in a thread
_PIECE = 256 * 1024  # bytes of a job that are sent at once
# A page of megabytes can take all the memory of a worker, a small one a third of it: large ones are parsed one after
# the other, so that all workers together stay within the memory limit of the process tree.
_LARGE_JOB = 1_000_000  # bytes
# Small jobs run beside a large one and get this share of its memory: 48 MiB beside what a worker itself takes. Prose of
# that size takes 40; a page that takes more, because of its tags or compression, is tried again as a large one.
_SMALL_SHARE = 0.73
_BROKEN = (anyio.EndOfStream, anyio.IncompleteRead, anyio.BrokenResourceError)


class Worker:
    """One child process that runs jobs, one at a time."""

    def __init__(self, process: Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.process = process
        self._jobs = process.stdin
        self._replies = BufferedByteReceiveStream(process.stdout)

    async def run(self, job: bytes) -> dict[str, Any]:
        """Send a pickled job and return the reply. If the process ended or the reply is invalid, raises EndOfStream,
        IncompleteRead or BrokenResourceError of anyio, ValueError or RecursionError."""
        await self._jobs.send(FRAME.pack(len(job)) + job[:_PIECE])
        # In pieces: sent as a whole, a page of megabytes would be copied twice.
        for at in range(_PIECE, len(job), _PIECE):
            await self._jobs.send(job[at : at + _PIECE])
        del job
        (size,) = FRAME.unpack(await self._replies.receive_exactly(FRAME.size))
        if size > _MAX_REPLY:
            raise anyio.BrokenResourceError
        raw = await self._replies.receive_exactly(size)
        # Parsing the JSON of a large document takes a good part of a second, so it runs in a thread.
        reply = json.loads(raw) if size < _SMALL_REPLY else await anyio.to_thread.run_sync(json.loads, raw)
        if not isinstance(reply, dict):
            raise ValueError("a reply must be an object")
        return reply

    async def kill(self) -> None:
        """Kill the process and wait for it, also while the caller is being cancelled."""
        with anyio.CancelScope(shield=True):
            if self.process.returncode is None:
                self.process.kill()
            await self.process.aclose()


class Sandbox:
    """A pool of worker processes that run functions, each call within limits of time and memory."""

    def __init__(
        self, options: SandboxOptions, environment: Mapping[str, str] | None = None, preload: str = ""
    ) -> None:
        """`environment`: the variables of a worker; none by default, so that a malicious page cannot read keys.

        `preload`: a function as `module:name` that a worker calls when it starts, while a page is being fetched.
        """
        return_large_blocks()
        # Each further thread of OpenBLAS would take 8 MiB or more, and a page is too small to gain from it.
        self._environment = {**(environment or {}), "OPENBLAS_NUM_THREADS": "1"}
        self._preload = preload
        self._options = options
        self._slots = anyio.Semaphore(options.workers)
        self._large = anyio.Semaphore(1)
        self._idle: list[Worker] = []
        self._closed = False

    async def warm(self) -> None:
        """Start a worker if none is idle and the pool is not full: called while a page is being fetched."""
        if self._slots.value and not self._idle and not self._closed:
            async with self._slots:
                await self._put_back(await self._start())

    async def run(self, function: Callable[..., Any], *args: Any, size: int = 0, wall: float | None = None) -> Any:
        """Call the function in a worker; its result must be JSON values, or a Document, which comes back as JSON.

        `size` is the approximate size of the arguments in bytes: large jobs run one after the other. `wall` is the
        limit in seconds, if not the configured one. Raises the WebError that the function raised, and ExtractFailed for
        any other exception or if the worker had to be killed.
        """
        limit = self._options.wall_seconds if wall is None else wall
        job = (function.__module__, function.__qualname__, args)
        if size <= _LARGE_JOB:
            reply = await self._run_job((*job, _SMALL_SHARE), limit)
            if not reply.get("memory"):
                return _value(reply)
        async with self._large:
            return _value(await self._run_job((*job, 1.0), limit))

    async def _run_job(self, job: tuple[Any, ...], limit: float) -> dict[str, Any]:
        """The reply of a free worker to a job (module, function, arguments, share of the memory); its error is in the
        reply. Raises ExtractFailed if the worker took longer than `limit` seconds or died."""
        async with self._slots:
            while self._idle and self._idle[-1].process.returncode is not None:
                await self._idle.pop().kill()  # it ended while idle: the system killed it for its memory, for example
            worker = self._idle.pop() if self._idle else await self._start()
            is_reusable = False
            try:
                with anyio.fail_after(limit):
                    reply = await worker.run(pickle.dumps((*job, limit), protocol=5))
                is_reusable = not (reply.pop("retire", False) or "memory" in reply)
            except TimeoutError:
                trace.metrics.count("sandbox_killed_total", reason="time")
                raise ExtractFailed(f"Reading the page took longer than {limit:g} s and was stopped.") from None
            except (*_BROKEN, OSError, ValueError, RecursionError) as error:
                trace.metrics.count("sandbox_killed_total", reason="crash")
                raise ExtractFailed("The process that read the page ended unexpectedly.") from error
            finally:
                if is_reusable:
                    await self._put_back(worker)
                else:
                    await worker.kill()
        return reply

    async def _put_back(self, worker: Worker) -> None:
        """Keep a worker for the next job; kill it if the pool was closed meanwhile."""
        if self._closed:
            await worker.kill()
        else:
            self._idle.append(worker)

    async def close(self) -> None:
        """Kill all idle workers; a running job kills its own when it ends."""
        self._closed = True
        while self._idle:
            await self._idle.pop().kill()

    async def _start(self) -> Worker:
        """Start a worker process and return at once, while it still imports modules and calls the preload function."""
        command = [sys.executable, "-I", "-c", _BOOT, str(self._options.memory_mb), self._preload, *sys.path]
        # stderr is inherited, so that a crash report of the interpreter is in the log. The worker has its own session,
        # so that Ctrl-C in a terminal does not reach it: it exits at the end of its input.
        return Worker(await anyio.open_process(command, stderr=None, start_new_session=True, env=self._environment))


# -I ignores the environment and the current folder; the import path of the parent is passed instead.
_BOOT = (
    "import sys; sys.path[:0] = [p for p in sys.argv[3:] if p not in sys.path];"
    "from mcp_web.sandbox.child import main; main()"
)


def _value(reply: dict[str, Any]) -> Any:
    """The result in a worker's reply; raises the WebError in it, or ExtractFailed if the job failed otherwise."""
    if "value" in reply:
        return reply["value"]
    if "error" in reply:
        raise ExtractFailed.from_dict(reply["error"])
    trace.log("error", "sandbox", crash=reply.get("crash"), trace=reply.get("trace"))
    raise ExtractFailed(f"The page could not be read: {reply.get('crash', 'unknown reason')}.")


_MMAP_THRESHOLD = -3  # M_MMAP_THRESHOLD of glibc's malloc.h
_LARGE_BLOCK = 256 * 1024


def return_large_blocks() -> None:
    """Set glibc's mmap threshold to 256 KiB: larger blocks are mapped, and unmapped when they are freed.

    By default glibc raises it to 32 MB after the first large block, and the texts of large pages stay in its heaps:
    a batch of 24 pages of 5 MB took 290 MB, with this 215.
    """
    import ctypes

    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).mallopt(_MMAP_THRESHOLD, _LARGE_BLOCK)
