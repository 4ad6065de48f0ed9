"""An append-only log in which every line contains the hash of the line before, so that `verify` finds changes and gaps.

Lines name the tenant, the caller, the tool and the outcome; never a query, an address or a page.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from anyio import to_thread

from mcp_web import trace
from mcp_web.file_lock import locked

FIRST = "0" * 64  # the previous hash in the first line
MAX_BYTES = 16 * 1024 * 1024  # of one file; then the next begins
_TAIL = 64 * 1024  # bytes, more than any line has


@dataclass(frozen=True, slots=True)
class Verified:
    """What `verify` found: how many lines are valid, the hash of the last of them, and the first fault."""

    lines: int  # valid ones
    head: str  # the hash of the last valid line
    fault: str = ""  # empty if the log is complete and unchanged


class AuditLog:
    """The audit log in one folder; several processes may write to it."""

    def __init__(self, folder: Path, *, max_bytes: int = MAX_BYTES) -> None:
        self._folder = folder
        self._max_bytes = max_bytes

    async def write(self, event: str, **facts: Any) -> None:
        """Add one line with these facts. A failure to write is logged and counted, never raised."""
        try:
            await to_thread.run_sync(self._append, {"event": event} | facts)
        except OSError as error:
            trace.metrics.count("audit_failed_total")
            trace.log("error", "audit", reason=error.strerror or type(error).__name__)

    def _append(self, facts: dict[str, Any]) -> None:
        """Write one line with number, time, facts and hashes; raises OSError. Blocks while another process writes."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with locked(self._folder / "lock"):
            path, number, before = self._end()
            moment = datetime.fromtimestamp(time.time(), UTC).isoformat(timespec="milliseconds")
            line = {"n": number + 1, "ts": moment} | facts | {"before": before}
            text = json.dumps(line | {"hash": _hash(line)}, ensure_ascii=False)
            with open(path, "ab") as file:
                file.write(text.encode() + b"\n")

    def _end(self) -> tuple[Path, int, str]:
        """The file to write to, and the number and the hash of the log's last line (0 and `FIRST` without any)."""
        files = _files(self._folder)
        if not files:
            return self._folder / _name(1), 0, FIRST
        last = _last_line(files[-1]) or (_last_line(files[-2]) if len(files) > 1 else None)
        number, before = (int(last["n"]), str(last["hash"])) if last else (0, FIRST)
        full = files[-1].stat().st_size >= self._max_bytes
        following = int(files[-1].stem.removeprefix("audit-")) + 1
        return (self._folder / _name(following) if full else files[-1]), number, before


def verify(folder: Path) -> Verified:
    """Read the whole log, or up to the first line that was changed, moved or removed, which is the `fault`.

    An empty or missing folder has no fault. Lines cut off at the end are not found: see `contains`.
    """
    number, before = 0, FIRST
    for file in _files(folder):
        with open(file, "rb") as lines:
            for at, raw in enumerate(lines, start=1):
                fault = _fault(raw, number, before)
                if fault:
                    return Verified(number, before, f"{file.name}, line {at}: {fault}")
                line = json.loads(raw)
                number, before = line["n"], line["hash"]
    return Verified(number, before)


def _fault(raw: bytes, number: int, before: str) -> str:
    """What is wrong with the line after line `number`, whose hash is `before`; empty if nothing is."""
    try:
        line = json.loads(raw)
        given = line.pop("hash")
        if line["n"] != number + 1:
            return f"line number {line['n']} follows {number}: lines are missing or were moved"
        if line["before"] != before:
            return "the hash of the line before does not match: a line was changed or removed"
        return "" if given == _hash(line) else "its hash does not match: the line was changed"
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return "it is not a line of the log"


def _hash(line: dict[str, Any]) -> str:
    """The SHA-256 of a line, as hexadecimal digits; `line` has no "hash" yet."""
    return hashlib.sha256(json.dumps(line, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def _files(folder: Path) -> list[Path]:
    """The files of the log, the oldest first; other files in the folder, such as `audit-000001.old.jsonl`, are not."""
    return sorted(file for file in folder.glob("audit-*.jsonl") if file.stem.removeprefix("audit-").isdecimal())


def _name(number: int) -> str:
    return f"audit-{number:06d}.jsonl"


def _last_line(path: Path) -> dict[str, Any] | None:
    """The last complete line, parsed; None if there is none or it is not valid.

    An incomplete line after it, left by a crash, is removed from the file, so that the chain of hashes continues.
    """
    with open(path, "r+b") as file:
        size = file.seek(0, os.SEEK_END)
        start = file.seek(max(0, size - _TAIL))
        tail = file.read()
        end = tail.rfind(b"\n") + 1
        if end < len(tail):
            file.truncate(start + end)
        lines = tail[:end].splitlines()
    try:
        found = json.loads(lines[-1]) if lines else None
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and "hash" in found and isinstance(found.get("n"), int) else None


def contains(folder: Path, head: str) -> bool:
    """Whether a line of the log has the hash `head`; if one that `verify` returned is missing, lines were cut off."""
    wanted = f'"hash": "{head}"'.encode()
    for file in _files(folder):
        with open(file, "rb") as lines:
            if any(raw.rstrip().endswith(wanted + b"}") for raw in lines):
                return True
    return False
