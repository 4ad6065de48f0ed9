"""The recipe for a team as the README prints it: every line is run, and a client connects with what they wrote."""

from __future__ import annotations

import json
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from mcp_web.cli.clients import CLIENTS
from mcp_web.server.names import own_names
from ports import free_port

from .program import run_program
from .rpc import WAIT, clean_environment

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
_BLOCK = re.search(r"### For a team\n+```sh\n(.*?)```", README, re.S)
assert _BLOCK is not None
SERVE, ADD, CLIENT = [line.partition("#")[0].strip() for line in _BLOCK[1].strip().splitlines()]


def run(line: str, folder: Path) -> str:
    done = run_program(shlex.split(line)[1:], clean_environment(folder), WAIT)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


@contextmanager
def started(folder: Path, arguments: list[str], **env: str) -> Iterator[str]:
    """A server, with what it prints when it starts; it is ended afterwards."""
    command = [sys.executable, "-m", "mcp_web", *arguments]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=clean_environment(folder, **env))
    assert process.stderr is not None
    said = ""
    for line in process.stderr:
        said += line
        if line.endswith(("token add NAME\n", " client\n")):
            break
    yield said
    process.send_signal(signal.SIGTERM)
    process.wait(WAIT)
    process.stderr.close()


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path, int]]:
    folder = tmp_path_factory.mktemp("team")
    port = free_port()
    with started(folder, [*shlex.split(SERVE)[1:], "--http", f"0.0.0.0:{port}"]) as said:
        yield said, folder, port


def test_the_start_of_a_team_that_a_setting_asks_for_shows_the_token_too(tmp_path: Path) -> None:
    with started(tmp_path, ["serve", "--http", f"127.0.0.1:{free_port()}"], MCP_WEB_TEAM="true") as said:
        assert re.search(r"shown only once: mcpw_[\w-]{43}\n", said)


def test_the_start_shows_one_token_and_the_lines_for_clients(team: tuple[str, Path, int]) -> None:
    said, _, port = team
    tokens = set(re.findall(r"mcpw_[\w-]{43}", said))
    assert len(tokens) == 1
    assert f":{port}/mcp" in said
    assert "claude mcp add --scope user --transport http" in said
    assert "127.0.0.1" not in said


@pytest.mark.anyio
async def test_the_readme_s_lines_connect_a_client(team: tuple[str, Path, int], tmp_path: Path) -> None:
    _, folder, port = team
    token = run(ADD, folder).strip()
    written = tmp_path / "mcp.json"
    line = CLIENT.replace("SERVER:8765", f"127.0.0.1:{port}").replace("TOKEN", token)
    run(f"{line} --path {written}", folder)
    entry = json.loads(written.read_text())["mcpServers"]["mcp-web"]
    async with (
        httpx2.AsyncClient(headers=entry["headers"], timeout=WAIT, trust_env=False) as http,
        Client(streamable_http_client(entry["url"], http_client=http)) as client,
    ):
        assert "web_open" in [tool.name for tool in (await client.list_tools()).tools]
    assert "ann" in run("mcp-web token list", folder)


@pytest.mark.anyio
async def test_two_agents_of_two_tenants_cannot_see_each_other(team: tuple[str, Path, int]) -> None:
    _, folder, port = team
    found = {}
    for name in ("carla", "dora"):
        token = run(f"mcp-web token add {name}", folder).strip()
        async with (
            httpx2.AsyncClient(headers={"authorization": f"Bearer {token}"}, timeout=WAIT, trust_env=False) as http,
            Client(streamable_http_client(f"http://127.0.0.1:{port}/mcp", http_client=http)) as client,
        ):
            await client.call_tool("archive_add", {"content": f"The lighthouse of {name}.", "title": name})
            result = await client.call_tool("archive_search", {"query": "lighthouse"})
            found[name] = result.content[0].text
    assert "carla" in found["carla"]
    assert "dora" in found["dora"]
    assert "carla" not in found["dora"]


@pytest.mark.anyio
async def test_the_machine_s_own_names_are_answered_and_others_are_not(team: tuple[str, Path, int]) -> None:
    said, _, port = team
    token = re.findall(r"mcpw_[\w-]{43}", said)[0]
    async with httpx2.AsyncClient(timeout=WAIT, trust_env=False) as http:
        for name, expected in [*((one, 200) for one in own_names()), ("evil.example", 421)]:
            headers = {"host": f"{name}:{port}", "authorization": f"Bearer {token}"}
            assert (await http.get(f"http://127.0.0.1:{port}/", headers=headers)).status_code == expected


@pytest.mark.parametrize("name", [client.name for client in CLIENTS.values() if client.names and client.file])
def test_every_client_that_takes_http_gets_url_and_token(name: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    line = f"mcp-web client {name} --url http://box:8765 --token secret-token --write --path {path}"
    run(line, tmp_path)
    before = path.read_text()
    assert "http://box:8765/mcp" in before
    assert "Bearer secret-token" in before
    run(line, tmp_path)
    assert path.read_text() == before
