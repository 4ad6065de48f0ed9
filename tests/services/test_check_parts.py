"""What doctor says about the proxy and about providers that cannot be reached."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from mcp_web.app import App
from mcp_web.services import check_parts
from mcp_web.settings import load

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("environ", "state", "says", "fix"),
    [
        ({}, "ok", "connections are direct", None),
        ({"https_proxy": "http://u:s3cret@p.corp:1"}, "off", "HTTPS_PROXY is set", "MCP_WEB_PROXY=environment"),
        (
            {"ALL_PROXY": "socks5://u:s3cret@p.corp", "MCP_WEB_PROXY": "environment"},
            "ok",
            "socks5://p.corp:1080; names are resolved here",
            None,
        ),
    ],
)
async def test_doctor_says_which_proxy_was_seen_and_how_to_use_it(
    tmp_path: Path, environ: dict[str, str], state: str, says: str, fix: str | None
) -> None:
    async with App(load(environ={"DATA_DIR": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path), **environ})) as app:
        (check,) = await check_parts._PARTS["proxy"](app)
        assert "s3cret" in app.settings.secrets or not environ
    assert check.state == state
    assert says in check.finding
    assert "s3cret" not in f"{check.finding}{check.fix}"
    assert (fix or "") in (check.fix or "")


async def test_providers_that_cannot_be_reached_are_one_finding_with_one_fix(tmp_path: Path) -> None:
    closed = ["http://127.0.0.1:1", "http://127.0.0.2:1"]
    environ = {"MCP_WEB_SEARCH_PROVIDERS": "searxng,brave", "MCP_WEB_SEARXNG_URLS": ",".join(closed)}
    async with App(load(environ={"DATA_DIR": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path), **environ})) as app:
        checks = await check_parts._PARTS["search"](app)
    (check,) = [one for one in checks if one.state == "broken"]
    assert check.finding == "none of the 2 providers could be reached: this machine seems to be offline"
    assert "MCP_WEB_PROXY" in (check.fix or "")
    assert "search:brave" in {one.part for one in checks}


async def test_providers_that_the_settings_leave_out_are_one_finding(tmp_path: Path) -> None:
    environ = {"MCP_WEB_SEARCH_PROVIDERS": "searxng", "MCP_WEB_SEARXNG_URLS": "http://127.0.0.1:1"}
    async with App(load(environ={"DATA_DIR": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path), **environ})) as app:
        checks = await check_parts._PARTS["search"](app)
    (left_out,) = [one for one in checks if one.state == "off"]
    assert left_out.finding.startswith("not among MCP_WEB_SEARCH_PROVIDERS: brave, tavily, ")
    assert left_out.fix == "To use one, add it to MCP_WEB_SEARCH_PROVIDERS."


async def test_an_installation_that_cannot_search_is_told_so(tmp_path: Path) -> None:
    environ = {
        "MCP_WEB_SEARCH_PROVIDERS": "searxng",
        "MCP_WEB_DATA_DIR": str(tmp_path),
        "XDG_CONFIG_HOME": str(tmp_path),
    }
    async with App(load(environ=environ)) as app:
        checks = await check_parts._PARTS["search"](app)
    assert "no provider is set up: the web cannot be searched" in [one.finding for one in checks]
    assert "MCP_WEB_SEARXNG_URLS" in "".join(one.fix or "" for one in checks)


async def test_all_steps_of_an_installation_that_takes_long_are_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser, python, manager = tmp_path / "browser", tmp_path / "python", tmp_path / "brew"
    monkeypatch.setattr(check_parts, "SECONDS", 0.001)
    monkeypatch.setitem(sys.modules, "publicsuffixlist", None)  # as if the extra were not installed
    monkeypatch.setattr(sys, "executable", str(python))
    monkeypatch.setenv("PATH", str(tmp_path))
    for program in (python, manager):
        program.write_text(f"#!/bin/sh\necho '#!/bin/sh' > {browser}; /bin/chmod +x {browser}\n")
        program.chmod(0o755)
    python.write_text("#!/bin/sh\n")
    environ = {"DATA_DIR": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path), "MCP_WEB_RENDER_ENABLED": "true"}
    async with App(load(environ=environ | {"MCP_WEB_RENDER_EXECUTABLE": str(browser)})) as app:
        await check_parts.check_parts(app, fix=True)
    assert browser.exists()
