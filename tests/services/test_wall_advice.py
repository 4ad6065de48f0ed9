"""A page behind a wall says so, and what may be done: nothing that gets around it."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcp_web.model.page import Wall
from mcp_web.services.wall_advice import wall_advice
from miniweb import MiniWeb
from surface.tool_caller import tool_caller

pytestmark = pytest.mark.anyio


async def test_a_login_page_names_the_wall_and_the_operators_own_login(miniweb: MiniWeb, tmp_path: Path) -> None:
    form = "<title>Log in</title><h1>Log in</h1><form><input name=user><input type=password name=p></form>"
    url = miniweb.site("members.example").page("/paper", form)
    async with tool_caller(miniweb, tmp_path) as caller:
        data = await caller.data("web_open", url=url)
    assert (data["wall"], data["status"]) == ("login", "partial")
    assert any("MCP_WEB_LOGIN" in note for note in data["notes"])


async def test_a_bot_check_is_not_bypassed(miniweb: MiniWeb, tmp_path: Path) -> None:
    site = miniweb.site("walled.example")
    url = site.page("/p", "no", status=403, headers={"cf-mitigated": "challenge"})
    async with tool_caller(miniweb, tmp_path) as caller:
        result = await caller.call("web_open", url=url)
    assert result.is_error
    assert "is not bypassed" in result.text
    assert len(site.asked("/p")) == 1


@pytest.mark.parametrize("wall", ["paywall", "login", "bot", "consent", "shell"])
@pytest.mark.parametrize("can_render", [True, False])
def test_every_wall_has_its_advice(wall: Wall, can_render: bool) -> None:
    assert wall_advice(wall, can_render=can_render, rendered=False, authenticated=False).endswith(".")


def test_a_login_that_does_not_open_the_page_is_not_advised_again() -> None:
    advice = wall_advice("login", can_render=False, rendered=False, authenticated=True)
    assert "may have expired" in advice
    assert "MCP_WEB_LOGIN" not in advice
