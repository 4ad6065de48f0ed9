"""The server on a pipe, as clients start it."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest

from miniweb import MiniWeb

from .program import run_program
from .rpc import MODERN, WAIT, FreshStdio, Stdio, clean_environment, text_of

PAGE = "<title>T</title><main><h1>Hello</h1><p>World of <a href='/x'>links</a> and words.</p></main>"


@pytest.fixture
def server(tmp_path: Path) -> object:
    with Stdio(tmp_path) as made:
        yield made


def test_a_client_of_the_handshake_era_is_served(server: Stdio) -> None:
    assert server.initialize()["result"]["serverInfo"]["name"] == "mcp-web"
    tools = server.request("tools/list")["result"]["tools"]
    assert "web_extract" in [tool["name"] for tool in tools]
    result = server.call("web_extract", html=PAGE, base_url="https://e.org/")
    assert "# Hello" in text_of(result)
    assert "[1]: https://e.org/x" in text_of(result)


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_every_older_revision_is_spoken(server: Stdio, version: str) -> None:
    assert server.initialize(version)["result"]["protocolVersion"] == version
    assert server.request("tools/list")["result"]["tools"]


def test_an_unknown_revision_is_answered_with_ours(server: Stdio) -> None:
    assert server.initialize("1999-01-01")["result"]["protocolVersion"] == "2025-11-25"


def test_a_client_of_the_modern_era_is_served(server: Stdio) -> None:
    found = server.request("server/discover", {"_meta": MODERN})["result"]
    assert found["supportedVersions"] == ["2026-07-28"]
    result = server.request("tools/list", {"_meta": MODERN})["result"]
    assert result["resultType"] == "complete"
    called = server.request("tools/call", {"name": "web_extract", "arguments": {"html": PAGE}, "_meta": MODERN})[
        "result"
    ]
    assert "# Hello" in text_of(called)


def test_a_client_that_probes_and_then_shakes_hands_is_served(server: Stdio) -> None:
    assert "supportedVersions" in server.request("server/discover", {"_meta": MODERN})["result"]
    assert server.initialize()["result"]["protocolVersion"] == "2025-11-25"
    assert server.request("tools/list")["result"]["tools"]


def test_requests_sent_before_the_server_is_up_are_answered_in_order(tmp_path: Path) -> None:
    with FreshStdio(tmp_path) as server:
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        server.send({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello})
        server.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        for number in range(2, 6):
            server.send({"jsonrpc": "2.0", "id": number, "method": "ping"})
        assert [server.receive()["id"] for _ in range(5)] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("env", [{}, {"MCP_WEB_ANSWERS": "structured"}, {"MCP_WEB_CONTRACT": "read-page"}])
@pytest.mark.parametrize("meta", [None, MODERN])
def test_tools_listed_early_are_those_the_sdk_lists(tmp_path: Path, env: dict[str, str], meta: object) -> None:
    with FreshStdio(tmp_path, **env) as server:
        params = {"_meta": meta} if meta else None
        if meta is None:
            server.initialize()
        early = server.request("tools/list", params)["result"]
        server.request("prompts/list", params)  # only the SDK answers this: it is up
        late = server.request("tools/list", params)["result"]
    assert early == late


def test_an_unknown_tool_is_a_protocol_error(server: Stdio) -> None:
    server.initialize()
    answer = server.request("tools/call", {"name": "nope", "arguments": {}})
    assert answer["error"]["code"] == -32602


def test_bad_arguments_are_a_tool_error_the_model_can_read(server: Stdio) -> None:
    server.initialize()
    result = server.call("web_extract", htlm="x")
    assert result["isError"] is True
    assert "Did you mean 'html'?" in text_of(result)
    assert result["_meta"]["error"]["code"] == "INVALID_INPUT"


def test_lines_that_are_no_message_are_answered_and_the_next_request_works(server: Stdio) -> None:
    server.initialize()
    server.send_line(b"garbage")
    assert server.receive()["error"]["code"] == -32700
    server.send_line(b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]')
    assert server.receive()["error"]["code"] == -32600
    assert server.request("ping")["result"] == {}


def test_stdout_carries_nothing_but_protocol_and_stderr_stays_quiet(tmp_path: Path) -> None:
    with Stdio(tmp_path) as server:
        server.initialize()
        server.call("web_extract", html=PAGE)
    assert server.errors == []


def test_the_server_ends_with_its_input_and_leaves_no_process(tmp_path: Path) -> None:
    server = Stdio(tmp_path)
    server.initialize()
    server.call("web_extract", html=PAGE)  # has started a worker process
    children = _children(server.process.pid)
    assert children
    assert server.close() == 0
    assert not any(_alive(child) for child in children)


def test_a_client_that_only_lists_the_tools_does_not_wait_for_the_sdk(tmp_path: Path) -> None:
    sdk = tmp_path / "path" / "mcp"
    sdk.mkdir(parents=True)
    (sdk / "__init__.py").write_text("import threading\nthreading.Event().wait()")
    with FreshStdio(tmp_path, PYTHONPATH=str(sdk.parent)) as server:
        server.initialize()
        assert server.request("tools/list")["result"]["tools"]
        assert server.process.stdin is not None
        server.process.stdin.close()
        assert server.process.wait(WAIT) == 0


def test_workers_end_when_the_server_is_killed(tmp_path: Path) -> None:
    server = Stdio(tmp_path)
    server.initialize()
    server.call("web_extract", html=PAGE)
    children = _children(server.process.pid)
    server.process.send_signal(signal.SIGKILL)
    server.process.wait(WAIT)
    for child in children:
        _wait_gone(child)


def test_structured_answers_are_whole_objects_for_programs(tmp_path: Path) -> None:
    with Stdio(tmp_path, MCP_WEB_ANSWERS="structured") as server:
        server.initialize()
        tool = next(t for t in server.request("tools/list")["result"]["tools"] if t["name"] == "web_extract")
        assert tool["outputSchema"]["type"] == "object"
        result = server.call("web_extract", html=PAGE, base_url="https://e.org/")
        assert result["structuredContent"]["title"]
        assert "Hello" in result["structuredContent"]["content"]
        assert "Hello" not in text_of(result), "a page is not paid for twice"


def test_a_call_can_ask_for_its_answer_as_an_object_or_as_text(server: Stdio) -> None:
    server.initialize()
    call = {"name": "web_extract", "arguments": {"html": PAGE, "base_url": "https://e.org/"}}
    for answers in ("structured", "text"):
        result = server.request("tools/call", call | {"_meta": {"mcp-web/answers": answers}})["result"]
        assert ("structuredContent" in result) == (answers == "structured")
        assert ("Hello" in text_of(result)) == (answers == "text")


def test_a_wrong_variable_exits_2_with_one_sentence(tmp_path: Path) -> None:
    env = clean_environment(tmp_path, MCP_WEB_PROFILE="huge")
    done = run_program([], env, WAIT)
    assert done.returncode == 2
    assert done.stdout == b""
    assert b"MCP_WEB_PROFILE is 'huge', but it must be one of: standard, full, lite, chatgpt" in done.stderr
    assert b"Traceback" not in done.stderr


HEAVY = ("turbohtml", "lxml", "onnxruntime", "numpy", "tokenizers", "playwright", "sqlite3", "ddgs", "pypdfium2",
         "rich", "redis", "markdown_it", "ada_url")  # fmt: skip


def test_nothing_heavy_is_imported_before_it_is_used(tmp_path: Path) -> None:
    """The server lists its tools with no model, browser, database, parser or search library in memory."""
    probe = tmp_path / "sitecustomize.py"
    out = str(tmp_path / "modules.json")
    probe.write_text(
        "import atexit, json, sys\n"
        f"atexit.register(lambda: open({out!r}, 'w').write(json.dumps(sorted(sys.modules))))\n"
    )
    with FreshStdio(tmp_path, PYTHONPATH=str(tmp_path)) as server:
        server.initialize()
        assert server.request("tools/list")["result"]["tools"]
        assert server.request("ping")["result"] == {}  # answered by the SDK: the whole server is loaded
    loaded = json.loads((tmp_path / "modules.json").read_text())
    assert [name for name in HEAVY if name in loaded] == []


def _children(pid: int) -> list[int]:
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _alive(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False


def _wait_gone(pid: int) -> None:
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    import select

    try:
        ended, _, _ = select.select([descriptor], [], [], WAIT)
        assert ended, f"process {pid} outlived its server"
    finally:
        os.close(descriptor)


def test_the_list_of_kept_pages_names_no_configured_secret(tmp_path: Path, miniweb: MiniWeb) -> None:
    secret = "sk-listed/9f31+c0de"
    site = miniweb.site("echo.example")
    site.page("/", f"<title>Key {secret}</title><h1>Key {secret}</h1><p>It is {secret}, they say.</p>".encode())
    with Stdio(tmp_path, MCP_WEB_ALLOW_PRIVATE=site.exemption, BRAVE_API_KEY=secret) as server:
        server.initialize()
        server.call("web_open", url=site.loopback_url("/"))
        listed = server.request("resources/list")["result"]["resources"]
        read = [server.request("resources/read", {"uri": each["uri"]}) for each in listed]
    assert listed
    assert secret not in json.dumps([listed, read])
