"""The versions of a page that changed back: in which order they are compared, and how they are named."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from contracts.store_samples import snapshot
from contracts_seeds.contract_caller import OFFLINE
from mcp_web.model.snapshot import Snapshot
from mcp_web.store.open import open_store
from mcp_web.store.options import StoreOptions
from mcp_web.web.times import moment
from surface.test_http import Served

pytestmark = pytest.mark.anyio
TEN, TWENTY = (snapshot(text=f"# The rate\n\nThe rate is {rate} percent.", title="The rate") for rate in (10, 20))


@pytest.fixture
async def served(tmp_path: Path) -> AsyncIterator[Served]:
    store = await open_store(StoreOptions(data_dir=str(tmp_path)))
    for at, version in enumerate((TEN, TWENTY, TEN)):
        await store.keep(replace(version, fetched_at=6000.0 + at, checked_at=6000.0 + at))
    await store.close()
    made = Served(tmp_path, **OFFLINE)
    yield made
    made.stop()


@pytest.mark.parametrize("path", [f"{TEN.hash}/diff", f"{TWENTY.hash}/diff?with={TEN.hash}"])
async def test_a_change_back_is_shown_in_the_order_in_which_it_happened(served: Served, path: str) -> None:
    shown = served.get(f"/archive/{path}")[2].decode()
    assert re.findall(r"<(del|ins)>(.*?)</", shown) == [("del", "20"), ("ins", "10")]
    assert f'href="/archive/{TEN.hash}">←' in shown
    older, newer = re.findall(rf'(?:selected|with that of <a href="/archive/{TEN.hash}")>(.*?)<', shown)
    assert older < newer  # with seconds, because both became the newest in one minute


@pytest.mark.parametrize("version", [TEN, TWENTY])
async def test_every_version_has_a_link_to_what_changed(served: Served, version: Snapshot) -> None:
    shown = served.get(f"/archive/{version.hash}")[2].decode()
    link = re.search(r'href="([^"]*)">What changed<', shown)
    assert link
    assert served.get(link[1])[0] == 200


async def test_the_heading_has_the_time_at_which_a_version_returned(served: Served) -> None:
    shown = served.get(f"/archive/{TEN.hash}")[2].decode()
    assert f"<time>read {moment(6002.0, seconds=True)}</time>" in shown
