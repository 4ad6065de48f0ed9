"""Functions that a worker process is asked to run."""

from __future__ import annotations

import os
import sys
import time
from typing import Any

from mcp_web.errors import SelectorNotFound


def double(number: int) -> int:
    return number * 2


def hang() -> None:
    time.sleep(3600)


def hang_and_say_so() -> None:
    print(os.getpid(), file=sys.stderr, flush=True)
    hang()


def eat() -> int:
    return len(bytearray(8 << 30))


def eat_in_small_pieces() -> int:
    pieces = []
    while True:
        pieces.append({"piece": object()})


def die() -> None:
    os.kill(os.getpid(), 9)


def refuse() -> None:
    raise SelectorNotFound("No element matches '.x'.", selector=".x")


def trip() -> None:
    raise KeyError("inside")


def chatter() -> str:
    print("this must not tear the frames", flush=True)
    return "done"


def own_pid() -> int:
    return os.getpid()


def environment() -> dict[str, Any]:
    return {"cwd": os.getcwd()}


def hold(mebibytes: int) -> int:
    return len(bytearray(mebibytes << 20)) >> 20


def forge(reply: bytes) -> None:
    """Write a reply as a page could that has taken over the worker."""
    from mcp_web.sandbox.child import FRAME

    for name in os.listdir("/proc/self/fd"):
        if os.readlink(f"/proc/self/fd/{name}").startswith(("pipe:", "socket:")) and int(name) > 2:
            try:
                os.write(int(name), FRAME.pack(len(reply)) + reply)
            except OSError:
                continue  # the end that is read
    hang()


def long_text(mebibytes: int) -> str:
    return "a" * (mebibytes << 20)
