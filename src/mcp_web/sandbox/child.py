"""The worker: reads framed jobs from stdin, writes framed JSON to stdout, exits at end of input.

The parent is trusted, so jobs are pickled. The worker is not, so results are JSON: a page that takes over this
process cannot make the parent run anything.
"""

from __future__ import annotations

import importlib
import json
import math
import os
import pickle
import signal
import struct
import sys
import traceback
from collections.abc import Callable
from typing import Any, BinaryIO, cast

from mcp_web.errors import WebError
from mcp_web.model.page import Document
from mcp_web.model.wire import document_to_json

FRAME = struct.Struct(">I")
_GRACE = 5  # seconds after which the parent must have ended a job that takes too long
RETIRE_MB = 96  # a worker that has used this much does not give all of it back, so it is replaced


def main() -> None:
    """Run the jobs that arrive on stdin and write each outcome to stdout, until the parent closes the pipe."""
    jobs: BinaryIO = os.fdopen(os.dup(0), "rb")
    answers: BinaryIO = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)  # what a library prints must not get between the frames
    most = int(sys.argv[1]) << 20
    _limit_memory(most, most)
    if preload := sys.argv[2]:
        _function(*preload.split(":"))()
    while jobs.read(FRAME.size):
        answer = _answer(jobs)
        _end_in(0)
        answers.write(FRAME.pack(len(answer)))
        answers.write(answer)
        answers.flush()
        del answer


def _answer(jobs: BinaryIO) -> bytes:
    """The outcome of the next job as JSON. With `memory` true, it failed for lack of memory; with `retire` true, the
    worker should not be used again."""
    try:
        return _encoded(_outcome(jobs))
    except MemoryError:
        pass  # until this block ends, the traceback keeps what the page allocated: nothing is left for a reply
    return _encoded({"crash": "the page needs more memory than a worker may use", "memory": True})


def _encoded(outcome: dict[str, Any]) -> bytes:
    outcome["retire"] = _peak_mb() > RETIRE_MB
    return json.dumps(outcome, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _outcome(jobs: BinaryIO) -> dict[str, Any]:
    """Run the next job; returns its `value`, its `error` (a WebError) or, as `crash`, why it failed otherwise. Raises
    only MemoryError."""
    try:
        # Read from the stream, so that the page is in memory only once; the parent process is trusted.
        module, name, args, share, seconds = pickle.load(jobs)  # noqa: S301
        _end_in(math.ceil(seconds) + _GRACE)
        most = int(sys.argv[1]) << 20
        _limit_memory(int(most * share), most)
        value = _function(module, name)(*args)
        return {"value": document_to_json(value) if isinstance(value, Document) else value}
    except WebError as error:
        return {"error": error.as_dict()}
    except MemoryError:
        raise
    except RecursionError:
        return {"crash": "the page is nested too deeply"}
    except Exception as error:  # noqa: BLE001 — the edge of the process: the parent turns it into ExtractFailed
        return {"crash": f"{type(error).__name__}: {error}", "trace": traceback.format_exc(limit=6)}


def _function(module: str, name: str) -> Callable[..., Any]:
    """The function of this name in a module, which is imported."""
    return cast("Callable[..., Any]", getattr(importlib.import_module(module), name))


def _peak_mb() -> int:
    """The peak memory of this process in MiB, 0 without /proc; `ru_maxrss` can include the peak of the parent."""
    try:
        with open("/proc/self/status", encoding="ascii") as status:
            return next((int(line.split()[1]) >> 10 for line in status if line.startswith("VmHWM:")), 0)
    except OSError:
        return 0


def _end_in(seconds: int) -> None:
    """Let the system end this process after so many seconds, whatever it does then, or with 0 no more; not on Windows.

    The parent ends it earlier, unless it was killed itself: then a page without end would keep a core busy for ever.
    """
    if hasattr(signal, "alarm"):
        signal.alarm(seconds)


def _limit_memory(now: int, ever: int) -> None:
    """Limit the address space to `now` bytes (later at most `ever`), and write no core dumps; not on Windows."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (now, ever))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    main()
