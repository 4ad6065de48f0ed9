"""The early answers are what the SDK would have said."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcp_web.app import App
from mcp_web.server import handshake
from mcp_web.server.build import build_server
from mcp_web.settings import load

pytestmark = pytest.mark.anyio


async def test_the_early_greeting_equals_the_sdk_s(tmp_path: Path) -> None:
    from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

    server = build_server(App(load(environ={"DATA_DIR": str(tmp_path)})))
    options = server.create_initialization_options()
    said = handshake.initialize_result("2025-11-25")
    capabilities = options.capabilities.model_dump(by_alias=True, exclude_none=True, mode="json")
    assert capabilities.pop("extensions", {}) == {}, "an extension would have to be said early too"
    assert said["capabilities"] == capabilities
    assert said["serverInfo"] == {
        "name": options.server_name,
        "title": options.title,
        "version": options.server_version,
    }
    assert said["instructions"] == options.instructions
    assert tuple(MODERN_PROTOCOL_VERSIONS) == handshake.MODERN_VERSIONS
    assert tuple(HANDSHAKE_PROTOCOL_VERSIONS) == handshake.HANDSHAKE_VERSIONS


async def test_the_early_discovery_equals_the_sdk_s(tmp_path: Path) -> None:
    from mcp import Client

    async with Client(build_server(App(load(environ={"DATA_DIR": str(tmp_path)})))) as client:
        said = await client.session.discover()
    theirs = said.model_dump(by_alias=True, exclude_none=True, mode="json")
    ours = handshake.discover_result()
    for name in ("supportedVersions", "capabilities", "instructions"):
        assert ours[name] == theirs[name]
    key = "io.modelcontextprotocol/serverInfo"
    assert ours["_meta"][key].items() <= theirs["_meta"][key].items()
