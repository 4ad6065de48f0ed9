"""What all tests share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from miniweb import MiniWeb

# A test answers the same on every run, however busy the machine is: no time limits, the same examples each time.
settings.register_profile("steady", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("steady")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def miniweb() -> Iterator[MiniWeb]:
    """A small real web on loopback; see tests/miniweb/README.md."""
    from miniweb import MiniWeb

    web = MiniWeb()
    yield web
    web.close()
