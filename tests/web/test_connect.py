"""What the page offers to connect an agent works from where the page is looked at."""

from __future__ import annotations

import base64
import json
import shlex
import sys
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from mcp_web.web.connect import ways_to_connect


def _cursor(link: str) -> dict[str, object]:
    config = parse_qs(urlsplit(link).query)["config"][0]
    found = json.loads(base64.b64decode(config))
    assert isinstance(found, dict)
    return found


def test_on_the_same_machine_an_editor_starts_the_server() -> None:
    ways = ways_to_connect("http://127.0.0.1:8765/mcp", needs_token=False)
    assert "command" in _cursor(ways["cursor_link"])
    assert json.loads(unquote(ways["vscode_link"].partition("?")[2]))["name"] == "mcp-web"
    assert " -- " in ways["claude_line"]


def test_from_elsewhere_an_editor_reaches_the_server_with_a_token() -> None:
    ways = ways_to_connect("https://web.example/mcp", needs_token=True)
    headers = {"Authorization": "Bearer YOUR_TOKEN"}
    assert _cursor(ways["cursor_link"]) == {"url": "https://web.example/mcp", "headers": headers}
    vscode = json.loads(unquote(ways["vscode_link"].partition("?")[2]))
    assert vscode == {"name": "mcp-web", "type": "http", "url": "https://web.example/mcp", "headers": headers}
    assert ways["claude_line"].endswith('https://web.example/mcp --header "Authorization: Bearer YOUR_TOKEN"')


def test_a_line_to_paste_quotes_a_folder_with_spaces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "my programs" / "mcp-web"
    program.parent.mkdir()
    program.touch()
    monkeypatch.setattr(sys, "executable", str(program.with_name("python")))
    line = ways_to_connect("http://127.0.0.1:8765/mcp", needs_token=False)["claude_line"]
    assert shlex.split(line)[-1] == str(program)
