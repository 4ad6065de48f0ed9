"""Every contract as a client meets it on a pipe, in both eras of the protocol."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from mcp_web.contracts.sets import contract_named
from mcp_web.errors import ConfigError
from mcp_web.tools.options import CONTRACTS
from miniweb import MiniWeb
from surface.program import run_program
from surface.rpc import MODERN, WAIT, Stdio, clean_environment, text_of
from surface.test_http import Served

from .contract_caller import OFFLINE
from .pages import article, searxng, searxng_answer

NAMES = {
    "read-page": ["web.search", "web.readFromPage"],
    "mcp-web": ["web_search", "web_open", "web_batch_open", "web_extract", "cache_get", "cache_purge"],
    "searxng": ["web_search"],
    "archives": ["searchLocalArchives"],
    "web-tools": ["WebSearch", "WebFetch"],
    "fetch": ["fetch"],
    "brave": ["brave_web_search", "brave_news_search", "brave_video_search", "brave_image_search"],
    "mcp-searxng": ["searxng_web_search", "web_url_read"],
}


def test_every_contract_of_the_configuration_has_its_file() -> None:
    assert {name: [tool.name for tool in contract_named(name).tools] for name in CONTRACTS} == NAMES
    with pytest.raises(ConfigError, match="read-page, mcp-web"):
        contract_named("nope")


@pytest.mark.parametrize("name", NAMES)
def test_a_contract_lists_its_own_tools_with_all_four_annotations(name: str) -> None:
    from mcp_web.server.listing import described

    for tool in contract_named(name).tools:
        listed = described(tool, structured=False)
        assert listed["inputSchema"]["type"] == "object"
        assert set(listed["annotations"]) == {"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}
        assert "outputSchema" not in listed


def test_an_unknown_contract_exits_2_and_names_the_known_ones(tmp_path: Path) -> None:
    for args, env in (((), {"MCP_WEB_CONTRACT": "nope"}), (("serve", "--contract", "nope"), {})):
        done = run_program(args, clean_environment(tmp_path, **env), WAIT)
        assert done.returncode == 2
        assert b"read-page, mcp-web, searxng, archives, web-tools, fetch, brave, mcp-searxng" in done.stderr
        assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("era", ["handshake", "modern"])
def test_metadata_and_is_error_stand_beside_content_in_both_eras(miniweb: MiniWeb, tmp_path: Path, era: str) -> None:
    instance = searxng(miniweb, searxng_answer("https://a.example/1"))
    more: dict[str, Any] = {"_meta": MODERN} if era == "modern" else {}
    env = OFFLINE | {"MCP_WEB_CONTRACT": "searxng", "MCP_WEB_SEARXNG_URLS": instance.url()}
    with Stdio(tmp_path, **env) as server:
        if era == "handshake":
            assert "searxng" in server.initialize()["result"]["instructions"]
        params = {"name": "web_search", "arguments": {"query": "x", "fetch_content": False}}
        result = server.request("tools/call", params | more)["result"]
    assert result["is_error"] is False
    assert result["metadata"]["results"][0]["url"] == "https://a.example/1"
    assert text_of(result) == "Found 1 search results for query 'x'"
    assert "mcp-web/beside" not in json.dumps(result)


def test_dotted_names_are_listed_and_both_spellings_are_called(miniweb: MiniWeb, tmp_path: Path) -> None:
    site = miniweb.site("docs.example")
    site.page("/p", article("Page", "Part"))
    env = OFFLINE | {"MCP_WEB_ALLOW_PRIVATE": site.exemption}
    with Stdio(tmp_path, "serve", "--contract", "read-page", **env) as server:
        server.initialize()
        assert [tool["name"] for tool in server.request("tools/list")["result"]["tools"]] == NAMES["read-page"]
        for name in ("web.readFromPage", "web_readFromPage"):
            result = server.call(name, url=site.loopback_url("/p"), query="part")
            assert "Part is explained" in text_of(result)


def test_a_setting_lists_plain_names_for_clients_that_refuse_dots(tmp_path: Path) -> None:
    env = OFFLINE | {"MCP_WEB_CONTRACT": "read-page", "MCP_WEB_CONTRACT_NAMES": "plain"}
    with Stdio(tmp_path, **env) as server:
        server.initialize()
        names = [tool["name"] for tool in server.request("tools/list")["result"]["tools"]]
    assert names == ["web_search", "web_readFromPage"]


def test_prompts_are_the_contract_s_own(miniweb: MiniWeb, tmp_path: Path) -> None:
    site = miniweb.site("docs.example")
    site.page("/p", article("Page", "Part"))
    env = OFFLINE | {"MCP_WEB_CONTRACT": "fetch", "MCP_WEB_ALLOW_PRIVATE": site.exemption}
    with Stdio(tmp_path, **env) as server:
        server.initialize()
        assert [prompt["name"] for prompt in server.request("prompts/list")["result"]["prompts"]] == ["fetch"]
        got = server.request("prompts/get", {"name": "fetch", "arguments": {"url": site.loopback_url("/p")}})["result"]
    assert "Part is explained" in got["messages"][0]["content"]["text"]


def test_one_tool_of_a_contract_can_be_switched_off_by_name(tmp_path: Path) -> None:
    env = OFFLINE | {"MCP_WEB_CONTRACT": "mcp-web", "MCP_WEB_DISABLED_TOOLS": "cache_purge"}
    with Stdio(tmp_path, **env) as server:
        server.initialize()
        names = [tool["name"] for tool in server.request("tools/list")["result"]["tools"]]
    assert "cache_purge" not in names
    assert "web_open" in names


def structured_answer(miniweb: MiniWeb, folder: Path, contract: str, tool: str) -> dict[str, Any]:
    """What a program that asks for structured answers gets for a page, from the tool of a contract."""
    site = miniweb.site("docs.example")
    site.page("/p", article("Page", "Part"))
    env = OFFLINE | {"MCP_WEB_CONTRACT": contract, "MCP_WEB_ANSWERS": "structured",
                     "MCP_WEB_ALLOW_PRIVATE": site.exemption}  # fmt: skip
    with Stdio(folder, **env) as server:
        server.initialize()
        result: dict[str, Any] = server.call(tool, url=site.loopback_url("/p"))
    return result


def test_programs_get_the_object_beside_the_text_when_answers_are_structured(miniweb: MiniWeb, tmp_path: Path) -> None:
    result = structured_answer(miniweb, tmp_path, "web-tools", "WebFetch")
    assert result["structuredContent"] == json.loads(text_of(result))


def test_a_text_has_no_object_beside_it_when_answers_are_structured(miniweb: MiniWeb, tmp_path: Path) -> None:
    result = structured_answer(miniweb, tmp_path, "fetch", "fetch")
    assert "Part is explained" in text_of(result)
    assert "structuredContent" not in result  # an empty one would be taken for the answer


@pytest.mark.parametrize("name", NAMES)
def test_a_contract_has_its_page_with_its_tools_and_json_that_parses(name: str) -> None:
    text = (Path(__file__).parents[2] / "docs" / "contracts" / f"{name}.md").read_text(encoding="utf-8")
    assert f"--contract {name}" in text
    for tool in NAMES[name]:
        assert f"`{tool}`" in text
    for block in re.findall(r"```json\n(.*?)```", text, re.DOTALL):
        json.loads(re.sub(r"\{…\}", "{}", block))


@pytest.mark.parametrize(
    ("env", "said"),
    [({"MCP_WEB_PROFILE": "lite"}, "search, open, read."),
     ({"MCP_WEB_PROFILE": "chatgpt"}, "fetch shows one by its id"),
     ({"MCP_WEB_CONTRACT": "brave"}, "(brave)")],
)  # fmt: skip
def test_instructions_speak_of_the_tools_that_are_offered(tmp_path: Path, env: dict[str, str], said: str) -> None:
    from mcp_web.app import App
    from mcp_web.server.build import build_server
    from mcp_web.server.handshake import instructions_for
    from mcp_web.settings import load

    app = App(load(environ={"DATA_DIR": str(tmp_path), **OFFLINE, **env}))
    instructions = build_server(app).create_initialization_options().instructions or ""
    assert instructions == instructions_for(app.tools.profile, app.tools.contract), "what is said early"
    assert said in instructions
    assert "archive_search" not in instructions


def test_a_contract_is_served_over_http_with_its_page(miniweb: MiniWeb, tmp_path: Path) -> None:
    instance = searxng(miniweb, searxng_answer("https://a.example/1"))
    env = OFFLINE | {"MCP_WEB_SEARXNG_URLS": instance.url(), "MCP_WEB_DISABLED_TOOLS": ""}
    served = Served(tmp_path, "--contract", "searxng", **env)
    try:
        assert [tool["name"] for tool in served.rpc("tools/list")["result"]["tools"]] == ["web_search"]
        params = {"name": "web_search", "arguments": {"query": "x", "fetch_content": False}}
        result = served.rpc("tools/call", params)["result"]
        status, _, page = served.get("/")
    finally:
        served.stop()
    assert result["is_error"] is False
    assert result["metadata"]["results"][0]["url"] == "https://a.example/1"
    assert status == 200
    assert b"web_search" in page
    assert b"web_batch_open" not in page
