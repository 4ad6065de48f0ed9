"""Four writers at once, and kill -9 in the middle of writing.  python -m bench.archive.faults [PAGES [ROUNDS]]

Over both stores, against a PostgreSQL server that is started here: everything reported as kept must be there, once.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import anyio

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

from store import faults
from store.postgres_server import running


def main() -> None:
    pages, rounds = (int(sys.argv[at]) if len(sys.argv) > at else default for at, default in ((1, 1000), (2, 10)))
    with tempfile.TemporaryDirectory() as folder, running() as server:
        for name, place in (("SQLite", f"{folder}/many.sqlite"), ("PostgreSQL", server.database())):
            begun = time.perf_counter()
            reported = faults.write_at_once(place, 4, pages)
            seconds = time.perf_counter() - begun
            kept, failed = anyio.run(faults.verify, place, reported)
            print(
                f"{name}: 4 processes × {pages}: {kept} pages in {seconds:.0f} s, {len(failed)} calls failed",
                flush=True,
            )
        for name, place in (("SQLite", f"{folder}/killed.sqlite"), ("PostgreSQL", server.database())):
            reported = faults.kill_writers(place, rounds)
            kept, _ = anyio.run(faults.verify, place, reported)
            print(f"{name}: writer killed {rounds} times: {len(reported)} reported, {kept} there", flush=True)
        place = server.database()
        reported = faults.kill_server(server, place, rounds)
        kept, failed = anyio.run(faults.verify, place, reported)
        told = sum(len(line) == faults.HASH for line in reported)
        longest = max(failed, default=0.0)
        print(
            f"PostgreSQL: server killed {rounds} times: {told} reported, {kept} there; {len(failed)} calls failed with "
            f"a retryable error, the longest after {longest:.1f} s"
        )


if __name__ == "__main__":
    main()
