"""Functions that a worker process is asked to run."""

from __future__ import annotations

import os
import time
from typing import Any

from mcp_web.errors import SelectorNotFound


def double(number: int) -> int:
    return number * 2


def hang() -> None:
    time.sleep(3600)


def eat() -> int:
    return len(bytearray(8 << 30))


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
